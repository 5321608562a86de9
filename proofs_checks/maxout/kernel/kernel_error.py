"""Check bounds of the error of m maxout features' Gram matrix against the kernel.

The error is that at one pair of rows, or the largest over all pairs of some rows or of a set. The
maxout paper (Mroueh, Rennie, Goel 2015) only says that it vanishes with m; the bounds are ours, by
several methods. They are compared with draws, and with instances: settings where the chance of a
larger error is computed. q is the pool size, the projections of which a unit is the largest.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special, stats

from mehler import MaxoutFeatures, exact
from mehler.bounds import kernel_error as bounds
from mehler.bounds import lower
from mehler.statements import Context, Evidence, Plot, Series, check
from mehler.verify import intervals

from ..._comparisons import (
    Bounding,
    Case,
    Instance,
    compare_instances,
    compare_with_bounds,
    mean_exceeds,
)
from ..._measured_products import Draw, rows_at
from ..._plots import plot
from ...features._gram_draws import grams, n_draws


def gram_errors(
    context: Context,
    draw: Callable[..., Any],
    label: str,
    rows: np.ndarray,
    pool_size: int,
    n_features: int,
) -> np.ndarray:
    """Return absolute errors (draws, n, n) of the Gram matrix of unit rows (n, d).

    `draw` draws a map of independent units; `label` makes the seeds.
    """
    d = rows.shape[1]
    rho = np.clip(rows @ rows.T, -1, 1)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    blocks = grams(
        context,
        lambda count, **options: draw(d, count, pool_size, **options),
        label,
        rows,
        n_features=n_features,
        n_draws=n_draws(context),
        n_weights=pool_size * d,
    )
    return np.concatenate([np.abs(gram - kernel) for gram in blocks])


def rows_in_random_directions(
    rng: np.random.Generator, rows: np.ndarray, n_inputs: int
) -> np.ndarray:
    """Turn rows by a random rotation of a space of `n_inputs` dimensions."""
    basis = np.linalg.qr(rng.standard_normal((n_inputs, rows.shape[1])))[0]
    return rows @ basis.T


# (q, rho, m, delta) of one pair: rho is its correlation, delta the chance of failure.
_QUICK_PAIRS = ((4, 0.5, 60, 0.05), (8, 1.0, 60, 0.05))
_FULL_PAIRS = (
    (1, 0.7, 100, 0.05),
    (2, -0.5, 50, 0.1),
    (4, 0.5, 100, 0.05),
    (8, 0.9, 200, 0.01),
    (8, 1.0, 50, 0.02),
    (64, 0.0, 100, 0.05),
)
# (q, number of rows, numbers m, delta) of all pairs.
_QUICK_GRAMS = ((4, 8, (16, 64, 256), 0.05),)
_FULL_GRAMS = (
    (4, 12, (16, 64, 256, 1024), 0.05),
    (2, 12, (100,), 0.01),
    (8, 30, (100,), 0.1),
    (64, 12, (100,), 0.05),
)
# (set, its dimension, q, m, delta): see `_set`.
_QUICK_SETS = (("circle", 3, 4, 100, 0.05),)
_FULL_SETS = (
    ("circle", 3, 4, 100, 0.05),
    ("circle", 3, 2, 1000, 0.01),
    ("orthonormal", 3, 4, 200, 0.05),
    ("orthonormal", 3, 16, 100, 0.1),
)
_METHODS = ("chernoff", "sub-gamma", "chebyshev")


@check("maxout.kernel-error", form="printed", name="the error vanishes", pays=True)
def vanishes(context: Context, *, draw: Draw = MaxoutFeatures.draw) -> Evidence:
    """Check that an error above 1/4 is rarer with nine times the features."""
    rows = np.concatenate(rows_at([0.5], context.rng("pair"), unit=True))
    n, few, many = n_draws(context), 16, 144
    counts = []
    for m in (few, many):
        errors = gram_errors(context, draw, "vanishes", rows, 4, m)
        counts.append(int(np.sum(errors[:, 0, 1] > 0.25)))
    before, after = (intervals.binomial(count, n, context.false_alarm / 2) for count in counts)
    return Evidence.from_interval(
        claim=f"an error above 1/4 is rarer with {many} features than with {few}",
        observed=(counts[0] - counts[1]) / n,
        interval=(before[0] - after[1], before[1] - after[0]),
        lower=0.0,
        false_alarm=context.false_alarm,
        n_features=n * many,
        method=f"difference of two Clopper-Pearson intervals of {n} draws",
        assumptions=("draws are independent",),
    )


@check("maxout.kernel-error", form="proved", name="one pair", pays=True)
def one_pair(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, bound: Bounding = bounds.one_pair
) -> Evidence:
    """Count how often the error at one pair exceeds the bound of each method."""
    settings = _QUICK_PAIRS if context.quick else _FULL_PAIRS
    cases = []
    for q, rho, m, delta in settings:
        rows = np.concatenate(rows_at([rho], context.rng(f"pair/{rho}"), unit=True))
        errors = gram_errors(context, draw, f"pair/{q}/{rho}", rows, q, m)[:, 0, 1]
        methods = [{"rho": rho, "method": method} for method in _METHODS] + [{"method": "chernoff"}]
        below = lower.one_pair(m, delta=delta, pool_size=q, rho=rho)
        cases += [
            Case(
                draws=errors,
                lower=below,
                bound=bound(m, delta=delta, pool_size=q, **options),
                where={"q": q, "rho": rho, "m": m, **options},
            )
            for options in methods
        ]
    claim = "the error at one pair keeps its bounds"
    n_features = n_draws(context) * max(m for _, _, m, _ in settings)
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_features)


@check("maxout.kernel-error", form="proved", name="all pairs", pays=True)
def all_pairs(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, bound: Bounding = bounds.all_pairs
) -> Evidence:
    """Count how often the largest error of a Gram matrix exceeds its bound."""
    settings = _QUICK_GRAMS if context.quick else _FULL_GRAMS
    cases: list[Case] = []
    plots: tuple[Plot, ...] = ()
    for q, n, sizes, delta in settings:
        rows = _cloud(context.rng(f"rows/{q}/{n}"), n)
        errors = [gram_errors(context, draw, f"gram/{q}/{n}", rows, q, m) for m in sizes]
        gram_cases = [
            Case(
                draws=sample.max(axis=(1, 2)),
                # Whatever the rows, one of them with itself.
                lower=lower.one_pair(m, delta=delta, pool_size=q),
                bound=bound(m, n_rows=n, delta=delta, pool_size=q),
                where={"q": q, "N": n, "m": m},
            )
            for m, sample in zip(sizes, errors, strict=True)
        ]
        cases += gram_cases
        if len(sizes) > 1:
            plots = (
                _over_features(gram_cases, q=q, n=n, delta=delta),
                _over_rows(errors[-1], q=q, m=sizes[-1], delta=delta, bound=bound),
            )
    claim = "the largest error of a Gram matrix keeps its bound"
    n_features = n_draws(context) * max(max(sizes) for _, _, sizes, _ in settings)
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


@check("maxout.kernel-error", form="proved", name="uniformly over a set", pays=True)
def uniform(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, bound: Bounding = bounds.uniform
) -> Evidence:
    """Count how often the largest error over a set exceeds the bound by its dimension."""
    settings = _QUICK_SETS if context.quick else _FULL_SETS
    cases = []
    for name, dimension, q, m, delta in settings:
        rows, diameter = _set(context.rng(f"set/{name}"), name)
        errors = gram_errors(context, draw, f"set/{name}/{q}", rows, q, m).max(axis=(1, 2))
        geometry: dict[str, Any] = {"dimension": dimension, "diameter": diameter, "pool_size": q}
        below = (
            lower.all_pairs(m, n_rows=2 ** math.floor(dimension), delta=delta, pool_size=q)
            if name == "orthonormal"
            else lower.one_pair(m, delta=delta, pool_size=q)
        )
        above, where = bound(m, delta=delta, **geometry), {"set": name, "q": q, "m": m}
        cases.append(Case(draws=errors, lower=below, bound=above, where=where))
    claim = "the largest error over a set keeps the bounds by its doubling dimension"
    n_features = n_draws(context) * max(m for _, _, _, m, _ in settings)
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_features)


def _cloud(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw unit rows, near and far: half of them in a cone about one direction."""
    rows = rng.standard_normal((n, 3))
    rows[: n // 2] += 3 * rows[0]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _set(rng: np.random.Generator, name: str) -> tuple[np.ndarray, float]:
    """Return rows of a set whose doubling dimension is known, and its diameter.

    Sets inherit coverings: 24 points of a circle have at most the circle's dimension, 3. Eight
    orthonormal vectors are one apart from their equals alone: 8 = 2^3 balls cover them, no fewer.
    """
    if name == "circle":
        angle = np.arange(24) * (2 * math.pi / 24)
        rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return rows_in_random_directions(rng, rows, 3), 2.0
    return rows_in_random_directions(rng, np.eye(8), 8), math.sqrt(2)


def _over_features(cases: list[Case], *, q: int, n: int, delta: float) -> Plot:
    sizes = [case.where["m"] for case in cases]
    normal = [
        bounds.normal_quantile(m, delta=delta, pool_size=q, n_pairs=n * (n + 1) // 2) for m in sizes
    ]
    return plot(
        f"Largest error of the Gram matrix of {n} rows, q = {q}",
        "number of features",
        f"error at confidence {1 - delta:g}",
        Series(label="proved bound", x=sizes, y=[case.bound.value for case in cases]),
        Series(label="central limit and union", x=sizes, y=normal),
        Series(
            label="observed",
            kind="points",
            x=sizes,
            y=[np.quantile(case.draws, 1 - delta) for case in cases],
        ),
        log="x",
        caption="The bound falls like one over the root of the number of features, as the error "
        "does; what it pays for is the union over dependent pairs.",
    )


def _over_rows(errors: np.ndarray, *, q: int, m: int, delta: float, bound: Bounding) -> Plot:
    counts = [n for n in (1, 2, 3, 5, 8, 12) if n <= errors.shape[1]]
    observed = [np.quantile(errors[:, :n, :n].max(axis=(1, 2)), 1 - delta) for n in counts]
    return plot(
        f"Largest error of the Gram matrix, {m} features, q = {q}",
        "number of rows",
        f"error at confidence {1 - delta:g}",
        Series(
            label="proved bound",
            x=counts,
            y=[bound(m, n_rows=n, delta=delta, pool_size=q).value for n in counts],
        ),
        Series(label="observed", kind="points", x=counts, y=observed),
        caption="More rows cost a root of a logarithm in the bound, and less in truth, as the "
        "errors of close rows are nearly equal.",
    )


@check("maxout.kernel-error", form="proved", name="one pair, where it is tight")
def tight_pair(context: Context, *, bound: Bounding = bounds.one_pair) -> Evidence:
    """Compare each method of one pair with the exact chance where it is nearly an equality."""
    return compare_instances(
        "error at one pair",
        *equal_rows(bound),
        *one_square(bound),
        *one_maximum(bound),
        *three_values(bound),
        *codes(bound),
    )


@check("maxout.kernel-error", form="proved", name="all pairs, where it is tight")
def tight_pairs(context: Context, *, bound: Bounding = bounds.all_pairs) -> Evidence:
    """Compare the bound of all pairs with the exact chance on a thousand orthonormal rows."""
    return compare_instances("largest error of a Gram matrix", *orthonormal_rows(bound))


@check("maxout.kernel-error", form="proved", name="a set, where it is tight")
def tight_set(context: Context, *, bound: Bounding = bounds.uniform) -> Evidence:
    """Compare the bound of a set with the exact chance on a million orthonormal rows."""
    return compare_instances("largest error over a set", *orthonormal_set(bound))


# So many features that the mean of their products is normal to 1e-8; Chernoff's grid ends there.
MANY = 10**18
# The standardised third absolute moments of g^2 and of a fair coin are 3.1 and 1.
_SQUARES, _COINS = 4.0, 1.0
_FAILURES = (0.3, 1e-3, 1e-6)


def equal_rows(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of equal rows and linear units: a mean of squares g^2, of variance 2."""
    methods: tuple[dict[str, Any], ...] = (
        {"method": "chernoff", "rho": 1.0},
        {"method": "chernoff"},
        {"method": "sub-gamma"},
    )
    for failure in _FAILURES:
        for options in methods:
            value = bound(MANY, delta=failure, pool_size=1, **options).value
            yield _two_tails(
                f"squares, {options['method']}", value / math.sqrt(2), failure, _SQUARES
            )
        value = bound(MANY, delta=failure, sub_gamma=(2.0, 2.0)).value
        yield _two_tails("squares, (2, 2) given", value / math.sqrt(2), failure, _SQUARES)
        value = bound(MANY, delta=failure, width=1.0, method="hoeffding").value
        yield _two_tails("fair coins, hoeffding", 2 * value, failure, _COINS)


def one_square(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one linear unit and equal rows, whose square has a heavy tail."""
    settings: tuple[dict[str, Any], ...] = (
        {"pool_size": 1, "rho": 1.0},
        {"pool_size": 1},
        {"sub_gamma": (2.0, 2.0)},
    )
    for options in settings:
        failure = 1e-300
        value = bound(1, delta=failure, method="sub-gamma", **options).value
        chance = float(special.erfc(math.sqrt((1 + value) / 2)))
        yield Instance("one square, sub-gamma", (chance, chance * (1 + 1e-9)), failure)


def one_maximum(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one unit and equal rows: the square of a maximum, whose law is exact."""
    for q in (2, 16):
        for options in ({"rho": 1.0}, {}):
            failure = 1e-100
            value = bound(1, delta=failure, pool_size=q, method="chernoff", **options).value
            log_below = q * special.log_ndtr(math.sqrt(exact.sigma2(q) + value))
            chance = -math.expm1(float(log_below))
            # Rounding of the logarithm, which is that of 1e-100.
            ends = (chance * (1 - 1e-9), chance * (1 + 1e-9))
            yield Instance(f"one maximum, chernoff, q = {q}", ends, failure)


def three_values(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of a product of three values: Chebyshev's inequality is nearly equal."""
    for failure in (0.5, 1e-3):
        value = bound(1, delta=failure, variance=1.0).value
        chance = failure * 1.001
        far = float(1 / math.sqrt(chance) > value)
        yield Instance("three values, chebyshev", (far * chance, far * chance), failure)


def codes(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of codes, whose fraction of equal digits is binomial."""
    m = 10**6
    for share in (0.5, 0.3):
        for failure in (1e-3, 1e-15):
            value = bound(m, delta=failure, collision=share, method="binomial").value
            chance = float(
                stats.binom.sf(math.floor(m * (share + value)), m, share)
                + stats.binom.cdf(math.ceil(m * (share - value)) - 1, m, share)
            )
            yield Instance("codes, binomial", (chance * 0.999, chance), failure)


def orthonormal_rows(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of orthonormal rows and linear units: independent squares on the diagonal."""
    n = 1000
    for failure in (1e-2, 1e-3):
        value = bound(MANY, n_rows=n, delta=failure, pool_size=1).value
        yield _any_of(n, "orthonormal rows, all pairs", value, failure)


def orthonormal_set(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of a million orthonormal rows, which 2^20 balls of half their size cover.

    Only errors on the diagonal count: those of pairs could but add to the chance.
    """
    n = 2**20
    for failure in (0.5, 0.1):
        value = bound(MANY, pool_size=1, dimension=20, diameter=math.sqrt(2), delta=failure).value
        yield _any_of(n, "orthonormal rows, a set", value, failure)


def _two_tails(name: str, t: float, failure: float, third: float) -> Instance:
    """Return the instance of a mean of `MANY` variables, at t standard deviations of one."""
    low, high = mean_exceeds(t * math.sqrt(MANY), MANY, third=third)
    return Instance(f"{name}, failure {failure:g}", (2 * low, 2 * high), failure)


def _any_of(n: int, name: str, value: float, failure: float) -> Instance:
    """Return the instance of the largest of n independent means of squares."""
    low, high = mean_exceeds(value * math.sqrt(MANY / 2), MANY, third=_SQUARES)
    ends = (-math.expm1(n * math.log1p(-min(2 * tail, 1 - 1e-16))) for tail in (low, high))
    return Instance(f"{name}, failure {failure:g}", (next(ends), next(ends)), failure)
