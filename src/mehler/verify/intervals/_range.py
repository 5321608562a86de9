"""Betting intervals for means of bounded samples, and lower bounds on means of nonnegative ones.

A gambler who doubts that E X = m bets on samples above m, or below; with stake lambda the wealth is
prod(1 +- lambda (X_i - m)). If E X = m it is a martingale for stakes fixed before the samples, and
so is its mean over stakes: it rarely gets large, and an m at which it is large is excluded
(Waudby-Smith and Ramdas 2024). Its logarithm is at least a polynomial of four power sums,

    log(1 + u) >= u - u^2/2 + u^3/3 - kappa(c) u^4 for u >= -c,  kappa(c) = sum_k c^k / (k + 4),

since the remainder over u^4 is -integral of (1 - t)^3/(1 + t u)^4, which grows with u. Stakes are
3/4 of the largest possible one over powers of 2: the best loses an eighth of the growth at most.

Bets that a mean of samples X >= 0 is more than q assume nothing else: for stakes 0 <= s < 1 the
wealth prod (1 + s (X_i/q - 1)) is a nonnegative supermartingale if EX <= q, and so is its mean over
a grid of stakes. What these bets detect is in docs/guarantees.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_probability
from mehler.verify._arguments import bounds_pair, sample_vector
from mehler.verify._measurement import ExcessLength, Measurement, Task, of_samples
from mehler.verify._sources import CentralSums, Finding, Reals, power_sums
from mehler.verify._verdict import Statistics

BOUNDED = "bounded (betting)"

# Largest fraction of the wealth staked on one sample, and the grid of these fractions.
STAKE = 0.75
SHARES = STAKE * 0.5 ** np.arange(13)


def betting(samples: Array, low: float, high: float, false_alarm: float) -> tuple[float, float]:
    r"""Return an interval for the mean of samples in [low, high].

    For samples in [0, 1] these are the m at which neither wealth has reached 2/alpha:

    .. math:: K^\pm_t(m) = \prod_{i\le t} \big(1 \pm \lambda^\pm_i(m) (X_i - m)\big), \quad
              \lambda^+_i(m) = \min(\lambda_i, \tfrac{3}{4m}), \;
              \lambda^-_i(m) = \min(\lambda_i, \tfrac{3}{4(1-m)})

    The stake :math:`\lambda_i = \sqrt{2\log(2/\alpha)/(t \hat v_{i-1})}` depends on the samples
    before the i-th only, so that at the true mean both are test martingales (Ville's inequality).

    Parameters
    ----------
    samples : array, shape (t,)
        In order of observation, t fixed in advance; independent, or of mean mu given the past.
    low, high : float
        Range of the samples, known in advance.
    false_alarm : float
        alpha, the probability that the interval misses the mean.

    Returns
    -------
    low, high : float
        Ends of the interval, rounded outwards to 2^-48 of the range. Half width about
        sqrt(2 log(2/alpha) v/t), as if the variance v had been known. Cost: some 30 passes.

    Raises
    ------
    TypeError, ValueError
        If a sample lies outside the range.

    References
    ----------
    I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, JRSS B
    86 (2024), Theorem 3 and Section 4.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).beta(2, 5, size=5_000)  # mean 2/7
    >>> low, high = betting(x, 0, 1, 1e-9)
    >>> bool(low < 2 / 7 < high), bool(high - low < 0.03)
    (True, True)
    """
    from scipy.optimize import brentq

    x, (low, high) = sample_vector(samples), bounds_pair((low, high))
    cost = math.log(2.0 / require_probability("false_alarm", false_alarm))
    if x.min() < low or x.max() > high:
        text = f"samples reach from {x.min():.6g} to {x.max():.6g}, outside the declared range"
        raise ValueError(f"{text} [{low:.6g}, {high:.6g}]: declare the one that they really have")
    y, counts = np.clip((x - low) / (high - low), 0.0, 1.0), np.arange(1, x.size + 1)
    # Variances of the samples before each, which start at 1/4 and never reach 0.
    means = (0.5 + np.cumsum(y)) / (counts + 1)
    variances = (0.25 + np.cumsum((y - means) ** 2)) / (counts + 1)
    stakes = np.sqrt(2.0 * cost / (x.size * np.concatenate([[0.25], variances[:-1]])))

    def survivor(z: Array) -> float:
        def excess(m: float) -> float:
            bets = stakes if m == 0.0 else np.minimum(stakes, STAKE / m)
            return float(np.log1p(bets * (z - m)).sum()) - cost

        # At m = 1 no bet gains, so the excess is negative there.
        if excess(0.0) < 0.0:
            return 0.0
        root = brentq(excess, 0.0, 1.0, xtol=_STEP, rtol=4.0 * np.finfo(np.float64).eps)
        return max(0.0, float(root) - 2.0 * _STEP)

    span = high - low
    return low + span * survivor(y), low + span * (1.0 - survivor(1.0 - y))


# How far ends of `betting` are rounded outwards, relative to the range; grid of distances from the
# mean and bisections between its points; elements of the largest temporary; stored samples, 100 kB.
_STEP = 2.0**-50
_GRID, _HALVINGS = np.geomspace(1e-6, 1.0, 61)[:, None], 24
_BLOCK, _MOST_STORED = 1 << 18, 4096


def halved(is_beyond: Callable[[Any], Any], near: Reals, far: Reals, times: int) -> tuple[Any, Any]:
    """Return the last points at which `is_beyond` is false and true, by bisection."""
    for _ in range(times):
        middle = 0.5 * (near + far)
        out = is_beyond(middle)
        near, far = np.where(out, near, middle), np.where(out, middle, far)
    return near, far


def log_wealth(u: Reals, n: float, d: Reals, moments: tuple[Any, Any, Any], kappa: Reals) -> Any:
    """Return a lower bound on the sum of log(1 + u x) over n samples x, of mean d, at stake u."""
    squares, cubes, fourths = moments
    return u * (n * d - u * (0.5 * squares - u * (cubes / 3.0 - kappa * u * fourths)))


class Wealth:
    """Wealth of bets on many means, whose samples lie in [low, high] up to slack, by power sums."""

    def __init__(self, low: NDArray[np.float64], high: NDArray[np.float64], slack: float) -> None:
        self.low, self.high = low, high
        self._reach = high - low + 2.0 * slack
        self.sums, self.n = np.zeros((4, *np.shape(self._reach))), 0

    def add(self, n: int, sums: Array) -> None:
        self.n, self.sums = self.n + n, self.sums + sums
        self.mean: Any = self.sums[0] / self.n

    def log_wealth(self, m: float | NDArray[np.float64], sign: float) -> Any:
        """Return a lower bound on the log wealth at m of bets that X > m (+1) or X < m (-1)."""
        d = self.mean - m
        powers = CentralSums(self.n, self.sums).at(d)
        total = np.full(np.shape(powers[0]), -np.inf)
        step = max(1, _BLOCK // max(1, np.size(total)))
        for start in range(0, SHARES.size, step):
            part = (slice(start, start + step), *(None,) * np.ndim(total))
            logs = log_wealth(sign * SHARES[part] / self._reach, self.n, d, powers, KAPPA[part])
            total = np.logaddexp(total, np.logaddexp.reduce(logs, axis=0))
        return total - math.log(SHARES.size)

    def ends(self, threshold: float) -> tuple[Any, Any]:
        """Return an interval containing every m at which no wealth has reached exp(threshold)."""
        return self._end(threshold, 1.0), self._end(threshold, -1.0)

    def _end(self, threshold: float, sign: float) -> Any:
        # The wealth is monotone in m: once the bound reaches the threshold at one m, the wealth
        # does at all m beyond, whatever the polynomial does there.
        edge = self.low if sign > 0.0 else self.high
        room = np.maximum(sign * (self.mean - edge), 0.0)

        def is_excluded(distance: Reals) -> Any:
            return self.log_wealth(self.mean - sign * distance, sign) >= threshold

        sure = is_excluded(room * _GRID)
        first = np.argmax(sure, axis=0)
        near = np.where(first > 0, room * _GRID[first - 1, 0], 0.0)
        _, far = halved(is_excluded, near, room * _GRID[first, 0], _HALVINGS)
        return np.where(sure.any(axis=0), self.mean - sign * far, edge)


def _kappa(c: Any) -> Any:
    """Return (-log(1 - c) - c - c^2/2 - c^3/3) / c^4 by its series, for c up to 3/4."""
    total = np.zeros_like(c)
    for k in range(160, -1, -1):
        total = total * c + 1.0 / (k + 4.0)
    return total


KAPPA = _kappa(SHARES)

# First inspection, most samples, the least and largest ratio of successive sizes, and that at which
# the samples that are needed are estimated anew.
_FIRST, _MOST, _STEPS, _AGAIN = 256, 2**52, (1.02, 1.1), 1.3


def measure_bounded(task: Task, bounds: tuple[float, float]) -> Measurement:
    """Return betting intervals of a task's means, drawing until one refutes or all are narrow."""
    # Stakes are fixed in advance, so inspections are free: at the true mean either wealth ever
    # reaches 2 means/alpha with probability at most alpha/(2 means).
    source, threshold, count = task.source, math.log(2.0 / task.rate), 0
    low, high = (end / source.unit - source.claim for end in bounds)
    bets, need, n_before = Wealth(low, high, task.rounding), float(_FIRST), 0
    most, target = task.affordable(_MOST), task.affordable(_FIRST)
    while True:
        while count < target:
            phi = task.item(count, max(need / source.per_draw, target))
            bets.add(source.per_draw, _sums(task, bounds, phi, count))
            count += 1
            if task.clock.over:
                break
        # The wealth at the claim is cheap; the ends tell how many samples would do.
        sides = ((task.rounding, 1.0), (-task.rounding, -1.0))
        out = np.maximum(*(bets.log_wealth(m, sign) for m, sign in sides)) >= threshold
        over = not np.isfinite(bets.mean).all() or task.clock.over or count >= most
        over = over or bool((out & (np.abs(bets.mean) >= task.floor)).any())
        # An estimate from few samples is too large.
        if over or bets.n >= min(0.9 * need, _AGAIN * n_before):
            ends, n_before = bets.ends(threshold), bets.n
            ratio = float(np.max(ends[1] - ends[0])) / task.width
            need = bets.n * ratio**2 if math.isfinite(ratio) else math.inf
            if over or ratio <= 1.0:
                break
        if need > _MOST:
            raise ValueError("the resolution needs more than 2^52 samples: ask for a coarser one")
        least, largest = (math.ceil(step * count) for step in _STEPS)
        target = min(most, max(least, min(largest, math.ceil(need / source.per_draw))))
    at_miss = bets.ends(math.log(2.0 / task.options.miss))
    plan = {"n": bets.n, "block": source.per_draw, "rounding": task.rounding}
    tests = {"sums": bets.sums, "range": np.stack([low, high])}
    return Measurement(
        observed=source.claim + bets.mean,
        low=source.claim + ends[0] - task.rounding,
        high=source.claim + ends[1] + task.rounding,
        n_draws=count,
        n_intervals=task.n,
        detectable=reach(bets.mean, ends, at_miss) + task.rounding,
        need=math.ceil(min(need, _MOST) / source.per_draw),
        method=BOUNDED,
        assumptions=(f"every sample lies in [{bounds[0]:.6g}, {bounds[1]:.6g}]",),
        statistics=(Statistics("wealth", plan, tests),),
    )


