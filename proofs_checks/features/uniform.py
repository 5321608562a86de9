"""Check bounds of a map's largest kernel error over a set, by the slopes of its feature products.

The product of a unit's features at two rows x and z has the kernel for its mean; its slope is its
Lipschitz constant in the rows, which is random. The error is that of the mean over m units, the
largest over all pairs of rows. A known bound (Rahimi and Recht 2007) and ours are compared with
draws over a grid of the set, where the error is at most the set's, and with computed instances.

Arguments of bounds: `slope` has the mean and the mean square of the slope; `width` is that of an
interval for products; `sub_gamma` and `increments` have the variance and the scale of Bernstein's
inequality for products, and for their differences between rows at the distance 1.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures, exact
from mehler.bounds import Bound, Term, kernel_error
from mehler.bounds.kitchen_sinks import moment_of_longest
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from .._comparisons import Bounding, Case, Instance, compare_instances, compare_with_bounds
from ..group_invariant._shared import draw_products, limit
from ._gram_draws import Draw, grams, n_draws

_ANGLES = np.arange(24) * (math.pi / 12)
# 24 points of a circle of radius 1, whose dimension is 3 at most; 25 of a segment, a line's is 1.
CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
SEGMENT = np.linspace(0, 3, 25)[:, None] * np.array([[2.0, -1.0, 2.0]]) / 3
ON_CIRCLE: dict[str, Any] = {"dimension": 3, "diameter": 2.0}
ON_SEGMENT: dict[str, Any] = {"dimension": 1, "diameter": 3.0}
# Group-invariant features: histograms, of ten bins by trapezoids, of the products of a template, a
# random vector, with all images of a row under the group. Bins err by at most half a bin.
_GROUP: dict[str, Any] = {"group": groups.SignFlips(2), "window": 1.0, "rule": "trapezoid"}
_BINS = 10


@dataclass(frozen=True)
class Setting:
    """A map ``draw(count, seed=, like=)`` of m units of `block` columns; `facts` for its bound."""

    name: str
    draw: Draw
    rows: Any
    m: int
    facts: dict[str, Any]
    block: int = 1


def settings(*, quick: bool) -> Iterator[Setting]:
    """Yield the maps; at the quick level one of each kind, and few units."""
    yield _fourier("pairs", 100, gamma=0.5)
    yield _fourier("offset", 100, gamma=0.5)
    yield Setting("relu", _sinks, CIRCLE, 30, ON_CIRCLE | of_sinks(2))
    yield Setting("centred maxout", _centred, CIRCLE, 30, ON_CIRCLE | of_centred(2, pool_size=4))
    if not quick:
        yield _fourier("pairs", 1000, gamma=0.5)
        yield _fourier("pairs", 100, gamma=8.0)
        yield _fourier("pairs", 100, nu=1.5, length_scale=0.5, rows=SEGMENT)
        yield _fourier("offset", 100, nu=2.5, rows=SEGMENT)


def errors(context: Context, setting: Setting, n_draws: int) -> Any:
    """Return the largest error (n_draws,) over all pairs of rows."""
    kernel = setting.draw(setting.block, seed=0).kernel(setting.rows)
    blocks = grams(
        context,
        setting.draw,
        f"{setting.name}/{setting.m}",
        setting.rows,
        n_features=setting.m * setting.block,
        n_draws=n_draws,
    )
    return np.concatenate([np.abs(gram - kernel).max(axis=(1, 2)) for gram in blocks])


def group_errors(context: Context, m: int, n_draws: int) -> Any:
    """Return the largest error (n_draws,) of group-invariant features by m templates."""
    rows = CIRCLE[::2]
    products = draw_products(context, "group", rows, {**_GROUP, "n_bins": _BINS}, m, n_draws)
    exact = limit(rows, {**_GROUP, "n_bins": _BINS})
    return np.abs(products - exact).max(axis=1)


def of_group(bound: Callable[..., Bound], m: int, delta: float) -> Bound:
    """Return the bound for m templates of length 1, plus half a bin."""
    limit = bound(m, delta=delta, slope=(1.0, 1.0), width=2.0, **ON_CIRCLE)
    return dataclasses.replace(limit, terms=(*limit.terms, Term("binning", 0.5 / _BINS)))


def _fourier(form: Literal["pairs", "offset"], m: int, rows: Any = CIRCLE, **law: Any) -> Setting:
    d = rows.shape[1]
    family: dict[str, Any] = {"kernel": "matern"} if "nu" in law else {}

    def draw(count: int, **options: Any) -> Any:
        return FourierFeatures.draw(d, count, form=form, **family, **law, **options)

    place = ON_CIRCLE if rows is CIRCLE else ON_SEGMENT
    moments = {**place, **kernel_error.slope_fourier(d, form=form, **law)}
    name = ", ".join([form, *(f"{key} {value:g}" for key, value in law.items())])
    return Setting(name, draw, rows, m, moments, 2 if form == "pairs" else 1)


def _sinks(count: int, **options: Any) -> Any:
    return KitchenSinks.draw(2, count, activation="relu", **options)


def of_sinks(n_inputs: int, *, lipschitz: float = 1.0, radius: float = 1.0) -> dict[str, Any]:
    """Return `facts` of kitchen sinks: no offset, weights N(0, I), an activation that is 0 at 0."""
    tau, d = lipschitz * radius, float(n_inputs)
    mu, sigma = math.sqrt(2 / math.pi) * tau, lipschitz * tau
    slope = lipschitz * (tau * d), lipschitz**2 * (tau**2 * (d * (d + 2)))
    v_1, c_1 = 8 * tau**2 * (tau**2 + mu**2), 2 * math.sqrt(2) * tau**2
    return {"slope": slope, "sub_gamma": (v_1, c_1), "increments": (3 * sigma**2, 2 * sigma)}


def _centred(count: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(2, count, 4, centred=True, **options)


def of_centred(n_inputs: int, *, pool_size: int) -> dict[str, Any]:
    """Return `facts` of maxout units less their mean; second moments are enlarged by 1e-8."""
    h1 = float(exact.max_moment(1, pool_size))
    first, second, third, fourth = (moment_of_longest(n_inputs, pool_size, p) for p in range(1, 5))
    square, bernstein, p = fourth + 2 * h1 * third + h1**2 * second, 0.0, 2
    # E N_1^(2p) <= q E g^(2p) <= q p! 2^p, so that from p on it is at most 32 q/2^p.
    while 32 * pool_size / 2**p > bernstein:
        moment = 2 * moment_of_longest(1, pool_size, 2 * p) / (math.factorial(p) * 4.0 ** (p - 2))
        bernstein, p = max(bernstein, moment), p + 1
    slope, v = (second + h1 * first, square * (1 + 1e-8)), 4 * bernstein * (1 + 1e-8)
    return {"slope": slope, "sub_gamma": (8.0, 2 * math.sqrt(2)), "increments": (v, 8.0)}


# Instances: settings where the error is computed, and nearly one of the bound's terms.
#
# Rows are 2^k vectors at the distance 1 from each other, of doubling dimension k at most: a ball
# for each covers them. The feature c^(1/2) + f(x)/c^(1/2), f a random function and c a large
# constant, has products c + f(x) + f(z), up to f(x) f(z)/c; c is left out, as it moves nothing.

_LEFT = 1e-9  # what f(x) f(z)/c may add
# A product that all rows share has no slope; the bound asks for a positive one.
_NONE = (1e-150, 1e-300)


def one_row(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, and products of plus or minus a half: a mean of fair coins."""
    m = 10**6
    for failure in (1e-2, 1e-12, 1e-250):
        moments: dict[str, Any] = {"slope": _NONE, "width": 1.0}
        value = bound(m, dimension=0, diameter=1, delta=failure, **moments).value
        low, high = (2 * math.exp(log) for log in _log_coins(m, value))
        yield Instance(f"one row, failure {failure:g}", (low, high), failure)


