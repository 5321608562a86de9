"""Check bounds of the spectral error of the Gram matrix K_m of m random features.

It is the norm of (K + ridge)^(-1/2) (K_m - K) (K + ridge)^(-1/2), where K is the kernel matrix of
the rows; without a ridge, the norm of K_m - K. A known bound (Avron and others 2017) and ours are
compared with draws of the error, and ours with settings where its law is known.
"""

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from scipy import stats

from mehler import FourierFeatures, MaxoutFeatures
from mehler.bounds import Bound, Term, lower, spectral
from mehler.statements import Context, Evidence, check

from .._comparisons import Bounding, Case, Instance, compare_instances, compare_with_bounds
from ._gram_draws import Draw, grams, n_draws, norms
from .lower import by_direction

_DIFFERENCES = 2_000_000  # differences of pairs of rows in one block: 16 MB


def best_direction(
    rows: Any, m: int, *, gamma: float, delta: float, ridge: float | None, most: int = 10
) -> Bound:
    """Return the largest lower bound of the error in the direction of an eigenvector of K.

    Directions do not depend on the draw; the first `most` are tried.
    """
    directions = moments(rows, gamma=gamma, most=most)
    if ridge is None:
        errors = [
            lower.one_pair(m // 2, delta=delta, variance=v["variance"], third=v["third"])
            for v in directions
        ]
    else:
        errors = [by_direction(m, ridge=ridge, delta=delta, block=2, **v) for v in directions]
    return max(errors, key=lambda error: float(error.value))


def moments(rows: Any, *, gamma: float, most: int) -> list[dict[str, float]]:
    r"""Return mean, variance and third moment (a bound) of |sum_i v_i e^{i<w, x_i>}|^2.

    The v are the `most` first eigenvectors of the Gaussian kernel of the rows x, and w is a random
    frequency. Second moments are quadratic forms of the kernel at all differences of rows. The
    third moment is the absolute one, standardised.
    """
    n = len(rows)
    differences = (rows[:, None, :] - rows[None, :, :]).reshape(n * n, -1)
    squares = (differences**2).sum(axis=1)
    mean, vectors = np.linalg.eigh(np.exp(-gamma * squares).reshape(n, n))
    mean, vectors = mean[::-1][:most], vectors[:, ::-1][:, :most]
    weights = np.stack([np.outer(v, v).ravel() for v in vectors.T], axis=1)
    second = np.zeros(len(mean))
    for part in np.array_split(np.arange(n * n), -(-(n**4) // _DIFFERENCES)):
        far = squares[part, None] + squares - 2 * differences[part] @ differences.T
        shared = np.exp(-gamma * np.maximum(far, 0.0)) @ weights
        second += np.sum(weights[part] * shared, axis=0)
    directions = []
    for v, mu, moment in zip(vectors.T, mean, second, strict=True):
        variance, reach = float(moment - mu**2), float(np.abs(v).sum()) ** 2
        # Values lie between 0 and the square of the sum of weights.
        third = max(float(mu), reach - float(mu)) / variance**0.5
        directions.append({"mean": float(mu), "variance": variance, "third": third})
    return directions


# Instances: settings where the chance of a larger error is exact, and nearly what bounds allow.

_FAILURES = (1e-2, 1e-12, 1e-60)


def one_for_each(bound: Bounding) -> Iterator[Instance]:
    """Yield instances where a feature is sqrt(n) at one of n rows, so that K is the identity.

    Errors are those of n binomial fractions, over 1 + ridge. The fractions are negatively
    associated: one of them deviates at least as probably as if they were independent.
    """
    n, ridge = 20, 0.5
    for m in (40, 10**4, 10**8):
        for failure in _FAILURES:
            value = bound(
                m, ridge=ridge, delta=failure, eigenvalues=np.ones(n), leverage=n / (1 + ridge)
            ).value
            above, below = binomial_tails(m, 1 / n, value * (1 + ridge))
            low = max(-math.expm1(n * math.log1p(-tail)) for tail in (above, below))
            high = n * (above + below)
            yield Instance(f"{n} rows, m = {m:.0e}, failure {failure:g}", (low, high), failure)


def one_row(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, and a feature that is 0 or, with chance p, 1/sqrt(p).

    The ridge is so large that 1/(K + ridge) and 1/ridge hardly differ: bounds by `sup` use 1/ridge.
    """
    p, ridge = 1e-3, 1e4
    for m in (10**3, 10**7):
        for failure in _FAILURES:
            value = bound(
                m, ridge=ridge, delta=failure, eigenvalues=np.ones(1), sup=math.sqrt(1 / p)
            ).value
            above, below = binomial_tails(m, p, value * (1 + ridge))
            chance = above + below
            yield Instance(f"one row, m = {m:.0e}, failure {failure:g}", (chance, chance), failure)


def one_square(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row and linear features: K_m is a mean of squares of normals."""
    for m in (1, 30, 10**6):
        for failure in (1e-2, 1e-12, 1e-290):
            value = bound(m, delta=failure, eigenvalues=np.ones(1), lipschitz=1.0).value
            chance = float(stats.chi2.sf(m * (1 + value), m) + stats.chi2.cdf(m * (1 - value), m))
            yield Instance(f"squares, m = {m:.0e}, failure {failure:g}", (chance, chance), failure)


def one_variance(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row, where Chebyshev's inequality is nearly an equality."""
    for failure in (0.3, 1e-3):
        value = bound(1, delta=failure, eigenvalues=np.ones(1), variance=np.ones((1, 1))).value
        chance = failure * 1.001
        far = float(1 / math.sqrt(chance) > value)
        yield Instance(f"chebyshev, failure {failure:g}", (far * chance, far * chance), failure)


def binomial_tails(m: int, p: float, t: float) -> tuple[float, float]:
    """Return the probabilities that a binomial fraction is above (1 + t) p, and below (1 - t) p."""
    law = stats.binom(m, p)
    above = float(law.sf(math.floor(m * p * (1 + t))))
    below = float(law.cdf(math.ceil(m * p * (1 - t)) - 1)) if t < 1 else 0.0
    return above, below


# The kernel's scale, inputs, rows, and the chance of failure at which bounds are evaluated.
_GAMMA, _D, _N, _DELTA = 0.5, 3, 16, 0.05


def _rows(context: Context, *, unit: bool = False) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit else rows


def _fourier(form: Literal["pairs", "offset"]) -> Draw:
    return lambda m, **options: FourierFeatures.draw(_D, m, gamma=_GAMMA, form=form, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def _errors(context: Context, draw: Draw, label: str, rows: Any, m: int, ridge: Any) -> Any:
    kernel = draw(2, seed=0).kernel(rows)
    blocks = grams(context, draw, label, rows, n_features=m, n_draws=n_draws(context))
    return norms(blocks, kernel, ridge)


def known_before(m: int, *, ridge: float, delta: float, eigenvalues: Any) -> Bound:
    """Return the bound of Avron and others (2017, unverified) for m columns, cosines and sines."""
    d = float(np.sum(eigenvalues / (eigenvalues + ridge)))
    n = len(eigenvalues)
    value = math.sqrt(8 / 3 * n / ridge * math.log(16 * d / delta) / (m / 2))
    return Bound(
        statement="features.gram-error",
        form="printed",
        quantity="spectral error of the Gram matrix",
        terms=(Term("deviation", value),),
        probability=1 - delta,
    )


@check("features.gram-error", form="printed", name="the known form", pays=True)
def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known bound by pairs of cosine and sine, where it is below 1."""
    rows, draw = _rows(context), _fourier("pairs")
    mu = np.linalg.eigvalsh(draw(2, seed=0).kernel(rows))
    cases = []
    for ridge, m in ((3.5, 800), (2.0, 1600)):
        errors = _errors(context, draw, f"known/{ridge}", rows, m, ridge)
        limit = bound(m, ridge=ridge, delta=_DELTA, eigenvalues=mu)
        below = best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)
        where = {"ridge": ridge, "m": m}
        cases.append(Case(draws=errors, bound=limit, lower=below, where=where))
    claim = "the spectral error of pairs keeps the known bound"
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_draws(context) * 1600
    )


@check("features.gram-error", form="proved", name="bounded and unbounded features", pays=True)
def over_draws(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Count violations of our bounds by cosines, whose size is bounded, and by maxout features."""
    cases = list(_cases(context, bound))
    claim = "the spectral error of pairs, offsets and maxout features keeps its bounds"
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws(context) * 400)


def _cases(context: Context, bound: Bounding) -> Iterator[Case]:
    """Yield cases of three maps, each with a bound by the variance and one by features' size."""
    for form, draw, moments in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("offset", _fourier("offset"), {"sup": math.sqrt(2.0)}),
        ("maxout", _maxout, None),
    ):
        rows = _rows(context, unit=form == "maxout")
        phi = draw(2, seed=0)
        kernel, stretch = phi.kernel(rows), float(np.linalg.norm(rows, 2))
        declarations: tuple[dict[str, Any], ...] = ({"variance": phi.variance(rows)},)
        declarations += ({"lipschitz": stretch} if moments is None else dict(moments),)
        for ridge, m in ((1.0, 100),) if context.quick else ((0.1, 400), (1.0, 100), (10.0, 16)):
            errors = _errors(context, draw, f"{form}/{ridge}", rows, m, ridge)
            below = _below(form, rows, m, ridge)
            for declaration in declarations:
                where = {"map": form, "ridge": ridge, "m": m, "by": next(iter(declaration))}
                limit = bound(m, ridge=ridge, delta=_DELTA, gram=kernel, **declaration)
                yield Case(draws=errors, lower=below, bound=limit, where=where)


def _below(form: str, rows: Any, m: int, ridge: float | None) -> Bound | None:
    """Return the lower bound in one direction, whose moments are known for pairs alone."""
    if form != "pairs":
        return None
    return best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)


@check("features.gram-error", form="proved", name="operator norm", pays=True)
def operator(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Count violations of our bound of the norm of K_m - K, without a ridge."""
    rows, cases = _rows(context, unit=True), []
    for name, draw, moments in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("maxout", _maxout, {"lipschitz": float(np.linalg.norm(rows, 2))}),
    ):
        errors = _errors(context, draw, f"operator/{name}", rows, 100, None)
        limit = bound(100, delta=_DELTA, gram=draw(2, seed=0).kernel(rows), **moments)
        below = _below(name, rows, 100, None)
        cases.append(Case(draws=errors, bound=limit, lower=below, where={"map": name}))
    claim = "the operator norm of the error keeps its bound"
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws(context) * 100)


@check("features.gram-error", form="proved", name="bounded features, where it is tight")
def tight(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Compare our bounds for bounded features with errors of binomial fractions."""
    return compare_instances("spectral error", *one_for_each(bound), *one_row(bound))


@check("features.gram-error", form="proved", name="unbounded features, where it is tight")
def tight_without_bound(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Compare our bounds for unbounded features with squares of normals, and by their variance."""
    return compare_instances("operator norm of the error", *one_square(bound), *one_variance(bound))
