"""Check that columns of features differ as independent ones do, and that those of X are used."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._plural import be, counted
from mehler.verify.checks.structure._comparisons import all_won, apart, mostly
from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.checks.structure._trials import ASSUMED_OF_BETS, gram_of
from mehler.verify.intervals._nonnegative import Excess

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
    # Columns that are equal in all draws.
    groups: dict[tuple[int, ...], list[int]] = {}
    for j in np.flatnonzero(worth):
        groups.setdefault(tuple(int(label[j]) for label in labels), []).append(int(j))
    repeated = [group for group in groups.values() if len(group) > 1]
    distinct = [len(set(label[label >= 0])) / max(1, (label >= 0).sum()) for label in labels]
    if len(groups) > _MORE * max(distinct) * worth.sum():
        repeated = []  # in different places in every draw
    if not repeated and max(distinct) > _HALF:
        return _near_copies(subject, pilot)
    subject.n_tests += 1
    if not all_won(_swapped(subject, repeated, pilot[0].shape[1]), subject.rate):
        return []
    return [_repeated(pilot[0], repeated, min(distinct))]


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
        labels = np.full(self.worth.size, -1)
        index = np.flatnonzero(self.worth)
        if index.size:
            order, near = self._neighbours(self.shapes[:, index])
            labels[index[order]] = np.concatenate([[0], np.cumsum(~near)])
        return labels

    def meets(self, other: Columns, mine: Any, theirs: Any) -> bool:
        """Whether one of these columns equals one of the other's."""
        a = self.shapes[:, mine[self.worth[mine]]]
        b = other.shapes[:, theirs[other.worth[theirs]]]
        if not a.shape[1] or not b.shape[1]:
            return False
        order, near = self._neighbours(np.concatenate([a, b], axis=1))
        side = order < a.shape[1]
        return bool((near & (side[1:] != side[:-1])).any())

    def _neighbours(self, columns: Any) -> tuple[Any, Any]:
        """Return an order of columns, and which equal the one before them in it."""
        order = np.argsort(columns[0], kind="stable")
        a, b = columns[:, order[1:]], columns[:, order[:-1]]
        size = np.maximum(np.abs(a), np.abs(b)).max(axis=0)
        return order, np.abs(a - b).max(axis=0) <= self.slack * size


def _swapped(subject: Subject, repeated: list[list[int]], m: int) -> Iterator[int]:
    """Yield whether columns agree within draws (+1), or only when halves are swapped (-1)."""
    far, rng = subject.seeds(_STREAM), np.random.default_rng(subject.seed)
    for k in range(200):
        if subject.over("whether columns that agree do so by chance"):
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


def _repeated(z: Any, repeated: list[list[int]], distinct: float) -> Finding:
    m = z.shape[1]
    if not repeated:
        cause = f"columns are repeated: {round(distinct * m)} of {counted(m, 'feature')}"
        return Finding(cause=f"{cause} are distinct", check="columns", assumes=(_ASSUMED,))
    i, j = repeated[0][:2]
    a, b = z[:, i].astype(np.float64), z[:, j].astype(np.float64)
    near = 1e-4 * np.abs(a).max()
    relation = "proportional"
    if np.abs(a - b).max() <= near:
        relation = "equal"
    elif np.abs(a + b).max() <= near:
        relation = "equal up to sign"
    lost = sum(len(group) - 1 for group in repeated)
    cause = (
        f"columns {i} and {j} are {relation}: {m - lost} of {counted(m, 'feature')} are distinct"
    )
    return Finding(cause=cause, check="columns", where={"columns": (i, j)}, assumes=(_ASSUMED,))


# Least fraction of columns with a near copy in their own draw, and largest of those with one in
# another draw; most columns compared; the largest distance of unit vectors that nearly agree.
_COPIED, _BY_CHANCE, _COMPARED, _NEAR = 0.5, 0.1, 256, 0.05
_COPIES_ASSUMED = (
    "columns of a draw are independent and alike, or no nearer to each other than to those of "
    "another draw"
)


