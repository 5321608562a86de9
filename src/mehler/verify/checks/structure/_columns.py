"""Check that columns of features differ as independent ones do, and that those of X are used."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mehler._arrays import Array
from mehler._plural import be, counted
from mehler.verify.checks.structure._comparisons import all_won, apart, mostly
from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.checks.structure._trials import ASSUMED_OF_BETS, gram_of
from mehler.verify.intervals._nonnegative import Excess

_STREAM = 21
# Draws of the first test; least distinct nonzero values of a column worth comparing; relative size
# below which a column is rounding; most columns compared.
_PILOT, _VALUES, _NOISE, _COMPARED = 3, 8, 1e-9, 8192
# Distance of unit vectors that are the same, or nearly agree at most; least fraction of columns
# with a copy in their own draw, if places change, and largest of those with one in another draw.
_SAME, _NEAR, _COPIED, _BY_CHANCE = 1e-6, 0.05, 0.5, 0.1
_ASSUMED = (
    "columns of a draw are independent and alike, or no nearer to each other than to those of "
    "another draw"
)


def check_columns(subject: Subject) -> list[Finding]:
    """Search for columns that copy each other, up to a factor, in the same places or in most draws.

    If features take few values, columns coincide by chance, but between two draws as often as
    within one. So halves of two draws are swapped, and a correct map has as many copies before as
    after. Which distance is near depends on the map: columns of two draws are farther apart.
    """
    far = subject.seeds(_STREAM)
    pilot = [subject.features(far.seed(k)) for k in range(_PILOT)]
    z = pilot[0]
    if any(each.shape != z.shape for each in pilot) or z.dtype.kind != "f":
        return []
    worth = np.all([_worth(each) for each in pilot], axis=0)
    index = np.flatnonzero(worth)
    if index.size < 2:
        return []
    units = [_units(each, worth) for each in pilot]
    distance, partner = nearest(units[0], units[0])
    same = max(_SAME, 8.0 * float(np.finfo(z.dtype).eps))
    placed = np.all([_apart(each, each[:, partner]) <= same for each in units], axis=0)
    near, first = same, np.zeros(z.shape[1], dtype=bool)
    if placed.any():
        first[index[placed & (np.arange(index.size) < partner)]] = True
    else:
        near = min(_NEAR, 0.5 * float(np.quantile(nearest(*units[:2])[0], _BY_CHANCE)))
        near = same if (distance <= same).mean() >= _COPIED else near
        if near <= 0.0 or (distance <= near).mean() < _COPIED:
            return []
    subject.n_tests += 1
    if not all_won(_swapped(subject, first, near), subject.rate):
        return []
    copied = placed if placed.any() else distance <= near
    return [_copies(z, index, partner, copied, near > same)]


def _worth(z: Array) -> Any:
    """Return a mask of the columns with enough values to be compared."""
    z = z[:, :_COMPARED].astype(np.float64)
    ordered = np.sort(z, axis=0)
    values = 1 + (np.diff(ordered, axis=0) != 0.0).sum(axis=0) - (z == 0.0).any(axis=0)
    size = np.abs(z).max(axis=0)
    return np.isfinite(z).all(axis=0) & (values >= _VALUES) & (size > _NOISE * size.max())


def _units(z: Array, mask: NDArray[np.bool_]) -> Any:
    columns = z[:, :_COMPARED][:, mask].astype(np.float64)
    return columns / np.linalg.norm(columns, axis=0)


def _apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Return the distances of unit vectors from the lines of others."""
    return np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))


def nearest(a: Array, b: Array) -> tuple[Any, Any]:
    """Return the distance of each unit column of a to the nearest line of b, and its index.

    A column's own line is none of them where `a` is `b`.
    """
    partner = np.empty(a.shape[1], dtype=int)
    for start in range(0, a.shape[1], 512):
        part = np.arange(start, min(a.shape[1], start + 512))
        cosines = np.abs(a[:, part].T @ b)
        if a is b:
            cosines[np.arange(part.size), part] = -1.0
        partner[part] = cosines.argmax(axis=1)
    return _apart(a, b[:, partner]), partner


