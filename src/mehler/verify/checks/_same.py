"""check_same: do two maps, such as two versions, have the same expected kernel?"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._arguments import DrawOptions, accepts, relative_resolution, require_options
from mehler.verify._maps import (
    Bundles,
    Clock,
    Draws,
    RowPairs,
    evaluate,
    first_map,
    require_draw,
    unclaimed_pairs,
)
from mehler.verify._measurement import Measurement, Task, conclude, cut_short
from mehler.verify._sources import Finding, Source, estimate_and_lengths
from mehler.verify._verdict import Verdict
from mehler.verify.intervals._undeclared import measure_undeclared

# Draws that set the units; draws after which maps with equal features so far count as the same.
_UNITS, _EQUAL = 32, 64
_ULPS = 64.0  # rounding of a feature, in units of sqrt(d) eps of the largest in its row


@contextmanager
def _naming(side: int) -> Generator[None]:
    """Let errors that arise inside begin with draw_a or draw_b."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"draw_{'ab'[side]}: {error}") from error


def _grams(maps: Any, pairs: RowPairs, sizes: list[int]) -> list[Any]:
    """Return for each map <phi(x), phi(y)> at the pairs, |phi(x)|^2 of rows, and |phi(y)|^2."""
    values = []
    for side, (phi, m) in enumerate(zip(maps, sizes)):
        with _naming(side):
            gram, *lengths = estimate_and_lengths(phi, pairs, m)
        values.append((pairs.pick(gram), *lengths))
    return values


def _pilot(
    draws: Bundles, pairs: RowPairs, sizes: list[int], eps: float, most: int, clock: Clock
) -> Any:
    """Return whether features are equal to rounding, estimates (2, draws, pairs), mean |phi|^2."""
    grams: list[Any] = []
    squares, same = [0.0, 0.0], True
    for k in range(most):
        if k and (clock.over or (k >= _UNITS and not same)):
            break
        a, b = (evaluate(phi, pairs.left)[0] for phi in draws[k])
        same = same and _equal(a, b, eps, pairs.left.host.shape[1])
        both, *lengths = zip(*_grams(draws[k], pairs, sizes))
        grams.append(both)
        if not np.isfinite(both).all():
            break
        squares = [total + 0.5 * sum(squares_of) for total, squares_of in zip(squares, lengths)]
    return same, np.array(grams).swapaxes(0, 1), [total / len(grams) for total in squares]


def _in_units(pairs: RowPairs, squares: list[Any]) -> RowPairs:
    """Return the pairs with these squared lengths of rows as units, and the claim 0."""
    for square, name in zip(squares, "XY"):
        if not (square > 0.0).all():
            text = f"both maps are 0 at row {int(np.argmin(square))} of {name} in all first draws"
            raise ValueError(f"{text}: the resolution is relative to them there; leave it out")
    left = replace(pairs.left, unit=np.sqrt(squares[0]))
    right = left if pairs.same else replace(pairs.right, unit=np.sqrt(squares[1]))
    return replace(pairs, left=left, right=right, claim=0.0 * pairs.claim)


def _equal(a: Array, b: Array, eps: float, n_inputs: int) -> bool:
    if a.shape != b.shape or a.dtype.kind != "f" != b.dtype.kind:
        return np.array_equal(a, b)
    slack = _ULPS * np.sqrt(n_inputs) * eps * np.abs(a).max(axis=1, keepdims=True)
    return bool((np.abs(a.astype(np.float64) - b) <= slack).all())


class Differences(Source):
    """Products of draw_b minus those of draw_a at one seed, in units of the pairs."""

    name, counted_in = "independent draws, seeds common to both maps", "draw"
    remedy = "draw larger maps of either version, or take rows of smaller norms"

    def __init__(self, draws: Bundles, sizes: list[int], pairs: RowPairs, eps: float) -> None:
        self._sizes, self.pairs, self.draws = sizes, pairs, draws
        # Rounding of products of d terms, as in check_kernel, on either side.
        rounding = 8.0 * math.sqrt(pairs.left.host.shape[1]) * eps
        super().__init__(pairs.claim, pairs.unit, sum(sizes), 1, rounding)
        self.means, self._n_draws = np.zeros((2, pairs.n)), 0

    def samples(self, phi: Any, index: NDArray[np.int64]) -> Any:
        grams = _grams(phi, self.pairs, self._sizes)
        both = np.stack([gram[index] / self.unit[index] for gram, *_ in grams])
        self._n_draws += int(index[0] == 0)
        self.means[:, index] += both
        return both[1:] - both[:1]

    def place(self, index: int) -> dict[str, Any]:
        a, b = (float(x[index] * self.unit[index]) / max(1, self._n_draws) for x in self.means)
        return {**self.pairs.place(index), "a": a, "b": b}

    def ratio(self, measurement: Measurement) -> str:
        """Return a remark that one map is a multiple of the other, if it is at every pair."""
        a, b = self.means
        factor = float(a @ b / (a @ a))
        # The residual is within the intervals, and a small part of the deviation.
        rest = np.abs(b - factor * a) / max(1, self._n_draws)
        mean = measurement.observed
        half = np.maximum(measurement.high - mean, mean - measurement.low)
        small = rest.max() <= 0.2 * np.abs(mean).max() and (rest <= half).all()
        text = f"At every pair draw_b gives about {factor:.4g} times what draw_a does."
        return text * (self.pairs.n > 1 and factor > 0.0 and bool(small))