def _near_copies(subject: Subject, pilot: list[Any]) -> list[Finding]:
    """Search for columns that nearly agree in most draws, where those of two draws do not.

    Which distance is near depends on the map: those of two draws are farther apart.
    """
    a, b = (_directions(z) for z in pilot[:2])
    if min(a.shape[1], b.shape[1]) < _VALUES:
        return []
    near = min(_NEAR, 0.5 * float(np.quantile(_nearest(a, b), _BY_CHANCE)))
    fraction = float((_nearest(a, a) <= near).mean())
    if near <= 0.0 or fraction < _COPIED:
        return []
    far, rng = subject.seeds(_STREAM + 1), np.random.default_rng(subject.seed)

    def compared() -> Iterator[int]:
        for k in range(0, 400, 2):
            if subject.over("whether columns that nearly agree do so by chance"):
                return
            first = rng.permutation(pilot[0].shape[1]) < pilot[0].shape[1] // 2
            z = [subject.features(far.seed(k + i)) for i in (0, 1)]
            if any(each.shape != pilot[0].shape for each in z):
                return
            (c, d), (e, f) = ((_directions(x[:, first]), _directions(x[:, ~first])) for x in z)
            own, swapped = (
                sum(int((_nearest(x, y) <= near).sum()) for x, y in pairs)
                for pairs in (((c, d), (e, f)), ((c, f), (e, d)))
            )
            yield int(own > swapped) - int(own < swapped)

    subject.n_tests += 1
    if not all_won(compared(), subject.rate):
        return []
    cause = (
        f"columns nearly copy each other: {round(fraction * a.shape[1])} of "
        f"{counted(a.shape[1], 'feature')} have a copy within {near:.2g} of their length, and the "
        "variance is that of fewer"
    )
    # Few random numbers shared by all columns, which are looked for next, explain copies too.
    return [Finding(cause=cause, check="columns", assumes=(_COPIES_ASSUMED,), late=True)]


def _directions(z: Any) -> Any:
    """Return the first columns worth comparing, as unit vectors."""
    z = z[:, :_COMPARED]
    columns = z[:, Columns.of(z).worth].astype(np.float64)
    return columns / np.linalg.norm(columns, axis=0)


def _nearest(a: Any, b: Any) -> Any:
    """Return the distance of each column of a to the nearest line of b, itself apart."""
    cosines = np.abs(a.T @ b)
    if a is b:
        np.fill_diagonal(cosines, 0.0)
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosines.max(axis=1, initial=0.0)))


_STREAM_OF_HALVES = 31
# Least columns of a map to be tested; columns drawn if sizes can be chosen; draws of the first
# test; and the number of effectively independent columns that raises suspicion, at most so many
# and at most a fraction of all.
_LEAST, _SIZE, _FEW, _EFFECTIVE, _FRACTION = 64, 512, 20, 24.0, 0.125
# Comparisons of halves. Draws of maps of two sizes, a factor of _SIZES apart, and the least factor
# by which their effective columns grow.
_COMPARISONS, _DRAWS, _SIZES, _GROWS = 120, 200, 4, 2.0
_HALVES_ASSUMED = "halves of a draw's columns that are independent agree in sign as often as not"


def check_one_number(subject: Subject) -> list[Finding]:
    """Compare the variance between draws with that of independent columns.

    The estimate at a pair is the mean of m products. For independent ones its variance between
    draws is theirs over m; products that share few random numbers vary together. A map is refuted
    if much fewer independent columns would have its variance, and halves of the columns err to the
    same side in most draws: a fair coin if columns are independent. Where sizes can be chosen, the
    effective number of columns must not grow with them either.
    """
    if subject.rows.dtype.kind != "f":
        return []
    size = _SIZE if subject.resizable else None
    far = subject.seeds(_STREAM_OF_HALVES)
    rows = _near_and_far(subject)
    first = subject.map_for(far.seed(0), rows, size)
    if callable(getattr(first, "gram_variance", None)) or getattr(first, "n_projections", None):
        return []  # the map declares how its columns depend on each other
    z = subject.call(first, rows)
    m = z.shape[1]
    if z.dtype.kind != "f" or m < _LEAST:
        return []
    most = _FRACTION * m if size is not None else min(_EFFECTIVE, _FRACTION * m)
    halves = np.random.default_rng(subject.seed).permutation(m) < m // 2
    estimates = _estimates(subject, rows, size, halves, 0)
    pilot = [_estimate(z, halves), *itertools.islice(estimates, _FEW - 1)]
    effective = effective_columns(pilot)
    pair = int(np.argmin(effective))
    if not effective[pair] <= most:
        return []
    subject.n_tests += 1
    fresh = _estimates(subject, rows, size, halves, 1)
    estimates_at = []

    def won(k: int) -> bool:
        one, other = next(fresh), next(fresh)
        estimates_at.extend([one[:, pair], other[:, pair]])
        _, left, right, _ = one[:, pair] - other[:, pair]
        return bool(left * right > 0.0)

    if not mostly(won, 0.5, subject.rate, n=_COMPARISONS):
        return []
    n_columns = float(effective_columns(estimates_at))
    if n_columns > most or (size is not None and _grows(subject, rows, pair)):
        return []
    cause = (
        f"{'one random number is' if n_columns < 1.5 else 'few random numbers are'} shared by all "
        "columns: the error does not fall with m "
        f"({counted(m, 'column')} scatter like {max(1.0, n_columns):.0f})"
    )
    return [Finding(cause=cause, check="independent columns", assumes=(_HALVES_ASSUMED,))]


