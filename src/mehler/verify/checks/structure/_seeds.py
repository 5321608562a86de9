"""Rules of seeds: one seed gives one map, whatever else is drawn, and others give different ones.

``docs/structure.md`` proves their rates.
"""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler._arrays import Array, global_states
from mehler._plural import counted
from mehler.verify.checks.structure._candidate import Broken, Candidate, all_won
from mehler.verify.sampling._pairs import raw

# Seeds that code often treats as missing, or that exceed 8, 31 or 32 bits.
_NOTABLE = (0, 1, 2**8, 2**16, 2**31 - 1, 2**31, 2**32 - 1)


def the_seed_alone_decides(c: Candidate) -> None:
    """Maps of one seed are one map, whatever is drawn in between."""
    earlier = c.map(c.first)
    features = c.call(earlier, c.rows)
    slack = c.moved(earlier, c.rows, features)
    first: dict[int, Any] = {}
    for seed in (c.first, *_NOTABLE):
        with c.trying(f"seed {seed}"):
            first[seed] = c.features(seed)
    if c.differing(c.call(earlier, c.rows), features, slack).size:
        raise Broken("a map changes when another one is drawn: they share their weights")
    other = [seed for seed, z in first.items() if c.differing(c.features(seed), z).size]
    if len(other) == len(first):
        names = _moved_by(c, lambda: c.features(c.first))
        because = f" by the global random state of {', '.join(names)}" if names else ""
        raise Broken(f"ignores its seed: two draws of one seed differ{because}")
    if other:
        listed = ", ".join(str(seed) for seed in other)
        raise Broken(f"seed {listed} is not a seed: two draws differ", seed=other[0])
    if c.redraw is not None:
        fewer = c.rows[: -(-len(c.rows) // 2)][::-1]
        with c.trying("draws after a fit on other rows"):
            c.redraw(c.seeds(0).seed(1), c.place((3.0 * fewer).astype(fewer.dtype)), None)
            if c.differing(c.features(c.first), features, slack).size:
                raise Broken("a draw depends on the draws before it: one for other rows changes it")


# Consecutive seeds, unrelated ones, hashed ones, and most seconds for the latter.
_ROW, _FAR, _HASHED, _SECONDS = 18, 90, 1000, 1.0
_STREAM = 11
# Equal draws needed to call a seed ignored, and the fraction of other draws that they rule out.
_ALIKE, _SELDOM = 2300, 0.011
# Columns of a draw that are compared, and of draws that may be called the same without a relation
# of their seeds; relations tested.
_COLUMNS, _RELATIONS = 64, 8


def seeds_differ(c: Candidate) -> None:
    """Different seeds give different maps.

    Two seeds that share half of their columns suggest a relation, a bit or a distance. Sign tests
    decide at fresh seeds, of up to 8 relations, for features of few values too. Hashed seeds have
    no relation: of 1,000 draws two are one.
    """
    draws: dict[int, Any] = {}
    start = c.clock.seconds
    for seed in _seeds(c):
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
        for relation in (lambda s, a=low, b=high: s ^ (a ^ b), lambda s, a=low, b=high: s + b - a):
            if not all_won(_swapped(c, relation), 0.5 * c.rate / _RELATIONS):
                continue
            shared = len(columns[low] & columns[high])
            text = f"share {shared} of {counted(len(columns[low]), 'feature')}"
            if np.array_equal(draws[low], draws[high]):
                gave = f"{counted(len(draws), 'seed')} gave {counted(n_maps, 'map')}"
                text = f"give the same features: {gave}"
            assumed = "draws from different seeds are independent"
            raise Broken(f"seeds {low} and {high} {text}", assumes=assumed, seeds=(low, high))
    _require_no_collision(c, draws, start)


def _require_no_collision(c: Candidate, draws: dict[int, Any], start: float) -> None:
    """Blame two draws that are one although no column occurs twice in a draw."""
    far, seed_of = c.seeds(_STREAM + 3), dict[bytes, int]()
    pair: tuple[int, int] | None = None
    for n, seed in enumerate([*draws, *map(far.seed, range(_HASHED - len(draws)))], 1):
        if n > len(draws) and (c.clock.over or c.clock.seconds - start > _SECONDS):
            c.skip("more seeds, of which two may be hashed to one", f"time: {n} were drawn")
            return
        z = draws[seed] if seed in draws else c.features(seed)
        if z.dtype.kind != "f" or len({*map(bytes, z.T), b""}) <= max(z.shape[1], _COLUMNS):
            return
        other = seed_of.setdefault(z.tobytes(), seed)
        pair = pair or ((other, seed) if other != seed else None)
        if pair and n >= max(len(draws), 20):
            text = f"seeds {pair[0]} and {pair[1]} give the same features, of {n} seeds drawn"
            c.blame(text, "the columns of a draw, 64 or more, are independent and alike")
            return


def _columns(z: Array) -> frozenset[bytes]:
    """Return the first nonzero columns, up to sign and powers of 2 where they are no codes."""
    columns = np.ascontiguousarray(z.T[:_COLUMNS])
    columns = columns[columns.any(axis=1)]
    if columns.dtype.kind == "f" and len(columns) > 1:
        peaks = columns[np.arange(len(columns)), np.abs(columns).argmax(axis=1)]
        columns = columns / peaks[:, None] + columns.dtype.type(0)
    return frozenset(column.tobytes() for column in columns)


def _agree(a: frozenset[bytes], b: frozenset[bytes]) -> bool:
    """Whether two draws share half of their columns, bit for bit."""
    return a == b or (len(a) > 1 and 2 * len(a & b) >= len(a))


def _seeds(c: Candidate) -> Iterator[int]:
    """Yield seeds, most informative first: single bits, neighbours, steps of powers of ten."""
    far = c.seeds(_STREAM)
    base = far.seed(0)
    listed = [*_NOTABLE, *(base ^ (1 << bit) for bit in range(31)), base, *range(2, _ROW)]
    listed += [10**k for k in range(2, 8)]
    yield from dict.fromkeys([*listed, *(far.seed(k) for k in range(1, _FAR))])


def _swapped(c: Candidate, relation: Callable[[int], int]) -> Iterator[int]:
    """Yield whether related draws agree (+1) where swapped ones do not (-1 for the reverse)."""
    far = c.seeds(_STREAM + 1)
    for k in range(0, 400, 2):
        if c.late("whether seeds that agree do so by chance"):
            return
        # Below 2^30, so that a sum is still a valid seed.
        s, u = (far.seed(k + i) >> 1 for i in (0, 1))
        draws = []
        with c.trying("related seeds"):
            draws = [_columns(c.features(seed)) for seed in (s, relation(s), u, relation(u))]
        if not draws:
            return
        a, b, e, d = draws
        yield int(_agree(a, b) or _agree(e, d)) - int(_agree(a, d) or _agree(e, b))


def _require_no_constant(c: Candidate, draws: dict[int, Any]) -> None:
    """Raise if all seeds give the same features, unless the estimate is exact, or rarely not 0."""
    same = next(iter(draws.values()))
    if c.kernel is not None and same.dtype.kind == "f":
        claim = np.asarray(c.kernel(*(c.rows.astype(np.float64),) * 2))
        if np.allclose(same @ same.T, claim, rtol=1e-4, atol=1e-4 * float(np.abs(claim).max())):
            c.remarks["no seed changes the features, which are exact"] = None
            return
    if not same.any():
        c.remarks[f"features are 0 in all of {counted(len(draws), 'draw')}"] = None
        return
    far, n = c.seeds(_STREAM + 2), len(draws)
    while n < _ALIKE and not c.clock.over:
        n += 1
        if not np.array_equal(c.features(far.seed(n)), same):
            return
    fraction = -math.expm1(math.log(0.5 * c.rate) / n)
    if fraction > _SELDOM:
        c.remarks[f"{n} seeds gave one and the same map, too few to refute it"] = None
        return
    assumed = f"a map whose seed matters differs in at least {fraction:.2g} of its draws"
    raise Broken("ignores its seed: every seed gives the same features", assumes=assumed)


# Constructors of PyTorch modules draw weights that are then overwritten, which maps cannot avoid;
# no feature depends on them.
_MOVED_BY_CONSTRUCTORS = ("torch", "torch.cuda")
_SETTINGS: dict[str, Callable[[], Any]] = {
    "np.geterr()": np.geterr,
    "np.get_printoptions()": np.get_printoptions,
    "warnings.filters": lambda: list(warnings.filters),
}


def global_state_is_left_alone(c: Candidate) -> None:
    """No draw and no call moves a global random generator; no call changes settings of the process.

    States are compared and never set. A draw that leaves the same state behind whenever its seed is
    the same seeds the generator, which is a remark and no fault.
    """
    phi, turns = c.map(c.first), [c.first, c.seeds(0).seed(1)]
    c.call(phi, c.rows)  # some maps draw their weights at the first call
    names = _moved_by(c, lambda: raw(phi, c.place(c.rows)))
    if names:
        raise Broken(f"a call changes {' and '.join(map(_state_text, names))}")
    # Two seeds in turn, since one would leave a generator that it seeds as it was.
    cycle = itertools.cycle(turns)
    for name in _moved_by(c, lambda: c.features(next(cycle))):
        if name in _SETTINGS:
            continue  # they belong to the interval alone, and `Draws` undoes them

        def state_after(seed: int, name: str = name) -> bytes:
            c.features(seed)
            return global_states()[name]

        states = [[state_after(seed) for seed in (*turns, turns[0])] for _ in range(3)]
        if any(before == after for before, _, after in states):
            c.remarks[f"drawing seeds the global generator of {name}"] = None
        elif name in _MOVED_BY_CONSTRUCTORS:
            c.remarks[f"drawing moves the global generator of {name} on"] = None
        else:
            raise Broken(f"a draw changes {_state_text(name)}")


def _state_text(name: str) -> str:
    return f"{name} of the process" if name in _SETTINGS else f"the global random state of {name}"


def _moved_by(c: Candidate, act: Callable[[], Any]) -> list[str]:
    """Return the global states that an act changes, and no interval of its length without it."""
    rng, both = np.random.default_rng(c.seed), set[str]()
    act()  # it may import
    start = time.perf_counter()
    act()
    longest = time.perf_counter() - start
    suspects = {*_SETTINGS, *global_states()}
    # Two kinds of acts, at most eight states.
    for _ in range(math.ceil(-math.log2(c.rate / 16.0)) + 1):
        moved: list[set[str]] = [set(), set()]
        for acting in rng.permutation([1, 0]):
            with warnings.catch_warnings(), np.printoptions(precision=7), np.errstate(all="ignore"):
                # Settings that an earlier call has left are no change, so that others stand here.
                warnings.filterwarnings("ignore", module=".*")
                np.seterr(over="warn")
                before = {**{name: read() for name, read in _SETTINGS.items()}, **global_states()}
                start = time.perf_counter()
                if acting:
                    act()
                    longest = max(longest, time.perf_counter() - start)
                else:
                    time.sleep(1.5 * longest)
                after = {**{name: read() for name, read in _SETTINGS.items()}, **global_states()}
            moved[acting] = {name for name, value in before.items() if after[name] != value}
        suspects &= moved[0] | moved[1]
        both |= moved[0]
        if suspects <= both or c.late("global states"):
            break
    for name in sorted(suspects & both):
        c.skip(f"whether {_state_text(name)} is left alone", "another thread draws", undecided=True)
    return [] if c.clock.over else sorted(suspects - both)
