"""Rules of `check_structure` for draws: the seed decides a map, other seeds and columns differ.

Others say that draws leave the global state alone, and that all inputs of the claimed kernel count.
A rule gets a `Candidate` c: the map under test, with rows, a clock and an error rate. At a fault,
certain or shown by a sign test at c.rate, it raises `Broken`; c.blame does so only if columns are
declared independent. c.remarks takes what is no fault; c.skip and c.late what was not tried.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, global_states
from mehler._plural import counted
from mehler.verify._maps import raw
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure._candidate import Broken, Candidate, sign_test

# Seeds that code often treats as missing, or that exceed 8, 31 or 32 bits.
_NOTABLE = (0, 1, 2**8, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_ROW, _FAR = 18, 90  # consecutive seeds, and unrelated ones, whose draws are compared
_HASHED, _SECONDS = 1000, 1.0  # seeds of which two may give one draw, and most time for them
_ALIKE, _SELDOM = 2300, 0.011  # equal draws that show an ignored seed; most others, a fraction
_COLUMNS, _RELATIONS = 64, 8  # columns of a draw that are compared; relations of seeds tried
# Copied columns, then random numbers that columns share.
_PILOT, _COMPARED = 3, 8192  # draws of a first test, and most columns in it
_VALUES, _NOISE = 3, 1e-9  # least distinct nonzero values of a column, and its relative size
_SAME, _NEAR = 1e-6, 0.05  # distances of unit columns that are equal, and nearly so
_LEAST, _COMPARISONS = 64, 120  # least columns, and comparisons of their halves
_FEW, _ALIKE_HALVES = 20, 0.5  # draws that choose a pair of rows; its least correlation
_DRAWS = "another thread draws"
_SETTINGS: dict[str, Callable[[], Any]] = {
    "np.geterr()": np.geterr,
    "np.get_printoptions()": np.get_printoptions,
    "warnings.filters": lambda: list(warnings.filters),
}


def the_seed_alone_decides(c: Candidate) -> None:
    """One seed gives one map, whatever is drawn in between."""
    earlier = c.map(c.first)
    features = c.call(earlier, c.rows)
    slack = c.sensitivity(earlier, c.rows, features)
    first: dict[int, Any] = {}
    for seed in (c.first, *_NOTABLE):
        with c.trying(f"seed {seed}"):
            first[seed] = c.features(seed)
    cause = "a map changes when another one is drawn: they share their weights"
    c.require_same(cause, c.call(earlier, c.rows), features, slack)
    unstable = [seed for seed, z in first.items() if c.differing(c.features(seed), z).size]
    if len(unstable) == len(first):
        before = global_states()
        c.features(c.first)
        names = [name for name, state in global_states().items() if state != before.get(name)]
        because = f" by the global random state of {', '.join(names)}" if names else ""
        raise Broken(f"ignores its seed: two draws of one seed differ{because}")
    if unstable:
        raise Broken(f"seed {', '.join(map(str, unstable))} is not a seed: two draws differ")
    if c.redraw is not None:
        fewer = c.rows[: -(-len(c.rows) // 2)][::-1]
        with c.trying("draws after a fit on other rows"):
            c.redraw(c.seeds(0)(1), c.place((3.0 * fewer).astype(fewer.dtype)), None)
            cause = "a draw depends on the draws before it: one for other rows changes it"
            c.require_same(cause, c.features(c.first), features, slack)


def seeds_differ(c: Candidate) -> None:
    """Different seeds give different maps; seeds that share columns are tried by sign tests."""
    draws: dict[int, Any] = {}
    start, far = c.clock.seconds, c.seeds(11)
    # Single bits, neighbours, steps of powers of ten, the most informative first.
    seeds = [*_NOTABLE, *(far(0) ^ (1 << bit) for bit in range(31)), far(0), *range(2, _ROW)]
    for seed in dict.fromkeys([*seeds, *(10**k for k in range(2, 8)), *map(far, range(1, _FAR))]):
        if c.late("more seeds") or c.clock.seconds - start > 0.5 * _SECONDS:
            c.skip("more seeds", f"time: {len(draws)} were drawn")
            break
        with c.trying(f"seed {seed}"):
            draws[seed] = c.features(seed)
    # Zeros of both signs are one.
    n_maps = len({(z + z.dtype.type(0)).tobytes() for z in draws.values()})
    if len(draws) > 1 and n_maps == 1:
        _require_no_constant(c, draws)
        return
    agreeing: dict[int, tuple[int, int]] = {}
    columns = {seed: _columns(z) for seed, z in sorted(draws.items())}
    for low, high in itertools.combinations(columns, 2):
        if _agree(columns[low], columns[high]):
            agreeing.setdefault(high - low, (low, high))
    for low, high in [agreeing[step] for step in sorted(agreeing)][: _RELATIONS // 2]:
        equal = np.array_equal(draws[low], draws[high])
        for relation in (lambda s, a=low, b=high: s ^ (a ^ b), lambda s, a=low, b=high: s + b - a):
            if sign_test(_swapped(c, relation, equal), 0.5 * c.rate / _RELATIONS):
                n_shared = len(columns[low] & columns[high])
                text = f"share {n_shared} of {counted(len(columns[low]), 'feature')}"
                if equal:
                    gave = f"{counted(len(draws), 'seed')} gave {counted(n_maps, 'map')}"
                    text = f"give the same features: {gave}"
                text = f"seeds {low} and {high} {text}"
                raise Broken(text, assumes="draws from different seeds are independent")
    _require_no_collision(c, draws, start)


def _require_no_collision(c: Candidate, draws: dict[int, Any], start: float) -> None:
    """Blame two equal draws among many seeds, if no column occurs twice in a draw."""
    far, seed_of, pair = c.seeds(14), dict[bytes, int](), tuple[int, ...]()
    for n, seed in enumerate([*draws, *map(far, range(_HASHED - len(draws)))], 1):
        if n > len(draws) and (c.clock.over or c.clock.seconds - start > _SECONDS):
            c.skip("more seeds, of which two may be hashed to one", f"time: {n} were drawn")
            return
        z = draws[seed] if seed in draws else c.features(seed)
        if z.dtype.kind != "f" or len({*map(bytes, z.T), b""}) <= max(z.shape[1], _COLUMNS):
            return
        twin = seed_of.setdefault(z.tobytes(), seed)
        if twin != seed and not pair:
            pair = twin, seed
        if pair and n >= max(len(draws), 20):
            text = f"seeds {pair[0]} and {pair[1]} give the same features, of {n} seeds drawn"
            c.blame(text, "the columns of a draw, 64 or more, are independent and alike")
            return


def _columns(z: Array) -> frozenset[bytes]:
    """Return the first nonzero columns as bytes; those of floats are divided by their peak."""
    columns = np.ascontiguousarray(z.T[:_COLUMNS])
    columns = columns[columns.any(axis=1)]
    if columns.dtype.kind == "f" and len(columns) > 1:
        peaks = columns[np.arange(len(columns)), np.abs(columns).argmax(axis=1)]
        columns = columns / peaks[:, None] + columns.dtype.type(0)
    return frozenset(column.tobytes() for column in columns)


def _agree(a: frozenset[bytes], b: frozenset[bytes]) -> bool:
    return a == b or (len(a) > 1 and 2 * len(a & b) >= len(a))


def _swapped(c: Candidate, relation: Callable[[int], int], equal: bool) -> Iterator[int]:
    """Yield +1 if draws of s and relation(s) agree (are `equal`) but not swapped ones, or -1."""
    far = c.seeds(12)
    for k in range(0, 400, 2):
        # Below 2^30, so that a sum is still a valid seed.
        s, u = (far(k + i) >> 1 for i in (0, 1))
        draws = []
        with c.trying("related seeds"):
            draws = [c.features(seed) for seed in (s, relation(s), u, relation(u))]
        if not draws or c.late("whether seeds that agree do so by chance"):
            return
        a, b, e, d = (frozenset([z.tobytes()]) if equal else _columns(z) for z in draws)
        yield int(_agree(a, b) or _agree(e, d)) - int(_agree(a, d) or _agree(e, b))


def _require_no_constant(c: Candidate, draws: dict[int, Any]) -> None:
    """Raise if all seeds give the same features, unless the estimate is exact, or rarely not 0."""
    same, far, n = next(iter(draws.values())), c.seeds(13), len(draws)
    if c.kernel is not None and same.dtype.kind == "f":
        claim = np.asarray(c.kernel(*(c.rows.astype(np.float64),) * 2))
        if np.allclose(same @ same.T, claim, rtol=1e-4, atol=1e-4 * float(np.abs(claim).max())):
            c.remarks["no seed changes the features, which are exact"] = None
            return
    if not same.any():
        c.remarks[f"features are 0 in all of {counted(len(draws), 'draw')}"] = None
        return
    while n < _ALIKE and not c.clock.over:
        n += 1
        if not np.array_equal(c.features(far(n)), same):
            return
    fraction = -math.expm1(math.log(0.5 * c.rate) / n)
    if fraction > _SELDOM:
        c.remarks[f"{n} seeds gave one and the same map, too few to refute it"] = None
        return
    assumption = f"a map whose seed matters differs in at least {fraction:.2g} of its draws"
    raise Broken("ignores its seed: every seed gives the same features", assumes=assumption)


def global_state_is_left_alone(c: Candidate) -> None:
    """No draw and no call moves a global random generator or changes settings of the process."""
    phi, turns = c.map(c.first), (c.first, c.seeds(0)(1), c.first)
    c.call(phi, c.rows)  # some maps draw their weights at the first call
    if names := _changes_by(c, lambda: raw(phi, c.place(c.rows))):
        raise Broken(f"a call changes {' and '.join(map(_state_text, names))}")
    # Two seeds in turn, since one would leave a generator that it seeds as it was. Settings belong
    # to the interval alone, and `Draws` undoes them.
    cycle = itertools.cycle(turns[:2])
    drawing = set(_changes_by(c, lambda: c.features(next(cycle)))) - _SETTINGS.keys()

    def states_after(seed: int) -> dict[str, bytes]:
        c.features(seed)
        return global_states()

    visits = [list(map(states_after, turns)) for _ in range(3)] if drawing else []
    for name in drawing:
        if any(before[name] == after[name] for before, _, after in visits):
            c.remarks[f"drawing seeds the global generator of {name}"] = None
        elif name.startswith("torch"):
            # Constructors of its modules draw weights that are then overwritten.
            c.remarks[f"drawing moves the global generator of {name} on"] = None
        else:
            raise Broken(f"a draw changes {_state_text(name)}")
    now = global_states()
    if now != c.before:  # by another thread, if they also move in an interval without a call
        time.sleep(0.02)
        now = {x: state for x, state in global_states().items() if state == now[x]}
    if changes := [x for x in now.keys() & c.before.keys() - drawing if now[x] != c.before[x]]:
        text = f"the global random state of {', '.join(changes)} changed when a map was first drawn"
        c.remarks[f"{text} and called: is it set to one value by every call?"] = None


def _state_text(name: str) -> str:
    return f"{name} of the process" if name in _SETTINGS else f"the global random state of {name}"


def _intervals(c: Candidate, act: Callable[[], Any]) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the global states that move in an interval with an act, and in a longer one without.

    Their order is random, so that other threads move a state in the first alone half of the time.
    """
    # Of no seed: threads that run the same check must not rest at the same time.
    rng, longest = np.random.default_rng(), 0.0

    def states() -> dict[str, Any]:
        return {**{name: getter() for name, getter in _SETTINGS.items()}, **global_states()}

    act()  # it may import
    # Two kinds of acts on at most eight states, and five rules that must stay broken.
    for k in range(math.ceil(-math.log2(c.rate / 32.0)) + 2):
        changes: list[set[str]] = [set(), set()]
        for acting in rng.permutation([1, 0]) if k else (1, 0):
            with warnings.catch_warnings(), np.printoptions(precision=7), np.errstate(all="ignore"):
                # Settings that an earlier call has left are no change, so that others stand here.
                warnings.filterwarnings("ignore", module=".*")
                np.seterr(over="warn")
                before, start = states(), time.perf_counter()
                if acting:
                    act()
                    longest = max(longest, time.perf_counter() - start)
                else:
                    time.sleep(1.5 * longest)
                after = states()
            changes[acting] = {name for name, value in before.items() if after[name] != value}
        if k:  # the first sets the length
            yield changes[1], changes[0]
        if c.late("global states"):
            return


