r"""Catoni's interval for the mean of samples of known variance, and how many samples it needs.

The interval has the theta at which the score S(theta) = sum_i psi(a (X_i - theta)) is small. Here
psi(u) = sign(u) log(1 + \|u\| + u^2/2) damps large samples: it lies between -log(1 - u + u^2/2) and
log(1 + u + u^2/2), so S has exponential moments at the mean if the samples X_i have a variance.
Samples of many means are not kept, but their power sums, which bound S by polynomials in theta, as
\|psi(u) - u + u^3/6\| <= u^4/8: with D = 1 + u + u^2/2 and u >= 0, psi'(u) - 1 + u^2/2 =
(u^2/2)(u + u^2/2)/D lies in [0, u^3/2]. Where both polynomials decide, they decide as S does.
"""

from __future__ import annotations

import bisect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_integer, require_positive, require_probability
from mehler.verify._arguments import sample_vector
from mehler.verify._measurement import Measurement, Task, of_samples
from mehler.verify._sources import BLOCK, CentralSums, power_sums
from mehler.verify._verdict import Statistics

KNOWN_VARIANCE = "known variance (Catoni)"

_MOST = 2**52  # largest number of samples: above it, floats skip integers


def detectable_effect(n: int, variance: float, false_alarm: float, miss: float = 1e-6) -> float:
    r"""Return the smallest deviation that n products of known variance reliably refute.

    `intervals.known_variance`, with its a, excludes a claim theta with probability at least
    1 - beta at a distance from the mean mu of

    .. math:: \delta \ge \frac{1 - \sqrt{2c - 1 - a^2 V}}{a}, \qquad
              c = e^{-a^2V/2 - (\log(2/\alpha) + \log(1/\beta))/n}

    as 1 + a(mu - theta) + a^2 (V + (mu - theta)^2)/2 bounds E exp(psi(a(X - theta))).

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
        In the units of the products, about (sqrt(2 L) + (L + log(1/beta)) / sqrt(2 L)) sqrt(V/n)
        with L = log(2/alpha), not asymptotic; infinite where n is too small.

    Examples
    --------
    >>> round(detectable_effect(100_000, 1.0, 1e-9), 4)
    0.0377
    """
    n = require_integer("n", n)
    variance = require_positive("variance", variance)
    false_alarm = require_probability("false_alarm", false_alarm)
    return _effect(n, variance, false_alarm, require_probability("miss", miss))


def _effect(n: int, variance: float, false_alarm: float, miss: float) -> float:
    cost = math.log(2.0 / false_alarm)
    return _reach(n, cost, -math.log(miss)) * math.sqrt(n * variance / (2.0 * cost))


def features_needed(
    variance: float, resolution: float, false_alarm: float = 1e-9, miss: float = 1e-6
) -> int:
    """Return the smallest number of products that decides a claim, before any is drawn.

    With probability at least 1 - miss each, a deviation of `resolution` is refuted, and the
    interval of a correct map is at most `resolution` wide.

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
        Independent products per pair: about 8 log(2/alpha) V / resolution^2, some hundred at least.

    Examples
    --------
    Fourier features, cos and sin, of a Gaussian kernel at k = 0.956:

    >>> features_needed((1 - 0.956**2) ** 2 / 2, 0.02, false_alarm=1e-9, miss=1e-9) < 2000
    True
    """
    variance = require_positive("variance", variance)
    resolution = require_positive("resolution", resolution)
    false_alarm = require_probability("false_alarm", false_alarm)
    miss = require_probability("miss", miss)

    def settles(n: int) -> bool:
        terms = n, variance, false_alarm, miss
        return _width(*terms) <= resolution and _effect(*terms) <= resolution

    if not settles(_MOST):
        text = f"resolution={resolution:.3g} needs more than 2^52 products of variance"
        raise ValueError(f"{text} {variance:.3g}; ask for a coarser one")
    return 1 + bisect.bisect_left(range(1, _MOST), True, key=settles)


def _reach(n: int, cost: float, extra: float) -> float:
    """Return a * delta, delta the `detectable_effect` at log(2/alpha) and log(1/beta)."""
    spread = 2.0 * cost / n  # a^2 V
    # 1 - (2c - 1 - a^2 V), without cancellation at large n.
    gap = spread - 2.0 * math.expm1(-(0.5 * spread + (cost + extra) / n))
    return gap / (1.0 + math.sqrt(1.0 - gap)) if gap <= 1.0 else math.inf


