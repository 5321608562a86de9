"""One requirement on a map, and the map under test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import to_host
from mehler.verify._verdict import Verdict
from mehler.verify.budget._ledger import Ledger

# Rows of the default data: four random directions, so 10 pairs, the diagonal included.
_ROWS = 4


@dataclass(frozen=True)
class Subject:
    """A way to draw maps, and what they are looked at with.

    `factory(n_features, seed=seed)` returns a map.
    """

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
        """The caller's rows, or rows in random directions with lengths from 1/2 to 2."""
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
    """Something that a map must satisfy; calling it raises AssertionError where it does not.

    Parameters
    ----------
    name : str
        For the test's id.
    says : str
        The requirement as a sentence.
    look : callable
        Subject -> Verdict or None; raises AssertionError.
    subject : Subject

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
        """Return the verdict, of a statistical requirement; None of the others."""
        verdict = self.look(self.subject)
        if verdict is not None and not verdict.holds:
            raise AssertionError(f"{self.says}: {verdict}")
        return verdict

    def __repr__(self) -> str:
        return f"<Requirement {self.name}>"


def require(fact: Any, message: str) -> None:
    """Raise AssertionError(message) unless `fact`; a plain assert would vanish under -O."""
    if not bool(fact):
        raise AssertionError(message)
