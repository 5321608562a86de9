"""check_same: do two maps, such as two versions, have the same expected kernel?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_flag
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import FLOOR, Verdict
from mehler.verify.checks._same_samples import (
    EQUAL,
    Differences,
    Pilot,
    Side,
    choose,
    clipped,
    pilot,
)
from mehler.verify.nonparametric._watch import KERNEL_UNIT, Watched, Words, verdict_of, watch
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Pairs, pairs_without_claim

_REMEDY = (
    "draw larger maps of either version, take rows of smaller norms, or, if both versions are one "
    "algorithm, claim law=True, which needs nothing of the tails"
)


def claim_at(n_pairs: int) -> str:
    """Return the claim."""
    return f"E<phi_b(x), phi_b(y)> - E<phi_a(x), phi_a(y)> = 0 at {counted(n_pairs, 'pair')}"


def words(stream: Differences, pairs: Pairs, law: bool) -> Words:
    """Return the texts of the verdict on these samples."""
    seeds = "seeds common to both maps" if stream.paired else "seeds of their own"
    return Words(
        claim=claim_at(pairs.n) + (", clipped, as their laws are one" if law else ""),
        source=("independent units" if stream.per_draw > 1 else "independent draws") + f", {seeds}",
        independence="draws from different seeds are independent"
        + (", and the units of a draw independent and alike" if stream.per_draw > 1 else ""),
        unit=pairs.unit,
        unit_name=KERNEL_UNIT,
        remedy=_REMEDY,
        symmetry="the estimates of both maps have one law, up to a shift of their mean: then "
        "their differences are symmetric",
    )


def ratio(stream: Differences, watched: Watched, pairs: Pairs) -> str:
    """Return a remark that one map is a multiple of the other, if it is at every pair."""
    look, (a, b) = watched.look, stream.means
    if not look.refuted.any() or not np.isfinite(a @ b) or not a @ a > 0.0:
        return ""
    factor = float(a @ b / (a @ a))
    # The residual is within the intervals, and a small part of the deviation.
    left = np.abs(b - factor * a) / max(1, watched.n_draws)
    some = pairs.n > 1 and factor > 0.0 and left.max() <= 0.2 * np.abs(look.off).max()
    if not some or not (left <= look.half).all():
        return ""
    return f"At every pair draw_b gives about {factor:.4g} times what draw_a does."


def equal_seeds(terms: CheckOptions, sides: tuple[Side, Side], trial: Pilot) -> Verdict:
    """Return the verdict that both maps agree for equal seeds."""
    n = trial.n_draws
    what = "features" if trial.same_features else "products"
    size = float(trial.pairs.unit.max())
    share = -math.expm1(math.log(terms.false_alarm) / n)
    return terms.verdict(
        status="holds",
        claim=claim_at(trial.pairs.n),
        observed=0.0,
        interval=(-trial.largest * size, trial.largest * size),
        n_features=n * sum(side.m for side in sides),
        n_draws=n,
        detectable=math.inf,
        method=f"equal {what} for equal seeds",
        assumptions=(
            f"what the maps do alike for {counted(n, 'seed')} they do for others: had they "
            f"differed at more "
            f"than {100 * share:.2g} % of all seeds, that would have been seen except with "
            f"probability {terms.false_alarm:.3g}",
        ),
        scale=size,
        where={"largest_difference": trial.largest},
        reason=f"For each of {counted(n, 'seed')} both maps gave "
        + ("the same features, to rounding." if trial.same_features else "the same products: ")
        + (
            ""
            if trial.same_features
            else f"no two differ by more than {trial.largest:.2g} of sqrt(k(x,x) k(y,y)), below "
            f"{FLOOR:.3g} of the resolution."
        ),
    )


def not_finite(terms: CheckOptions, sides: tuple[Side, Side], trial: Pilot) -> Verdict:
    """Return the verdict that a map gave non-finite features."""
    bad = np.argwhere(~np.isfinite(trial.products))[0]
    side = sides[int(bad[0])]
    return terms.verdict(
        status="refuted",
        claim=claim_at(trial.pairs.n),
        observed=math.nan,
        interval=(math.nan, math.nan),
        n_features=trial.n_draws * sum(each.m for each in sides),
        n_draws=trial.n_draws,
        detectable=math.inf,
        method="finite features",
        where=trial.pairs.place(int(bad[2])),
        reason=f"{side.name} returned features that are not finite.",
    )


@accepts("max_features", "time_limit", "seed")
def check_same(
    draw_a: Callable[[int], Any],
    draw_b: Callable[[int], Any],
    X: Array,
    Y: Array | None = None,
    *,
    law: bool = False,
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
        seed -> map, a map being any callable X -> Z with Z of shape (n, n_features): the old
        version and the new one. Each may return arrays of any library and dtype, and as many
        features as it likes.
    X : array, shape (n, d)
        Rows, passed to both maps unchanged.
    Y : array, shape (k, d), optional
        Second rows, as for :func:`check_kernel`.
    law : bool
        Test the stronger claim that the estimates <phi(x), phi(y)> of both maps have one law, as
        for two implementations of one algorithm with as many features. Needs no assumption on
        tails: estimates are clipped at eight standard deviations of their bulk.
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
    3. With `law`, seeds are never common. Differences of independent samples of one law are
       symmetric, so :math:`\exp(\lambda D - \lambda^2 D^2/2)` is a supermartingale whatever the
       tails. This refutes from some 60 samples on, and holds for the means of the clipped
       estimates, if different laws differ by a shift. Versions of the same kernel but different
       laws may be refuted.

    Without either assumption nothing could be refuted: an event too rare to be seen may carry the
    rest of any mean.

    References
    ----------
    V. H. de la Pena, A general class of exponential inequalities for martingales and ratios,
    Annals of Probability 27 (1999) 537-564; B. Delyon (2009), see `intervals.self_normalised`.

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
    require_flag("law", law)
    terms = require_options("same", options, resolution)
    terms.require_below(2.0, "in units of sqrt(k(x,x) k(y,y)) every kernel lies in [-1, 1]")
    clock, max_features = Clock(terms.time_limit), terms.max_features
    sides = Side("draw_a", draw_a), Side("draw_b", draw_b)
    # Seeds of the pilot and of the samples; `sides` draw the maps.
    early, main = (Draws(draw_a, terms.seed, stream=k) for k in (1, 0))
    pairs = pairs_without_claim(X, Y)
    terms.pay()
    # Non-finite values are a finding about the maps, not an accident of this code.
    with np.errstate(all="ignore"):
        for side in sides:
            side.features(side.map(early.seed(0)), pairs)
        width = sum(side.m for side in sides)
        if law and 2 * sides[0].m != width:
            raise ValueError(
                f"law=True, but draw_a has {counted(sides[0].m, 'feature')} and draw_b "
                f"{sides[1].m}: means of "
                "different numbers have different laws; draw both with as many"
            )
        terms.require_features(
            4 * width, f"four draws of both maps, {counted(4 * width, 'feature')}"
        )
        most = EQUAL if max_features is None else max_features // (4 * width)
        trial = pilot(sides, pairs, early, terms.resolution, most, clock)
        if not trial.finite:
            return not_finite(terms, sides, trial)
        if trial.n_draws == EQUAL and trial.agrees(terms.resolution):
            return equal_seeds(terms, sides, trial)
        rest = None if max_features is None else max_features // width - trial.n_draws
        return _watched(terms, sides, trial, (main, early), law, independent_features, rest, clock)


def _watched(
    terms: CheckOptions,
    sides: tuple[Side, Side],
    trial: Pilot,
    draws: tuple[Draws, Draws],
    law: bool,
    independent_features: bool,
    rest: int | None,
    clock: Clock,
) -> Verdict:
    """Return the verdict from samples of the difference."""
    if law:
        stream = clipped(sides, trial, draws[0])
    else:
        rate = terms.false_alarm / trial.pairs.n
        stream = choose(
            sides,
            trial,
            draws,
            rate,
            terms.resolution,
            independent_features=independent_features,
        )
    if 2.0 * stream.rounding >= terms.resolution:
        raise ValueError(
            f"resolution={terms.resolution:.3g} is finer than the rounding of the features "
            f"({2 * stream.rounding:.3g}): ask for a coarser one, or for float64 features"
        )
    watched = watch(stream, terms, clock, most_draws=rest, symmetric=law)
    return verdict_of(
        terms,
        stream,
        watched,
        words(stream, trial.pairs, law),
        clock,
        stream.place,
        {"seed": draws[0].root, "first_draw": draws[0].seed(0)},
        spent=(trial.n_draws * stream.n_features, trial.n_draws),
        remark=ratio(stream, watched, trial.pairs),
    )
