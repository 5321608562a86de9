"""Check bounds of the excess risk of ridge regression on m random features, squared loss.

Labels at N rows are a target plus noise of standard deviation `noise`. K is the exact kernel matrix
of the rows, mu its eigenvalues, K_m that of m features. Bounds know the size of a feature by its
`leverage`, max z^T (K + N ridge)^-1 z over its values z at the rows, by its largest value `sup`, or
by its Lipschitz constant. The target is (K/N)^r g with |g| at most sqrt(N) `norm`, where r is its
`smoothness`. A known inequality (Avron and others 2017) and our bounds are compared with computed
risks, and with mean risks over draws.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import integrate, stats

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures
from mehler.bounds import ridge as bounds
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._comparisons import Bounding, Instance, compare_instances, compare_ratios, compute
from ._gram_draws import Draw, grams

# Instances: settings where the risk of ridge regression is computed and near its bound.

_ROUNDING = 1e-9  # relative, of sums over a binomial law


def one_row(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row of kernel 1, and a feature of 1/sqrt(p) with chance p, else of 0.

    The risk is nearly its bias at ridge 1, its variance at small ridges, and what few features lose
    where p is small, as all of them may be 0.
    """
    settings: tuple[tuple[str, float, float, int, float], ...] = (
        ("bias", 1.0, 1.0, 10**9, 0.0),
        ("variance", 1.0, 1e-6, 10**9, 1.0),
        ("features", 1e-3, 1e-9, 2000, 0.0),
        ("features, fewer", 1e-3, 1e-9, 200, 0.0),
    )
    for name, p, ridge, m, noise in settings:
        limit = bound(
            m,
            ridge=ridge,
            norm=1.0,
            noise=noise,
            eigenvalues=np.ones(1),
            leverage=1 / (p * (1 + ridge)),
        )
        risk = _shrunk(p, ridge, m, noise)
        yield Instance(f"one row, {name}", (risk * (1 - _ROUNDING), risk), limit.total)


def _shrunk(p: float, ridge: float, m: int, noise: float) -> float:
    """Return the mean risk at one row, where K_m is a binomial fraction over p."""
    if p == 1:
        return ((ridge / (1 + ridge)) ** 2) + (noise / (1 + ridge)) ** 2
    law = stats.binom(m, p)
    count = np.arange(int(law.ppf(1 - 1e-15)) + 50)
    k = count / (m * p)
    return float(law.pmf(count) @ ((ridge / (k + ridge)) ** 2 + (noise * k / (k + ridge)) ** 2))