def effective_columns(estimates: list[Any]) -> Any:
    """Return how many independent columns would have the variance of the estimates, per pair.

    Infinite where that is at rounding level.
    """
    whole, _, _, within = np.stack(estimates, axis=1)
    between = whole.var(axis=0, ddof=1)
    floor = 1e-10 * (whole**2).mean(axis=0)
    with np.errstate(all="ignore"):
        return np.where(between > floor, within.mean(axis=0) / between, np.inf)


def _estimate(z: Any, halves: Any) -> Any:
    """Return per pair the estimate, those of either half, and the variance of a product, (4, n)."""
    z = z.astype(np.float64)
    i, j = np.triu_indices(z.shape[0])
    total = (z @ z.T)[i, j]
    one, other = ((part @ part.T)[i, j] for part in (z[:, halves], z[:, ~halves]))
    squares = z * z
    second = z.shape[1] * (squares @ squares.T)[i, j]
    return np.stack([total, one, other, second - total**2])


def _estimates(
    subject: Subject, rows: Any, size: int | None, halves: Any, stream: int
) -> Iterator[Any]:
    """Yield `_estimate` of further draws, without end."""
    far = subject.seeds(_STREAM_OF_HALVES + stream)
    for k in itertools.count(1):
        yield _estimate(subject.features_for(far.seed(k), rows, size), halves)


