"""Lower bounds of the spectral error of the Gram matrix: by rank, a direction, a rare draw."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mehler._validate import require_positive
from mehler.bounds._bound import LowerBound
from mehler.bounds._function import Formula, bound
from mehler.bounds._spectra import blocks, with_eigenvalues
from mehler.bounds.lower._kernel import one_pair

_STATEMENT, _QUANTITY = "features.lower", "spectral error of the Gram matrix"
# Frequencies in standard deviations: the largest, and how many to one.
_FARTHEST, _STEPS = 9.0, 400
# Lags at which the kernel is below e^(-70) are left out.
_LONGEST = math.sqrt(140)


@bound(_STATEMENT, _QUANTITY, falls_in=("n_features",), kind=LowerBound, prepare=with_eigenvalues)
def gram_error(
    n_features: int, *, ridge: float, gram: ArrayLike | None = None, eigenvalues: Any = None
) -> Formula:
    r"""Bound the spectral error of m features from below, for every map and every draw.

    .. math:: \|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\mu_{m+1}}{\mu_{m+1} + \lambda}

    since m features have a Gram matrix of rank m, and :math:`\mu_i = 0` for i > n. So d(lambda)
    features are not too many.

    Term: "rank"; 0 for m of n and more.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]).value
    0.5
    """
    mu = float(eigenvalues[n_features]) if n_features < eigenvalues.size else 0.0
    return Formula({"rank": (mu / (mu + ridge), r"\frac{\mu_{m+1}}{\mu_{m+1} + \lambda}")})


@bound(
    _STATEMENT,
    _QUANTITY,
    assumes=("blocks of features are independent, with the mean K",),
    kind=LowerBound,
    domains={"variance": require_positive},
)
def gram_error_direction(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    mean: float,
    variance: float,
    third: float,
    block: int = 1,
) -> Formula:
    r"""Bound the spectral error of m features from below, by one direction of the rows.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{\sigma z}{(\bar X + \lambda)\sqrt M}\Big) \ge \delta, \qquad
              \bar X = v^\top Kv, \quad |v| = 1,

    with :math:`\sigma z/\sqrt M` the bound of :func:`one_pair` for the mean of M independent
    :math:`X = v^\top Gv`, G the Gram matrix of one block. It has the rate :math:`M^{-1/2}` for any
    number of features, where :func:`gram_error` is 0.

    Term: "direction", 0 if nothing is proved.

    Parameters
    ----------
    mean, variance : float
        Of X; the mean is :math:`v^\top Kv`.
    third : float
        An upper bound of E|X - E X|^3/sigma^3; b/sigma for X in an interval of length b.

    Notes
    -----
    Of pairs of cosine and sine :math:`X = |\sum_iv_ie^{i\langle w, x_i\rangle}|^2` has the second
    moment :math:`\sum_{ijkl}v_iv_jv_kv_l\,k(x_i - x_j + x_k - x_l)`, and b is
    :math:`(\sum|v_i|)^2`.

    Examples
    --------
    A linear map of one row of length 1: X is the square of a normal variable.

    >>> from mehler.bounds import lower
    >>> square = {"mean": 1.0, "variance": 2.0, "third": 3.1}
    >>> round(lower.gram_error_direction(10_000, ridge=0.5, delta=0.05, **square).value, 4)
    0.0165
    """
    of_mean = one_pair(blocks(n_features, block), delta=delta, variance=variance, third=third)
    formula = r"\frac{\sigma z}{(\bar X + \lambda)\sqrt M}"
    return Formula({"direction": (of_mean.value / (mean + ridge), formula)}, delta)


@bound(_STATEMENT, _QUANTITY, assumes=("blocks of features are independent",), kind=LowerBound)
def gram_error_rare(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    own: float,
    mean: float,
    chance: float,
    block: int = 1,
) -> Formula:
    r"""Bound the spectral error of m features from below, by one draw that the kernel hardly has.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{s/M - c}{c + \lambda}\Big) \ge 1 - (1-p)^M

    if a block of features with the Gram matrix G has with probability p a direction v, |v| = 1,
    with :math:`v^*Gv \ge s` and :math:`v^*Kv \le c`. The mean of M blocks has s/M of it alone.

    Term: "rare"; 0 where :math:`1 - (1-p)^M` is below delta.

    Parameters
    ----------
    own : float
        s; for pairs of cosine and sine and the direction of the frequency itself half the rows.
    mean : float
        c.
    chance : float
        p, of one block.

    References
    ----------
    After H. Avron and others (2017).

    Examples
    --------
    A row whose feature is 30, once in 900 draws, else 0:

    >>> from mehler.bounds import lower
    >>> row = {"own": 900.0, "mean": 1.0, "chance": 1 / 900}
    >>> round(lower.gram_error_rare(100, ridge=0.5, delta=0.1, **row).value, 3)
    5.333
    """
    m = blocks(n_features, block)
    if chance < _needed(m, delta):
        return Formula({"rare": (0.0, "0")}, delta)
    value = max(0.0, (own / m - mean) / (mean + ridge))
    return Formula({"rare": (value, r"\max(0, \frac{s/M - c}{c + \lambda})")}, delta)


@bound(
    _STATEMENT,
    _QUANTITY,
    assumes=("frequencies are independent", "rows are equally spaced"),
    kind=LowerBound,
)
def gram_error_grid(
    n_features: int, *, n_rows: int, spacing: float, gamma: float, ridge: float, delta: float
) -> Formula:
    r"""Bound the spectral error of plain Fourier features on equally spaced rows from below.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{N/m - c}{c + \lambda}\Big) \ge \delta, \qquad
              c = \max_{w_0 \le w \le w_1}\sum_{|j| < N}\Big(1 - \frac{|j|}N\Big)
              e^{-\gamma h^2j^2}\cos(hjw)

    for N rows at distances h on a line, the kernel :math:`e^{-\gamma z^2}`, pairs of cosine and
    sine, and the largest :math:`w_0` with
    :math:`P(w_0 \le |w| \le w_1) \ge 1-(1-\delta)^{2/m}`: the bound of :func:`gram_error_rare` for
    frequencies in that tail. On long grids of rows about N/lambda columns are needed for an error
    of a half.

    Term: "rare".

    Parameters
    ----------
    n_features : int or array
        Columns come in pairs, two of each frequency.
    spacing : float
        h.
    gamma : float
        Of the kernel; frequencies are normal with the variance 2 gamma.

    Notes
    -----
    Between frequencies of a grid the sum is bounded by its second derivative. Cost: 3600
    frequencies times min(N, 12/(h sqrt(2 gamma))) lags.

    References
    ----------
    After H. Avron and others (2017).

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> grid = {"n_rows": 1000, "spacing": 0.1, "gamma": 0.5, "ridge": 10.0, "delta": 0.5}
    >>> round(lower.gram_error_grid(100, **grid).value, 2)
    0.78
    """
    m = blocks(n_features, 2)
    step = spacing * math.sqrt(2 * gamma)
    if not 1e-4 <= step:
        raise ValueError(f"spacing={spacing!r} is below 1e-4 of the kernel's width, too many lags")
    starts, most, chances = _tails(n_rows, step)
    enough = chances >= _needed(m, delta)
    if not (starts.size and enough.any()):
        return Formula({"rare": (0.0, "0")}, delta)
    least = float(most[enough][-1])
    value = max(0.0, (n_rows / (2 * m) - least) / (least + ridge))
    return Formula({"rare": (value, r"\max(0, \frac{N/m - c}{c + \lambda})")}, delta)


def _needed(m: int, delta: float) -> float:
    """Return the chance of one draw at which one of m is seen with probability delta."""
    return -math.expm1(math.log1p(-delta) / m) * (1 - 1e-12)


@functools.lru_cache(maxsize=64)
def _tails(n: int, step: float) -> tuple[Any, Any, Any]:
    """Return starts w_0 of tails, c on each, and its chance, in units of the deviation of w.

    c has the period 2 pi/h in w, so that tails end at half of it.
    """
    from scipy.special import ndtr

    end = min(_FARTHEST, math.pi / step)
    w = np.linspace(0.0, end, max(2, math.ceil(end * _STEPS)) + 1)
    lags = np.arange(1, min(n - 1, int(_LONGEST / step)) + 1)
    weights = 2 * (1 - lags / n) * np.exp(-((step * lags) ** 2) / 2)
    sums = np.ones(w.size)
    for part in np.array_split(np.arange(w.size), max(1, w.size * lags.size // 10**6)):
        sums[part] += np.cos(np.outer(w[part], step * lags)) @ weights
    # On a cell a function is at most its ends, and an eighth of f'' times the square of the cell.
    bend = float(weights @ (step * lags) ** 2) * (w[1] - w[0]) ** 2 / 8
    most = np.maximum.accumulate(sums[::-1])[::-1] + bend
    chances = 2 * (ndtr(-w) - ndtr(-end))
    return w[:-1], most[:-1], chances[:-1]