def _width(n: int, variance: float, false_alarm: float, miss: float) -> float:
    """Return a width that the interval of a correct map exceeds with probability at most `miss`."""
    # Where both ends lie within D of the mean, the slope of the score is at least
    # n - sum min(1, a^2 (abs(X_i - mu) + D)^2 / 2), and Bernstein's inequality bounds the sum.
    cost = math.log(2.0 / false_alarm)
    ends = _reach(n, cost, math.log(4.0 / miss))
    if math.isinf(ends):
        return math.inf
    spread = 2.0 * cost / n
    bend = 0.5 * n * (math.sqrt(spread) + ends) ** 2
    tail = math.log(2.0 / miss)
    slope = n - bend - tail / 3.0 - math.sqrt(tail * tail / 9.0 + 2.0 * bend * tail)
    return 4.0 * cost / slope * math.sqrt(variance / spread) if slope > 0.0 else math.inf


def psi(u: float | NDArray[np.float64]) -> Any:
    size = np.abs(u)
    return np.copysign(np.log1p(size * (1.0 + 0.5 * size)), u)


def crossing(samples: Array, a: float, threshold: float) -> float:
    """Return the unique theta with S(theta) = threshold, to 1e-13/a; the score S decreases."""
    from scipy.optimize import brentq

    # At v/a beyond the extremes every |psi| is at least log(1 + v) >= |threshold| / n.
    reach = math.expm1(abs(threshold) / samples.size) / a
    low, high = float(samples.min()) - reach, float(samples.max()) + reach

    def excess(theta: float) -> float:
        return float(psi(a * (samples - theta)).sum()) - threshold

    if excess(low) <= 0.0 or excess(high) >= 0.0:  # by rounding: the threshold is at this end
        return low if excess(low) <= 0.0 else high
    # psi bends on the scale 1/a; below 1e-13 of it only rounding is left.
    rounding = 4.0 * float(np.finfo(np.float64).eps)
    return float(brentq(excess, low, high, xtol=1e-13 / a, rtol=rounding, maxiter=500))


class CatoniPowerSums:
    """Bounds on the scores S(theta) of many means, from power sums (4, means) of n samples each."""

    def __init__(self, n: int, sums: NDArray[np.float64], a: NDArray[np.float64]) -> None:
        # `CentralSums` are padded by the rounding error, so that the band never shrinks.
        self.n, self.a, self._sums = n, a, CentralSums(n, sums)
        self.mean = self._sums.mean

    def score_range(self, theta: float) -> tuple[Any, Any]:
        middle, band = self._terms(self.mean - theta, 1.0)
        return middle - band, middle + band

    def interval(self, threshold: float) -> tuple[Any, Any]:
        """Return an interval with {abs(S) <= threshold}; infinite where the band is too wide."""
        return self._end(threshold, -1.0), self._end(threshold, 1.0)

    def _terms(self, d: NDArray[np.float64], sign: float) -> tuple[Any, Any]:
        """Return sum(u - u^3/6) and sum(u^4)/8 for u = a (Y + d), Y the centred samples."""
        # `sign` = -1 mirrors the samples, so that one routine serves both ends.
        a, (_, cubes, fourths) = self.a, self._sums.at(d, sign)
        return a * self.n * d - a**3 * cubes / 6.0, a**4 * fourths / 8.0

    def _end(self, threshold: float, sign: float) -> Any:
        # Solve middle(d) + band(d) = -threshold by fixed-point iteration, then verify the solution.
        lead = self.a * self.n
        d = first = -threshold / lead
        for _ in range(40):
            (middle, band), last = self._terms(d, sign), d
            d = np.clip(d - (middle + band + threshold) / lead, 4.0 * first, 0.25 * first)
            if np.allclose(d, last, rtol=1e-10, atol=0.0):
                break
        d = d * (1.0 + 1e-9)
        middle, band = self._terms(d, sign)
        return np.where(middle + band <= -threshold, self.mean - sign * d, sign * np.inf)


def catoni_tuning(n: int, variance: Any, false_alarm: float) -> tuple[Any, float]:
    """Return (a, B): theta is kept while |S(theta)| <= B, at the a that minimises the width."""
    cost = math.log(2.0 / false_alarm)
    return np.sqrt(2.0 * cost / (n * variance)), 2.0 * cost


