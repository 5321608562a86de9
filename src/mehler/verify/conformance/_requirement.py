"""One requirement on a map, and the subject it applies to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import to_host
from mehler.verify._budget import Ledger
from mehler.verify._failure import is_failure
from mehler.verify._failure import require as require_holds
from mehler.verify._verdict import Verdict

__tracebackhide__, __unittest = is_failure, True
# Default rows: four random directions, hence 10 pairs with the diagonal.
_ROWS = 4


@dataclass(frozen=True)
class Subject:
    """A factory of maps, ``factory(n_features, seed=seed)``, with rows and error rates."""

    factory: Callable[..., Any]
    X: Any
    n_features: int
    resolution: float
    false_alarm: float
    ledger: Ledger | None

    def map(self, seed: int = 0, n_features: int | None = None) -> Any:
        """Return a drawn map."""
        return self.factory(self.n_features if n_features is None else n_features, seed=seed)

    @property
    def rows(self) -> Any:
        """The caller's rows, or rows in random directions of lengths from 1/2 to 2."""
        if self.X is not None:
            return self.X
        n_inputs = getattr(self.map(), "n_inputs", None)
        if n_inputs is None:
            raise AssertionError(
                "the map has no n_inputs: name the width of its rows, or give checks(..., X=rows)"
            )
        rng = np.random.default_rng(0)
        rows = rng.standard_normal((_ROWS, n_inputs))
        lengths = rng.uniform(0.5, 2.0, (_ROWS, 1))
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) * lengths

    def features(self, rows: Any, seed: int = 0) -> Any:
        """Return phi(rows) on the host."""
        return np.asarray(to_host(self.map(seed)(rows)))


@dataclass(frozen=True)
class Requirement:
    """A requirement on a map; calling it raises AssertionError if it is not met.

    Parameters
    ----------
    name : str
        Name of the requirement, used as test id.
    says : str
        The requirement as a sentence.
    look : callable
        Subject -> Verdict or None; raises AssertionError.
    subject : Subject
        The maps under test, as built by `checks`.

    See Also
    --------
    checks : List the requirements on a map.
    parametrize : Make a pytest test of each.

    Examples
    --------
    >>> import functools, mehler
    >>> from mehler.verify import conformance
    >>> draw = functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4)
    >>> requirement = conformance.checks(draw)[0]
    >>> print(requirement.says)
    the map has n_features, kernel, variance and recipe, and is callable
    >>> requirement()
    """

    name: str
    says: str
    look: Callable[[Subject], Verdict | None]
    subject: Subject

    def __call__(self) -> Verdict | None:
        """Return the verdict of a statistical requirement, None for others."""
        verdict = self.look(self.subject)
        return None if verdict is None else require_holds(verdict, f"{self.says}: ")

    def __repr__(self) -> str:
        return f"<Requirement {self.name}>"


def require(fact: Any, message: str) -> None:
    """Raise AssertionError(message) unless `fact`, also under -O, which removes plain asserts."""
    if not bool(fact):
        raise AssertionError(message)