def _changes_by(c: Candidate, act: Callable[[], Any]) -> list[str]:
    """Return the global states that an act changes, and that do not move in intervals without."""
    suspects, both = {*_SETTINGS, *global_states()}, set[str]()
    for changes, quiet in _intervals(c, act):
        suspects &= changes | quiet
        both |= quiet
        if suspects <= both:
            break
    for name in sorted(suspects & both):
        c.skip(f"whether {_state_text(name)} is left alone", _DRAWS, undecided=True)
    return [] if c.clock.over else sorted(suspects - both)


def is_broken_alone(c: Candidate, name: str, rule: Callable[[Candidate], None]) -> bool:
    """Whether a rule stays broken, and no thread that draws as well can be the reason.

    Such a thread changes the maps that seed a global generator, at chance places. So either the
    features of all runs of the rule are the same in all bits, or no global state may move in a
    longer interval without a run.
    """
    if sum(thread.name != "mehler" for thread in threading.enumerate()) == 1:
        return True
    runs: list[int] = []

    def act() -> None:
        # A run that breaks the rule is a hash of all its features, at least 0; another one is -1.
        again = replace(c, omissions={}, remarks={}, change="", transcript=0)
        with suppress(Exception):  # whatever the map raises, besides
            rule(again)
            again.transcript = -1
        runs.append(again.transcript)

    busy, idle = set[str](), set[str]()
    for changes, quiet in _intervals(c, act):
        busy, idle, same = busy | changes, idle | quiet, len(set(runs)) == 1
        if -1 in runs or (idle and not same):
            break
        # Three runs, if nobody uses a generator; else half of all, since two conditions hold.
        if same and not idle and (not busy or 2 ** (2 * len(runs) - 4) > 32.0 / c.rate):
            return True
    else:
        if not c.clock.over:
            return True
    why = _DRAWS if busy | idle else "other threads run, and it did not break again"
    c.skip(f"the rule {name!r}", why, undecided=True)
    return False