def _swapped(subject: Subject, first: NDArray[np.bool_], near: float) -> Iterator[int]:
    """Yield whether more columns have copies within draws (+1) or with halves swapped (-1).

    `first` marks the columns of one half; if there are none it is drawn.
    """
    far, rng = subject.seeds(_STREAM + 1), np.random.default_rng(subject.seed)
    m = first.size
    for k in range(0, 400, 2):
        if subject.over("whether columns that copy each other do so by chance"):
            return
        half = first if first.any() else rng.permutation(m) < m // 2
        z = [subject.features(far.seed(k + i)) for i in (0, 1)]
        if any(each.shape[1] != m for each in z):
            return
        masks = [_worth(each) for each in z]
        half = half[:_COMPARED]
        c, e = (_units(each, mask & half) for each, mask in zip(z, masks, strict=True))
        d, f = (_units(each, mask & ~half) for each, mask in zip(z, masks, strict=True))
        if min(each.shape[1] for each in (c, d, e, f)) == 0:
            yield 0
            continue
        own, swapped = (
            sum(int((nearest(*pair)[0] <= near).sum()) for pair in pairs)
            for pairs in (((c, d), (e, f)), ((c, f), (e, d)))
        )
        yield int(own > swapped) - int(own < swapped)


def _copies(
    z: Array,
    index: NDArray[np.int64],
    partner: NDArray[np.int64],
    copied: NDArray[np.bool_],
    nearly: bool,
) -> Finding:
    """Return the finding that columns `index` copy those of their partners."""
    m, n_copied = z.shape[1], int(copied.sum())
    if nearly:
        cause = f"columns nearly copy each other: {n_copied} of {counted(m, 'feature')} have a "
        cause += f"copy within {_NEAR} of their length, and the variance is that of fewer"
        # Few random numbers shared by all columns, which are looked for next, explain copies too.
        return Finding(cause=cause, check="columns", assumes=(_ASSUMED,), late=True)
    edges = index[copied], index[partner[copied]]
    graph = coo_array((np.ones(n_copied), edges), shape=(m, m))
    n_distinct = connected_components(graph, directed=False)[0]
    i, j = sorted(int(ends[0]) for ends in edges)
    a, b = z[:, i].astype(np.float64), z[:, j].astype(np.float64)
    close = 1e-4 * np.abs(a).max()
    relation = "proportional"
    if np.abs(a - b).max() <= close:
        relation = "equal"
    elif np.abs(a + b).max() <= close:
        relation = "equal up to sign"
    cause = f"columns {i} and {j} are {relation}: {n_distinct} of {counted(m, 'feature')} are"
    cause += " distinct"
    return Finding(cause=cause, check="columns", where={"columns": (i, j)}, assumes=(_ASSUMED,))


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
    estimates_at: list[Any] = []

    def won(k: int) -> bool:
        draws = next(fresh), next(fresh)
        estimates_at.extend(each[:, pair] for each in draws)
        _, left, right, _ = (draws[0] - draws[1])[:, pair]
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


def _estimate(z: Array, halves: NDArray[np.bool_]) -> Any:
    """Return per pair the estimate, those of either half, and the variance of a product, (4, n)."""
    z = z.astype(np.float64)
    i, j = np.triu_indices(z.shape[0])
    total = (z @ z.T)[i, j]
    left, right = ((part @ part.T)[i, j] for part in (z[:, halves], z[:, ~halves]))
    squares = z * z
    second = z.shape[1] * (squares @ squares.T)[i, j]
    return np.stack([total, left, right, second - total**2])


def _estimates(
    subject: Subject, rows: Array, size: int | None, halves: NDArray[np.bool_], stream: int
) -> Iterator[Any]:
    """Yield `_estimate` of further draws, without end."""
    far = subject.seeds(_STREAM_OF_HALVES + stream)
    for k in itertools.count(1):
        yield _estimate(subject.features_for(far.seed(k), rows, size), halves)


def _grows(subject: Subject, rows: Array, pair: int) -> bool:
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
    flat = [each for findings in wide for each in findings]
    return [replace(each, late=len(flat) < len(wide)) for each in flat[-1:]]


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


def _without_effect(subject: Subject, seed: int, base: NDArray[np.float64]) -> Any:
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


def _alike(z: Array) -> Any:
    """Return a mask of the rows whose features equal those of the first, up to rounding."""
    return ~apart(z, np.repeat(z[:1], len(z), axis=0), z.shape[1]).any(axis=1)


def _bets(subject: Subject, rows: Array, claim: NDArray[np.float64]) -> str:
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


def _many(subject: Subject, rows: Array) -> str:
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
    if index.size == d:
        return "no column of X is used: all rows have the same features"
    if last == d - 1:
        return f"the first {counted(first, 'column')} only {be(first)} used: {listed} nothing"
    if first == 0:
        used = d - last - 1
        return f"the last {counted(used, 'column')} only {be(used)} used: {listed} nothing"
    return f"{listed} nothing"
