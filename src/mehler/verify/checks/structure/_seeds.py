"""Check that one seed gives one map, whatever else is drawn, and that seeds give different ones.

Comparisons between draws are fair coins if draws are i.i.d.: columns of codes coincide at an
unknown rate, but those of i.i.d. draws as often as those of any other two.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, disturb_global_state, global_states, set_global_states
from mehler._plural import counted
from mehler.verify.checks.structure._comparisons import all_won
from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.intervals import binomial
from mehler.verify.sampling._pairs import raw
from mehler.verify.sampling._sources import units_of

_GLOBAL = "global random state"
# Constructors of PyTorch modules draw weights that are then overwritten, which maps cannot avoid;
# no feature depends on them.
_MOVED_BY_CONSTRUCTORS = ("torch", "torch.cuda")


def check_global_state(subject: Subject) -> list[Finding]:
    """Draw and call the map from other global states, and compare the states afterwards.

    A library that seeds a global generator inside ``draw(seed)`` leaves it in a state independent
    of the one before; that is remarked, and no defect. A call has no seed to set one to. Run this
    after other draws, so that effects of a first import are not attributed to the map.
    """
    before = global_states()
    try:
        features, after = subject.features(subject.first), global_states()
        set_global_states(before)
        if subject.apart(subject.features(subject.first), features).size:
            return []  # drawn from system entropy, not from these states
        findings = _settings(subject)
        for name, state in before.items():
            set_global_states(before)
            disturb_global_state(name, 12345)
            disturbed = global_states()
            phi = subject.map(subject.first)
            # The first call belongs to the draw, since some maps draw their weights there.
            z, end = subject.call(phi, subject.rows), global_states()
            moved = after[name] != state or end[name] != disturbed[name]
            cause = ""
            if subject.apart(z, features).size:
                cause = f"features depend on the global random state of {name}, not on the seed"
                cause += " alone"
            elif _moves(subject, phi, name):
                cause = f"a call changes the global random state of {name}"
            elif moved and after[name] == end[name]:
                subject.notes.remark(f"drawing seeds the global generator of {name}")
            elif moved and name in _MOVED_BY_CONSTRUCTORS:
                subject.notes.remark(f"drawing moves the global generator of {name} on")
            elif moved:
                cause = f"changes the global random state of {name}"
            findings += [Finding(cause=cause, check=_GLOBAL)] if cause else []
        return findings
    finally:
        set_global_states(before)


def _moves(subject: Subject, phi: Callable[..., Any], name: str) -> bool:
    """Whether a call sets a global state, or moves it on."""
    disturb_global_state(name, 54321)
    before = global_states()[name]
    subject.call(phi, subject.rows)
    return bool(global_states()[name] != before)


def _settings(subject: Subject) -> list[Finding]:
    """Call the map under settings of NumPy and of warnings, which a call must not change."""
    phi, rows = subject.map(subject.first), subject.place(subject.rows)
    changed: list[str] = []
    for _ in range(2):  # the first call may import
        with warnings.catch_warnings(), np.printoptions(precision=7), np.errstate(all="ignore"):
            warnings.filterwarnings("ignore", module=".*")
            np.seterr(over="warn")
            before = _settings_now()
            raw(phi, rows)
            changed = [name for name, value in _settings_now().items() if value != before[name]]
    return [
        Finding(cause=f"a call changes {name} of the process", check=_GLOBAL) for name in changed
    ]


def _settings_now() -> dict[str, Any]:
    return {
        "np.geterr()": np.geterr(),
        "np.get_printoptions()": np.get_printoptions(),
        "warnings.filters": list(warnings.filters),
    }


# (seed, rows) -> features, computed by a fresh process.
Elsewhere = Callable[[int, Any], Any]

# Seeds that code often treats as missing, or that exceed 8, 31 or 32 bits.
NOTABLE = (0, 1, 2**8, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_SAME_SEED = "same seed"


def check_same_seed(subject: Subject) -> list[Finding]:
    """Draw some seeds, then all of them again: equal features, up to rounding.

    A map drawn before all of them must not change meanwhile, nor do maps that are fitted on other
    rows in between leave anything to the next draw.
    """
    earlier = subject.map(subject.first)
    features = subject.call(earlier, subject.rows)
    first: dict[int, Any] = {}
    for seed in (subject.first, *NOTABLE):
        z = subject.attempt("seed", subject.features, seed, value=seed)
        if z is not None:
            first[seed] = z
    if subject.apart(subject.call(earlier, subject.rows), features).size:
        cause = "a map changes when another one is drawn: they share their weights"
        return [Finding(cause=cause, check=_SAME_SEED, where={"seed": subject.first})]
    other = [seed for seed, z in first.items() if subject.apart(subject.features(seed), z).size]
    if not other:
        return _state_of_fits(subject, features)
    if len(other) == len(first):
        cause = "ignores its seed: two draws of one seed differ"
    else:
        cause = f"seed {', '.join(str(seed) for seed in other)} is not a seed: two draws differ"
    return [Finding(cause=cause, check=_SAME_SEED, where={"seed": other[0]})]


def _state_of_fits(subject: Subject, features: NDArray[np.float64]) -> list[Finding]:
    """Draw a map again after one that was drawn for other rows, fewer and longer ones."""
    rows = subject.rows[: -(-len(subject.rows) // 2)][::-1]
    if subject.domain.scalable and not subject.domain.cube:
        rows = (3.0 * rows).astype(rows.dtype)
    other = subject.seeds(0).seed(1)

    def between() -> Any:
        subject.features_for(other, rows)
        return subject.features(subject.first)

    z = subject.attempt("draws after a fit on other rows", between)
    if z is None or not subject.apart(z, features).size:
        return []
    cause = "a draw depends on the draws before it: one for other rows changes the next"
    return [Finding(cause=cause, check=_SAME_SEED, where={"seed": subject.first})]


def check_elsewhere(subject: Subject, elsewhere: Elsewhere) -> list[Finding]:
    """Draw one seed in a fresh process, where string hashes differ."""
    here = subject.features(subject.first)
    # No process, failed import, or no time.
    there = subject.attempt("a fresh process", elsewhere, subject.first, subject.rows)
    if there is None or not subject.apart(there, here).size:
        return []
    cause = "a fresh process draws other features from the same seed"
    return [Finding(cause=cause, check="fresh process", where={"seed": subject.first})]


_OTHER_SEEDS = "other seeds"
# Consecutive seeds, unrelated seeds, and seconds for all of them.
_ROW, _FAR, _SECONDS = 18, 90, 1.0
_STREAM = 11
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
    draws: dict[int, Any] = {}
    start = subject.spent
    for seed in _seeds(subject):
        if subject.clock.over or subject.spent - start > _SECONDS:
            subject.notes.skip("more seeds", f"time: {len(draws)} were drawn")
            break
        z = subject.attempt("seed", subject.small, seed, value=seed)
        if z is not None:
            draws[seed] = z
    if len(draws) > 1 and len(_maps(draws)) == 1:
        return _constant(subject, draws)
    pairs = _agreeing(draws)
    by_distance: dict[int, tuple[int, int]] = {}
    for low, high in pairs:
        by_distance.setdefault(high - low, (low, high))
    for low, high in list(by_distance.values())[: _RELATIONS // 2]:
        for relation in (lambda s, a=low, b=high: s ^ (a ^ b), lambda s, a=low, b=high: s + b - a):
            subject.n_tests += 1
            if all_won(_swapped_seeds(subject, relation), subject.rate / _RELATIONS):
                return [_same_features(draws, (low, high), _INDEPENDENT)]
    if pairs and _differ(list(_maps(draws).values())):
        for low, high in pairs:
            a, b = subject.features(low), subject.features(high)
            if a.shape[1] >= _COLUMNS and _differ([a]) and np.array_equal(a, b):
                return [_same_features(draws, (low, high), _NO_CHANCE)]
    return []


def agree(a: Array, b: Array) -> bool:
    """Whether two draws share half of their columns, bit for bit."""
    if a.shape != b.shape:
        return False
    if np.array_equal(a, b):
        return True
    columns = _columns(a)
    return len(columns) > 1 and 2 * len(columns & _columns(b)) >= len(columns)


def _columns(z: Array) -> frozenset[bytes]:
    """Return the first nonzero columns; more would add nothing."""
    return frozenset(c.tobytes() for c in np.ascontiguousarray(z.T[:_COLUMNS]) if c.any())


def _seeds(subject: Subject) -> Iterator[int]:
    """Yield seeds, most informative first: single bits, neighbours, steps of powers of ten."""
    far = subject.seeds(_STREAM)
    base = far.seed(0)
    listed = [*NOTABLE, *(base ^ (1 << bit) for bit in range(31)), base, *range(2, _ROW)]
    listed += [10**k for k in range(2, 8)]
    listed += [far.seed(k) for k in range(1, _FAR)]
    yield from dict.fromkeys(listed)


def _maps(draws: dict[int, Any]) -> dict[bytes, Any]:
    """Return the distinct draws."""
    # Zeros of both signs are one.
    return {(z + z.dtype.type(0)).tobytes(): z for z in draws.values()}


def _agreeing(draws: dict[int, Any]) -> list[tuple[int, int]]:
    """Return pairs of seeds that agree, the smaller seed first, nearest pairs first.

    A lookup of columns finds all pairs in one pass. Where nearly all pairs agree, columns take few
    values, and some of the pairs are enough.
    """
    owners: dict[bytes, list[int]] = {}
    suspects: set[tuple[int, int]] = set()
    for seed in sorted(draws):
        columns = _columns(draws[seed])
        common = Counter(other for column in columns for other in owners.get(column, ()))
        for column in columns:
            owners.setdefault(column, []).append(seed)
        suspects |= {(other, seed) for other, n in common.items() if 2 * n >= len(columns)}
        if len(suspects) > _SUSPECTS:
            break
    pairs = [pair for pair in suspects if agree(draws[pair[0]], draws[pair[1]])]
    return sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair))


def _swapped_seeds(subject: Subject, relation: Callable[[int], int]) -> Iterator[int]:
    """Yield whether related draws agree (+1) where swapped ones do not (-1 for the reverse)."""
    far = subject.seeds(_STREAM + 1)
    for k in range(0, 400, 2):
        # Below 2^30, so that a sum is still a valid seed.
        s, u = (far.seed(k + i) >> 1 for i in (0, 1))
        draws = subject.in_time(
            "whether seeds that agree do so by chance",
            lambda *seeds: [subject.small(seed) for seed in seeds],
            *(s, relation(s), u, relation(u)),
        )
        if draws is None:
            return
        a, b, c, d = draws
        yield int(agree(a, b) or agree(c, d)) - int(agree(a, d) or agree(c, b))


def _constant(subject: Subject, draws: dict[int, Any]) -> list[Finding]:
    """Return a finding if all seeds gave the same features, unless the estimate is exact."""
    if subject.kernel is not None:
        gram = subject.gram(subject.map(subject.first), subject.rows)
        claim = np.asarray(subject.kernel(*(subject.rows.astype(np.float64),) * 2))
        if np.allclose(gram, claim, rtol=1e-4, atol=1e-4 * float(np.abs(claim).max())):
            subject.notes.remark("no seed changes the features, which are exact")
            return []
    same = next(iter(draws.values()))
    if not same.any():
        # Whatever carries the kernel may be rare.
        subject.notes.remark(f"features are 0 in all of {counted(len(draws), 'draw')}")
        return []
    far, n = subject.seeds(_STREAM + 2), len(draws)
    while n < _ALIKE and not subject.clock.over:
        n += 1
        if not np.array_equal(subject.small(far.seed(n)), same):
            return []
    fraction = -math.expm1(math.log(subject.rate) / n)
    if fraction > _SELDOM:
        subject.notes.remark(f"{n} seeds gave one and the same map, too few to refute it")
        return []
    assumed = f"a map whose seed matters differs in at least {fraction:.2g} of its draws"
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


def _same_features(draws: dict[int, Any], pair: tuple[int, int], assumed: str) -> Finding:
    """Return the finding that seeds give the same features, with the effective number of seeds."""
    low, high = pair
    a, b = draws[low], draws[high]
    if np.array_equal(a, b):
        cause = f"seeds {low} and {high} give the same features"
        cause += f": {counted(len(draws), 'seed')} gave {counted(len(_maps(draws)), 'map')}"
    else:
        shared = len(_columns(a) & _columns(b))
        cause = f"seeds {low} and {high} share {shared} of {counted(len(_columns(a)), 'feature')}"
    return Finding(cause=cause, check=_OTHER_SEEDS, where={"seeds": pair}, assumes=(assumed,))


_STREAM_OF_SIGNS = 41
_NEAR, _DISTANT = "consecutive seeds", "distant seeds"
_SUMS = ("sum of features", "random sum of features", "sum of squares")
SUMMARIES = [(pattern, each) for pattern in (_NEAR, _DISTANT) for each in _SUMS]
SHARED = (_NEAR, "columns in common")
PLACED = [(pattern, "columns in place") for pattern in (_NEAR, _DISTANT)]
# Kendall's tau that is refuted except with the error rate of the row.
_TAU = 0.5


def check_seeds(subject: Subject) -> list[Finding]:
    r"""Compare draws of neighbouring seeds, and of distant ones, by fair coins.

    For summaries T of a draw and seeds s, u

    .. math:: P\big[(T_s - T_u)(T_{s+1} - T_{u+1}) > 0\big] = \tfrac12,

    exactly, whatever the law of T, if the four draws are i.i.d.: Kendall's tau of neighbouring
    seeds is 0, and so is that of distant seeds. Two further comparisons are for codes: whether
    neighbouring seeds or distant ones share more columns, and, for i.i.d. units, whether more
    columns agree in place or with those of their neighbour. Up to nine Clopper-Pearson intervals
    share the error rate; a tau beyond 1/2 is missed with at most that probability.
    """
    first = subject.map(subject.first)
    m = subject.call(first, subject.rows).shape[1]
    alike = units_of(first, m) == m  # columns of one unit are not alike
    names = [*SUMMARIES, SHARED, *(PLACED if alike else [])]
    rate = subject.rate / len(names)
    n_wanted = comparisons_for(_TAU, rate)
    plus, decided, n_made = _signs(subject, n_wanted, alike)
    subject.n_tests += len(names)
    for (pattern, summary), wins, n in zip(names, plus.tolist(), decided.tolist(), strict=True):
        low, high = binomial(wins, n, rate) if n else (0.0, 1.0)
        if low > 0.5 or high < 0.5:
            cause = f"draws of {pattern} are not independent: {summary}"
            of_units = ("the units of a draw are independent and alike",)
            in_place = of_units if (pattern, summary) in PLACED else ()
            where = {"seeds": pattern, "summary": summary, "tau": round(2.0 * wins / n - 1.0, 3)}
            assumes = ("one law for all seeds", *in_place)
            return [Finding(cause=cause, check="seeds", where=where, assumes=assumes)]
    if n_made < n_wanted:
        subject.notes.skip(f"seeds in more than {counted(n_made, 'comparison')}", "time")
    return []


def _signs(subject: Subject, n_wanted: int, alike: bool) -> tuple[Any, Any, int]:
    """Return counts of plus signs, of comparisons without a tie, and of all comparisons.

    A comparison takes six draws; there are up to twice as many as wanted where they tie.
    """
    n_names = len(SUMMARIES) + 1 + (len(PLACED) if alike else 0)
    plus, decided = np.zeros((2, n_names), dtype=int)
    # Even, so that neighbours never collide with another comparison's seeds.
    far = subject.seeds(_STREAM_OF_SIGNS)
    bases = iter(dict.fromkeys(far.seed(k) & ~1 for k in range(8 * n_wanted + 100)))
    weights, n_made = None, 0
    while n_made < 2 * n_wanted and not subject.clock.over:
        summaries = decided[: len(SUMMARIES)]
        # A constant summary, such as the squares of signs, is no evidence.
        if n_made >= n_wanted and ((summaries >= n_wanted) | (summaries == 0)).all():
            break
        s, u, v, w = (next(bases) for _ in range(4))
        draws = [subject.features(seed) for seed in (s, s + 1, u, u + 1, v, w)]
        if weights is None:
            weights = np.random.default_rng(subject.seed).standard_normal(draws[0].shape)
        signs = np.sign(_comparisons(draws, weights, alike))
        plus += signs > 0
        decided += signs != 0
        n_made += 1
    return plus, decided, n_made


def _comparisons(draws: list[Any], weights: NDArray[np.float64], alike: bool) -> Any:
    """Return the numbers whose signs are compared: draws 0 and 1, 2 and 3 are of neighbours."""
    t = [_summaries(z, weights) for z in draws]
    left = _beyond_rounding(t[0], t[2])
    near, far = (left * _beyond_rounding(t[a], t[b]) for a, b in ((1, 3), (4, 5)))
    pairs = [(draws[0], draws[1]), (draws[4], draws[5])]
    shared = [in_common(*pair) for pair in pairs]
    placed = [in_place(*pair) for pair in pairs] if alike else []
    return np.concatenate([near, far, [shared[0] - shared[1]], placed])


def _summaries(z: Array, weights: NDArray[np.float64]) -> Any:
    """Return the summaries of a draw, and the rounding error of each."""
    eps = np.finfo(z.dtype if z.dtype.kind == "f" else np.float64).eps
    z = z.astype(np.float64)
    terms = np.stack([z, z * weights, z * z])
    return np.stack([terms.sum(axis=(1, 2)), 64.0 * eps * np.abs(terms).sum(axis=(1, 2))])


def _beyond_rounding(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Return the difference of summaries, or 0, a tie, where it may be rounding.

    For example, squares of cosine and sine add up to 1 in every draw, up to the last bits.
    """
    gap = a[0] - b[0]
    return np.where(np.abs(gap) > np.maximum(a[1], b[1]), gap, 0.0)


