"""The settings of a check of a statement: its level, seed, array library and error budget."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from mehler._arrays import LIBRARIES
from mehler._validate import require_choice, require_integer, require_probability

if TYPE_CHECKING:
    from mehler.verify import Ledger

Level = Literal["quick", "full"]

# Without array-api-strict, which only tests conformance to the standard.
_BACKENDS = tuple(name for name in LIBRARIES if name != "strict")


@dataclass(frozen=True, kw_only=True)
class Context:
    """The settings and resources of a check.

    Parameters
    ----------
    ledger : mehler.verify.Ledger
        Pays for every test, by `pay` or as an argument of `mehler.verify.check_kernel`.
    level : {"quick", "full"}
        Effort of the checks: of seconds, or of minutes.
    seed : int
        Seed of the whole run.
    backend : str
        Name of the library on which maps are drawn and applied, such as ``"torch"``.
    false_alarm : float
        Probability of refuting a true claim, per test.
    statement : str
        Id of the statement under check. It enters every random stream, so that a statement
        replayed alone uses the same numbers.

    Examples
    --------
    >>> from mehler.verify import Ledger
    >>> context = Context(ledger=Ledger(budget=1e-6), seed=3, statement="paper.lemma-1")
    >>> bool(context.rng("points").random() == context.rng("points").random())
    True
    """

    ledger: Ledger
    level: Level = "quick"
    seed: int = 0
    backend: str = "numpy"
    false_alarm: float = 1e-9
    statement: str = ""

    def __post_init__(self) -> None:
        require_choice("level", self.level, get_args(Level))
        require_choice("backend", self.backend, _BACKENDS)
        object.__setattr__(self, "seed", require_integer("seed", self.seed, least=0))
        object.__setattr__(
            self, "false_alarm", require_probability("false_alarm", self.false_alarm)
        )

    @property
    def quick(self) -> bool:
        """Whether the level is ``"quick"``, so that seconds count."""
        return self.level == "quick"

    def pay(self, test: str) -> float:
        """Pay for a test of that name before it is made; return the false alarm that was paid."""
        self.ledger.spend(f"{self.statement}: {test}", self.false_alarm)
        return self.false_alarm

    def for_statement(self, statement: str) -> Context:
        """Return the same context for the checks of one statement."""
        return replace(self, statement=statement)

    def seed_for(self, label: str) -> int:
        """Derive a seed below 2**32 from the run's seed, the statement's id and its purpose."""
        key = f"{self.seed}/{self.statement}/{label}".encode()
        return int.from_bytes(sha256(key).digest()[:4], "big")

    def rng(self, label: str) -> np.random.Generator:
        """Return an independent NumPy generator for one purpose of one statement."""
        return np.random.Generator(np.random.Philox(self.seed_for(label)))

    def like(self) -> Any:
        """Return the backend's array API namespace, a module, for ``draw(..., like=...)``."""
        library = LIBRARIES[self.backend]
        try:
            namespace = importlib.import_module(library.module)
        except ImportError as error:
            raise ValueError(
                f"backend={self.backend!r} is not installed ({error}): "
                f"{library.install}; or choose --backend numpy"
            ) from error
        if self.backend == "cupy":  # computes on nothing else
            _require_device(namespace)
        return namespace

    def asarray(self, rows: np.ndarray) -> Any:
        """Move rows (n, d) of the host to the backend, in their dtype where it has that."""
        # Copy, since torch would share the memory, and warns if it is read-only.
        return self.like().asarray(rows.copy())


def _require_device(cupy: Any) -> None:
    """Raise ValueError if CuPy has no GPU; it imports without one and fails at the first array."""
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise ValueError(
            f"backend='cupy' found no CUDA device ({error}): choose --backend numpy"
        ) from error
    if count == 0:
        raise ValueError("backend='cupy' found no CUDA device: choose --backend numpy")