def known_variance(samples: Array, variance: float, false_alarm: float) -> tuple[float, float]:
    r"""Return Catoni's interval for a mean, from samples of known variance.

    .. math:: \{\theta : |\sum_i \psi(a (X_i - \theta))| \le 2 \log(2/\alpha)\},
              \qquad a = \sqrt{2 \log(2/\alpha) / (n V)}

    with psi(u) = sign(u) log(1 + abs(u) + u^2/2): at the true mean
    E exp(+-sum psi(a (X_i - mu))) <= exp(n a^2 V/2), whatever the tails.

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of a common mean, n fixed in advance.
    variance : float
        An upper bound V on their variance.
    false_alarm : float
        alpha, the probability that the interval misses the mean.

    Returns
    -------
    low, high : float
        Ends of the interval, to 1e-13/a; half width sqrt(2 log(2/alpha) V/n) (1 + O(1/n)), 1.07
        times the normal quantile's at alpha = 1e-9. Cost: about 30 passes over the samples.

    Raises
    ------
    TypeError, ValueError
        If n <= 2 log(2/alpha), where the interval would be vacuous.

    References
    ----------
    O. Catoni, Challenging the empirical mean and empirical variance: a deviation study, Annales
    de l'Institut Henri Poincare B 48 (2012) 1148-1185, Section 2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).standard_t(5, size=10_000)  # variance 5/3, heavy tails
    >>> low, high = known_variance(x, 5 / 3, 1e-9)
    >>> bool(low < 0 < high), round(high - low, 3)
    (True, 0.169)
    """
    x = sample_vector(samples)
    variance = require_positive("variance", variance)
    false_alarm = require_probability("false_alarm", false_alarm)
    # In units of about a standard deviation, a power of 2, no square leaves the range of floats.
    unit = 2.0 ** math.frexp(math.sqrt(variance))[1]
    relative = variance / unit / unit
    a, threshold = catoni_tuning(x.size, relative, false_alarm)
    if x.size <= threshold:
        text = f"{x.size} samples say nothing at false_alarm={false_alarm:.3g}: more than"
        raise ValueError(f"{text} 2 log(2/false_alarm) = {threshold:.1f} are needed; draw more")
    if not float(np.abs(x).max()) <= 1e140 * unit:
        raise ValueError(f"variance={variance!r} is too small for samples of 1e+140 deviations")
    x, bound = x / unit, 0.5 * x.size * a * a * relative + 0.5 * threshold
    return crossing(x, a, bound) * unit, crossing(x, a, -bound) * unit


# Early inspections, looks, are at the last size over powers of _STEP; they share _EARLY of alpha.
_STEP, _EARLY = 1.3, 0.25