def _sums(task: Task, bounds: tuple[float, float], phi: Any, k: int) -> Any:
    """Return the power sums of draw k; raise Finding for a sample out of bounds."""
    source, total = task.source, np.empty((4, task.n))
    for index in source.blocks():
        samples, unit = source.samples(phi, index), source.unit[index]
        total[:, index] = power_sums(samples - source.claim[index])
        values, slack = samples * unit, task.rounding * unit
        out = (values < bounds[0] - slack) | (values > bounds[1] + slack)
        if out.any():
            row, column = (int(i) for i in np.argwhere(out)[0])
            mean, value = int(index[column]), float(values[row, column])
            tests = {"value": [value], "range": np.array(bounds)[:, None], "slack": slack[[column]]}
            tests |= {name: x[..., [mean]] for name, x in source.certificate_data()[1].items()}
            reason = f"A sample {value:.6g} lies outside the declared bounds: "
            reason += "the map or the bounds are wrong."
            statistics = (Statistics("beyond range", {"draw": k}, tests),)
            raise Finding(mean, reason, value, "bounded (range)", k + 1, statistics=statistics)
    return total


def reach(mean: Array, *ends: Any) -> float:
    """Return the deviation that the first interval excludes whenever the second one is right."""
    return float(np.max(sum(np.maximum(mean - low, high - mean) for low, high in ends)))