def left_out(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of a row that is left out of orthogonal or of two equal rows; K_m = K.

    An orthogonal row is predicted by 0, so that its error is the target. One of two equal rows is
    predicted by the other, with the noise of that.
    """
    moments: dict[str, Any] = {"sup": 1.0, "design": "left-out"}
    n = 50
    limit = bound(
        10**12, ridge=1 / n, norm=1.0, noise=0.0, eigenvalues=np.ones(n), leverage=n / 2, **moments
    )
    yield Instance("orthogonal rows", (1 / n, 1 / n), limit.total)
    # At a small ridge the bound's factor for rows left out is needed; at 0.7 the term is largest.
    for shrink in (0.2, 0.7, 1.0):
        limit = bound(
            10**12,
            ridge=shrink / 2,
            norm=1e-9,
            noise=1.0,
            eigenvalues=np.array([2.0, 0.0]),
            leverage=2 / shrink,
            **moments,
        )
        risk = 1 / (1 + shrink) ** 2
        yield Instance(f"two equal rows, ridge {shrink / 2}", (risk, risk), limit.total)


def alike(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of orthogonal rows of one kernel value, and K_m = K: the risk is the bias.

    For smoothness r and x, eigenvalue over ridge, x^(2r)/(1 + x)^2 is largest, or nearly at r = 1.
    """
    n = 50
    for r, over in ((0.25, 1 / 3), (0.75, 3.0), (1.0, 1e3)):
        shift = 1 / over
        value = bound(
            10**15,
            ridge=shift / n,
            norm=1.0,
            noise=0.0,
            eigenvalues=np.ones(n),
            leverage=n / (1 + shift),
            smoothness=r,
        ).value
        risk = n ** (-2 * r) * (shift / (1 + shift)) ** 2
        yield Instance(f"orthogonal rows, smoothness {r:g}", (risk * (1 - _ROUNDING), risk), value)


def rare(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row whose feature is mostly 0: then the target is lost."""
    p, m = 1e-3, 2000
    for r, ridge in ((0.25, 1e-12), (0.75, 1e-9)):
        value = bound(
            m,
            ridge=ridge,
            norm=1.0,
            noise=0.0,
            eigenvalues=np.ones(1),
            leverage=1 / (p * (1 + ridge)),
            smoothness=r,
        ).value
        none = float(stats.binom(m, p).pmf(0))
        yield Instance(f"one row, seldom, smoothness {r:g}", (none, none + ridge), value)


def arrow(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of a strong direction e_1, and one of n - 1 weak ones e_j in each feature.

    A feature is sqrt(s) e e_1 + sqrt((n-1) w) e_J, for eigenvalues s and w, a random sign e and a
    uniform J. The target is e_1. K_m is an arrow matrix; at ridge 1/n its inverse has the column z
    e_1 - z sum_j K_1j/(K_jj + 1) e_j, with z at least 1/(s + 1). Signs have the mean 0 given J.
    """
    yield _arrow(bound, 4096, 1e14, 0.01, 10**7, by="leverage")
    # The strong direction has equal entries at all rows, so that the largest value is known.
    yield _arrow(bound, 8192, 1e6, 0.1, 3 * 10**8, by="sup")


def _arrow(bound: Bounding, n: int, strong: float, weak: float, m: int, *, by: str) -> Instance:
    mu, total = np.full(n, weak), (n - 1) * weak
    mu[0] = strong
    moments = {
        "leverage": strong / (1 + strong) + total / (1 + weak),
        "sup": (math.sqrt(strong) + math.sqrt(total)) / math.sqrt(n),
    }
    setting: dict[str, Any] = {by: moments[by], "eigenvalues": mu, "smoothness": 1.0}
    value = bound(m, ridge=1 / n, norm=1.0, noise=0.0, **setting).value
    law = stats.binom(m, 1 / (n - 1))
    count = np.arange(int(law.isf(1e-15)) + 2)
    spread = float(law.pmf(count) @ (count / (total * count / m + 1) ** 2))
    risk = (strong / (1 + strong) / n) ** 2 * (1 + (n - 1) * strong * total * spread / m**2)
    return Instance(f"an arrow, by {by}", (risk * (1 - _ROUNDING), math.inf), value)


def square(bound: Bounding) -> Iterator[Instance]:
    """Yield the instance of one row and a linear unit: K_1 is the square of a standard normal."""
    ridge = 1.0
    value = bound(1, ridge=ridge, norm=1.0, noise=0.0, eigenvalues=np.ones(1), lipschitz=1.0).value

    def shrunk(g: float) -> float:
        return float((ridge / (g * g + ridge)) ** 2 * stats.norm.pdf(g))

    risk, error = integrate.quad(shrunk, -40, 40, points=[0.0], epsabs=1e-12)
    yield Instance("one square", (risk - error, risk + error), value)


_N, _D, _NORM, _NOISE = 24, 3, 1.0, 0.5  # rows, columns, norm of the target, deviation of noise


def _rows(context: Context) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _fourier(m: int, **options: Any) -> Any:
    return FourierFeatures.draw(_D, m, gamma=2.0, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def _centred(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, centred=True, **options)


def _relu(m: int, **options: Any) -> Any:
    return KitchenSinks.draw(_D, m, activation="relu", **options)


def risks(blocks: Iterator[Any], target: Any, ridge: float) -> Any:
    """Return excess risks at the rows, in the mean over noise, for blocks of matrices K_m."""
    n, totals = target.size, []
    for grams_ in blocks:
        shrinkage = n * ridge * np.linalg.inv(grams_ + n * ridge * np.eye(n))
        bias = np.mean((shrinkage @ target) ** 2, axis=1)
        totals.append(bias + _NOISE**2 * np.sum((np.eye(n) - shrinkage) ** 2, axis=(1, 2)) / n)
    return np.concatenate(totals)


def known_before(delta: float, *, bias: float, variance: float, n: int) -> float:
    """Return the bound of Avron and others (2017, unverified) at the spectral error `delta`."""
    return (bias + variance) / (1 - delta) + delta / (1 + delta) * _NOISE**2 * min(1.0, n)


@check("features.ridge", form="printed", name="the known inequality")
def printed(
    context: Context, *, bound: Callable[..., float] = known_before, m: int = 600
) -> Evidence:
    """Compare the risk with the known bound in every draw whose spectral error is below 1."""
    rows, ridge = _rows(context), 0.02
    kernel = _fourier(2, seed=0).kernel(rows)
    shift = _N * ridge * np.eye(_N)
    target = _target(kernel)
    inverse = np.linalg.inv(kernel + shift)
    exact = {
        "bias": ridge * float(target @ inverse @ target),
        "variance": _NOISE**2 * float(np.trace(kernel @ inverse)) / _N,
        "n": _N,
    }
    root = np.linalg.cholesky(inverse)
    worst, n_draws = 0.0, 100 if context.quick else 2000
    for block in grams(context, _fourier, "known", rows, n_features=m, n_draws=n_draws):
        errors = np.abs(np.linalg.eigvalsh(root.T @ (block - kernel) @ root)).max(axis=1)
        for error, risk in zip(errors, risks(iter([block]), target, ridge), strict=True):
            if error < 1:
                worst = max(worst, float(risk) / bound(float(error), **exact))
    claim = "risk over its bound by the spectral error of the same draw, at most 1"
    return compute(
        claim, worst, 1e-9, relative=True, upper=1.0, method=f"computed for each of {n_draws} draws"
    )


def _target(kernel: Any, smoothness: float = 0.5) -> Any:
    """Return a target of norm 1 whose weights lie where the bias of the exact kernel is large."""
    mu, vectors = np.linalg.eigh(kernel)
    share = np.maximum(mu[-3:] / _N, 0) ** smoothness * math.sqrt(_N / 3)
    return vectors[:, -3:] @ share * _NORM


@check("features.ridge", form="proved", name="bounded and unbounded features", pays=True)
def over_draws(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Compare the mean risk over draws with our bound: four maps, and three smoothnesses."""
    rows, cases = _rows(context), list(_settings(context))
    n_draws = 700 if context.quick else 20_000
    share = context.false_alarm / len(cases)
    ratios = []
    for name, draw, ridge, m, smoothness in cases:
        kernel = draw(2, seed=0).kernel(rows)
        target = _target(kernel, smoothness)
        # A maximum, centred or not, and ReLU are 1-Lipschitz in each projection.
        moments: dict[str, Any] = {"lipschitz": float(np.linalg.norm(rows, 2))}
        if name == "pairs":
            moments = {"sup": 1.0, "block": 2}
        setting = {"ridge": ridge, "norm": _NORM, "noise": _NOISE, "smoothness": smoothness}
        limit = bound(m, gram=kernel, **setting, **moments).value
        label = f"{name}/{ridge}/{smoothness:g}"
        blocks = grams(context, draw, label, rows, n_features=m, n_draws=n_draws)
        excess = risks(blocks, target, ridge)
        first = float(np.linalg.eigvalsh(kernel)[-1]) / _N
        most = first ** (2 * smoothness) * _NORM**2 + _NOISE**2
        low, high = intervals.betting(excess, 0.0, most, share)
        ratios.append((low / limit, float(excess.mean()) / limit, high / limit, m * n_draws))
    claim = "mean risk over its bound"
    method = f"empirical Bernstein interval of {n_draws} draws"
    return compare_ratios(claim, ratios, context.false_alarm, method=method)


def _settings(context: Context) -> Iterator[tuple[str, Draw, float, int, float]]:
    """Yield name, map, ridge, number of features m, and smoothness."""
    sizes = ((0.05, 400),) if context.quick else ((0.2, 20), (0.05, 400), (0.005, 100))
    maps = {"pairs": _fourier, "maxout": _maxout, "centred": _centred, "relu": _relu}
    for name, draw in maps.items():
        for ridge, m in sizes:
            yield name, draw, ridge, m, 0.5
    for name in ("pairs", "relu"):
        for smoothness in (0.25, 1.0):
            yield name, maps[name], 0.05, 100, smoothness


@check("features.ridge", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Compare our bound with computed risks, where one of its terms is nearly the risk."""
    return compare_instances(
        "mean excess risk",
        *(instance for part in (one_row, left_out) for instance in part(bound)),
        *(instance for part in _SOURCE for instance in part(bound)),
    )


_SOURCE = (alike, rare, arrow, square)