def in_common(a: Array, b: Array) -> int:
    """Return the number of columns that two draws share, in any position."""
    kind = np.dtype((np.void, a.dtype.itemsize * a.shape[0]))
    both = np.concatenate([np.ascontiguousarray(z.T).view(kind).ravel() for z in (a, b)])
    index = np.unique(both, return_inverse=True)[1].ravel()
    counts = [
        np.bincount(part, minlength=index.max() + 1) for part in np.split(index, [a.shape[1]])
    ]
    return int(np.minimum(*counts).sum())


def in_place(a: Array, b: Array) -> int:
    """Return the columns that agree in place, less those that agree after swapping neighbours.

    Swapping units 2l and 2l + 1 of one draw flips the sign of the result. For i.i.d. units and
    independent draws that leaves its law unchanged, so either sign is equally likely.
    """
    swapped = np.arange(b.shape[1])
    even = 2 * (b.shape[1] // 2)
    swapped[:even] ^= 1
    own, other = ((a == each).all(axis=0).sum() for each in (b, b[:, swapped]))
    return int(own) - int(other)


def comparisons_for(tau: float, rate: float) -> int:
    """Return the least n at which the interval for Kendall's tau is no wider than `tau`."""

    def narrow(n: int) -> bool:
        low, high = binomial(n // 2, n, rate)
        return 2.0 * (high - low) <= tau

    return bisect_left(range(1 << 20), True, lo=1, key=narrow)
