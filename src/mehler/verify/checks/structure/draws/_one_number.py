"""Detect columns that share one random number, so that more of them do not reduce the error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._finding import Finding
from mehler.verify.checks.structure._same import mostly
from mehler.verify.checks.structure._subject import Subject

_CHECK = "independent columns"
_STREAM = 31
# Least columns of a map to be tested; columns drawn if sizes can be chosen; draws of the first
# test; and the number of effectively independent columns that raises suspicion.
_LEAST, _SIZE, _PILOT, _EFFECTIVE = 64, 256, 20, 8.0
_ASSUMED = "halves of a draw's columns that are independent agree in sign as often as not"


def check_one_number(subject: Subject) -> list[Finding]:
    """Compare the variance between draws with that of independent columns.

    The estimate at a pair is the mean of m products. For independent ones its variance between
    draws is theirs over m; products that share one random number vary together. A map is refuted if
    as few as 8 independent columns would have its variance, and halves of the columns err to the
    same side in nearly all draws: a fair coin if columns are independent.
    """
    if subject.rows.dtype.kind != "f":
        return []
    size = _SIZE if subject.resizable else None
    far = subject.seeds(_STREAM)
    rows = _near_and_far(subject)
    first = subject.map_for(far.seed(0), rows, size)
    if _explains_itself(first):
        return []
    z = subject.call(first, rows)
    m = z.shape[1]
    if z.dtype.kind != "f" or m < _LEAST:
        return []
    halves = np.random.default_rng(subject.seed).permutation(m) < m // 2
    looks = [_look(z, halves)]
    for k in range(1, _PILOT):
        looks.append(_look(_draw(subject, far.seed(k), rows, size), halves))
    pilot = Scatter.of(looks, m)
    pair = pilot.worst()
    if pair is None or pilot.effective[pair] > _EFFECTIVE:
        return []
    subject.n_tests += 1
    fresh = _pairs(subject, rows, size, halves)
    signs: list[Any] = []

    def won(k: int) -> bool:
        one, other = next(fresh)
        signs.extend([one, other])
        gap = one[1][pair] - other[1][pair]
        rest = one[2][pair] - other[2][pair]
        return bool(gap * rest > 0.0)

    if not mostly(won, 0.5, subject.rate, n=60):
        return []
    again = Scatter.of(signs, m)
    if again.effective[pair] > _EFFECTIVE:
        return []
    cause = (
        "one random number is shared by all columns: the error does not fall with m "
        f"({counted(m, 'column')} scatter like {max(1.0, float(again.effective[pair])):.0f})"
    )
    return [Finding(cause=cause, check=_CHECK, assumes=(_ASSUMED,))]


@dataclass(frozen=True)
class Scatter:
    """Effective number of independent columns, at each pair."""

    effective: Any

    @classmethod
    def of(cls, looks: list[Any], m: int) -> Scatter:
        """Estimate it from whole estimates, those of halves, and variances within draws."""
        whole = np.array([one[0] for one in looks])
        within = np.mean([one[3] for one in looks], axis=0)
        between = whole.var(axis=0, ddof=1)
        # A variance at rounding level counts as none.
        floor = 1e-10 * (whole**2).mean(axis=0)
        with np.errstate(all="ignore"):
            return cls(np.where(between > floor, within / between, np.inf))

    def worst(self) -> int | None:
        """Return the pair with the fewest effective columns."""
        if not np.isfinite(self.effective).any():
            return None
        return int(np.nanargmin(self.effective))


def _look(z: Any, halves: Any) -> tuple[Any, Any, Any, Any]:
    """Return per pair the estimate, those of either half, and the variance of a product."""
    z = z.astype(np.float64)
    i, j = np.triu_indices(z.shape[0])
    total = (z @ z.T)[i, j]
    one, other = ((part @ part.T)[i, j] for part in (z[:, halves], z[:, ~halves]))
    squares = z * z
    second = z.shape[1] * (squares @ squares.T)[i, j]
    return total, one, other, second - total**2


def _near_and_far(subject: Subject) -> Any:
    """Return a few rows, scaled to nearly 0 and as given, with negatives if signs are free.

    A phase that all columns share shows at x + y near 0.
    """
    rows = subject.rows[:3]
    domain = subject.domain
    if not domain.scalable:
        return rows
    near = (rows * 0.1).astype(rows.dtype)
    return np.concatenate([rows, near, *([] if domain.nonnegative else [-rows])])


def _explains_itself(phi: Any) -> bool:
    """Whether the map declares how its columns depend on each other."""
    return callable(getattr(phi, "gram_variance", None)) or bool(getattr(phi, "n_projections", 0))


def _draw(subject: Subject, seed: int, rows: Any, size: int | None) -> Any:
    return subject.call(subject.map_for(seed, rows, size), rows)


def _pairs(subject: Subject, rows: Any, size: int | None, halves: Any) -> Iterator[Any]:
    far = subject.seeds(_STREAM + 1)
    k = 0
    while True:
        yield tuple(_look(_draw(subject, far.seed(k + i), rows, size), halves) for i in (0, 1))
        k += 2
