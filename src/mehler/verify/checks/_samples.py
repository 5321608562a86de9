"""check_mean_vector and check_covariance: means of vectors, and covariances, from samples."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._arrays import Array, is_array, require_matrix, to_host
from mehler._plural import counted
from mehler._validate import (
    require_iterable,
    require_mapping,
    require_positive,
    require_probability,
    require_reals,
    require_text,
)
from mehler.verify._arguments import CheckOptions, pay, require_options
from mehler.verify._budget import Ledger, passed_to_ledger
from mehler.verify._certificate import Statistics, joined
from mehler.verify._verdict import FLOOR, FORMS, KURTOSIS, Verdict
from mehler.verify.checks._mean import check_mean
from mehler.verify.intervals._nonnegative import Excess
from mehler.verify.nonparametric._kurtosis_test import LEAST, Inspection
from mehler.verify.sampling._sources import GROUP, power_sums


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
    own = look.statistics(shared=True)
    statistics = (
        replace(own, tests={"pair": np.stack([first, second]), **own.tests}),
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


@passed_to_ledger
def check_mean_vector(
    samples: Array,
    exact: Array,
    *,
    variance: float | Array | None = None,
    bounds: tuple[float | Array, float | Array] | None = None,
    scale: float | Array | None = None,
    false_alarm: float = 1e-9,
    resolution: float,
    miss: float = 1e-6,
    ledger: Ledger | None = None,
    name: str = "mean vector",
    claim: str | None = None,
    where: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None,
) -> Verdict:
    r"""Check a claimed mean vector against independent samples, each coordinate by `check_mean`.

    .. math:: |\bar X_j - \mu_j| \le h_j \quad \text{for all } j \le p,
              \qquad P(\text{any is wrong}) \le \sum_j \alpha/p = \alpha

    *refuted* when the interval of a coordinate excludes its claim, *holds* when all contain theirs
    and are at most `resolution` wide, else *inconclusive*.

    Parameters
    ----------
    samples : array, shape (n, p)
        Independent rows of a common mean; coordinates may be dependent; n fixed before the data.
    exact : array, shape (p,)
        The claim.
    variance : float or array, shape (p,), optional
        Upper bounds on the variances of the coordinates; selects Catoni's interval, for any tails.
    bounds : (low, high), optional
        Range of the coordinates, each end a number or an array of shape (p,). With neither,
        `intervals.self_normalised` needs a bounded kurtosis: coordinates of large kurtosis refute
        nothing.
    scale : float or array, shape (p,), optional
        Units of the coordinates for `resolution`, default 1.
    false_alarm : float
        Probability of refuting a correct claim, shared by the coordinates.
    resolution : float
        A coordinate that is off by more than ``resolution * scale`` must not hold.
    miss, ledger, name, claim, where, seeds
        As for `check_mean`.

    Returns
    -------
    Verdict
        The verdict on the worst coordinate, named in ``where``.

    See Also
    --------
    check_mean : One coordinate.
    check_covariance : The covariance of the same samples.

    Notes
    -----
    Cost: p times that of `check_mean`. The union bound adds log p to log(2/alpha): a thousand
    coordinates take a third more samples than one.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(3).standard_normal((20_000, 3)) + [0.0, 1.0, 2.0]
    >>> check_mean_vector(x, [0, 1, 2], variance=1.0, resolution=0.2).status
    'holds'
    >>> verdict = check_mean_vector(x, [0, 1, 2.2], resolution=0.2)
    >>> verdict.status, verdict.where["coordinate"]
    ('refuted', 2)
    """
    name = require_text("name", name, default="mean vector")
    where, seeds = require_mapping("where", where), require_mapping("seeds", seeds)
    x = sample_matrix(samples)
    p = x.shape[1]
    wanted = claimed(exact, (p,), "exact")
    false_alarm = require_probability("false_alarm", false_alarm)
    resolution, miss = require_positive("resolution", resolution), require_probability("miss", miss)
    variances, scales = spread(variance, p, "variance"), spread(scale, p, "scale")
    units = [1.0 if each is None else require_positive("scale", each) for each in scales]
    ends = [spread(end, p, "bounds") for end in _pair(bounds)]
    pay(ledger, name, false_alarm)
    verdicts = [
        check_mean(
            x[:, j],
            float(wanted[j]),
            variance=variances[j],
            bounds=None if bounds is None else (ends[0][j], ends[1][j]),
            false_alarm=false_alarm / p,
            resolution=resolution * units[j],
            miss=miss,
            name=name,
        )
        for j in range(p)
    ]
    worst = max(range(p), key=lambda j: _badness(verdicts[j]))
    place = {**where, "coordinate": worst}
    if scale is not None:
        place["relative_to"] = units[worst]
    return dataclasses.replace(
        verdicts[worst],
        claim=claim or f"the mean is the claimed vector of {p} coordinates",
        n_intervals=p,
        false_alarm=false_alarm,
        resolution=resolution,
        detectable=max(v.detectable / unit for v, unit in zip(verdicts, units)),
        where=place,
        seeds=seeds,
        statistics=joined([each for v in verdicts for each in v.statistics], relative_to=units)
        if all(v.statistics for v in verdicts)
        else (),
    )


def _pair(bounds: Any) -> tuple[Any, ...]:
    ends = (None, None) if bounds is None else require_iterable("bounds", bounds)
    if len(ends) != 2:
        raise ValueError(f"bounds={bounds!r} must be a pair (low, high)")
    return ends


def _badness(verdict: Verdict) -> tuple[int, float]:
    """Return a sort key: refuted verdicts last, then open ones, then those near an end."""
    rank = {"holds": 0, "inconclusive": 1, "refuted": 2}[verdict.status]
    low, high = verdict.interval
    off = abs(verdict.observed - verdict.exact)
    if rank == 1:
        return rank, float(max(high - low, 2.0 * off) / verdict.resolution)
    return rank, float(2.0 * off / (high - low))


# Largest sample that can be squared, and summed up.
_LARGEST = 1e150


@passed_to_ledger
def check_covariance(
    samples: Array,
    exact: Array,
    *,
    mean: Array | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.1,
    miss: float = 1e-6,
    ledger: Ledger | None = None,
    name: str = "covariance",
    where: Mapping[str, Any] | None = None,
    seeds: Mapping[str, Any] | None = None,
) -> Verdict:
    r"""Check a claimed covariance matrix against independent samples, without tail assumptions.

    .. math:: E (X_i - \mu_i)(X_j - \mu_j) = C_{ij}, \qquad
              E (Z_i \pm Z_j)^2 = 2 \pm 2 \frac{C_{ij}}{\sqrt{C_{ii}C_{jj}}}, \quad
              Z_i = \frac{X_i - \mu_i}{\sqrt{C_{ii}}}

    Parameters
    ----------
    samples : array, shape (n, p)
        Independent rows of one law; n fixed before the data.
    exact : array, shape (p, p)
        The claim C, symmetric, with a positive diagonal.
    mean : array, shape (p,), optional
        The mean mu, if known. Default: covariances within groups of 8 rows. They do not depend on
        mu, at the price of a seventh of the samples and of fewer, larger groups.
    false_alarm : float
        Probability of refuting a correct claim, shared by all pairs of coordinates.
    resolution : float
        Smallest deviation that must not be missed, as a fraction of sqrt(C_ii C_jj).
    miss, ledger, name, where, seeds
        As for `check_mean`.

    Returns
    -------
    Verdict
        ``observed``, ``exact`` and ``interval`` are those of the worst pair, named in ``where``:
        of its covariance, or of the squared sum or difference that is too large.

    Raises
    ------
    ValueError, TypeError
        For bad input: a claim that is not symmetric, without a positive diagonal, or with a
        correlation beyond 1; a resolution of 2 or more.

    See Also
    --------
    check_mean_vector : The mean of the same samples.
    check_mean : The mean of scalars.

    Notes
    -----
    Half of the rate goes to bets that a squared sum or difference of two coordinates is larger
    than claimed. They need no assumption on tails and detect every deviation except variances that
    are all too small. The other half goes to `intervals.self_normalised`, which detects those too
    under a bounded kurtosis of the products, from 4000 of them on. Cost: n p^2 operations, some
    50 ns each.

    References
    ----------
    As for `check_kernel` without variance or bounds.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(5).standard_normal((60_000, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    >>> check_covariance(x, [[1.0, 0.5], [0.5, 1.25]], mean=[0, 0]).status
    'holds'
    >>> check_covariance(x, [[1.0, 0.5], [0.5, 1.0]]).status
    'refuted'
    """
    asked = require_options("covariance", name, false_alarm, resolution, miss)
    asked.require_below(2.0, "in units of sqrt(C_ii C_jj) every covariance lies in [-1, 1]")
    where, seeds = require_mapping("where", where), require_mapping("seeds", seeds)
    x = sample_matrix(samples)
    if not float(np.max(np.abs(x), initial=0.0)) <= _LARGEST:
        raise ValueError(f"samples are above {_LARGEST:g}, too large to be squared: scale them")
    p = x.shape[1]
    c = _covariance(claimed(exact, (p, p), "exact"))
    if mean is not None:
        x = x - claimed(mean, (p,), "mean")
    elif x.shape[0] < GROUP:
        raise ValueError(
            f"{counted(x.shape[0], 'sample')}: without mean= groups of {GROUP} are needed"
        )
    pay(ledger, asked.name, asked.false_alarm)
    first, second = np.triu_indices(p)
    unit = np.sqrt(np.diag(c)[first] * np.diag(c)[second])
    seen = look_at(
        x / np.sqrt(np.diag(c)),
        first,
        second,
        c[first, second] / unit,
        centred=mean is not None,
        false_alarm=asked.false_alarm,
        resolution=asked.resolution,
    )
    pairs = list(zip(first.tolist(), second.tolist()))
    return _verdict(asked, seen, c, pairs, unit, x.shape[0], mean is None, where, seeds)


def _covariance(c: Any) -> Any:
    if not np.allclose(c, c.T, rtol=1e-9, atol=0.0):
        raise ValueError("exact is not symmetric: it is the claimed covariance matrix")
    diagonal = np.diag(c)
    if not (diagonal > 0.0).all():
        j = int(np.argmin(diagonal))
        raise ValueError(
            f"exact[{j}, {j}] = {diagonal[j]:.6g}: variances must be positive; leave constant "
            "coordinates out"
        )
    if (np.abs(c) > (1.0 + 1e-9) * np.sqrt(np.outer(diagonal, diagonal))).any():
        raise ValueError("exact claims a correlation beyond 1: no covariance is that large")
    return c


def _verdict(
    asked: CheckOptions,
    seen: Products,
    c: Any,
    pairs: list[tuple[int, int]],
    unit: Any,
    n: int,
    grouped: bool,
    where: dict[str, Any],
    seeds: dict[str, Any],
) -> Verdict:
    look = seen.look
    status, worst = look.compared.status, look.compared.worst
    reason, method = "", KURTOSIS
    rests: tuple[str, ...] = (look.assumed("product"),)
    if seen.form is not None:
        status, method = "refuted", FORMS
        rests = ("nothing else: squares are not negative",)
        worst = seen.form % len(pairs)
    elif status == "inconclusive":
        reason = _open(asked, seen, worst, n)
    i, j = pairs[worst]
    off, half = look.off[worst], look.half[worst]
    exact = float(c[i, j])
    observed, low, high = (float(exact + unit[worst] * d) for d in (off, off - half, off + half))
    place = {**where, "i": i, "j": j, "relative_to": float(unit[worst])}
    if seen.form is not None:
        place["form"] = "(z_i + z_j)^2" if seen.form < len(pairs) else "(z_i - z_j)^2"
        observed, exact, low, high = seen.mean, seen.claim, seen.low, math.inf
    return asked.verdict(
        status=status,
        claim=f"Cov(x_i, x_j) = C_ij at {counted(len(pairs), 'pair')} of coordinates",
        observed=observed,
        exact=exact,
        interval=(low, high),
        n_features=n,
        n_draws=0,
        n_intervals=3 * len(pairs),
        detectable=float(np.max(look.half + look.missed(asked.miss))),
        method=method + (f", within groups of {GROUP}" if grouped else ""),
        assumptions=("the samples are independent, and their number was fixed before", *rests),
        where=place,
        seeds=seeds,
        reason=reason,
        statistics=seen.statistics,
    )


def _open(asked: CheckOptions, seen: Products, worst: int, n: int) -> str:
    look, parts = seen.look, []
    if look.outside.any() and look.n < LEAST:
        parts.append(f"A covariance is off; fewer than {LEAST} products or groups refute nothing.")
    elif look.short[worst]:
        parts.append(
            "Few large samples decide a covariance, and nothing bounds what was not seen: take "
            "more samples."
        )
    elif look.outside.any():
        parts.append("A covariance is off, and its products never varied.")
    width = float(look.width[worst])
    if not width <= asked.resolution:
        parts.append(
            f"The interval is {width:.3g} wide in units of sqrt(C_ii C_jj), more than the "
            f"resolution {asked.resolution:.3g}."
        )
    more = look.wanted() / look.n
    if 1.0 < more < 2.0**20:
        parts.append(f"About {counted(math.ceil(more * n), 'sample')} would decide.")
    return " ".join(parts)
