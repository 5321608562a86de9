"""Lower bounds of the spectral error by a rare draw, whose features weigh too much."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from mehler._validate import require_not_negative, require_positive, require_real
from mehler.bounds._bound import require_count, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.bounds.spectral._known import blocks

_QUANTITY = "spectral error of the Gram matrix"
# Frequencies in standard deviations: the largest, and how many to one.
_FARTHEST, _STEPS = 9.0, 400
# Lags at which the kernel is below e^(-70) are left out.
_LONGEST = math.sqrt(140)


@elementwise
def gram_rare(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    own: float,
    mean: float,
    chance: float,
    block: int = 1,
) -> LowerBound:
    r"""Bound the spectral error of m features from below, by one draw that the kernel hardly has.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{s/M - c}{c + \lambda}\Big) \ge 1 - (1-p)^M

    if a block of features with the Gram matrix G has with probability p a direction v, |v| = 1,
    with :math:`v^*Gv \ge s` and :math:`v^*Kv \le c`. The mean of M blocks has s/M of it alone.

    Parameters
    ----------
    n_features : int or array
        Columns m.
    ridge : float
        lambda, in units of K.
    delta : float or array
        The error is at least the bound with probability at least delta.
    own : float
        s; for pairs of cosine and sine and the direction of the frequency itself half the rows.
    mean : float
        c.
    chance : float
        p, of one block.
    block : int
        Columns that share a draw: 2 for pairs of cosine and sine. M = m/block.

    Returns
    -------
    LowerBound
        The single term "rare"; 0 where a rare draw is seen with less than delta.

    See Also
    --------
    gram_grid : Gaussian frequencies on equally spaced rows.
    gram_direction : By a direction that is known before the draw.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`, after H. Avron and others (2017).

    Examples
    --------
    A row whose feature is 30, once in 900 draws, else 0:

    >>> from mehler.bounds import lower
    >>> known = {"own": 900.0, "mean": 1.0, "chance": 1 / 900}
    >>> round(lower.gram_rare(100, ridge=0.5, delta=0.1, **known).value, 3)
    5.333
    """
    require_positive("ridge", ridge)
    require_probability(delta=delta)
    size, least = require_positive("own", own), require_not_negative("mean", mean)
    share = require_real("chance", chance)
    if not 0 < share <= 1:
        raise ValueError(f"chance={chance!r} must be above 0 and at most 1")
    m = blocks(n_features, block)
    value = max(0.0, (size / m - least) / (least + ridge)) if share >= _needed(m, delta) else 0.0
    text = "blocks of features are independent"
    return below("rare", value, r"(s/M - c)/(c + \lambda)", _QUANTITY, delta, text)


@elementwise
def gram_grid(
    n_features: int,
    *,
    n_samples: int,
    spacing: float,
    gamma: float,
    ridge: float,
    delta: float,
) -> LowerBound:
    r"""Bound the spectral error of plain Fourier features on equally spaced rows from below.

    .. math:: P\Big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| \ge
              \frac{n/m - c}{c + \lambda}\Big) \ge \delta, \qquad
              c = \max_{w_0 \le w \le w_1}\sum_{|j| < n}\Big(1 - \frac{|j|}n\Big)
              e^{-\gamma h^2j^2}\cos(hjw)

    for n rows at distances h on a line, the kernel :math:`e^{-\gamma z^2}`, pairs of cosine and
    sine, and the largest :math:`w_0` with
    :math:`P(w_0 \le |w| \le w_1) \ge 1-(1-\delta)^{2/m}`: the bound of :func:`gram_rare` for
    frequencies in that tail. On long grids of rows about n/lambda columns are needed for an error
    of a half.

    Parameters
    ----------
    n_features : int or array
        Columns m, two of each frequency.
    n_samples : int or array
        n rows.
    spacing : float
        h.
    gamma : float
        Of the kernel; frequencies are normal with the variance 2 gamma.
    ridge : float
        lambda, in units of K, so n times the penalty of mean squared errors.
    delta : float or array
        The error is at least the bound with probability at least delta.

    Returns
    -------
    LowerBound
        The single term "rare".

    See Also
    --------
    gram_rare : For other draws.
    mehler.bounds.spectral.gram_error : The upper bound.

    Notes
    -----
    Between frequencies of a grid the sum is bounded by its second derivative. Cost: 3600
    frequencies times min(n, 12/(h sqrt(2 gamma))) lags.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`, after H. Avron and others (2017).

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> grid = {"n_samples": 1000, "spacing": 0.1, "gamma": 0.5, "ridge": 10.0, "delta": 0.5}
    >>> round(lower.gram_grid(100, **grid).value, 2)
    0.78
    """
    (n_samples,) = require_count(n_samples=n_samples)
    require_positive("spacing", spacing)
    require_positive("gamma", gamma)
    require_positive("ridge", ridge)
    require_probability(delta=delta)
    m = blocks(n_features, 2)
    step = float(spacing) * math.sqrt(2 * gamma)
    if not 1e-4 <= step:
        raise ValueError(f"spacing={spacing!r} is below 1e-4 of the kernel's width, too many lags")
    starts, most, chances = _tails(n_samples, step)
    enough = chances >= _needed(m, delta)
    value = 0.0
    if starts.size and enough.any():
        least = float(most[enough][-1])
        value = max(0.0, (n_samples / (2 * m) - least) / (least + ridge))
    texts = ("frequencies are independent", "rows are equally spaced")
    return below("rare", value, r"(n/m - c)/(c + \lambda)", _QUANTITY, delta, *texts)


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
