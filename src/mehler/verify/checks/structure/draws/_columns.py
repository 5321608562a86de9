"""Detect columns that are the same feature, up to a factor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._finding import Finding
from mehler.verify.checks.structure._same import all_won
from mehler.verify.checks.structure._subject import Subject

_CHECK = "columns"
_STREAM = 21
# Draws of the first test; least distinct nonzero values of a column worth comparing; relative size
# below which a column is rounding.
_PILOT, _VALUES, _NOISE = 3, 8, 1e-9
# Rounding between a column and its multiple, in units of eps.
_ULPS = 32.0
# Least ratio of repeated columns in one draw to those in all draws, if their places change.
_MORE = 1.25
# Fraction of distinct columns below which the places of the others do not matter.
_HALF = 0.5
_ASSUMED = "columns of a draw are independent and alike, or differ from each other more than that"


def check_columns(subject: Subject) -> list[Finding]:
    """Search for columns that are the same in every draw.

    If features take few values, columns coincide by chance, but between two draws as often as
    within one. So halves of two draws are swapped, and a correct map has the coincidence as often
    before as after.
    """
    far = subject.seeds(_STREAM)
    pilot = [subject.features(far.seed(k)) for k in range(_PILOT)]
    if len({z.shape for z in pilot}) > 1 or pilot[0].dtype.kind != "f" or pilot[0].shape[1] < 2:
        return []
    labels = [Columns.of(z).labels() for z in pilot]
    worth = np.all([label >= 0 for label in labels], axis=0)
    if worth.sum() < 2:
        return []
    groups = _groups(labels, worth)
    repeated = [group for group in groups if len(group) > 1]
    distinct = [len(set(label[label >= 0])) / max(1, (label >= 0).sum()) for label in labels]
    if len(groups) > _MORE * max(distinct) * worth.sum():
        repeated = []  # in different places in every draw
    if not repeated and max(distinct) > _HALF:
        return []
    subject.n_tests += 1
    if not all_won(_swaps(subject, repeated, pilot[0].shape[1]), subject.rate):
        return []
    return [_finding(pilot[0], groups, repeated, distinct)]


@dataclass(frozen=True)
class Columns:
    """Columns over their product with a fixed vector, so that factors and signs drop out.

    `worth` marks the columns with enough distinct values to be compared.
    """

    shapes: Any
    worth: Any
    slack: float

    @classmethod
    def of(cls, z: Any) -> Columns:
        """Normalise the columns of a feature matrix."""
        eps = float(np.finfo(z.dtype).eps)
        z = z.astype(np.float64)
        ordered = np.sort(z, axis=0)
        values = 1 + (np.diff(ordered, axis=0) != 0.0).sum(axis=0) - (z == 0.0).any(axis=0)
        size = np.abs(z).max(axis=0)
        worth = np.isfinite(z).all(axis=0) & (values >= _VALUES) & (size > _NOISE * size.max())
        weights = np.random.default_rng(0).uniform(1.0, 2.0, z.shape[0])
        with np.errstate(all="ignore"):
            shapes = z / (weights @ z)
        worth &= np.isfinite(shapes).all(axis=0)
        return cls(shapes, worth, _ULPS * eps * float(np.sqrt(z.shape[0])))

    def labels(self) -> Any:
        """Return a label for each column, equal for equal columns; -1 for those not compared."""
        found = np.full(self.worth.size, -1)
        index = np.flatnonzero(self.worth)
        if not index.size:
            return found
        columns = self.shapes[:, index]
        order = np.argsort(columns[0], kind="stable")
        near = self._alike(columns[:, order[1:]], columns[:, order[:-1]])
        found[index[order]] = np.concatenate([[0], np.cumsum(~near)])
        return found

    def meets(self, other: Columns, mine: Any, theirs: Any) -> bool:
        """Whether one of these columns equals one of the other's."""
        a = self.shapes[:, mine[self.worth[mine]]]
        b = other.shapes[:, theirs[other.worth[theirs]]]
        if not a.shape[1] or not b.shape[1]:
            return False
        both = np.concatenate([a, b], axis=1)
        order = np.argsort(both[0], kind="stable")
        side = order < a.shape[1]
        across = side[1:] != side[:-1]
        return bool((self._alike(both[:, order[1:]], both[:, order[:-1]]) & across).any())

    def _alike(self, a: Any, b: Any) -> Any:
        size = np.maximum(np.abs(a), np.abs(b)).max(axis=0)
        return np.abs(a - b).max(axis=0) <= self.slack * size


def _groups(labels: list[Any], worth: Any) -> list[list[int]]:
    """Return groups of columns that are equal in all draws."""
    found: dict[tuple[int, ...], list[int]] = {}
    for j in np.flatnonzero(worth):
        found.setdefault(tuple(int(label[j]) for label in labels), []).append(int(j))
    return list(found.values())


def _swaps(subject: Subject, repeated: list[list[int]], m: int) -> Iterator[int]:
    """Yield whether columns agree within draws (+1), or only when halves are swapped (-1)."""
    far, rng = subject.seeds(_STREAM), np.random.default_rng(subject.seed)
    for k in range(200):
        if subject.clock.over:
            subject.notes.skip("whether columns that agree do so by chance", "time")
            return
        first = np.zeros(m, dtype=bool)
        if repeated:
            first[[group[0] for group in repeated]] = True
        else:
            first[rng.permutation(m)[: m // 2]] = True
        halves = np.flatnonzero(first), np.flatnonzero(~first)
        z = [subject.features(far.seed(_PILOT + 2 * k + i)) for i in (0, 1)]
        if any(each.shape[1] != m for each in z):
            return
        a, b = (Columns.of(each) for each in z)
        own = a.meets(a, *halves) or b.meets(b, *halves)
        swapped = a.meets(b, *halves) or b.meets(a, *halves)
        yield int(own) - int(swapped)


def _finding(z: Any, groups: list[Any], repeated: list[Any], distinct: list[float]) -> Finding:
    m = z.shape[1]
    if not repeated:
        return Finding(
            cause=f"columns are repeated: {round(min(distinct) * m)} of "
            f"{counted(m, 'feature')} are distinct",
            check=_CHECK,
            assumes=(_ASSUMED,),
        )
    i, j = repeated[0][:2]
    a, b = z[:, i].astype(np.float64), z[:, j].astype(np.float64)
    near = 1e-4 * np.abs(a).max()
    how = "proportional"
    if np.abs(a - b).max() <= near:
        how = "equal"
    elif np.abs(a + b).max() <= near:
        how = "equal up to sign"
    lost = sum(len(group) - 1 for group in repeated)
    cause = f"columns {i} and {j} are {how}: {m - lost} of {counted(m, 'feature')} are distinct"
    return Finding(cause=cause, check=_CHECK, where={"columns": (i, j)}, assumes=(_ASSUMED,))
