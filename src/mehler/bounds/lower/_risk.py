"""Lower bounds of learning: approximation by m units, the risk of any learner, at the rows too."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import require_flag
from mehler.bounds._arguments import counts, not_negatives, positives, squares
from mehler.bounds._bound import Assumption, Counts, Floats, LowerBound, Reals, Term
from mehler.bounds._function import bound
from mehler.bounds._spectra import eigenvalues_of

_STATEMENT = "features.lower"
# Biases of the targets that are tried; with a half they are not random.
_BIASES = np.append(0.5 * 1.03 ** -np.arange(1, 140.0)[::-1], 0.5)
# Numbers of rows that are tried, and the most samples of one in the mean.
_PARTS = np.exp2(-np.arange(41) / 4)
_MOST_SAMPLES = 2000
_MOST_ROWS = 10**18
_QUADRATURE: dict[str, Any] = {"epsabs": 0.0, "epsrel": 1e-11, "limit": 200}
# The least eigenvalue over the largest, and the largest signal over the noise.
_LEAST, _MOST = 1e-12, 1e30


@bound(_STATEMENT, "root mean square distance of the nearest function", "n_features")
def approximation(n_features: Counts, *, pool_size: Counts, scale: Reals) -> LowerBound:
    r"""Bound from below how near m maxout units come to a function of the class, with any weights.

    .. math:: \sup_{f, \mu}\Big(E\min_{\alpha \in R^m}\Big\|\sum_l\alpha_l\phi_l
              - f\Big\|_{L^2(\mu)}^2\Big)^{1/2} \ge \frac{C\omega(q)}{2\sqrt m}, \qquad
              \omega(q) = E|M - \operatorname{med}M|

    over f of the class with sup |alpha|/p <= C and laws mu on the unit sphere, in dimension 2 m.
    Term: "approximation", a root mean square. Proof: :doc:`/theorems/features-lower`; arguments:
    :mod:`mehler.bounds.lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.approximation(100, pool_size=1, scale=1.0).value, 4)
    0.0399
    """
    from scipy.special import ndtri_exp

    def spread(q: float) -> float:
        return distance_from(float(ndtri_exp(math.log(0.5) / q)), q)

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

    (centred: E|M - E M|), about :math:`\sqrt{2V/(\pi k)}`, V the variance of M. One row has two
    laws, and about 0.34 L C E|M|/sqrt(N); 2 N rows, half of which are seen, about 0.34 L C
    sqrt(V/N). Term: "statistical". Proof: :doc:`/theorems/features-lower`; arguments:
    :mod:`mehler.bounds.lower`. After L. Le Cam and P. Assouad. Numbers of rows and biases are those
    of a grid: any of them proves the bound. The grid depends on N, so that the value may rise a
    little with it, from 3 to 4 samples for instance.

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
    return LowerBound(
        terms=(Term("statistical", size * steep * rate),),
        assumptions=(Assumption("the worst of two laws for each row, and a loss"),),
    )


def _rate(n: float, q: float, most: float, centred: bool) -> float:
    """Return A_N, of at most so many rows."""
    mean = float(exact.max_moment(1, int(q))) if centred else 0.0
    values = [_one_row(int(n)) * distance_from(mean, q)]
    values += [
        _many_rows(int(n), k) * _amplitude(k, int(q))
        for k in np.unique(np.floor(most * _PARTS)).astype(int).tolist()
        if k > 1 and n <= _MOST_SAMPLES * k
    ]
    return max(values)


@bound(_STATEMENT, "mean excess risk at the rows of any learner")
def fixed_design_error(
    *,
    norm: Reals,
    noise: Reals,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
) -> LowerBound:
    r"""Bound the mean squared error at the rows from below, for every learner.

    .. math:: \inf_{\hat f}\sup_{\|f\|_H \le B} E\,\frac1N\sum_{i\le N}(\hat f - f)^2(x_i) \ge
              \frac{\sigma^2}NS, \qquad S = \sum_ir\Big(\frac{\tau_i}\sigma\Big), \quad
              \frac{\tau_i^2}{\sigma^2} = \Big(\sqrt{\frac{\mu_i}\nu} - 1\Big)_+, \quad
              \sum_{\mu_i > 0}\frac{\tau_i^2}{\mu_i} = B^2

    for :math:`y_i = f(x_i) + \epsilon_i` with independent normal noise of variance
    :math:`\sigma^2`, mu the eigenvalues of the exact kernel on the rows. With :math:`t^2/(1+t^2)`
    for r(t) the sum is Pinsker's, the risk of the best linear learner; here :math:`r(t) =
    \max\big(\frac45\,\frac{t^2}{1+t^2},\ t^2(1-t^2-t^4),\ \frac{t^2}{t^2+\pi^2}\big)` , so that the
    bound is at least 4/5 of it. Term: "minimax", a mean over the noise. Proof:
    :doc:`/theorems/features-lower`; arguments: :mod:`mehler.bounds.lower`. After M. S. Pinsker
    (1980) and D. L. Donoho, R. C. Liu, B. MacGibbon (1990). A lower bound for a normal law of the
    noise is one for all laws of at most this variance.

    Parameters
    ----------
    norm : float
        B, the norm of the target in the kernel's space.
    noise : float
        sigma, the standard deviation of the targets; without noise nothing is claimed.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import lower, ridge
    >>> target = {"norm": 1.0, "noise": 0.5, "eigenvalues": 500 * 0.5 ** np.arange(1, 501)}
    >>> above = ridge.excess_risk(10**9, ridge=ridge.best_ridge(**target), sup=1.0, **target)
    >>> round(lower.fixed_design_error(**target).value, 5), round(above.value, 5)
    (0.0029, 0.00469)
    """
    length, sigma = positives(norm=norm), not_negatives(noise=noise)
    mu = eigenvalues_of(gram, eigenvalues)
    squares(norm=length)

    def sums(norm: float, noise: float) -> float:
        ratio = min(norm / noise * math.sqrt(mu[0]), _MOST) if noise > 0 else 0.0
        # One direction alone, too: with little signal the box is lost in rounding.
        boxes = (_box(mu / mu[0], ratio), np.array([ratio * ratio]))
        return max(math.fsum(_normal_mean(box)) for box in boxes)

    value = squares(noise=sigma) / mu.size * np.vectorize(sums, otypes=[float])(length, sigma)
    text = "noise is normal and independent, and the target the worst of its norm"
    return LowerBound(terms=(Term("minimax", value),), assumptions=(Assumption(text),))


def distance_from(middle: float, q: float) -> float:
    """Return E|M - middle|, by parts: the integrals of both tails of the distribution."""
    from scipy import integrate
    from scipy.special import log_ndtr

    # Beyond 12 below and 40 above nothing is left.
    ends, options = (middle - 12, middle, middle + 40), _QUADRATURE
    left = integrate.quad(lambda t: math.exp(q * log_ndtr(t)), *ends[:2], **options)[0]
    right = integrate.quad(lambda t: -math.expm1(q * log_ndtr(t)), *ends[1:], **options)[0]
    return float(left + right)


@functools.lru_cache(maxsize=4096)
def _amplitude(k: int, q: int) -> float:
    """Return a_k for C = 1 and k of 2 and more, by both halves of the law of Z together."""
    from scipy import integrate
    from scipy.special import log_ndtr, ndtri_exp

    turn = math.sqrt(2 * (k - 1))

    def density(z: float) -> float:
        between = ndtri_exp(log_ndtr(z) / q) - ndtri_exp(log_ndtr(-z) / q)
        return float(between * math.erf(z / turn) * math.exp(-z * z / 2))

    total = sum(integrate.quad(density, *ends, **_QUADRATURE)[0] for ends in ((0, 1), (1, 12)))
    return float(total) / math.sqrt(2 * math.pi)


def _one_row(n: int) -> float:
    """Return the largest 4 epsilon P(Bin(N, 1/2 + epsilon) < N/2)."""
    from scipy import stats

    biases = np.minimum(np.linspace(0.05, 3, 296) / (2 * math.sqrt(n)), 0.5)
    law = stats.binom(n, 0.5 + biases)
    tie = law.pmf(n / 2) / 2 if n % 2 == 0 else 0.0
    return 4 * float(np.max(biases * (law.cdf(math.ceil(n / 2) - 1) + tie)))


@functools.lru_cache(maxsize=4096)
def _many_rows(n_samples: int, k: int) -> float:
    """Return the same in the mean over n; numbers n far from their mean are left out."""
    from scipy import stats

    law = stats.binom(n_samples, 1 / k)
    numbers = np.arange(min(n_samples, int(law.mean() + 10 * law.std()) + 20) + 1)
    return 4 * float(np.max(_BIASES * (law.pmf(numbers) @ _wrong()[numbers])))


@functools.cache
def _wrong() -> Any:
    """Return how often the majority of n is wrong, for each n and bias.

    A sample after an even number 2 j breaks a tie, and of the two that are there without it
    2 epsilon times the chance of j + 1 and j among 2 j + 1 is gained; one after an odd number only
    makes ties.
    """
    j = np.arange(_MOST_SAMPLES, dtype=float)[:, None]
    # epsilon C(2 j, j) (p(1 - p))^j, from one j to the next.
    ratio = (0.25 - _BIASES**2) * 2 * (2 * j[:-1] + 1) / (j[:-1] + 1)
    gained = _BIASES * np.cumprod(np.vstack([np.ones_like(_BIASES)[None], ratio]), axis=0)
    odd = 0.5 - np.cumsum(gained, axis=0)
    table = np.empty((2 * _MOST_SAMPLES, _BIASES.size))
    table[0], table[1::2], table[2::2] = 0.5, odd, odd[:-1]
    return np.maximum(table, 0.0)


def _box(mu: Floats, size: float) -> Any:
    """Return the squared half edges of Pinsker's box in the ellipsoid of this size, noise 1.

    Of eigenvalues that are lost in rounding none is used.
    """
    mu = mu[mu > _LEAST]
    # With j edges: sum over i <= j of (sqrt(1/(mu_i nu)) - 1/mu_i) = size^2.
    root = (size * size + np.cumsum(1 / mu)) / np.cumsum(1 / np.sqrt(mu))
    edges = root * np.sqrt(mu) - 1
    used = int(np.flatnonzero(edges > 0)[-1]) + 1 if np.any(edges > 0) else 1
    squares = np.maximum(root[used - 1] * np.sqrt(mu[:used]) - 1, 0.0)
    # Rounding of the sums must not leave the ellipsoid.
    spent = math.fsum(squares / mu[:used])
    return squares * min(1.0, size * size / spent) if spent > 0 else squares


def _normal_mean(squares: Floats) -> Any:
    """Return less than the minimax risk of a normal mean, noise 1, with these squared bounds."""
    few = squares * (1 - squares - squares**2)
    linear = 0.8 * squares / (1 + squares)
    return np.maximum(np.maximum(linear, few), squares / (squares + math.pi**2))