def columns_differ(c: Candidate) -> None:
    """No column of features copies another, but in exact maps, nor do all share a few numbers."""
    pilot = [c.features(c.seeds(21)(k)) for k in range(_PILOT)]
    if any(z.shape != pilot[0].shape or z.dtype.kind != "f" for z in pilot):
        return
    same = max(_SAME, 8.0 * float(np.finfo(pilot[0].dtype).eps))
    pilot, m, worth = [z.astype(np.float64) for z in pilot], pilot[0].shape[1], True
    for z in (z[:, :_COMPARED] for z in pilot):
        values = 1 + (np.diff(np.sort(z, axis=0), axis=0) != 0.0).sum(axis=0)
        size = np.abs(z).max(axis=0)
        worth &= (values - (z == 0.0).any(axis=0) >= _VALUES) & (size > _NOISE * size.max())
    index = np.flatnonzero(worth)
    if index.size > 1:
        units = [z[:, index] / np.linalg.norm(z[:, index], axis=0) for z in pilot]
        partner = _nearest(units[0])
        apart = np.stack([_apart(u, u[:, partner]) for u in units])
        copied = steady = (apart <= same).all(axis=0)
        if not steady.any():  # in changing places, or nearly
            copied = (apart[0] <= same) | (apart <= _NEAR).all(axis=0)
        text = f"{int(copied.sum())} of {counted(m, 'feature')} have a copy"
        if steady.any():
            k = int(np.argmax(copied))
            i, j = sorted((int(index[k]), int(index[partner[k]])))
            grams = [z @ z.T for z in pilot]
            exact = all(np.allclose(gram, grams[0], rtol=1e-6, atol=0.0) for gram in grams)
            if not exact and sign_test(_copies(c, i, j, same), 0.5 * c.rate):
                text = f"columns {i} and {j} are equal up to a factor in every draw: {text}"
                raise Broken(text, assumes=f"columns {i} and {j} are independent")
        elif copied.mean() >= 0.5:
            c.remarks[f"columns copy each other, or nearly: {text}"] = None
    if c.rows.dtype.kind == "f" and m >= _LEAST:
        _require_many_numbers(c, m)


