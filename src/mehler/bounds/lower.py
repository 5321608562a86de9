r"""Lower bounds on errors: of the kernel of one map, of any map, and of any learner.

No valid upper bound is smaller, so they show how sharp those of the same names in the other modules
are. Each is a :class:`LowerBound`. They rest on theorems of Berry and Esseen, of Le Cam and of
Assouad; proofs are in :doc:`/theorems/features-lower`. Functions take the same arguments:

n_features, n_samples, n_rows : int or array
    Number of features m, of training rows N, and of the rows of a Gram matrix, N.
pool_size : int or array
    q of maxout units; M is the largest of q standard normals.
delta : float or array
    The error is at least the bound with probability at least delta.
scale, lipschitz : float
    C and L, of the class of functions of :mod:`mehler.bounds.maxout` and of the loss.
ridge : float
    lambda, in units of the Gram matrix K: n times the penalty of mean squared errors.
gram, eigenvalues : array, shape (n, n) or (n,)
    The exact kernel of the rows, as ``phi.kernel(X)``; or all its eigenvalues :math:`\mu_1 \ge
    \mu_2 \ge \dots`, zeros included.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import require_flag
from mehler.bounds._arguments import correlations, counts, pool_sizes, positives, probabilities
from mehler.bounds._bound import Assumption, Counts, Floats, LowerBound, Reals, Term, bound
from mehler.bounds._spectra import eigenvalues_of
from mehler.bounds.kernel_error._exponent import LOWEST, product_nodes

__all__ = [
    "LowerBound",
    "all_pairs",
    "approximation",
    "excess_risk",
    "gram_error",
    "one_pair",
]

_STATEMENT = "features.lower"
# Constant of Shevtsova (2011) in the theorem of Berry and Esseen, for variables of one law.
_BERRY_ESSEEN = 0.4748
_INDEPENDENT = Assumption("units are independent")
# Large deviations: values of theta in the tilted law, of density exp(theta F) relative to that of
# the product F, and lengths of intervals above its mean, in standard deviations.
_MOST_TILT = 0.3
_TILTS = _MOST_TILT * np.exp2(-np.arange(192) / 16)
_STRETCHES = np.linspace(0.2, 6.0, 30)
# Values of epsilon: a label has its target's sign with probability 1/2 + epsilon.
_BIASES = np.append(0.5 * 1.03 ** -np.arange(1, 140.0)[::-1], 0.5)
# Values of k, the number of rows, over the most; and the most samples per row, N/k.
_PARTS = np.exp2(-np.arange(41) / 4)
_MOST_SAMPLES, _MOST_ROWS = 2000, 10**18
_QUADRATURE: dict[str, Any] = {"epsabs": 0.0, "epsrel": 1e-11, "limit": 200}


@bound(_STATEMENT, "error of the kernel, one pair")
def one_pair(
    n_features: Counts,
    *,
    delta: Reals,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: Reals | None = None,
    third: Reals | None = None,
    collision: Reals | None = None,
) -> LowerBound:
    r"""Bound the error of the kernel at one pair from below: no valid bound is smaller.

    .. math:: P\big(|\hat K - K| \ge t\big) \ge \delta, \qquad t = \frac{\sigma z}{\sqrt m}, \quad
              z = \Phi^{-1}\Big(1 - \frac\delta2 - \frac{0.4748\,\rho_3}{\sqrt m}\Big)_+

    by the theorem of Berry and Esseen, rho_3 the standardised third absolute moment, at least 1.
    For maxout units t_1 is the larger of this and of a bound of large deviations, which holds at
    small delta too; for codes t_1 is the exact quantile. Term: "deviation", 0 if nothing is proved.
    Proof: :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`.

    Parameters
    ----------
    pool_size : int, optional
        Unit rows and maxout units of this q, of correlation `rho`.
    rho : float
        The rows' correlation, at least -0.95; equal rows by default.
    variance, third : float, optional
        Instead: the variance of one product F and an upper bound of E|F - K|^3/sigma^3; b/sigma for
        products in an interval of length b.
    collision : float, optional
        Instead: codes that agree with this probability.

    Examples
    --------
    >>> from mehler.bounds import kernel_error, lower
    >>> setting = {"delta": 0.01, "pool_size": 4, "rho": 1.0}
    >>> below, above = (side.one_pair(10_000, **setting).value for side in (lower, kernel_error))
    >>> round(below, 4), round(above, 4)
    (0.0355, 0.057)
    """
    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    if rho is not None and pool_size is None:
        raise ValueError(f"rho={rho!r} is the correlation of maxout units: give pool_size with it")
    laws = (pool_size is not None) + (variance is not None) + (collision is not None)
    if laws != 1 or (variance is None) != (third is None):
        raise ValueError("give pool_size, or variance and third, or collision")
    if pool_size is not None:
        cosine = float(correlations(rho=1.0 if rho is None else rho))
        if cosine < LOWEST:
            raise ValueError(f"rho={rho!r} is below {LOWEST}, where products are not computed")
        value = _maxout(m, pool_sizes(pool_size), cosine, chance)
    elif variance is not None and third is not None:
        sigma = np.sqrt(positives(variance=variance))
        value = _normal(m, sigma, positives(third=third), chance)
    elif collision is not None:
        value = _binomial(m, probabilities(collision=collision), chance)
    terms, assumptions = (Term("deviation", value),), (_INDEPENDENT,)
    return LowerBound(terms=terms, probability=chance, assumptions=assumptions)


@bound(_STATEMENT, "largest error of the kernel, all pairs of the rows")
def all_pairs(n_features: Counts, *, n_rows: Counts, delta: Reals, pool_size: Counts) -> LowerBound:
    r"""Bound the largest error over all pairs of N orthonormal rows from below.

    .. math:: t_N(\delta) = t_1\big(1 - (1-\delta)^{1/N}\big)

    with t_1 the bound of :func:`one_pair` at equal rows; N is at most the number of columns. N rows
    have doubling dimension log2 N, so that it bounds the error over a set too. Term: "deviation".
    Proof: :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.all_pairs(10_000, n_rows=1000, delta=0.01, pool_size=4).value, 4)
    0.0663
    """
    chance, (m, rows) = probabilities(delta=delta), counts(n_features=n_features, n_rows=n_rows)
    value = _maxout(m, pool_sizes(pool_size), 1.0, -np.expm1(np.log1p(-chance) / rows))
    assumptions = (_INDEPENDENT, Assumption("orthonormal rows"))
    terms = (Term("deviation", value),)
    return LowerBound(terms=terms, probability=chance, assumptions=assumptions)


@bound(_STATEMENT, "spectral error of the Gram matrix", "n_features")
def gram_error(
    n_features: Counts,
    *,
    ridge: Reals,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, for every map and every draw.

    .. math:: \|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\mu_{m+1}}{\mu_{m+1} + \lambda}

    since m features have a Gram matrix of rank m; :math:`\mu_i = 0` for i > n. Term: "rank". Proof:
    :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]).value
    0.5
    """
    m, lam = counts(n_features=n_features), positives(ridge=ridge)
    spectrum = np.append(eigenvalues_of(gram, eigenvalues), 0.0)
    mu = spectrum[np.minimum(m, spectrum.size - 1).astype(int)]
    return LowerBound(terms=(Term("rank", mu / (mu + lam)),))


@bound(_STATEMENT, "root mean square distance of the nearest function", "n_features")
def approximation(n_features: Counts, *, pool_size: Counts, scale: Reals) -> LowerBound:
    r"""Bound from below how near m maxout units come to a function of the class, with any weights.

    .. math:: \sup_{f, \mu}\Big(E\min_{\alpha \in R^m}\Big\|\sum_l\alpha_l\phi_l
              - f\Big\|_{L^2(\mu)}^2\Big)^{1/2} \ge \frac{C\omega(q)}{2\sqrt m}, \qquad
              \omega(q) = E|M - \operatorname{med}M|

    over f of the class with sup |alpha|/p <= C and laws mu on the unit sphere, in dimension 2 m.
    Term: "approximation". Proof: :doc:`/theorems/features-lower`; arguments:
    :mod:`mehler.bounds.lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.approximation(100, pool_size=1, scale=1.0).value, 4)
    0.0399
    """
    from scipy.special import ndtri_exp

    def spread(q: float) -> float:
        return _distance_from(float(ndtri_exp(math.log(0.5) / q)), q)

    m, q = counts(n_features=n_features, pool_size=pool_size)
    size = positives(scale=scale)
    value = size * np.vectorize(spread, otypes=[float])(q) / (2 * np.sqrt(m))
    text = "the worst target of the class, and the worst law of the rows, in dimension 2 m"
    return LowerBound(terms=(Term("approximation", value),), assumptions=(Assumption(text),))


@bound(_STATEMENT, "mean excess risk of any learner")
def excess_risk(
    n_samples: Counts,
    *,
    pool_size: Counts,
    scale: Reals,
    lipschitz: Reals,
    centred: bool = False,
    dimension: Counts | None = None,
) -> LowerBound:
    r"""Bound from below the mean excess risk of any learner, after N samples.

    .. math:: \inf_{\hat f}\sup E[\mathcal E(\hat f) - \inf_F\mathcal E] \ge LCA_N, \qquad
              A_N = \max_{k, \epsilon} 4\epsilon\,a_k\;E\,P\Big(\mathrm{Bin}(n, \tfrac12 + \epsilon)
              < \tfrac n2\Big), \quad n \sim \mathrm{Bin}\big(N, \tfrac1k\big)

    with ties counted by half, by Assouad's lemma: k orthonormal rows, equally likely, at which the
    class has :math:`\pm Ca_k` with all signs,

    .. math:: a_k = E\,M_Z\Big(2\Phi\big(\tfrac Z{\sqrt{k-1}}\big) - 1\Big), \qquad
              M_Z = F_M^{-1}(\Phi(Z)), \quad a_1 = E|M|

    (centred: E|M - E M|). k and epsilon are taken from a grid that depends on N, so that the value
    may rise a little with it. Term: "statistical". Proof: :doc:`/theorems/features-lower`;
    arguments: :mod:`mehler.bounds.lower`. After L. Le Cam and P. Assouad.

    Parameters
    ----------
    centred : bool
        The class of centred units.
    dimension : int, optional
        The most orthonormal rows there are; by default any number, as the upper bound knows none.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> sizes = {"pool_size": 1, "scale": 1.0, "lipschitz": 1.0}
    >>> [round(lower.excess_risk(10_000, dimension=d, **sizes).value, 5) for d in (1, 5000, None)]
    [0.00271, 0.00284, 0.00342]
    """
    n, q = counts(n_samples=n_samples, pool_size=pool_size)
    size, steep = positives(scale=scale, lipschitz=lipschitz)
    centre = require_flag("centred", centred)
    most = 8 * n if dimension is None else np.minimum(8 * n, counts(dimension=dimension))
    rate = np.vectorize(_rate, otypes=[float])(n, q, np.minimum(most, _MOST_ROWS), centre)
    assumptions = (Assumption("the worst of two laws for each row, and a loss"),)
    return LowerBound(terms=(Term("statistical", size * steep * rate),), assumptions=assumptions)


def _normal(m: Any, sigma: Any, third: Any, delta: Any) -> Any:
    """Return t of :func:`one_pair` by Berry and Esseen, for `third` = rho_3; 0 if it is none."""
    from scipy.special import ndtri

    tail = delta / 2 + _BERRY_ESSEEN * np.maximum(third, 1.0) / np.sqrt(m)
    return np.where(tail < 0.5, -ndtri(np.minimum(tail, 0.5)) * sigma / np.sqrt(m), 0.0)


@np.vectorize
def _binomial(m: float, mean: float, delta: float) -> float:
    """Return the largest t with P(|k/m - mean| >= t) >= delta for a binomial k.

    Distances are fractions, so that none is rounded before it is compared.
    """
    from scipy import stats

    n, law = int(m), stats.binom(int(m), mean)
    middle, largest = n * Fraction(float(mean)), Fraction(0)
    for first, last, step in ((math.ceil(middle), n, 1), (math.floor(middle), 0, -1)):
        # From the mean outwards, the last k whose distance is reached with probability delta.
        low, high = -1, abs(last - first)
        while low < high:
            n_steps = (low + high + 1) // 2
            away = abs(first + step * n_steps - middle)
            chance = law.sf(math.ceil(middle + away) - 1) + law.cdf(math.floor(middle - away))
            low, high = (n_steps, high) if chance >= delta else (low, n_steps - 1)
        if low >= 0:
            largest = max(largest, abs(first + step * low - middle) / n)
    value = float(largest)
    return value if Fraction(value) <= largest else math.nextafter(value, 0.0)


@np.vectorize
def _maxout(m: float, q: int, rho: float, delta: float) -> float:
    """Return t of :func:`one_pair` for maxout units: by Berry and Esseen, or large deviations."""
    from scipy.special import ndtr

    sigma, third, (mean, spread, thirds, cost) = _moments(int(q), float(rho))
    central = float(_normal(m, sigma, third, delta))
    # Chance in the tilted law that the mean of m products is above its expectation by at most z
    # standard deviations: normal, up to the error of Berry and Esseen at both ends.
    inside = ndtr(_STRETCHES) - 0.5 - 2 * _BERRY_ESSEEN * thirds[:, None] / math.sqrt(m)
    lost = m * cost[:, None] + _TILTS[:, None] * spread[:, None] * math.sqrt(m) * _STRETCHES
    chance = np.where(inside > 0, np.log(np.maximum(inside, 1e-300)) - lost, -np.inf)
    possible = chance.max(axis=1) >= math.log(delta)
    return max(central, float(np.max(mean[possible], initial=0.0)))


@functools.lru_cache(maxsize=256)
def _moments(q: int, rho: float) -> tuple[float, float, Any]:
    """Return sigma and rho_3 of a product; means, both moments and costs of all tilted laws.

    The cost of a law, theta mean - log E exp(theta (F - K)), is its divergence from the product's.
    Third absolute moments, not smooth, are bounded by fourth ones (Cauchy and Schwarz).
    """
    product, weight = product_nodes(rho, q, _MOST_TILT)
    weight = weight / weight.sum()
    deviation = product - weight @ product
    rows = []
    for tilt in _TILTS:
        law = weight * np.exp(tilt * deviation)
        total = law.sum()
        law /= total
        mean = law @ deviation
        central = (deviation - mean) ** 2
        spread, fourth = math.sqrt(law @ central), law @ central**2
        rows.append((mean, spread, math.sqrt(fourth) / spread**2, tilt * mean - math.log(total)))
    variance = float(exact.maxout_variance(rho, q))
    third = math.sqrt(float(weight @ deviation**4)) / variance
    return math.sqrt(variance), third, np.array(rows).T


def _distance_from(middle: float, q: float) -> float:
    """Return E|M - middle|, the sum of the integrals of both tails of M."""
    from scipy import integrate
    from scipy.special import log_ndtr

    # Tails beyond 12 below and 40 above are 0 in floats.
    ends, options = (middle - 12, middle, middle + 40), _QUADRATURE
    below = integrate.quad(lambda t: math.exp(q * log_ndtr(t)), *ends[:2], **options)[0]
    above = integrate.quad(lambda t: -math.expm1(q * log_ndtr(t)), *ends[1:], **options)[0]
    return float(below + above)


def _rate(n: float, q: float, most: float, centred: bool) -> float:
    """Return A_N of :func:`excess_risk`: the best of one row, and of k rows for k up to `most`."""
    from scipy import stats

    mean = float(exact.max_moment(1, int(q))) if centred else 0.0
    biases = np.minimum(np.linspace(0.05, 3, 296) / (2 * math.sqrt(n)), 0.5)
    law = stats.binom(int(n), 0.5 + biases)
    tie = law.pmf(n / 2) / 2 if n % 2 == 0 else 0.0
    one_row = 4 * float(np.max(biases * (law.cdf(math.ceil(n / 2) - 1) + tie)))
    values = [one_row * _distance_from(mean, q)]
    values += [
        _many_rows(int(n), k) * _amplitude(k, int(q))
        for k in np.unique(np.floor(most * _PARTS)).astype(int).tolist()
        if k > 1 and n <= _MOST_SAMPLES * k
    ]
    return max(values)


@functools.lru_cache(maxsize=4096)
def _amplitude(k: int, q: int) -> float:
    """Return a_k of :func:`excess_risk`, k >= 2; its integrand adds the values at Z and at -Z."""
    from scipy import integrate
    from scipy.special import log_ndtr, ndtri_exp

    turn = math.sqrt(2 * (k - 1))

    def density(z: float) -> float:
        between = ndtri_exp(log_ndtr(z) / q) - ndtri_exp(log_ndtr(-z) / q)
        return float(between * math.erf(z / turn) * math.exp(-z * z / 2))

    total = sum(integrate.quad(density, *ends, **_QUADRATURE)[0] for ends in ((0, 1), (1, 12)))
    return float(total) / math.sqrt(2 * math.pi)


@functools.lru_cache(maxsize=4096)
def _many_rows(n_samples: int, k: int) -> float:
    """Return the largest 4 epsilon E P(Bin(n, 1/2 + epsilon) < n/2); improbable n count as 0."""
    from scipy import stats

    law = stats.binom(n_samples, 1 / k)
    numbers = np.arange(min(n_samples, int(law.mean() + 10 * law.std()) + 20) + 1)
    return 4 * float(np.max(_BIASES * (law.pmf(numbers) @ _wrong()[numbers])))


@functools.cache
def _wrong() -> Any:
    """Return P(Bin(n, 1/2 + epsilon) < n/2), ties by half, for each n and bias: (n, bias).

    It falls from n = 2 j to 2 j + 1, by the chance of a tie times epsilon, and then stays: a sample
    after an odd number only makes ties.
    """
    j = np.arange(_MOST_SAMPLES, dtype=float)[:, None]
    # epsilon C(2 j, j) (p(1 - p))^j, from one j to the next.
    ratio = (0.25 - _BIASES**2) * 2 * (2 * j[:-1] + 1) / (j[:-1] + 1)
    gains = _BIASES * np.cumprod(np.vstack([np.ones_like(_BIASES)[None], ratio]), axis=0)
    odd = 0.5 - np.cumsum(gains, axis=0)
    table = np.empty((2 * _MOST_SAMPLES, _BIASES.size))
    table[0], table[1::2], table[2::2] = 0.5, odd, odd[:-1]
    return np.maximum(table, 0.0)