def measure_known_variance(task: Task, variance: Array) -> Measurement:
    """Return Catoni's intervals of a task's means, drawing until they decide or to a planned size.

    `variance` is n_features times the variance of <phi(x), phi(y)>, in squared units. The plan is
    by `features_needed`; early inspections at smaller sizes share a quarter of the error rate.
    """
    source, options = task.source, task.options
    rate, miss = (1.0 - _EARLY) * task.rate, options.miss / task.n
    # Any upper bound will do. The floor separates constant products from rounding at no cost.
    floor = (task.width / 20.0) ** 2
    per_sample = np.maximum(variance * (source.per_draw / source.n_features), floor)
    worst = float(per_sample.max())
    # 3 % more than needed, since the enclosure by power sums is up to that much wider.
    n_samples = math.ceil(1.03 * features_needed(worst, task.width, rate, miss))
    n_draws = task.affordable(n_samples)
    last = n_draws * source.per_draw
    early = _early(task, last)
    # `look` is the number of the early inspection that decides; 0: none does.
    sums, count, look = np.zeros((4, task.n)), 0, 0
    low = high = np.zeros(0)
    while count < n_draws and not (look or (count and task.clock.over)):
        sums, count = sums + source.sums(task.item(count, n_draws)), count + 1
        if count in early and count < n_draws:
            number, alpha = early[count]
            n = count * source.per_draw
            a, threshold = catoni_tuning(n, per_sample, alpha)
            enclosure = CatoniPowerSums(n, sums, a)
            low, high = enclosure.interval(threshold)
            if _decides(task, enclosure, low, high):
                look = number
    n = count * source.per_draw
    if not look:
        low, high = _catoni(task, n, last, sums, per_sample, rate)
    plan = dict(n=n, block=source.per_draw, look=look, planned=last, rounding=task.rounding)
    return Measurement(
        observed=source.claim + sums[0] / max(1, n),
        low=source.claim + low - task.rounding,
        high=source.claim + high + task.rounding,
        n_draws=count,
        n_intervals=task.n * (1 + len(early)),
        detectable=detectable_effect(max(1, n), worst, rate, options.miss) + task.rounding,
        need=-(-n_samples // source.per_draw),
        method=KNOWN_VARIANCE,
        assumptions=("the declared variance is not too small",),
        statistics=(Statistics("catoni", plan, {"sums": sums, "variance": per_sample}),),
    )


def _early(task: Task, last: int) -> dict[int, tuple[int, float]]:
    """Return a dict of early inspections: draw count -> (its number, its error rate per mean)."""
    sizes: dict[int, tuple[int, float]] = {}
    for k in range(1, 200):
        size, alpha = last / _STEP**k, _EARLY * task.rate / (k * (k + 1.0))
        # With fewer samples Catoni's interval or its enclosure is vacuous.
        if size < 4.0 * math.log(2.0 / alpha):
            break
        sizes.setdefault(math.ceil(size / task.source.per_draw), (k, alpha))
    return sizes


def _decides(task: Task, enclosure: CatoniPowerSums, low: Array, high: Array) -> bool:
    """Whether the check is decided: a mean is not finite, or excludes its claim by enough."""
    outside = (low > task.rounding) | (high < -task.rounding)
    off = (outside & (np.abs(enclosure.mean) >= task.floor)).any()
    return bool(off or not np.isfinite(enclosure.mean).all())


def _catoni(
    task: Task, n: int, last: int, sums: Array, per_sample: Array, rate: float
) -> tuple[Any, Any]:
    """Return intervals of all deviations from claims, exact ones where power sums do not decide."""
    # Tuned for the last inspection, Catoni's score is a supermartingale at the earlier ones too.
    source, (a, threshold) = task.source, catoni_tuning(last, per_sample, rate)
    threshold *= 0.5 * (1.0 + n / last)
    if n <= 2.0 * threshold:
        return np.full(task.n, -np.inf), np.full(task.n, np.inf)
    enclosure = CatoniPowerSums(n, sums, a)
    low, high = enclosure.interval(threshold)
    # Samples are not kept, so exact intervals would need new draws, and time is over.
    if task.clock.over or _decides(task, enclosure, low, high):
        return low, high
    least, most = enclosure.score_range(0.0)
    sure = (most <= threshold) & (least >= -threshold)
    could_be_narrow = 2.0 * threshold / (a * n) <= task.width
    again = np.flatnonzero(~sure | ((high - low > task.width) & could_be_narrow))
    # Most suspicious means first, since one refuted mean decides.
    again = again[np.argsort(-np.abs(enclosure.mean * a)[again])]
    step = max(1, BLOCK // n)
    for start in range(0, again.size, step):
        index = again[start : start + step]
        parts = [source.samples(task.draws[k], index) for k in range(n // source.per_draw)]
        gaps = np.ascontiguousarray((np.concatenate(parts) - source.claim[index]).T)
        for x, p in zip(gaps, index):
            low[p], high[p] = (crossing(x, float(a[p]), end) for end in (threshold, -threshold))
        if _decides(task, enclosure, low, high):
            break
    return low, high


def means_of_known_variance(
    x: Array, claim: Array, variance: Array, rate: float, miss: float
) -> Measurement:
    """Return intervals of means, from samples (n, means) of a number that was fixed before."""
    n, sums, (a, threshold) = len(x), power_sums(x - claim), catoni_tuning(len(x), variance, rate)
    ends = np.array([known_variance(column, float(v), rate) for column, v in zip(x.T, variance)])
    # A certificate has the ends that power sums enclose.
    low, high = (claim + end for end in CatoniPowerSums(n, sums, a).interval(threshold))
    plan = {"n": n, "block": n, "look": None, "planned": n, "rounding": 0.0}
    tests = {"sums": sums, "variance": variance, "low": low, "high": high}
    text = f"the variance of one sample is at most {(most := float(variance.max())):.6g}"
    if len(variance) > 1:
        text = "the variances of the coordinates are at most those declared"
    detectable = detectable_effect(n, most, rate, miss)
    statistics = Statistics("catoni", plan, tests)
    return of_samples(x, ends.T, detectable, KNOWN_VARIANCE, text, statistics)
