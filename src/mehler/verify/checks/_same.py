"""check_same: do two maps, such as two versions, have the same expected kernel?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_flag
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import FLOOR, Verdict
from mehler.verify.checks._conclusion import Certainty, conclude
from mehler.verify.intervals._measurement import Measurement, Task, cut_short
from mehler.verify.intervals._undeclared import (
    Lengths,
    expected_samples,
    least_samples,
    measure_undeclared,
)
from mehler.verify.sampling._clock import Clock
from mehler.verify.sampling._draws import Bundles, Draws, require_draw
from mehler.verify.sampling._pairs import Pairs, first_map, pairs_without_claim, read
from mehler.verify.sampling._sources import (
    BLOCK,
    PairSource,
    Source,
    choose_source,
    estimate_and_lengths,
)

T = TypeVar("T")

# Draws that set the units; draws after which maps that always agreed count as the same.
_UNITS, _EQUAL = 32, 64
# Rounding of a feature, in units of sqrt(d) eps of the largest in its row.
_ULPS = 64.0
# Least variation over seeds, relative to the difference between maps, for agreement to count.
_TELLING = 16.0
# Pilot draws repeated to see how single units scatter.
_AGAIN = 4


class Side:
    """One of the two maps, with a name, so that errors tell which is meant."""

    def __init__(self, name: str, draw: Callable[[int], Any], pairs: Pairs, seed: int) -> None:
        self.name, self.draw = name, draw
        phi = first_map(Draws(draw, seed, stream=1), pairs.left, name)
        z, self.eps = self.named(read, phi, pairs.left)
        self.m = int(z.shape[1])

    def named(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function; errors begin with the name of the map."""
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{self.name}: {error}") from error

    def gram(self, phi: Any, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Return <phi(x), phi(y)> at the pairs, and |phi|^2 of the rows of either side."""
        gram, left, right = self.named(estimate_and_lengths, phi, pairs, self.m)
        return pairs.pick(gram), left, right


Sides = tuple[Side, Side]


class Pilot:
    """Draws of both maps from common seeds, until they differ and units are known; not reused.

    `pairs` are in units of sqrt(k(x,x) k(y,y)), k(x,x) the mean of |phi(x)|^2 over both maps;
    `products` are whole estimates, shape (2, draws, pairs); `largest` is the largest difference at
    one seed in units of that draw's lengths; `same_features`: equal to rounding.
    """

    def __init__(
        self, sides: Sides, pairs: Pairs, draws: Bundles, floor: float, most: int, clock: Clock
    ) -> None:
        products: list[Any] = []
        squares = [np.zeros(rows.unit.size) for rows in (pairs.left, pairs.right)]
        eps, self.largest, self.same_features = max(side.eps for side in sides), 0.0, True
        for k in range(min(most, _EQUAL)):
            if k and (clock.over or (k >= _UNITS and self.largest > floor)):
                break
            a, b = (side.named(read, phi, pairs.left)[0] for side, phi in zip(sides, draws[k]))
            self.same_features &= _equal(a, b, eps, pairs.left.host.shape[1])
            grams, *lengths = zip(*(side.gram(phi, pairs) for side, phi in zip(sides, draws[k])))
            products.append(grams)
            if not np.isfinite(grams).all():
                break
            for total, each in zip(squares, lengths):
                total += 0.5 * sum(each)
            # sqrt(|phi(x)|^2 |phi(y)|^2) of this draw, the smaller of the two maps.
            sizes = [np.sqrt(x[pairs.first] * y[pairs.second]) for x, y in zip(*lengths)]
            scale = np.maximum(np.minimum(*sizes), np.finfo(float).tiny)
            self.largest = max(self.largest, float(np.max(np.abs(grams[0] - grams[1]) / scale)))
        self.n_draws, self.products = len(products), np.array(products).swapaxes(0, 1)
        self.pairs = pairs
        if np.isfinite(self.products).all():
            self.pairs = _in_units(pairs, [np.sqrt(each / self.n_draws) for each in squares])
            self.products /= self.pairs.unit

    def agrees(self, floor: float) -> bool:
        """Whether the maps agree seed by seed: no products differ by enough to refute.

        Products that hardly vary with the seed are no evidence, unless the features themselves
        agree.
        """
        moves = float(np.max(np.ptp(self.products[0], axis=0)))
        telling = self.same_features or moves > _TELLING * max(self.largest, 1e-12)
        return self.n_draws == _EQUAL and telling and self.largest <= floor


def _in_units(pairs: Pairs, units: list[Any]) -> Pairs:
    """Return the pairs with these sizes of both maps as units, and the claim 0."""
    for unit, name in zip(units, "XY"):
        if not (unit > 0.0).all():
            raise ValueError(
                f"both maps are 0 at row {int(np.argmin(unit))} of {name} in all first draws: the "
                "resolution is relative to their size there; leave such rows out"
            )
    left = replace(pairs.left, unit=units[0])
    right = left if pairs.same else replace(pairs.right, unit=units[1])
    return replace(pairs, left=left, right=right, claim=0.0 * pairs.claim)


def _equal(a: Array, b: Array, eps: float, n_inputs: int) -> bool:
    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    a, b = a.astype(np.float64), b.astype(np.float64)
    size = np.abs(a).max(axis=1, keepdims=True)
    return bool((np.abs(a - b) <= _ULPS * np.sqrt(n_inputs) * eps * size).all())


class Differences(Source):
    """Products of draw_b minus those of draw_a, in units of the pairs.

    `common` maps get the same seed. `sources` sample the units of a draw, with means of several
    units of the larger map per unit of the smaller; None for whole estimates.
    """

    counted_in = "draw"
    remedy = "draw larger maps of either version, or take rows of smaller norms"

    def __init__(
        self,
        sides: Sides,
        pairs: Pairs,
        seed: int,
        common: bool,
        sources: tuple[PairSource, PairSource] | None = None,
    ) -> None:
        self._sides, self.pairs, self._sources = sides, pairs, sources
        self.draws = Bundles([side.draw for side in sides], seed, common=common)
        per_draw = 1 if sources is None else min(each.per_draw for each in sources)
        # Rounding of products of d terms, as in check_kernel, on either side.
        rounding = 8.0 * math.sqrt(pairs.left.host.shape[1]) * sum(side.eps for side in sides)
        width = sum(side.m for side in sides)
        super().__init__(pairs.claim, pairs.unit, width, per_draw, rounding)
        seeds = "seeds common to both maps" if common else "seeds of their own"
        self.name = ("independent units" if sources else "independent draws") + f", {seeds}"
        if sources:
            self.events = "samples"
            self.independence += ", and the units of a draw independent and alike"
        self.means, self._drawn = np.zeros((2, pairs.n)), 0

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        if self._sources is None:
            a, b = (side.gram(each, self.pairs)[0] for side, each in zip(self._sides, phi))
            a, b = (each[None, chosen] / self.unit[chosen] for each in (a, b))
        else:
            a, b = (self._units(s, each, chosen) for s, each in zip(self._sources, phi))
        self._drawn += int(chosen[0] == 0)
        self.means[:, chosen] += np.stack([a.mean(axis=0), b.mean(axis=0)])
        return b - a

    def _units(self, source: PairSource, phi: Callable[..., Any], chosen: NDArray[np.int64]) -> Any:
        """Return samples from the units of a map, shape (per_draw, chosen)."""
        x = source.samples(phi, chosen)
        together = x.shape[0] // self.per_draw
        return x[: together * self.per_draw].reshape(self.per_draw, together, -1).mean(axis=1)

    def place(self, index: int) -> dict[str, Any]:
        a, b = (float(x[index] * self.unit[index]) / max(1, self._drawn) for x in self.means)
        return {**self.pairs.place(index), "a": a, "b": b}

    def ratio(self, measured: Measurement) -> str:
        """Return a remark that one map is a multiple of the other, if it is at every pair."""
        a, b = self.means
        factor = float(a @ b / (a @ a))
        # The residual is within the intervals, and a small part of the deviation.
        left = np.abs(b - factor * a) / max(1, self._drawn)
        half = np.maximum(measured.high - measured.observed, measured.observed - measured.low)
        small = left.max() <= 0.2 * np.abs(measured.observed).max() and (left <= half).all()
        if self.pairs.n == 1 or not factor > 0.0 or not small:
            return ""
        return f"At every pair draw_b gives about {factor:.4g} times what draw_a does."


def choose(
    sides: Sides, trial: Pilot, terms: CheckOptions, independent_features: bool
) -> Differences:
    """Return the samples that, according to the pilot, decide with fewest draws.

    Common seeds do not change the difference of means. After a small change the two versions'
    estimates are correlated and their difference varies little.
    """
    (a, b), pairs = trial.products, trial.pairs
    rate = terms.false_alarm / pairs.n

    def needed(variance: Array, per_draw: int = 1) -> float:
        worst = float(np.max(variance, initial=0.0))
        n = expected_samples(worst, rate, terms.resolution)
        return max(least_samples(rate), n) / per_draw

    # Ties go to separate seeds.
    fewest = needed(a.var(axis=0) + b.var(axis=0))
    in_common = needed((b - a).var(axis=0)) if len(a) > 1 else math.inf
    common, fewest = in_common < fewest, min(fewest, in_common)
    again = Bundles([side.draw for side in sides], terms.seed, stream=1)
    first, second = (
        side.named(choose_source, phi, pairs, independent_features)
        for side, phi in zip(sides, again[0])
    )
    if min(first.per_draw, second.per_draw) > 1:
        # Never with common seeds: unit l of one map may be correlated with any of the other's.
        units = Differences(sides, pairs, terms.seed, False, (first, second))
        everything = np.arange(min(pairs.n, max(1, BLOCK // first.per_draw)))
        x = [units.samples(again[k], everything) for k in range(min(_AGAIN, len(a)))]
        if needed(np.concatenate(x).var(axis=0), units.per_draw) < fewest:
            return Differences(sides, pairs, terms.seed, False, (first, second))
    return Differences(sides, pairs, terms.seed, common)


def _agreement(terms: CheckOptions, trial: Pilot, claim: str, width: int) -> Verdict:
    """Return the verdict on maps that agreed for all common seeds."""
    n, size = trial.n_draws, float(trial.pairs.unit.max())
    what, more = "features", ", to rounding."
    if not trial.same_features:
        what, more = (
            "products",
            (
                f": no two differ by more than {trial.largest:.2g} of sqrt(k(x,x) k(y,y)), below "
                f"{FLOOR:.3g} of the resolution."
            ),
        )
    share = -math.expm1(math.log(terms.false_alarm) / n)
    return terms.verdict(
        status="holds",
        claim=claim,
        observed=0.0,
        interval=(-trial.largest * size, trial.largest * size),
        n_features=n * width,
        n_draws=n,
        detectable=math.inf,
        method=f"equal {what} for equal seeds",
        assumptions=(
            f"what the maps do alike for {counted(n, 'seed')} they do for others: had they "
            f"differed at more than {100 * share:.2g} % of all seeds, that would have been seen "
            f"except with probability {terms.false_alarm:.3g}",
        ),
        scale=size,
        where={"largest_difference": trial.largest},
        reason=f"For each of {counted(n, 'seed')} both maps gave the same {what}{more}",
    )


@accepts("max_features", "time_limit", "seed")
def check_same(
    draw_a: Callable[[int], Any],
    draw_b: Callable[[int], Any],
    X: Array,
    Y: Array | None = None,
    *,
    independent_features: bool = False,
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that two maps have the same expected kernel: old version against new, no formula.

    .. math:: E\langle\phi_b(x), \phi_b(y)\rangle - E\langle\phi_a(x), \phi_a(y)\rangle = 0

    at every pair. Features, their number and their law may differ: cosines with an offset count as
    equal to pairs of cosine and sine, and Gaussian weights to orthogonal ones.

    Parameters
    ----------
    draw_a, draw_b : callable
        seed -> map, the old version and the new one, as for `check_kernel`. Each may return arrays
        of any library and dtype, and as many features as it likes.
    X, Y : array, shape (n, d), (k, d)
        Rows, as for `check_kernel`, passed to both maps unchanged.
    independent_features : bool
        The columns of one draw are i.i.d. in both maps, so each is a sample. Not needed for maps
        that declare ``independent_units``.
    resolution : float
        Smallest deviation that must not be missed, as a fraction of sqrt(k(x,x) k(y,y)).
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` is the difference b - a at the worst pair; ``where`` names that pair and the
        means of both maps.

    Raises
    ------
    ValueError, TypeError
        For bad input, which names the map; rows at which both maps are 0; a resolution of 2 or
        more, or finer than the rounding of the features.

    Notes
    -----
    1. Both maps are drawn from 64 common seeds. If their products differ by no more than a
       twentieth of the resolution at all of them, the claim holds at once: "equal features (or
       products) for equal seeds". This assumes that the 64 seeds are typical.
    2. Else samples are differences of products. Seeds are common if a pilot of 32 draws shows that
       this reduces the scatter, as after a small change; else each map has its own. The pilot also
       gives the units k(x,x) and is not reused. Intervals are those of
       `intervals.self_normalised`, from some 3,500 samples on, under a kurtosis below a limit that
       grows with the sample size; where few large samples decide, nothing is refuted.

    Without an assumption nothing could be refuted: an event too rare to be seen may carry the
    rest of any mean.

    References
    ----------
    B. Delyon (2009), see `intervals.self_normalised`.

    Examples
    --------
    >>> import numpy as np
    >>> def old(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 100))
    ...     return lambda X: np.hstack([np.cos(X @ w), np.sin(X @ w)]) / 10
    >>> def new(seed, norm=np.sqrt(2 / 150)):
    ...     rng = np.random.default_rng(seed)
    ...     w, b = rng.standard_normal((3, 150)), rng.uniform(0, 2 * np.pi, 150)
    ...     return lambda X: norm * np.cos(X @ w + b)
    >>> X = np.random.default_rng(0).standard_normal((3, 3))
    >>> check_same(old, new, X, resolution=0.05).status
    'holds'
    >>> check_same(old, lambda seed: new(seed, norm=np.sqrt(1 / 150)), X).status
    'refuted'
    >>> check_same(old, lambda seed: old(seed), X).method
    'equal features for equal seeds'
    """
    require_flag("independent_features", independent_features)
    terms = require_options("same", options, resolution)
    terms.require_below(2.0, "in units of sqrt(k(x,x) k(y,y)) every kernel lies in [-1, 1]")
    clock, pairs = Clock(terms.time_limit), pairs_without_claim(X, Y)
    drawn = [require_draw(draw_a, "draw_a"), require_draw(draw_b, "draw_b")]
    early, floor = Bundles(drawn, terms.seed, stream=1, common=True), FLOOR * terms.resolution
    claim = f"E<phi_b(x), phi_b(y)> - E<phi_a(x), phi_a(y)> = 0 at {counted(pairs.n, 'pair')}"
    terms.pay()
    # Non-finite values are a finding about the maps, not an accident of this code.
    with np.errstate(all="ignore"):
        sides = (
            Side("draw_a", draw_a, pairs, terms.seed),
            Side("draw_b", draw_b, pairs, terms.seed),
        )
        width = sum(side.m for side in sides)
        terms.require_features(
            4 * width, f"four draws of both maps, {counted(4 * width, 'feature')}"
        )
        most = terms.draws_within(4 * _EQUAL, width) // 4
        trial = Pilot(sides, pairs, early, floor, most, clock)
        if not np.isfinite(trial.products).all():
            side, _, pair = (int(k) for k in np.argwhere(~np.isfinite(trial.products))[0])
            task = Task(Differences(sides, pairs, terms.seed, True), early, terms, clock)
            measured = cut_short(task, pair, math.nan, trial.n_draws, "finite features")
            reason = f"{sides[side].name} returned features that are not finite."
            return conclude(task, measured, claim, certain=Certainty(pair, reason))
        if trial.agrees(floor):
            return _agreement(terms, trial, claim, width)
        if terms.max_features is not None:
            spent = trial.n_draws * width
            terms = replace(terms, max_features=terms.max_features - spent)
        source = choose(sides, trial, terms, independent_features)
        task = Task(source, source.draws, terms, clock)
        task.require_resolved()
        measured = measure_undeclared(task, Lengths(task))
        remark = source.ratio(measured)
        return conclude(task, measured, claim, remark=remark, spent=trial.n_draws)