def _apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Return the distances of unit columns of a from those of b, up to sign."""
    return np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))


def _nearest(units: Array) -> Any:
    """Return for each unit column the index of the nearest other one, up to sign."""
    partner = np.empty(units.shape[1], dtype=int)
    for start in range(0, units.shape[1], 512):
        part = np.arange(start, min(units.shape[1], start + 512))
        cosines = np.abs(units[:, part].T @ units)
        cosines[np.arange(part.size), part] = -1.0
        partner[part] = cosines.argmax(axis=1)
    return partner


def _copies(c: Candidate, i: int, j: int, same: float) -> Iterator[int]:
    """Yield whether column i copies column j of its own draw alone (+1), or of another (-1)."""
    for k in range(0, 400, 2):
        if c.late("whether columns that copy each other do so by chance"):
            return
        a, b = (c.features(c.seeds(22)(k + n))[:, [i, j]].astype(np.float64) for n in (0, 1))
        a, b = (z / np.linalg.norm(z, axis=0) for z in (a, b))  # NaN, a tie, of zeros
        yield int(_apart(a[:, 0], a[:, 1]) <= same) - int(_apart(a[:, 0], b[:, 1]) <= same)


def _require_many_numbers(c: Candidate, m: int) -> None:
    """Blame columns that share few random numbers: halves of them err alike in pairs of draws."""
    near, seeds = c.rows[:3], map(c.seeds(23), itertools.count(1))
    # A phase that all columns share shows at x + y near 0.
    rows = [near, (near * 0.1).astype(near.dtype), *([-near] if c.rows.min() < 0.0 else [])]
    half = np.random.default_rng(c.seed).permutation(m) < m // 2
    pairs = np.triu_indices(sum(map(len, rows)))

    def halves() -> Any:
        z = c.features(next(seeds), np.concatenate(rows)).astype(np.float64)
        return np.stack([(part @ part.T)[pairs] for part in (z[:, half], z[:, ~half])])

    with c.trying("rows scaled to nearly 0"):
        left, right = np.stack([halves() for _ in range(_FEW)], axis=1)
        left, right = left - left.mean(axis=0), right - right.mean(axis=0)
        alike = (left * right).sum(axis=0) / np.sqrt((left**2).sum(axis=0) * (right**2).sum(axis=0))
        pair = int(np.argmax(np.nan_to_num(alike, nan=-1.0)))
        changes = ((halves() - halves())[:, pair] for _ in range(_COMPARISONS))
        test = (1 if change[0] * change[1] > 0.0 else -1 for change in changes)
        if alike[pair] > _ALIKE_HALVES and sign_test(test, 0.5 * c.rate, _COMPARISONS):
            text = f"few random numbers are shared by all {m} columns: halves of them err alike"
            c.blame(text, "halves of a draw's columns that are independent err alike by chance")


def inputs_are_used(c: Candidate) -> None:
    """Every column of X that the claimed kernel depends on changes the features."""
    if c.kernel is None or len(c.rows) < 2:
        return
    d, base = c.rows.shape[1], c.rows[0]
    far = np.abs(c.rows.astype(np.float64) - base).argmax(axis=0)
    values = c.rows[far, np.arange(d)]
    unused = base != values
    with c.trying("rows that differ in one column"):
        rows = np.concatenate([base[None], np.where(np.eye(d, dtype=bool), values, base)])
        for k in range(6):
            z = c.features(c.seeds(25)(k), rows)
            unused[c.differing(z[1:], np.repeat(z[:1], d, axis=0))] = False
        if not unused.any():
            return
        rows = np.stack([base, np.where(unused, values, base)])
        verdict = check_kernel(
            c.draw, c.kernel, rows, false_alarm=c.rate, resolution=0.1, seed=c.seed, time_limit=10.0
        )
        if verdict.status == "refuted":
            columns = ", ".join(str(j) for j in np.flatnonzero(unused)[:5])
            text = f"{int(unused.sum())} of {counted(d, 'column')} of X change nothing: {columns}"
            raise Broken(text, assumes="; ".join(verdict.assumptions))
