"""Products of coordinates, within samples or groups, whose means are covariances."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._arrays import Array, is_array, require_matrix, to_host
from mehler._plural import counted
from mehler._validate import require_reals
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR
from mehler.verify.intervals._excess import Excess
from mehler.verify.sampling._choose_source import GROUP
from mehler.verify.sampling._sources import power_sums
from mehler.verify.undeclared._kurtosis_test import Inspection


def sample_matrix(samples: Array) -> Any:
    """Return samples as a finite float64 (n, p) array on the host."""
    given = samples if is_array(samples) else np.asarray(samples)
    require_matrix(given, name="samples")
    host = to_host(given)
    require_matrix(host, name="samples")  # the values of a lazy array are known only now
    return np.asarray(host, dtype=np.float64)


def claimed(value: Any, shape: tuple[int, ...], name: str) -> Any:
    """Return a claim as a finite float64 array of the given shape."""
    array = require_reals(name, to_host(value) if is_array(value) else value, finite=False)
    if array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape} but samples of {counted(shape[-1], 'column')} "
            f"need {shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity: nothing is claimed")
    return array


def spread(value: Any, p: int, name: str) -> Any:
    """Return one number per column, broadcasting a scalar."""
    if value is None:
        return [None] * p
    array = require_reals(name, to_host(value) if is_array(value) else value)
    if array.shape not in ((), (p,)):
        raise ValueError(f"{name} has shape {array.shape}: give one number, or one for each of {p}")
    return [float(each) for each in np.broadcast_to(array, (p,))]


# Elements of the largest temporary.
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Products:
    """A test of all pairs of coordinates, and bets that a squared sum or difference is too large.

    `form` is the index of a squared length that has won, sums first, then differences, with its
    mean, claim and lower bound.
    """

    look: Inspection
    form: int | None = None
    mean: float = 0.0
    claim: float = 0.0
    low: float = 0.0
    statistics: tuple[Statistics, ...] = ()


def look_at(
    z: Any,
    first: Any,
    second: Any,
    rho: Any,
    *,
    centred: bool,
    false_alarm: float,
    resolution: float,
) -> Products:
    """Test coordinates of claimed variance 1 and claimed correlations `rho` at the pairs.

    If not `centred`, covariances are taken within groups, which any mean leaves unchanged.
    """
    claims = np.maximum(np.concatenate([2.0 + 2.0 * rho, 2.0 - 2.0 * rho]), 0.0)
    rounding = 64.0 * np.finfo(float).eps * float(np.max(np.abs(z), initial=1.0)) ** 2
    # For equal coordinates the difference is 0 up to rounding.
    bets, sums, n = Excess(claims + 4.0 * rounding), np.zeros((4, rho.size)), 0
    step = GROUP * max(1, _BLOCK // (GROUP * rho.size))
    for start in range(0, z.shape[0], step):
        block, columns = z[start : start + step], np.arange(z.shape[1])
        squares = _samples(block, columns, columns, centred)
        x, both = _samples(block, first, second, centred), squares[:, first] + squares[:, second]
        bets.add(np.maximum(np.concatenate([both + 2.0 * x, both - 2.0 * x], axis=1), 0.0))
        sums += power_sums(x - rho)
        n += x.shape[0]
    # Half of the rate each.
    look = Inspection(n, sums, 0.5 * false_alarm / rho.size, 1, resolution, rounding)
    level = math.log(2.0 * claims.size / false_alarm)
    off = 0.5 * (bets.mean - claims)
    best = int(np.argmax(np.where(off >= FLOOR * resolution, bets.log_wealth, -np.inf)))
    pair = [best % rho.size]
    tests = {
        "pair": np.stack([first[pair], second[pair]]),
        "sign": [1 if best < rho.size else -1],
        "claim": claims[[best]],
        **bets.statistics([best]),
    }
    ends = {
        "pair": np.stack([first, second]),
        "claim": 0.0,
        "low": look.off - look.half,
        "high": look.off + look.half,
    }
    own = look.statistics(shared=True)
    statistics = (
        replace(own, tests={**ends, **own.tests}),
        Statistics("squared lengths", {"count": claims.size, "shared": True}, tests),
    )
    if not (bets.log_wealth[best] >= level and off[best] >= FLOOR * resolution):
        return Products(look, statistics=statistics)
    mean, low = float(bets.mean[best]), float(bets.lower_ends(level)[best])
    return Products(look, best, mean, float(claims[best]), low, statistics)


def _samples(z: Any, first: Any, second: Any, centred: bool) -> Any:
    """Return products, one per sample, or unbiased covariances of groups, (count, pairs)."""
    if centred:
        return z[:, first] * z[:, second]
    groups = z[: z.shape[0] // GROUP * GROUP].reshape(-1, GROUP, z.shape[1])
    y = groups - groups.mean(axis=1, keepdims=True)
    return np.einsum("gki,gki->gi", y[:, :, first], y[:, :, second]) / (GROUP - 1)