def means_of_bounded(
    x: Array, claim: Array, ranges: list[tuple[float, float]], rate: float, miss: float
) -> Measurement:
    """Return intervals of means, from samples in their order, (n, means), with their ranges."""
    ends, at_miss = (
        np.array([betting(column, *pair, alpha) for column, pair in zip(x.T, ranges)]).T
        for alpha in (rate, miss)
    )
    samples = np.full(len(ranges), None, dtype=object)
    for k in range(len(ranges) if x.size <= _MOST_STORED else 0):
        samples[k] = x[:, k].tolist()
    low, high = endpoints = np.array(ranges).T
    text = f"samples lie in [{low.min():.6g}, {high.max():.6g}]"
    statistics = Statistics("betting", {"n": len(x)}, {"range": endpoints, "samples": samples})
    return of_samples(x, ends, reach(x.mean(axis=0), ends, at_miss), BOUNDED, text, statistics)


FORMS = "squared lengths (betting)"
# Fractions of the wealth staked; the best of them grows within 1/8 of the optimal rate.
_PARTS = 0.96 * 0.5 ** np.arange(11)[:, None]
# Factors multiplied before taking the logarithm, the dominant cost; none if one is so large.
_TOGETHER, _LARGE = 8, 1e30
# Elements of the largest temporary, over the number of stakes, and of samples that wait for bets.
_MOST_BETS, _WAITING = 1 << 16, 1 << 16


