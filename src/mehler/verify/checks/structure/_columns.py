"""Rules of columns: those of features copy no others and are many numbers, those of X are used.

Correct maps share random numbers among their columns: a bandwidth, a phase or a rotation drawn once
a map leave its mean alone. So what follows from independence alone is a fault where independence is
declared, and a remark otherwise. ``docs/structure.md`` proves the rates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure._candidate import Broken, Candidate, all_won
from mehler.verify.sampling._sources import declaration

_STREAM = 21
# Draws of the first test; least distinct nonzero values of a column worth comparing; relative size
# below which a column is rounding; most columns compared; distance of unit vectors that are the
# same; fraction of columns with a copy that is remarked, if places change; distance at which they
# nearly agree at most, and fraction of columns that may be so near to another draw's.
_PILOT, _VALUES, _NOISE, _COMPARED, _SAME, _COPIED = 3, 3, 1e-9, 8192, 1e-6, 0.5
_NEAR, _BY_CHANCE = 0.05, 0.1


def columns_differ(c: Candidate) -> None:
    """Columns of features copy no others, and share no few random numbers.

    Columns that are equal up to a factor at the same places of every draw are a fault, by sign
    tests. Exempt are maps whose estimate is the same in every draw. Copies in changing places, as
    of samples with replacement, are remarked.
    """
    far = c.seeds(_STREAM)
    pilot = [c.features(far.seed(k)) for k in range(_PILOT)]
    if any(z.shape != pilot[0].shape or z.dtype.kind != "f" for z in pilot):
        return
    same = max(_SAME, 8.0 * float(np.finfo(pilot[0].dtype).eps))
    pilot = [z.astype(np.float64) for z in pilot]
    index = np.flatnonzero(np.all([_worth(z[:, :_COMPARED]) for z in pilot], axis=0))
    if index.size > 1:
        _require_no_copies(c, pilot, index, same)
    _require_many_numbers(c, pilot[0].shape[1])


def _worth(z: Any) -> Any:
    """Return a mask of the columns with enough values to be compared."""
    ordered = np.sort(z, axis=0)
    values = 1 + (np.diff(ordered, axis=0) != 0.0).sum(axis=0) - (z == 0.0).any(axis=0)
    size = np.abs(z).max(axis=0)
    return np.isfinite(z).all(axis=0) & (values >= _VALUES) & (size > _NOISE * size.max())


def _apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Return the distances of unit vectors from the lines of others."""
    return np.minimum(np.linalg.norm(a - b, axis=0), np.linalg.norm(a + b, axis=0))


def _nearest(a: Array, b: Array) -> tuple[Any, Any]:
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


def _require_no_copies(c: Candidate, pilot: list[Any], index: Any, same: float) -> None:
    units = [z[:, index] / np.linalg.norm(z[:, index], axis=0) for z in pilot]
    distance, partner = _nearest(units[0], units[0])
    placed = np.all([_apart(u, u[:, partner]) <= same for u in units], axis=0)
    between, near = _nearest(*units[:2])[0], same
    if not placed.any() and (distance <= same).mean() < _COPIED:
        near = min(_NEAR, 0.5 * float(np.quantile(between, _BY_CHANCE)))
    copied = placed if placed.any() else distance <= near
    text = f"{int(copied.sum())} of {counted(pilot[0].shape[1], 'feature')} have a copy"
    if placed.any():
        k = int(np.argmax(placed))
        i, j = sorted((int(index[k]), int(index[partner[k]])))
        grams = [z @ z.T for z in pilot]
        exact = all(np.allclose(gram, grams[0], rtol=1e-6, atol=0.0) for gram in grams)
        if not exact and all_won(_copies(c, i, j, same), 0.5 * c.rate):
            text = f"columns {i} and {j} are equal up to a factor in every draw: {text}"
            raise Broken(text, assumes=f"columns {i} and {j} are independent", columns=(i, j))
    elif copied.mean() >= _COPIED and (between <= near).mean() < 0.5 * _COPIED:
        how = "are equal up to a factor" if near == same else "nearly copy each other"
        c.remarks[f"columns {how}, in changing places: {text}"] = None


def _copies(c: Candidate, i: int, j: int, same: float) -> Iterator[int]:
    """Yield whether column i copies column j of its own draw alone (+1), or of another (-1)."""
    far = c.seeds(_STREAM + 1)
    for k in range(0, 400, 2):
        if c.late("whether columns that copy each other do so by chance"):
            return
        a, b = (c.features(far.seed(k + draw))[:, [i, j]].astype(np.float64) for draw in (0, 1))
        lengths = np.linalg.norm([a, b], axis=1)
        if not lengths.all():
            yield 0
            continue
        a, b = a / lengths[0], b / lengths[1]
        yield int(_apart(a[:, 0], a[:, 1]) <= same) - int(_apart(a[:, 0], b[:, 1]) <= same)


