"""The lower bound of the risk: any learner, targets of every sign at orthonormal rows."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler import exact
from mehler._validate import require_flag, require_integer
from mehler.bounds._bound import require_count, require_positive
from mehler.bounds._elementwise import elementwise
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.bounds.lower._rates import distance_from
from mehler.exact import require_pool

# Biases of the targets that are tried; with a half they are not random.
_AWAY = np.append(0.5 * 1.03 ** -np.arange(1, 140.0)[::-1], 0.5)
# Numbers of rows that are tried, and the most samples of one in the mean.
_PARTS = np.exp2(-np.arange(41) / 4)
_MOST_SAMPLES = 2000
_MOST_ROWS = 10**18


@elementwise
def risk(
    n_samples: int,
    *,
    pool_size: int,
    scale: float,
    lipschitz: float,
    centred: bool = False,
    dimension: int | None = None,
) -> LowerBound:
    r"""Bound from below the mean excess risk of any learner, after N samples.

    .. math:: \inf_{\hat f}\sup E[\mathcal E(\hat f) - \inf_F\mathcal E] \ge
              \max_{k, \epsilon} 4\epsilon\,L\,a_k\;E\,P\Big(\mathrm{Bin}(n, \tfrac12 + \epsilon)
              < \tfrac n2\Big), \qquad n \sim \mathrm{Bin}\big(N, \tfrac1k\big)

    with ties counted by half, by Assouad's lemma: k orthonormal rows, equally likely, at which the
    class has :math:`\pm a_k` with all signs,

    .. math:: a_k = C\,E\,M_Z\Big(2\Phi\big(\tfrac Z{\sqrt{k-1}}\big) - 1\Big), \qquad
              M_Z = F_M^{-1}(\Phi(Z)), \quad a_1 = C\,E|M|

    (centred: E|M - E M|), about :math:`C\sqrt{2V/(\pi k)}`. One row has two laws, and about
    0.34 L C E|M|/sqrt(N); 2 N rows, half of which are seen, about 0.34 L C sqrt(V/N).

    Parameters
    ----------
    n_samples : int or array
        N.
    pool_size : int or array
        q; M is the largest of q standard normals, of variance V.
    scale : float
        C, of the class of Theorem 2.
    lipschitz : float
        L, of the loss.
    centred : bool
        The class of centred units.
    dimension : int, optional
        The most orthonormal rows there are; by default any number, as Theorem 2 knows none.

    Returns
    -------
    LowerBound
        The single term "statistical".

    See Also
    --------
    mehler.bounds.maxout.excess_risk : The upper bound.

    Notes
    -----
    Numbers of rows and biases are those of a grid: any of them proves the bound.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`, after L. Le Cam and P. Assouad.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> known = {"pool_size": 1, "scale": 1.0, "lipschitz": 1.0}
    >>> for dimension in (1, 5000, None):
    ...     print(round(lower.risk(10_000, dimension=dimension, **known).value, 5))
    0.00271
    0.00284
    0.00342
    """
    (n_samples,) = require_count(n_samples=n_samples)
    require_positive(scale=scale, lipschitz=lipschitz)
    q = require_pool(pool_size)
    most = 8 * n_samples if dimension is None else require_integer("dimension", dimension)
    found = [_one_row(n_samples) * _one(q, require_flag("centred", centred))]
    most = min(most, 8 * n_samples, _MOST_ROWS)
    found += [
        _many_rows(n_samples, k) * _amplitude(k, q)
        for k in np.unique(np.floor(most * _PARTS)).astype(int).tolist()
        if k > 1 and n_samples <= _MOST_SAMPLES * k
    ]
    value = scale * lipschitz * max(found)
    quantity = "mean excess risk of any learner"
    formula = r"4\epsilon La_k\,E\,P(Bin < n/2)"
    text = "the worst of two laws for each row, and a loss"
    return below("statistical", value, formula, quantity, 1.0, text)


def _one(q: int, centred: bool) -> float:
    return distance_from(float(exact.max_moment(1, q)) if centred else 0.0, q)


@functools.lru_cache(maxsize=4096)
def _amplitude(k: int, q: int) -> float:
    """Return a_k for C = 1 and k of 2 and more, by both halves of the law of Z together."""
    from scipy import integrate
    from scipy.special import log_ndtr, ndtri_exp

    turn = math.sqrt(2 * (k - 1))

    def density(z: float) -> float:
        between = ndtri_exp(log_ndtr(z) / q) - ndtri_exp(log_ndtr(-z) / q)
        return float(between * math.erf(z / turn) * math.exp(-z * z / 2))

    known: dict[str, Any] = {"epsabs": 0.0, "epsrel": 1e-11, "limit": 200}
    total = sum(integrate.quad(density, *ends, **known)[0] for ends in ((0, 1), (1, 12)))
    return float(total) / math.sqrt(2 * math.pi)


def _one_row(n: int) -> float:
    """Return the largest 4 epsilon P(Bin(N, 1/2 + epsilon) < N/2)."""
    from scipy import stats

    away = np.minimum(np.linspace(0.05, 3, 296) / (2 * math.sqrt(n)), 0.5)
    law = stats.binom(n, 0.5 + away)
    tie = law.pmf(n / 2) / 2 if n % 2 == 0 else 0.0
    return 4 * float(np.max(away * (law.cdf(math.ceil(n / 2) - 1) + tie)))


@functools.lru_cache(maxsize=4096)
def _many_rows(n_samples: int, k: int) -> float:
    """Return the same in the mean over n; numbers n far from their mean are left out."""
    from scipy import stats

    law = stats.binom(n_samples, 1 / k)
    count = np.arange(min(n_samples, int(law.mean() + 10 * law.std()) + 20) + 1)
    return 4 * float(np.max(_AWAY * (law.pmf(count) @ _wrong()[count])))


@functools.cache
def _wrong() -> Any:
    """Return how often the majority of n is wrong, for each n and bias.

    A sample after an even number 2 j breaks a tie, and of the two that are there without it
    2 epsilon times the chance of j + 1 and j among 2 j + 1 is gained; one after an odd number only
    makes ties.
    """
    j = np.arange(_MOST_SAMPLES, dtype=float)[:, None]
    # epsilon C(2 j, j) (p(1 - p))^j, from one j to the next.
    ratio = (0.25 - _AWAY**2) * 2 * (2 * j[:-1] + 1) / (j[:-1] + 1)
    gained = _AWAY * np.cumprod(np.vstack([np.ones_like(_AWAY)[None], ratio]), axis=0)
    odd = 0.5 - np.cumsum(gained, axis=0)
    table = np.empty((2 * _MOST_SAMPLES, _AWAY.size))
    table[0], table[1::2], table[2::2] = 0.5, odd, odd[:-1]
    return np.maximum(table, 0.0)
