"""Check lower bounds of errors and risks, below which no upper bound can be right.

They are compared with instances: settings where the chance or the size of the error is computed,
and must not be below what is claimed. K is the kernel matrix of the rows, mu its eigenvalues. K_m
is that of m features: the mean of the matrices G of independent blocks of features, one unit or a
cosine and its sine. The spectral error is the norm of (K + ridge)^(-1/2) (K_m - K) (K +
ridge)^(-1/2). M is the value of a maxout unit, the largest of q projections; q = 1 is linear.
Parts (c), (g), (h), (i) of the statement have bounds here, the others in `mehler.bounds.lower`.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from mehler import MaxoutFeatures, _arrays
from mehler.bounds import Term
from mehler.bounds import lower as bounds
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._comparisons import Bounding, Instance, compare_instances
from ._gram_draws import Draw


def of_set(n_features: int, *, dimension: float, **facts: Any) -> bounds.LowerBound:
    """Return part (c): the bound of a set of 2^k orthonormal rows, of doubling dimension k."""
    return bounds.all_pairs(n_features, n_rows=2 ** math.floor(dimension), **facts)


def by_direction(
    n_features: int, *, ridge: float, delta: float, block: int = 1, mean: float, **moments: Any
) -> bounds.LowerBound:
    """Return part (g): the error in a direction v, by moments of v'Gv, whose `mean` is v'Kv."""
    pair = bounds.one_pair(n_features // block, delta=delta, **moments)
    return replace(pair, terms=(Term("direction", pair.value / (mean + ridge)),))


def by_rare_draw(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    own: float,
    mean: float,
    chance: float,
    block: int = 1,
) -> bounds.LowerBound:
    """Return part (i): a block has v*Gv >= own and v*Kv <= mean for some v with this `chance`.

    The bound is 0 where such a block is among those of m features with a chance below delta.
    """
    m = n_features // block
    value = max(0.0, (own / m - mean) / (mean + ridge))
    likely = -np.expm1(m * np.log1p(-chance)) >= delta
    return bounds.LowerBound(terms=(Term("rare", value * likely),), probability=delta)


def by_box(
    *, norm: float, noise: float, gram: Any = None, eigenvalues: Any = None
) -> bounds.LowerBound:
    """Return part (h): every learner has at least this risk at the rows, for some target.

    Targets fill a box, or one direction of it, whichever gives more: rounding loses small boxes.
    """
    if (gram is None) == (eigenvalues is None):
        raise ValueError("give one of gram and eigenvalues")
    mu = np.sort(np.linalg.eigvalsh(gram) if eigenvalues is None else eigenvalues)[::-1]
    size = min(norm / noise * math.sqrt(mu[0]), 1e30) if noise > 0 else 0.0
    boxes = (box(mu / mu[0], size), np.array([size * size]))
    value = noise * noise / mu.size * max(math.fsum(normal_mean(box)) for box in boxes)
    return bounds.LowerBound(terms=(Term("minimax", value),))


def box(mu: NDArray[np.float64], size: float) -> Any:
    """Return the squared half edges of Pinsker's box in the ellipsoid of this size, noise 1."""
    mu = mu[mu > 1e-12]  # none of those that are lost in rounding
    # With j edges: sum over i <= j of (sqrt(1/(mu_i nu)) - 1/mu_i) = size^2.
    root = (size * size + np.cumsum(1 / mu)) / np.cumsum(1 / np.sqrt(mu))
    edges = root * np.sqrt(mu) - 1
    last = int(np.flatnonzero(edges > 0)[-1]) + 1 if np.any(edges > 0) else 1
    squares = np.maximum(root[last - 1] * np.sqrt(mu[:last]) - 1, 0.0)
    spent = math.fsum(squares / mu[:last])  # rounding must not leave the ellipsoid
    return squares * min(1.0, size * size / spent) if spent > 0 else squares


def normal_mean(squares: NDArray[np.float64]) -> Any:
    """Return lower bounds of the minimax risk of normal means of at most these squares, noise 1."""
    few = squares * (1 - squares - squares**2)
    linear = 0.8 * squares / (1 + squares)
    return np.maximum(np.maximum(linear, few), squares / (squares + math.pi**2))