class Excess:
    """Wealth of bets against upper bounds on means of nonnegative samples; `claims` > 0, (n,)."""

    def __init__(self, claims: NDArray[np.float64]) -> None:
        self.claims = np.asarray(claims, dtype=np.float64)
        self.log_wealths = np.zeros((_PARTS.size, self.claims.size))
        self.sum, self.n = np.zeros(self.claims.size), 0

    def add(self, samples: Array) -> None:
        """Bet on one draw's nonnegative samples, shape (n,), or on those of many, (draws, n)."""
        samples = np.atleast_2d(samples)
        step = _TOGETHER * max(1, _MOST_BETS // (_TOGETHER * self.claims.size))
        for start in range(0, len(samples), step):
            gains = samples[start : start + step] / self.claims - 1.0
            if not gains.max() < _LARGE:
                self.log_wealths += np.log1p(_PARTS[:, None] * gains).sum(axis=1)
                continue
            rest = np.zeros((-len(gains) % _TOGETHER, self.claims.size))
            groups = np.concatenate([gains, rest]).reshape(-1, _TOGETHER, self.claims.size)
            # Eight factors of at least 1 - 0.96 neither under- nor overflow.
            products = (1.0 + _PARTS[:, None, None] * groups).prod(axis=2)
            self.log_wealths += np.log(products).sum(axis=1)
        self.sum += samples.sum(axis=0)
        self.n += len(samples)

    @property
    def mean(self) -> Any:
        return self.sum / max(1, self.n)

    @property
    def log_wealth(self) -> Any:
        return np.logaddexp.reduce(self.log_wealths, axis=0) - math.log(_PARTS.size)

    def lower_ends(self, threshold: float) -> Any:
        """Return lower confidence bounds on means whose wealth has reached exp(threshold)."""
        # 1 + s (Q/(r q) - 1) >= (1 + s (Q/q - 1))/r for r >= 1, so the wealth against the claim r q
        # is at least that against q over r^n.
        gain = np.maximum(self.log_wealth - threshold, 0.0)
        return self.claims * np.exp(gain / max(1, self.n))


class SquaredLengths(Excess):
    r"""Bets that squared lengths are larger than claimed: each, or sums and differences of pairs.

    `pairs`, shape (2, means) or (1, means), index the means in a certificate; with two rows the
    bets are on all \|u + v\|^2, then all \|u - v\|^2, u and v the normalised features of two rows.
    `forms` is the formula, with {} for the sign.
    """

    def __init__(self, claims: Array, pairs: Array, rounding: float, forms: str) -> None:
        self._exact = np.maximum(claims, 0.0)
        super().__init__(self._exact + 4.0 * rounding)  # of equal rows, u - v is only rounding
        self._pairs, self._forms, self._sound = pairs, forms, True
        self.n_bets = int(self.claims.size)
        self._waiting: list[tuple[Array, Array]] = []

    def bet(self, values: Array, size: Array) -> None:
        """Bet on squared lengths, shape (draws, bets), of sums of `size`, shape (draws, means)."""
        self._waiting.append((values, size))
        if len(self._waiting) * np.size(values) >= _WAITING:
            self._is_valid()

    def _is_valid(self) -> bool:
        """Bet on all samples that wait; return whether there are bets, and they are valid."""
        if self._waiting:
            values, size = map(np.concatenate, zip(*self._waiting))
            self._waiting = []
            slack = 4.0 * (self.claims - self._exact)
            slack = slack + 1e-9 * np.concatenate([np.abs(size)] * len(self._pairs), axis=1)
            # A map's own gram need not be an inner product; then these bets are invalid.
            self._sound = self._sound and not (values < -slack).any()
            self.add(np.maximum(values, 0.0))
        return self._sound and self.n > 0

    def _best(self, floor: float, threshold: float = -math.inf) -> int | None:
        """Return the index of the wealthiest bet of those above the threshold and the floor."""
        # The deviation of a form is twice that of a kernel entry.
        wealth = self.log_wealth
        eligible = (wealth >= threshold) & (0.5 * (self.mean - self._exact) >= floor)
        if threshold > -math.inf and not eligible.any():
            return None
        return int(np.argmax(np.where(eligible, wealth, -np.inf)))

    def excess_length(self, threshold: float, floor: float) -> ExcessLength | None:
        """Return the wealthiest bet if its wealth is exp(threshold) and it deviates by `floor`."""
        best = self._best(floor, threshold) if self._is_valid() else None
        if best is None:
            return None
        mean, low = self.mean[best], self.lower_ends(threshold)[best]
        is_difference, k = divmod(best, self._pairs.shape[1])
        form, claim = self._forms.format("+-"[is_difference]), self._exact[best]
        return ExcessLength(k, form, float(mean), float(claim), float(low))

    def statistics(self, floor: float) -> tuple[Statistics, ...]:
        """Return the wealthiest bet of those that deviate by `floor`, for the certificate."""
        best = self._best(floor) if self._is_valid() else None
        if best is None:
            return ()
        is_difference, k = divmod(best, self._pairs.shape[1])
        tests = {
            "pair": self._pairs[:, [k]],
            "sign": [-1 if is_difference else 1],
            "claim": self._exact[[best]],
            "sum": self.sum[[best]],
            "bet": self.claims[[best]],
            "log_wealths": self.log_wealths[:, [best]],
        }
        plan = {"n": self.n, "count": self.n_bets, "shared": True}
        return (Statistics("squared lengths", plan, tests),)
