"""Check that draws of different seeds, and the columns of one draw, differ as they should."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._one_map import NOTABLE
from mehler.verify.checks.structure._same import all_won, mostly
from mehler.verify.checks.structure._subject import Finding, Subject, reason_of

_CHECK_COLUMNS = "columns"
_STREAM_OF_COLUMNS = 21
# Draws of the first test; least distinct nonzero values of a column worth comparing; relative size
# below which a column is rounding.
_PILOT_OF_COLUMNS, _VALUES, _NOISE = 3, 8, 1e-9
# Rounding between a column and its multiple, in units of eps.
_ULPS = 32.0
# Least ratio of repeated columns in one draw to those in all draws, if their places change.
_MORE = 1.25
# Fraction of distinct columns below which the places of the others do not matter.
_HALF = 0.5
_COLUMNS_ASSUMED = (
    "columns of a draw are independent and alike, or differ from each other more than that"
)


def check_columns(subject: Subject) -> list[Finding]:
    """Search for columns that are the same in every draw.

    If features take few values, columns coincide by chance, but between two draws as often as
    within one. So halves of two draws are swapped, and a correct map has the coincidence as often
    before as after.
    """
    far = subject.seeds(_STREAM_OF_COLUMNS)
    pilot = [subject.features(far.seed(k)) for k in range(_PILOT_OF_COLUMNS)]
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
        return _near_copies(subject, pilot)
    subject.n_tests += 1
    if not all_won(_swapped_columns(subject, repeated, pilot[0].shape[1]), subject.rate):
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
    chance = np.quantile(_nearest(a, b), _BY_CHANCE)
    near = min(_NEAR, 0.5 * float(chance))
    if near <= 0.0 or (_nearest(a, a) <= near).mean() < _COPIED:
        return []
    far, rng = subject.seeds(_STREAM_OF_COLUMNS + 1), np.random.default_rng(subject.seed)

    def compared() -> Iterator[int]:
        for k in range(0, 400, 2):
            if subject.clock.over:
                subject.notes.skip("whether columns that nearly agree do so by chance", "time")
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
    copied = round(float((_nearest(a, a) <= near).mean()) * a.shape[1])
    cause = f"columns nearly copy each other: {copied} of {counted(a.shape[1], 'feature')} have a "
    cause += f"copy within {near:.2g} of their length, and the variance is that of fewer"
    # Few random numbers shared by all columns, which are looked for next, explain copies too.
    return [Finding(cause=cause, check=_CHECK_COLUMNS, assumes=(_COPIES_ASSUMED,), late=True)]


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


def _groups(labels: list[Any], worth: Any) -> list[list[int]]:
    """Return groups of columns that are equal in all draws."""
    found: dict[tuple[int, ...], list[int]] = {}
    for j in np.flatnonzero(worth):
        found.setdefault(tuple(int(label[j]) for label in labels), []).append(int(j))
    return list(found.values())


def _swapped_columns(subject: Subject, repeated: list[list[int]], m: int) -> Iterator[int]:
    """Yield whether columns agree within draws (+1), or only when halves are swapped (-1)."""
    far, rng = subject.seeds(_STREAM_OF_COLUMNS), np.random.default_rng(subject.seed)
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
        z = [subject.features(far.seed(_PILOT_OF_COLUMNS + 2 * k + i)) for i in (0, 1)]
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
            check=_CHECK_COLUMNS,
            assumes=(_COLUMNS_ASSUMED,),
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
    return Finding(
        cause=cause, check=_CHECK_COLUMNS, where={"columns": (i, j)}, assumes=(_COLUMNS_ASSUMED,)
    )


_OTHER_SEEDS = "other seeds"
# Consecutive seeds, unrelated seeds, and seconds for all of them.
_ROW, _FAR, _SECONDS = 18, 90, 1.0
_STREAM_OF_SEEDS = 11
# Equal draws needed to call a seed ignored, and the fraction of other draws that they rule out.
_ALIKE, _SELDOM = 2300, 0.011
# Least columns and rows of draws called the same without a relation between their seeds.
_COLUMNS, _ROWS = 64, 3
# Most pairs of seeds collected.
_SUSPECTS = 400
# Relations tested, which share the error rate.
_RELATIONS = 8
_INDEPENDENT = "draws from different seeds are independent"
_NO_CHANCE = "draws of features that all differ, within draws and between, are not equal by chance"


def check_other_seeds(subject: Subject) -> list[Finding]:
    """Draw small maps from many seeds and look for two that share half of their columns, or all.

    Codes and signs do so by chance, so a relation between two such seeds, a bit or a distance, is
    tested on other seeds: it is refuted if related draws agree where draws swapped between two
    pairs do not, a fair coin if draws are independent. Pairs without relation are refuted only if
    they are the same in full size, and apparently continuous.
    """
    drawn: dict[int, Any] = {}
    start = subject.spent
    for seed in _seeds(subject):
        if subject.clock.over or subject.spent - start > _SECONDS:
            subject.notes.skip("more seeds", f"time: {len(drawn)} were drawn")
            break
        try:
            drawn[seed] = subject.small(seed)
        except Exception as error:  # a library may refuse a seed
            subject.notes.skip("seed", reason_of(error), seed)
    if len(drawn) > 1 and len(_maps(drawn)) == 1:
        return _constant(subject, drawn)
    pairs = _agreeing(drawn)
    for low, high in _telling(pairs):
        for relation in (lambda s, a=low, b=high: s ^ (a ^ b), lambda s, a=low, b=high: s + b - a):
            subject.n_tests += 1
            if all_won(_swapped_seeds(subject, relation), subject.rate / _RELATIONS):
                return [_named(drawn, (low, high), _INDEPENDENT)]
    if pairs and _differ(list(_maps(drawn).values())):
        same = next((pair for pair in pairs if _same_in_full(subject, *pair)), None)
        if same is not None:
            return [_named(drawn, same, _NO_CHANCE)]
    return []


def agree(a: Any, b: Any) -> bool:
    """Whether two draws share half of their columns, bit for bit."""
    if a.shape != b.shape:
        return False
    if np.array_equal(a, b):
        return True
    mine, theirs = _columns(a), _columns(b)
    return len(mine) > 1 and 2 * len(mine & theirs) >= len(mine)


def _columns(z: Any) -> frozenset[bytes]:
    """Return the first nonzero columns; more would add nothing."""
    return frozenset(c.tobytes() for c in np.ascontiguousarray(z.T[:_COLUMNS]) if c.any())


def _seeds(subject: Subject) -> Iterator[int]:
    """Yield seeds, most informative first."""
    far = subject.seeds(_STREAM_OF_SEEDS)
    base = far.seed(0)
    listed = [*NOTABLE, *(base ^ (1 << bit) for bit in range(31)), base, *range(2, _ROW)]
    listed += [far.seed(k) for k in range(1, _FAR)]
    yield from dict.fromkeys(listed)


def _maps(drawn: dict[int, Any]) -> dict[bytes, Any]:
    """Return the distinct draws."""
    # Zeros of both signs are one.
    return {(z + z.dtype.type(0)).tobytes(): z for z in drawn.values()}


def _agreeing(drawn: dict[int, Any]) -> list[tuple[int, int]]:
    """Return pairs of seeds that agree, the smaller seed first, nearest pairs first.

    A lookup of columns finds all pairs in one pass. Where nearly all pairs agree, columns take few
    values, and some of the pairs are enough.
    """
    owners: dict[bytes, list[int]] = {}
    suspects: set[tuple[int, int]] = set()
    for seed in sorted(drawn):
        columns = _columns(drawn[seed])
        common = Counter(other for column in columns for other in owners.get(column, ()))
        for column in columns:
            owners.setdefault(column, []).append(seed)
        suspects |= {(other, seed) for other, n in common.items() if 2 * n >= len(columns)}
        if len(suspects) > _SUSPECTS:
            break
    pairs = [pair for pair in suspects if agree(drawn[pair[0]], drawn[pair[1]])]
    return sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair))


def _telling(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a few pairs whose relations differ."""
    found: dict[int, tuple[int, int]] = {}
    for low, high in pairs:
        found.setdefault(high - low, (low, high))
    return list(found.values())[: _RELATIONS // 2]


def _swapped_seeds(subject: Subject, relation: Callable[[int], int]) -> Iterator[int]:
    """Yield whether related draws agree (+1) where swapped ones do not (-1 for the reverse)."""
    far = subject.seeds(_STREAM_OF_SEEDS + 1)
    for k in range(0, 400, 2):
        if subject.clock.over:
            subject.notes.skip("whether seeds that agree do so by chance", "time")
            return
        # Below 2^30, so that a sum is still a valid seed.
        s, u = (far.seed(k + i) >> 1 for i in (0, 1))
        try:
            a, b, c, d = (subject.small(seed) for seed in (s, relation(s), u, relation(u)))
        except Exception as error:  # the related seed may be refused
            subject.notes.skip("seeds related to others", reason_of(error))
            return
        yield int(agree(a, b) or agree(c, d)) - int(agree(a, d) or agree(c, b))


def _constant(subject: Subject, drawn: dict[int, Any]) -> list[Finding]:
    """Return a finding if all seeds gave the same features, unless the estimate is exact."""
    if subject.kernel is not None:
        gram = subject.gram(subject.map(subject.first), subject.rows)
        claim = np.asarray(subject.kernel(*(subject.rows.astype(np.float64),) * 2))
        if np.allclose(gram, claim, rtol=1e-4, atol=1e-4 * float(np.abs(claim).max())):
            subject.notes.remark("no seed changes the features, which are exact")
            return []
    same = next(iter(drawn.values()))
    if not same.any():
        # Whatever carries the kernel may be rare.
        subject.notes.remark(f"features are 0 in all of {counted(len(drawn), 'draw')}")
        return []
    far, n = subject.seeds(_STREAM_OF_SEEDS + 2), len(drawn)
    while n < _ALIKE and not subject.clock.over:
        n += 1
        if not np.array_equal(subject.small(far.seed(n)), same):
            return []
    share = -math.expm1(math.log(subject.rate) / n)
    if share > _SELDOM:
        subject.notes.remark(f"{n} seeds gave one and the same map, too few to refute it")
        return []
    assumed = f"a map whose seed matters differs in at least {share:.2g} of its draws"
    cause = "ignores its seed: every seed gives the same features"
    return [Finding(cause=cause, check=_OTHER_SEEDS, assumes=(assumed,))]


def _differ(maps: list[Any]) -> bool:
    """Whether in every row no value occurs twice in all these draws, up to sign."""
    if any(z.dtype.kind != "f" for z in maps):
        return False
    rows = np.abs(np.concatenate(maps, axis=1).astype(np.float64))
    eps = max(float(np.finfo(z.dtype).eps) for z in maps)
    ordered = np.sort(rows, axis=1)
    apart = np.diff(ordered, axis=1) > 4.0 * eps * ordered[:, 1:]
    return int((apart.all(axis=1) & (ordered[:, 0] > 0.0)).sum()) >= min(_ROWS, len(rows))


def _same_in_full(subject: Subject, low: int, high: int) -> bool:
    """Whether two seeds give the same map of many columns with distinct values."""
    a, b = subject.features(low), subject.features(high)
    return a.shape[1] >= _COLUMNS and _differ([a]) and np.array_equal(a, b)


def _named(drawn: dict[int, Any], pair: tuple[int, int], assumed: str) -> Finding:
    """Return the finding that seeds give the same features, with the effective number of seeds."""
    low, high = pair
    a, b = drawn[low], drawn[high]
    if np.array_equal(a, b):
        number = len(_maps(drawn))
        cause = f"seeds {low} and {high} give the same features"
        cause += f": {counted(len(drawn), 'seed')} gave {counted(number, 'map')}"
    else:
        shared = len(_columns(a) & _columns(b))
        cause = f"seeds {low} and {high} share {shared} of {counted(len(_columns(a)), 'feature')}"
    return Finding(cause=cause, check=_OTHER_SEEDS, where={"seeds": pair}, assumes=(assumed,))


_INDEPENDENT_COLUMNS = "independent columns"
_STREAM_OF_HALVES = 31
# Least columns of a map to be tested; columns drawn if sizes can be chosen; draws of the first
# test; and the number of effectively independent columns that raises suspicion, at most so many
# and at most a fraction of all.
_LEAST, _SIZE, _PILOT, _EFFECTIVE, _FRACTION = 64, 512, 20, 24.0, 0.125
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
    if _explains_itself(first):
        return []
    z = subject.call(first, rows)
    m = z.shape[1]
    if z.dtype.kind != "f" or m < _LEAST:
        return []
    most = _FRACTION * m if size is not None else min(_EFFECTIVE, _FRACTION * m)
    halves = np.random.default_rng(subject.seed).permutation(m) < m // 2
    pilot = Scatter.of([_look(z, halves), *_looks(subject, rows, size, halves, _PILOT - 1, 0)], m)
    pair = pilot.worst()
    if pair is None or pilot.effective[pair] > most:
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

    if not mostly(won, 0.5, subject.rate, n=_COMPARISONS):
        return []
    effective = float(Scatter.of(signs, m).effective[pair])
    if effective > most or (size is not None and _grows(subject, rows, pair)):
        return []
    cause = (
        f"{'one random number is' if effective < 1.5 else 'few random numbers are'} shared by all "
        "columns: the error does not fall with m "
        f"({counted(m, 'column')} scatter like {max(1.0, effective):.0f})"
    )
    return [Finding(cause=cause, check=_INDEPENDENT_COLUMNS, assumes=(_HALVES_ASSUMED,))]


def _grows(subject: Subject, rows: Any, pair: int) -> bool:
    """Whether larger maps have more effective columns at a pair of rows."""
    found = []
    for k, size in enumerate((_SIZE // _SIZES, _SIZE)):
        halves = np.arange(size) % 2 == 0
        looks = _looks(subject, rows, size, halves, _DRAWS, 2 + k)
        found.append(float(Scatter.of(looks, size).effective[pair]))
    return found[1] > _GROWS * found[0]


def _looks(
    subject: Subject, rows: Any, size: int | None, halves: Any, n: int, stream: int
) -> list[Any]:
    """Return statistics of n further draws."""
    far = subject.seeds(_STREAM_OF_HALVES + stream)
    return [_look(_draw(subject, far.seed(k), rows, size), halves) for k in range(1, n + 1)]


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
    far = subject.seeds(_STREAM_OF_HALVES + 1)
    k = 0
    while True:
        yield tuple(_look(_draw(subject, far.seed(k + i), rows, size), halves) for i in (0, 1))
        k += 2