def squares(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of equal rows and linear units: the error is that of a mean of m squares."""
    for m in (10, 1000, 10**6):
        for failure in (0.3, 1e-3, 1e-12):
            for setting in ({"pool_size": 1}, {"variance": 2.0, "third": 3.1}):
                value = bound(m, delta=failure, **setting).value
                name = f"squares, m = {m:.0e}, chance {failure:g}, {next(iter(setting))}"
                yield Instance(name, (failure, failure), _of_squares(m, value))


def codes(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of codes that agree at each of m places with one probability: a binomial."""
    for m, share in ((20, 0.3), (1000, 0.05)):
        count = np.arange(m + 1)
        law = stats.binom.pmf(count, m, share)
        for failure in (0.3, 1e-3):
            value = bound(m, delta=failure, collision=share).value
            reached = abs(count / m - share) >= value * (1 - 1e-9)
            yield Instance(f"codes, m = {m}", (failure, failure), float(law[reached].sum()))


def lengths(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of N orthonormal rows and linear units: N independent means of squares."""
    for n, m in ((5, 100), (1000, 10**4), (10**6, 10**6)):
        for failure in (0.3, 1e-3):
            value = bound(m, n_rows=n, delta=failure, pool_size=1).value
            chance = -math.expm1(n * math.log1p(-_of_squares(m, value)))
            name = f"{n} rows, m = {m:.0e}, chance {failure:g}"
            yield Instance(name, (failure, failure), chance)


def packing(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of a set of 2^k orthonormal vectors."""
    for k in (3, 9.5):
        value = bound(10**4, dimension=k, delta=0.3, pool_size=1).value
        chance = -math.expm1(2 ** int(k) * math.log1p(-_of_squares(10**4, value)))
        yield Instance(f"2^{int(k)} rows", (0.3, 0.3), chance)


def majority(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, whose label is a biased coin: the majority learns it best."""
    for n in (1, 10, 301):
        gaps = np.linspace(1e-4, 0.4999, 2000)
        count = np.arange(n + 1)[:, None]
        wrong = np.where(count < n / 2, 1.0, np.where(count == n / 2, 0.5, 0.0))
        mean = (wrong * stats.binom.pmf(count, n, 0.5 + gaps)).sum(axis=0)
        # E|M| = sqrt(2/pi) at q = 1; weights of at most 0.5, and a loss of slope 3.
        best = float(np.max(4 * gaps * mean)) * 3 * 0.5 * math.sqrt(2 / math.pi)
        value = bound(n, pool_size=1, scale=0.5, lipschitz=3.0, dimension=1).value
        yield Instance(f"{n} samples", (value, value), best * (1 + 1e-3))


def majorities(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of orthonormal rows with a biased coin each: majorities learn them best.

    At two rows centred units of two weights have amplitude E|M - M'|/2: M and M' are maxima of two.
    """
    rows = np.arange(2, 33)
    linear = np.sqrt(2 / (math.pi * rows))
    most_of_four = 3 / math.sqrt(math.pi) * (0.5 + math.asin(1 / 3) / math.pi)
    pairs = np.array([most_of_four - 1 / math.sqrt(math.pi)])
    for n, q, amplitudes in ((4, 1, linear), (16, 1, linear[:7]), (1, 2, pairs)):
        steps = zip(rows, amplitudes, strict=False)
        best = 3 * 0.5 * max(_majorities(n, int(k), float(a)) for k, a in steps)
        setting = {"pool_size": q, "scale": 0.5, "lipschitz": 3.0, "centred": q > 1}
        value = bound(n, dimension=amplitudes.size + 1, **setting).value
        yield Instance(f"{n} samples, pool size {q}", (value, value), best * (1 + 1e-3))


_GAPS = np.append(np.geomspace(0.01, 0.5, 1000), 0.5)


@cache
def _outvoted(visits: int) -> NDArray[np.float64]:
    """Return the chance, by the gap of a coin, that most of its throws are the rarer side."""
    count = np.arange(visits + 1)[:, None]
    lost = (count < visits / 2) + 0.5 * (count == visits / 2)
    return np.asarray((lost * stats.binom.pmf(count, visits, 0.5 + _GAPS)).sum(axis=0))


def _majorities(n: int, k: int, amplitude: float) -> float:
    """Return the largest mean excess risk over biases; the chance of an error is by all counts."""
    wrong = np.zeros(_GAPS.size)
    for visits in range(n + 1):
        wrong += float(stats.binom.pmf(visits, n, 1 / k)) * _outvoted(visits)
    return float(np.max(4 * _GAPS * wrong)) * amplitude


def normal_means(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row with the posterior mean of three points, and of shrunk rows."""
    for reach, centre in ((0.05, 0.0), (0.3, 0.0), (1.6, 0.345), (100.0, None)):
        setting = {"norm": reach, "noise": 0.5, "eigenvalues": np.array([0.25])}
        value = bound(**setting).value
        linear = reach**2 / (1 + reach**2)
        largest = linear if centre is None else _largest_risk(reach, centre)
        yield Instance(f"one row, {reach:g} deviations", (value, value), 0.25 * largest)
    # Shrinkage by 1 - 1/(c sqrt(mu)) of each direction has the same risk at every target.
    root, slope = np.array([2.0, 1.0, 0.5]), 500.0
    share = 1 - 1 / (slope * root)
    norm = 0.01 * math.sqrt(float(np.sum((slope * root - 1) / root**2)))
    setting = {"norm": norm, "noise": 0.01, "eigenvalues": np.append(root**2, 0.0)}
    value = bound(**setting).value
    yield Instance("rows of three sizes", (value, value), 1e-4 * float(share.sum()) / 4)


def _largest_risk(reach: float, centre: float) -> float:
    """Return the largest mean square error of that estimator over |theta| <= reach, noise 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    points, chance = np.array([-reach, 0.0, reach]), np.array([1 - centre, 2 * centre, 1 - centre])
    theta = np.linspace(0, reach, 201)[:, None]
    law = np.exp(-(((theta + nodes)[..., None] - points) ** 2) / 2) * chance
    gaps = law @ points / law.sum(axis=2) - theta
    return float(np.max(gaps**2 @ weights)) / math.sqrt(2 * math.pi)


def distinct_rows(bound: Bounding) -> Iterator[Instance]:
    """Yield the instance of a feature for each of four rows, where the fourth is not drawn."""
    value = bound(3, ridge=0.7, eigenvalues=np.ones(4)).value
    error = float(np.linalg.norm(np.diag([4 / 3, 4 / 3, 4 / 3, 0.0]) - np.eye(4), 2) / 1.7)
    yield Instance("three of four rows", (value, value), error * (1 + 1e-12))


def one_direction(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row of squared length 0.5 and linear units: a mean of squares."""
    for m, block in ((1000, 1), (2 * 10**6, 2)):
        for failure in (0.3, 1e-3):
            setting = {"ridge": 0.5, "mean": 0.5, "variance": 0.5, "third": 3.1, "block": block}
            value = bound(m, delta=failure, **setting).value
            name = f"one row, m = {m:.0e}, chance {failure:g}"
            # (K_m - K)/(K + ridge) is half of the error of a mean of squares.
            yield Instance(name, (failure, failure), _of_squares(m // block, 2 * value))


def rare_draws(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, whose feature is 1/sqrt(p) with chance p, else 0."""
    for share, m, block in ((1 / 900, 100, 1), (1e-6, 1000, 2)):
        failure = -math.expm1(m // block * math.log1p(-share))
        setting = {"own": 1 / share, "mean": 1.0, "chance": share, "ridge": 0.5, "block": block}
        value = bound(m, delta=failure, **setting).value
        count = np.arange(10)
        error = abs(count * block / (share * m) - 1) / 1.5
        law = stats.binom.pmf(count, m // block, share)
        name = f"a feature of chance {share:.0e}"
        reached = float(law[error >= value * (1 - 1e-9)].sum())
        # An equality: the sum of probabilities is right up to its rounding.
        yield Instance(name, (failure, failure), reached * (1 + 1e-12))


def rare_frequencies(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one frequency and 64 rows of a line: the law of the error is computed."""
    n, ridge = 64, 4.0
    x = 0.2 * np.arange(n)
    kernel = np.exp(-((x[:, None] - x) ** 2) / 2)
    mean, basis = np.linalg.eigh(kernel)
    root = basis / np.sqrt(mean + ridge)
    rotated = root.T @ kernel @ root
    w = np.linspace(0.0, 5.0, 1001)
    errors, forms = np.empty(w.size), np.empty(w.size)
    for i, frequency in enumerate(w):
        pair = np.stack([np.cos(frequency * x), np.sin(frequency * x)], axis=1)
        errors[i] = np.linalg.norm(root.T @ pair @ pair.T @ root - rotated, 2)
        forms[i] = np.trace(pair.T @ kernel @ pair) / n
    for first in (100, 450):
        chance = 2 * float(stats.norm.sf(w[first]))
        setting = {"own": n / 2, "mean": float(forms[first:].max()), "chance": chance}
        value = bound(2, delta=chance * (1 - 1e-9), ridge=ridge, block=2, **setting).value
        # An interval of w counts if its error reaches the value at either end; all beyond do.
        reached = np.maximum(errors[1:], errors[:-1]) >= value
        truth = float(2 * (np.diff(stats.norm.cdf(w)) @ reached + stats.norm.sf(w[-1])))
        yield Instance(f"one frequency, chance {chance:.2g}", (chance, chance), truth)


def _of_squares(m: int, value: float) -> float:
    """Return the chance that the mean of m squares of normals is wrong by the value or more."""
    law = stats.chi2(m)
    return float(law.sf(m * (1 + value)) + law.cdf(m * (1 - value)))


_CLAIM = "what is claimed over what happens"


@check("features.lower", form="printed", name="one pair")
def one_pair(context: Context, *, bound: Bounding = bounds.one_pair) -> Evidence:
    """Compare the bound of the error at one pair with squares of normals, and with codes."""
    return compare_instances(f"error at one pair, {_CLAIM}", *squares(bound), *codes(bound))


@check("features.lower", form="proved", name="all pairs")
def all_pairs(context: Context, *, bound: Bounding = bounds.all_pairs) -> Evidence:
    """Compare the bound of the largest error over pairs with that of orthonormal rows."""
    return compare_instances(f"largest error of orthonormal rows, {_CLAIM}", *lengths(bound))


@check("features.lower", form="proved", name="a packing")
def uniform(context: Context, *, bound: Bounding = of_set) -> Evidence:
    """Compare the bound of the largest error over a set with that of a packing."""
    return compare_instances(f"largest error over a set, {_CLAIM}", *packing(bound))


@check("features.lower", form="proved", name="the best learner of two laws")
def risk(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Compare the bound of any learner's risk with the best learner of two laws."""
    return compare_instances(f"mean excess risk, {_CLAIM}", *majority(bound))


@check("features.lower", form="proved", name="the best learner of many laws")
def many_laws(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Compare the bound of any learner's risk with the best learner of two laws for each row."""
    return compare_instances(f"mean excess risk, {_CLAIM}", *majorities(bound))


@check("features.lower", form="proved", name="estimators of normal means")
def rows(context: Context, *, bound: Bounding = by_box) -> Evidence:
    """Compare the bound of the squared loss at the rows with the worst risk of good estimators."""
    return compare_instances(f"mean excess risk at the rows, {_CLAIM}", *normal_means(bound))


@check("features.lower", form="proved", name="a missing row")
def rank(context: Context, *, bound: Bounding = bounds.gram_error) -> Evidence:
    """Compare the bound by the number of features with the error where one row has none."""
    return compare_instances(f"spectral error, {_CLAIM}", *distinct_rows(bound))


@check("features.lower", form="proved", name="one direction")
def direction(context: Context, *, bound: Bounding = by_direction) -> Evidence:
    """Compare the bound in one direction with the error where there is no other."""
    return compare_instances(f"spectral error, one row, {_CLAIM}", *one_direction(bound))


@check("features.lower", form="proved", name="a rare draw")
def rare(context: Context, *, bound: Bounding = by_rare_draw) -> Evidence:
    """Compare the bound by a rare draw with the error at a row whose feature is mostly 0."""
    return compare_instances(f"spectral error, one row, {_CLAIM}", *rare_draws(bound))


@check("features.lower", form="proved", name="one frequency")
def grid(context: Context, *, bound: Bounding = by_rare_draw) -> Evidence:
    """Compare the bound at equally spaced rows with the computed error of one frequency."""
    return compare_instances(f"spectral error, rows of a line, {_CLAIM}", *rare_frequencies(bound))


@check("features.lower", form="proved", name="the nearest function", pays=True)
def nearest(
    context: Context, *, bound: Bounding = bounds.approximation, draw: Draw = MaxoutFeatures.draw
) -> Evidence:
    """Measure how near functions of m units come to the proof's one: the bound is an equality."""
    q, m, n_draws = 4, 8, 4000 if context.quick else 40_000
    d = 2 * m
    seed = context.seed_for("nearest")
    phi = draw(d, m * n_draws, q, seed=seed, like=context.like())
    rows = np.asarray(_arrays.to_host(phi(context.asarray(np.eye(d)))), dtype=np.float64)
    parts = rows.reshape(d, n_draws, m).transpose(1, 0, 2)
    basis = np.linalg.qr(parts)[0]
    missed = 1 - np.sum(basis[:, 0, :] ** 2, axis=1)
    value = bound(m, pool_size=q, scale=1.0).value
    # The target is E|M - med M| at the first of d rows, 0 at the others.
    most = _mean_distance(q) ** 2 / d
    distance = most * missed
    low, high = intervals.betting(distance / value**2, 0.0, most / value**2, context.false_alarm)
    return Evidence.from_interval(
        claim="mean square distance over the square of the bound is 1 in the instance of the proof",
        observed=float(distance.mean() / value**2),
        exact=1.0,
        interval=(low, high),
        n_features=m * n_draws,
        false_alarm=context.false_alarm,
        resolution=0.2,
        method=f"empirical Bernstein interval of {n_draws} draws",
        assumptions=("draws are independent",),
    )


def _mean_distance(q: int) -> float:
    """Compute E|M - med M|, med the median, by a sum over the density of M."""
    t = np.linspace(-12, 12, 200_001)
    cdf = (np.array([math.erf(point / math.sqrt(2)) for point in t]) + 1) / 2
    power = cdf**q
    middle = np.interp(0.5, power, t)
    return float(np.sum(np.abs((t[1:] + t[:-1]) / 2 - middle) * np.diff(power)))