def one_square(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row and linear units: a mean of m squares of normals, or one."""
    for name, moments in (("centred", of_centred(1, pool_size=1)), ("sinks", of_sinks(1))):
        for m, failure in ((10**8, 1e-12), (1, 1e-100)):
            value = bound(m, dimension=0, diameter=1e-12, delta=failure, **moments).value
            law = stats.chi2(m)
            chance = float(law.sf(m * (1 + value)) + law.cdf(m * (1 - value)))
            yield Instance(f"squares, {name}, m = {m:.0e}", (chance, chance), failure)


def many_rows(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of 2^k rows: f is a fair coin, plus or minus a quarter, at each."""
    m = 10**8
    for k in (4, 20):
        for failure in (0.5, 1e-3):
            # f moves by a half over the distance 1.
            moments: dict[str, Any] = {"slope": (0.5, 0.25), "width": 1.0}
            value = bound(m, dimension=k, diameter=1, delta=failure, **moments).value
            chance = _any(k, 2, _log_coins(m, value))
            yield Instance(f"2^{k} rows, failure {failure:g}", chance, failure)


def rows_and_a_coin(bound: Bounding) -> Iterator[Instance]:
    """Yield the instance with a coin of plus or minus 2 that all rows share, and the others."""
    # Bernstein's c of increments is a third of the slopes.
    m, k, failure = 10**6, 10_000, 0.4
    moments: dict[str, Any] = {"slope": (0.5, 0.25), "width": 5.0, "increments": (0.25, 1 / 6)}
    value = bound(m, dimension=k, diameter=1, delta=failure, **moments).value
    low, high = (chance / 2 for chance in _any(k, 1, _log_coins(m, value)))
    yield Instance(f"a coin, and 2^{k} rows", (low, high), failure)


def a_row_of_each(bound: Bounding) -> Iterator[Instance]:
    """Yield the instance of one unit, where f is a half at one row of 2^k that is drawn, else 0."""
    k, failure = 200, 0.5
    moments: dict[str, Any] = {"slope": (0.5, 0.25), "variance": 2.0**-k * (1 + _LEFT)}
    value = bound(1, dimension=k, diameter=1, delta=failure, **moments).value
    far = float(1 - 2.0**-k > value)
    yield Instance(f"one row of 2^{k}", (far, far), failure)


def a_rare_row(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of the same, where f is 0 everywhere but with a small probability."""
    k = 200
    for failure in (1e-2, 1e-6):
        p = failure * 1.0001
        moments: dict[str, Any] = {"slope": (p / 2, p / 4), "variance": p * 2.0**-k * (1 + _LEFT)}
        value = bound(1, dimension=k, diameter=1, delta=failure, **moments).value
        chance = p * float(1 - 2.0**-k > value)
        yield Instance(f"rarely one row of 2^{k}, {failure:g}", (chance, chance), failure)


def _log_coins(m: int, t: float) -> tuple[float, float]:
    """Bound log P that the mean of m coins of plus or minus a half is above t."""
    count = math.floor(m * (0.5 + t)) + 1
    if count > m:
        return -math.inf, -math.inf
    chance = float(stats.binom.sf(count - 1, m, 0.5))
    if chance > 1e-290:
        return math.log(chance) - 1e-9, math.log(chance) + 1e-9
    # Probabilities fall at least like a geometric series.
    first = float(stats.binom.logpmf(count, m, 0.5))
    return first, first - math.log1p(-(m - count) / (count + 1))


def _any(k: int, tails: int, log_chance: tuple[float, float]) -> tuple[float, float]:
    """Bound the probability that one of 2^k means is above, or outside where both tails count."""
    # 1 - e^(-Np) <= 1 - (1 - p)^N <= N p.
    low, high = (k * math.log(2) + math.log(tails) + log for log in log_chance)
    return -math.expm1(-math.exp(min(low, 700.0))), min(1.0, math.exp(min(high, 0.0)))


_DELTA, _TEMPLATES = 0.05, 20
_METHODS = ("net", "chaining")


def known_before(m: int, *, delta: float, n_inputs: int, diameter: float, second: float) -> Bound:
    """Return Claim 1 of Rahimi and Recht with 66 for 2^8: m frequencies w, `second` is E |w|^2."""
    low, high = 1e-9, 1e9
    for _ in range(200):
        eps = math.sqrt(low * high)
        log_chance = math.log(66 * second * (diameter / eps) ** 2)
        log_chance -= m * eps**2 / (4 * (n_inputs + 2))
        low, high = (low, eps) if log_chance <= math.log(delta) else (eps, high)
    return Bound(
        statement="features.uniform",
        form="printed",
        quantity="largest error of the kernel, all pairs of the set",
        terms=(Term("deviation", high),),
        probability=1 - delta,
    )


@check("features.uniform", form="printed", name="the known form", pays=True)
def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known bound by pairs of cosine and sine."""
    cases = []
    for setting in settings(quick=context.quick):
        if setting.block == 2:
            d, facts, m = setting.rows.shape[1], setting.facts, setting.m
            far, second = facts["diameter"], facts["slope"][1]
            limit = bound(m, delta=_DELTA, n_inputs=d, diameter=far, second=second)
            sample = errors(context, setting, n_draws(context))
            cases.append(Case(draws=sample, bound=limit, where={"map": setting.name, "m": m}))
    claim = "the largest error of pairs over a grid of a set keeps the known bound"
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws(context) * 600)


@check("features.uniform", form="proved", name="draws of many maps", pays=True)
def over_draws(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Count violations of our bound, by two methods, for maps of bounded and unbounded features."""
    cases = []
    for setting in settings(quick=context.quick):
        distances = errors(context, setting, n_draws(context))
        for method in _METHODS:
            limit = bound(setting.m, delta=_DELTA, method=method, **setting.facts)
            where: dict[str, Any] = {"map": setting.name, "m": setting.m, "method": method}
            cases.append(Case(draws=distances, bound=limit, where=where))
    distances = group_errors(context, _TEMPLATES, n_draws(context))
    limit = of_group(bound, _TEMPLATES, _DELTA)
    cases.append(Case(draws=distances, bound=limit, where={"map": "group", "m": _TEMPLATES}))
    claim = (
        "the largest error over a grid of a set keeps its bounds: cosines of several spectra, "
        "group-invariant features, rectified and centred maxout units"
    )
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws(context) * 600)


@check("features.uniform", form="proved", name="rows that know nothing of each other")
def tight(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Compare our bound with computed errors, where rows are independent of each other."""
    makers = (one_row, one_square, many_rows, rows_and_a_coin)
    return compare_instances("largest error over a set", *(i for m in makers for i in m(bound)))


@check("features.uniform", form="proved", name="one unit that is steep at one row")
def tight_slopes(context: Context, *, bound: Bounding = kernel_error.uniform_by_slope) -> Evidence:
    """Compare our bound with computed errors of one unit that is steep at one row of very many."""
    return compare_instances(
        "largest error over a set, one unit", *a_row_of_each(bound), *a_rare_row(bound)
    )