def _grows(subject: Subject, rows: Any, pair: int) -> bool:
    """Whether larger maps have more effective columns at a pair of rows."""
    numbers = []
    for stream, size in ((2, _SIZE // _SIZES), (3, _SIZE)):
        estimates = _estimates(subject, rows, size, np.arange(size) % 2 == 0, stream)
        some = [each[:, pair] for each in itertools.islice(estimates, _DRAWS)]
        numbers.append(float(effective_columns(some)))
    return numbers[1] > _GROWS * numbers[0]


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


_UNUSED = "unused columns"
_STREAM_OF_UNUSED = 900
# Further widths, one odd and one even, if maps can be drawn for them.
_WIDE = (301, 302)
# Draws of the first test; draws that must confirm a suspicion; most draws of bets; and the
# fraction of draws that may use a column undetected by the last resort.
_FIRST, _AGAIN, _BETS, _SELDOM = 2, 4, 200, 0.01
_POINTS = 8
# Most features of one call.
_ENTRIES = 1 << 22


def check_unused(subject: Subject) -> list[Finding]:
    """Change one column of X after the other, then all those without effect at once.

    Where the kernel claims that such rows are far apart, the sum of their equal features is longer
    than claimed, and bets on that decide. Else thousands of draws do.
    """
    if subject.kernel is None or not subject.domain.scalable:
        return []
    what = "whether all columns of X are used, d"
    own = subject.domain.n_inputs
    trials = [
        subject.in_time(what, _unused_of, subject, d, value=d) for d in dict.fromkeys((own, *_WIDE))
    ]
    if trials[0]:
        return list(trials[0])
    wide = [findings for findings in trials[1:] if findings is not None]
    # A finding at one of two widths is better described by the wrong numbers of columns.
    listed = [each for findings in wide for each in findings]
    return [replace(each, late=len(listed) < len(wide)) for each in listed[-1:]]


def _unused_of(subject: Subject, d: int) -> list[Finding]:
    if d < 2:
        return []
    rng = np.random.default_rng([subject.seed, _STREAM_OF_UNUSED, d])
    domain = subject.domain
    base = domain.keep(rng.standard_normal((1, d)), domain.norm)
    base = domain.keep(domain.norm * base / np.linalg.norm(base), domain.norm)
    seeds = subject.seeds(_STREAM_OF_UNUSED)
    unused = np.ones(d, dtype=bool)
    for k in range(_FIRST):
        unused &= _without_effect(subject, seeds.seed(k), base)
        if not unused.any():
            return []
    rows = np.repeat(base, _POINTS, axis=0)
    others = domain.norm * rng.standard_normal((_POINTS - 1, d)) / math.sqrt(d)
    rows[1:, unused] = (np.abs(others) if domain.nonnegative else others)[:, unused]
    if domain.cube:
        rows = np.minimum(rows, 1.0)
    for k in range(_FIRST, _FIRST + _AGAIN):
        if not _alike(subject.features_for(seeds.seed(k), rows)).all():
            return []
    claim = gram_of(subject.kernel, rows)
    gap = np.diag(claim) + claim[0, 0] - 2.0 * claim[0]
    if gap.max() <= 1e-3 * claim[0, 0]:
        return []  # such rows are claimed to have nearly the same features
    assumed = _bets(subject, rows, claim) or _many(subject, rows)
    if not assumed:
        return []
    where = {"columns": [int(j) for j in np.flatnonzero(unused)][:20]}
    return [Finding(cause=_words(unused), check=_UNUSED, where=where, assumes=(assumed,))]


def _without_effect(subject: Subject, seed: int, base: Any) -> Any:
    """Return a mask of the columns that one draw does not use, a block of columns at a time."""
    row = base[0]
    # Another value for each entry, of the same size and sign.
    other = 0.5 * row + 0.25 * np.abs(row).max() * np.where(row < 0.0, -1.0, 1.0)
    phi = subject.map_for(seed, base)
    plain = subject.call(phi, base)
    unused = np.ones(row.size, dtype=bool)
    size = max(1, _ENTRIES // plain.shape[1])
    for start in range(0, row.size, size):
        columns = np.arange(start, min(row.size, start + size))
        moved = np.repeat(base, columns.size, axis=0)
        moved[np.arange(columns.size), columns] = other[columns]
        z = np.concatenate([plain, subject.call(phi, moved)])
        unused[columns] = _alike(z)[1:]
    return unused


def _alike(z: Any) -> Any:
    """Return a mask of the rows whose features equal those of the first, up to rounding."""
    return ~apart(z, np.repeat(z[:1], len(z), axis=0), z.shape[1]).any(axis=1)


def _bets(subject: Subject, rows: Any, claim: Any) -> str:
    """Bet on the length of the sum of all rows' features."""
    unit = np.sqrt(np.outer(np.diag(claim), np.diag(claim)))
    allowance = 0.25 * subject.resolution * len(rows) ** 2
    bets = Excess(np.array([(claim / unit).sum() + allowance]))
    seeds = subject.seeds(_STREAM_OF_UNUSED + 1)
    level = -math.log(0.5 * subject.rate)
    subject.n_tests += 1
    for k in range(_BETS):
        gram = subject.gram(subject.map_for(seeds.seed(k), rows), rows)
        bets.add(np.array([max(0.0, float((gram / unit).sum()))]))
        wealth = float(bets.log_wealth[0])
        if wealth >= level:
            return ASSUMED_OF_BETS
        if (k >= 20 and wealth < 0.1 * k) or subject.clock.over:
            return ""
    return ""


def _many(subject: Subject, rows: Any) -> str:
    """Draw until columns used in one draw of a hundred would have been seen."""
    n = math.ceil(math.log(0.5 * subject.rate) / math.log1p(-_SELDOM))
    seeds = subject.seeds(_STREAM_OF_UNUSED + 2)
    subject.n_tests += 1
    size = 8 if subject.resizable else None
    for k in range(n):
        if subject.over("whether columns that change nothing are ever used"):
            return ""
        if not _alike(subject.features_for(seeds.seed(k), rows, size)).all():
            return ""
    return f"columns that are used are used in more than {_SELDOM:.0%} of draws"


def _words(unused: Any) -> str:
    """Describe the columns that change nothing."""
    index = np.flatnonzero(unused)
    first, last, d = int(index[0]), int(index[-1]), unused.size
    if index.size < last - first + 1:
        listed = ", ".join(str(j) for j in index[:5]) + (", ..." if index.size > 5 else "")
        return f"{index.size} of {counted(d, 'column')} of X change nothing: {listed}"
    listed = f"column {first} changes" if first == last else f"columns {first} to {last} change"
    if last == d - 1:
        return f"the first {counted(first, 'column')} only {be(first)} used: {listed} nothing"
    if first == 0:
        used = d - last - 1
        return f"the last {counted(used, 'column')} only {be(used)} used: {listed} nothing"
    return f"{listed} nothing"