# Least columns of a map to be tested; draws of the first test; the number of effectively
# independent columns that raises suspicion, at most a fraction of all; comparisons of halves.
_LEAST, _FEW, _EFFECTIVE, _FRACTION, _COMPARISONS = 64, 20, 24.0, 0.125, 120


def _require_many_numbers(c: Candidate, m: int) -> None:
    """Blame columns that share few random numbers, so that their error does not fall with m.

    A map is blamed if much fewer independent columns would have the variance of its estimate
    between draws, and halves of the columns err to the same side in most pairs of draws.
    """
    if c.rows.dtype.kind != "f" or m < _LEAST:
        return
    far, rows = c.seeds(_STREAM + 2), _near_and_far(c)
    if callable(declaration(c.map(far.seed(0)), "gram_variance")) and not c.independent:
        return  # of columns that depend on each other, and declared
    halves = np.random.default_rng(c.seed).permutation(m) < m // 2
    estimates = (_estimate(c.features(far.seed(k), rows), halves) for k in itertools.count(1))
    with c.trying("rows scaled to nearly 0"):
        effective = _effective_columns(list(itertools.islice(estimates, _FEW)))
        pair, most = int(np.argmin(effective)), min(_EFFECTIVE, _FRACTION * m)
        later: list[Any] = []

        def agrees() -> bool:
            a, b = (next(estimates)[:, pair] for _ in range(2))
            later.extend([a, b])
            return bool((a - b)[1] * (a - b)[2] > 0.0)

        if effective[pair] <= most and mostly(agrees, 0.5 * c.rate, _COMPARISONS):
            n = float(_effective_columns(later))
            if n <= most:
                number = "one random number is" if n < 1.5 else "few random numbers are"
                text = f"{number} shared by all columns: {m} scatter like {max(1.0, n):.0f}"
                halves_text = "halves of a draw's columns that are independent"
                c.blame(text, f"{halves_text} agree in sign as often as not")


def mostly(won: Callable[[], bool], rate: float, n: int) -> bool:
    """Return whether more of n fair comparisons are won than happens with probability `rate`."""
    from scipy.stats import binom

    losses = n - 1 - int(binom.isf(rate, n, 0.5))  # that are allowed
    for _ in range(n):
        losses -= not won()
        if losses < 0:
            return False
    return True


def _effective_columns(estimates: list[Any]) -> Any:
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
    pairs = np.triu_indices(z.shape[0])
    parts = (z, z[:, halves], z[:, ~halves], z * z)
    total, left, right, squares = ((part @ part.T)[pairs] for part in parts)
    return np.stack([total, left, right, z.shape[1] * squares - total**2])


def _near_and_far(c: Candidate) -> Any:
    """Return a few rows as given and scaled to nearly 0, with negatives if signs are free.

    A phase that all columns share shows at x + y near 0.
    """
    rows = c.rows[:3]
    opposite = [] if c.rows.min() >= 0.0 else [-rows]
    return np.concatenate([rows, (rows * 0.1).astype(rows.dtype), *opposite])


# Draws in which a column of X must change nothing.
_DRAWS = 6


def inputs_are_used(c: Candidate) -> None:
    """Every column of X changes something, where the claimed kernel says so.

    A column without effect in some draws is a suspicion. `check_kernel` decides, at a row and the
    same row with that column of another: equal features have an estimate that is too large.
    """
    if c.kernel is None or len(c.rows) < 2:
        return
    d = c.rows.shape[1]
    far = np.abs(c.rows.astype(np.float64) - c.rows[:1]).argmax(axis=0)
    base, moved = c.rows[0], c.rows[far, np.arange(d)]
    unused = base != moved
    with c.trying("rows that differ in one column"):
        for k in range(_DRAWS):
            index = np.flatnonzero(unused)
            rows = np.repeat(base[None], index.size + 1, axis=0)
            rows[np.arange(1, index.size + 1), index] = moved[index]
            z = c.call(c.map(c.seeds(_STREAM + 4).seed(k)), rows)
            unused[index[c.differing(z[1:], np.repeat(z[:1], index.size, axis=0))]] = False
            if not unused.any():
                return
        rows = np.stack([base, np.where(unused, moved, base)])
        verdict = check_kernel(
            c.draw, c.kernel, rows, false_alarm=c.rate, resolution=0.1, seed=c.seed, time_limit=10.0
        )
        if verdict.status == "refuted":
            listed = ", ".join(str(j) for j in np.flatnonzero(unused)[:5])
            text = f"{int(unused.sum())} of {counted(d, 'column')} of X change nothing: {listed}"
            raise Broken(text, assumes="; ".join(verdict.assumptions))