@accepts()
def check_same(
    draw_a: Callable[[int], Any],
    draw_b: Callable[[int], Any],
    X: Array,
    Y: Array | None = None,
    *,
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that two maps have the same expected kernel: old version against new, no formula.

    .. math:: E\langle\phi_b(x), \phi_b(y)\rangle - E\langle\phi_a(x), \phi_a(y)\rangle = 0

    at every pair. Features, their number and their law may differ.

    Parameters
    ----------
    draw_a, draw_b : callable
        seed -> map, the old version and the new one, each of any library, dtype and size.
    X, Y : array, shape (n, d), (k, d)
        Rows, as for `check_kernel`, passed to both maps unchanged.
    resolution : float
        Smallest deviation that must not be missed, as a fraction of sqrt(k(x,x) k(y,y)), k(x,x)
        being the mean squared length of phi(x) over some draws of both maps.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` is the difference b - a at the worst pair; ``where`` has it, and both means.

    Raises
    ------
    ValueError, TypeError
        For bad input, which names the map; rows at which both maps are 0; a resolution of 2 or
        more, or finer than the rounding of the features.

    Notes
    -----
    Maps hold at once whose features are equal to rounding at 64 common seeds. Else intervals of
    `intervals.self_normalised` from fresh draws decide.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed, m=100, norm=1.0):
    ...     w = np.random.default_rng(seed).standard_normal((3, m))
    ...     return lambda X: np.hstack([np.cos(X @ w), np.sin(X @ w)]) * norm / np.sqrt(m)
    >>> X = np.random.default_rng(0).standard_normal((3, 3))
    >>> check_same(draw, lambda seed: draw(seed, m=150), X, resolution=0.05).status
    'holds'
    >>> check_same(draw, lambda seed: draw(seed, norm=0.7), X).status
    'refuted'
    """
    terms = require_options("same", options, relative_resolution(resolution))
    clock, pairs = Clock(terms.time_limit), unclaimed_pairs(X, Y)
    makers = [require_draw(draw_a, "draw_a"), require_draw(draw_b, "draw_b")]
    claim = f"E<phi_b(x), phi_b(y)> - E<phi_a(x), phi_a(y)> = 0 at {counted(pairs.n, 'pair')}"
    terms.pay()
    # Non-finite values are a finding about the maps, not an accident of this code.
    with np.errstate(all="ignore"):
        sizes, eps = [], []
        for side, draw in enumerate(makers):
            phi = first_map(Draws(draw, terms.seed, stream=1), pairs.left, f"draw_{'ab'[side]}")
            with _naming(side):
                z, unit = evaluate(phi, pairs.left)
            sizes.append(int(z.shape[1]))
            eps.append(unit)
        width = sum(sizes)
        terms.require_features(4 * width, f"four draws of both, {counted(4 * width, 'feature')}")
        most = min(_EQUAL, terms.draws_within(4 * _EQUAL, width) // 4)
        early = Bundles(makers, terms.seed, stream=1, common=True)
        same, grams, squares = _pilot(early, pairs, sizes, max(eps), most, clock)
        n_draws = grams.shape[1]
        if not np.isfinite(grams).all():
            side, _, pair = (int(k) for k in np.argwhere(~np.isfinite(grams))[0])
            task = Task(Differences(early, sizes, pairs, sum(eps)), early, terms, clock)
            reason = f"draw_{'ab'[side]} returned features that are not finite."
            finding = Finding(pair, reason, math.nan, "finite features", n_draws)
            return conclude(task, cut_short(task, finding), claim, certain=finding)
        pairs = _in_units(pairs, squares)
        if same and n_draws == _EQUAL:
            share = -100.0 * math.expm1(math.log(terms.false_alarm) / n_draws)
            assumption = f"what the maps do alike for {n_draws} seeds they do for others: had they "
            assumption += f"differed at more than {share:.2g} % of all seeds, that would have been "
            assumption += f"seen except with probability {terms.false_alarm:.3g}"
            return terms.verdict(
                status="holds",
                claim=claim,
                observed=0.0,
                interval=(0.0, 0.0),
                n_features=n_draws * width,
                n_draws=n_draws,
                detectable=math.inf,
                method="equal features for equal seeds",
                assumptions=(assumption,),
                reason=f"For each of {n_draws} seeds both maps gave equal features, to rounding.",
            )
        if terms.max_features is not None:
            terms = replace(terms, max_features=terms.max_features - n_draws * width)
        # Common seeds keep the difference of means; after a small change it varies less by them.
        draws = Bundles(makers, terms.seed, common=True)
        source = Differences(draws, sizes, pairs, sum(eps))
        task = Task(source, draws, terms, clock)
        task.require_resolved()
        measurement = measure_undeclared(task)
        return conclude(task, measurement, claim, remark=source.ratio(measurement), pilot=n_draws)
