"""Sample sizes and detectable effects, computed before the data."""

from __future__ import annotations

import math

from mehler._validate import require_integer, require_positive, require_probability

# Beyond this floats skip integers, and nobody draws that many.
_MOST = 2**52


def detectable_effect(n: int, variance: float, false_alarm: float, miss: float = 1e-6) -> float:
    r"""Return the least deviation that n products of known variance refute reliably.

    A claim at distance delta from the truth is refuted by `intervals.known_variance` with
    probability at least 1 - beta, beta = `miss`, for every

    .. math:: \delta \ge \frac{1 - \sqrt{2c - 1 - a^2 V}}{a}, \qquad
              c = e^{-a^2V/2 - (\log(2/\alpha) + \log(1/\beta))/n}

    Parameters
    ----------
    n : int
        Number of independent products.
    variance : float
        V, an upper bound on the variance of one product, of the correct and the deviating map.
    false_alarm, miss : float
        alpha and beta.

    Returns
    -------
    float
        In the units of the products; infinite where n is too small for any guarantee.

    See Also
    --------
    features_needed : The inverse: the sample size for a resolution.
    intervals.known_variance : The interval whose power this is.

    Notes
    -----
    Not asymptotic: 1 + a(mu - theta) + a^2 (V + (mu - theta)^2)/2 bounds E exp(psi(a(X - theta)))
    for any law of variance at most V; its n-th power and Markov's inequality give the line above.
    About (sqrt(2 L) + (L + log(1/beta)) / sqrt(2 L)) sqrt(V/n) with L = log(2/alpha): 11.9
    standard errors at the defaults, where two normal quantiles would give 10.9.

    Examples
    --------
    >>> round(detectable_effect(100_000, 1.0, 1e-9), 4)
    0.0377
    """
    n = require_integer("n", n)
    variance = require_positive("variance", variance)
    cost = math.log(2.0 / require_probability("false_alarm", false_alarm))
    reach = _reach(n, cost, -math.log(require_probability("miss", miss)))
    return reach * math.sqrt(n * variance / (2.0 * cost))


def features_needed(
    variance: float, resolution: float, false_alarm: float = 1e-9, miss: float = 1e-6
) -> int:
    """Return the number of products that settle a claim at a resolution, before any is drawn.

    The least n at which, with probability at least 1 - miss each, a deviation of `resolution` is
    refuted, and the interval of a correct map has full width at most `resolution`.

    Parameters
    ----------
    variance : float
        V, an upper bound on the variance of one product.
    resolution : float
        Absolute, in the units of the products.
    false_alarm, miss : float
        Error rates alpha and beta. alpha is per pair: divide it by the number of pairs.

    Returns
    -------
    int
        Number of independent products per pair.

    See Also
    --------
    detectable_effect : The inverse: the effect that n products detect.
    check_kernel : Plans its draws by this when a variance is given.

    Notes
    -----
    About 8 log(2/alpha) V / resolution^2, and never below a few hundred. The width: on the event
    that both ends lie within D of the mean, the slope of the score is at least
    n - sum min(1, a^2 (abs(X_i - mu) + D)^2 / 2), and Bernstein's inequality bounds the sum.

    Examples
    --------
    The variance of a pair of Fourier features, cos and sin at one frequency, of a Gaussian
    kernel at k = 0.956 is (1 - k^2)^2 / 2; by Hoeffding's inequality it would take 428,000:

    >>> features_needed((1 - 0.956**2) ** 2 / 2, 0.02, false_alarm=1e-9, miss=1e-9) < 2000
    True
    """
    variance = require_positive("variance", variance)
    resolution = require_positive("resolution", resolution)
    false_alarm = require_probability("false_alarm", false_alarm)
    miss = require_probability("miss", miss)

    def settles(n: int) -> bool:
        return (
            detectable_effect(n, variance, false_alarm, miss) <= resolution
            and _width(n, variance, false_alarm, miss) <= resolution
        )

    high = 1
    while not settles(high):
        high *= 2
        if high > _MOST:
            raise ValueError(
                f"resolution={resolution:.3g} needs more than 2^52 products of variance "
                f"{variance:.3g}; ask for a coarser one"
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settles(middle) else (middle, high)
    return high


def _reach(n: int, cost: float, extra: float) -> float:
    """Return a * delta: how far the crossing of level B can lie from the mean, in units of 1/a."""
    spread = 2.0 * cost / n  # a^2 V
    # 1 - (2c - 1 - a^2 V), without cancellation at large n.
    gap = spread - 2.0 * math.expm1(-(0.5 * spread + (cost + extra) / n))
    return gap / (1.0 + math.sqrt(1.0 - gap)) if gap <= 1.0 else math.inf


def _width(n: int, variance: float, false_alarm: float, miss: float) -> float:
    """Return a width that the interval of a correct map exceeds with probability at most `miss`."""
    cost = math.log(2.0 / false_alarm)
    ends = _reach(n, cost, math.log(4.0 / miss))
    if math.isinf(ends):
        return math.inf
    spread = 2.0 * cost / n
    bend = 0.5 * n * (math.sqrt(spread) + ends) ** 2
    tail = math.log(2.0 / miss)
    slope = n - bend - tail / 3.0 - math.sqrt(tail * tail / 9.0 + 2.0 * bend * tail)
    if slope <= 0.0:
        return math.inf
    return 4.0 * cost / slope * math.sqrt(variance / spread)
