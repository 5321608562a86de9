"""check_mean: is the mean of independent samples, rows, or products of coordinates as claimed?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, is_array
from mehler._plural import counted
from mehler._validate import require_flag, require_positive, require_real
from mehler.verify._arguments import (
    CheckOptions,
    Options,
    accepts,
    bounds_pair,
    host_reals,
    require_options,
    sample_vector,
)
from mehler.verify._maps import require_plain, unclaimed_rows
from mehler.verify._measurement import Measurement, Task, conclude
from mehler.verify._sources import Source, power_sums, sums_and_differences
from mehler.verify._verdict import FLOOR, Comparison, Verdict
from mehler.verify.intervals._counts import means_of_binary
from mehler.verify.intervals._known_variance import features_needed, means_of_known_variance
from mehler.verify.intervals._range import FORMS, SquaredLengths, means_of_bounded
from mehler.verify.intervals._undeclared import KURTOSIS, Look, means_of_bounded_kurtosis


@accepts("max_features", "time_limit", "seed")
def check_mean(
    samples: Array,
    exact: float | Array,
    *,
    variance: float | Array | None = None,
    bounds: tuple[float | Array, float | Array] | None = None,
    binary: bool = False,
    mean: Array | None = None,
    resolution: float,
    claim: str | None = None,
    **options: Unpack[Options],
) -> Verdict:
    r"""Check a claimed mean against independent samples: a number, a vector, or products.

    .. math:: EX = \mu, \qquad EX_j = \mu_j, \qquad E (X_i - m_i)(X_j - m_j) = C_{ij}

    *refuted* when an interval excludes its claim, *holds* when all contain theirs and are at most
    `resolution` wide, else *inconclusive*. The p coordinates, or their pairs, share `false_alarm`.

    Parameters
    ----------
    samples : array, shape (n,) or (n, p)
        Independent numbers or rows of one law, of coordinates that may depend; n fixed in advance.
    exact : float or array, shape (p,) or (p, p)
        The claim: mu of numbers, or of rows; or C, symmetric with a positive diagonal.
    variance : float or array, shape (p,), optional
        Upper bounds on the variances; selects Catoni's interval, for any tails.
    bounds : (low, high), optional
        Range of the samples, each end a number or an array of shape (p,); selects
        `intervals.betting`.
    binary : bool
        Whether samples are 0 or 1; selects Clopper-Pearson. Not more than one of the three.
    mean : array, shape (p,), optional
        For products, the mean m. Default: covariances in groups of 8 rows, a seventh more samples.
    resolution : float
        Smallest deviation that must not be missed; of products a fraction of sqrt(C_ii C_jj).
    claim : str
        Claim in the verdict.
    **options : Options
        false_alarm, miss, ledger, name.

    Returns
    -------
    Verdict
        ``observed`` is the sample mean and ``exact`` the claim, at the worst coordinate or pair,
        which ``where`` names; of products also a squared sum or difference that is too large.

    Raises
    ------
    TypeError, ValueError
        For vacuous calls, among them a resolution not smaller than the range of the samples; for
        a matrix that no covariance is.

    Notes
    -----
    With nothing declared as by `check_kernel`, if n over the samples' kurtosis is 100 or more; half
    of the rate of products goes to bets that a squared sum or difference of two coordinates over
    their standard deviations is larger than claimed. The union bound adds log p to log(2/alpha).
    Products cost n p^2 operations, some 50 ns each.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(3).standard_normal(60_000) ** 2  # mean 1, variance 2
    >>> check_mean(x, 1.0, variance=2.0, resolution=0.1).status
    'holds'
    >>> z = np.random.default_rng(5).standard_normal((60_000, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    >>> check_mean(z, [[1.0, 0.5], [0.5, 1.0]], resolution=0.1).status
    'refuted'
    """
    x = _samples(samples)
    target = _claim(exact, x.shape)
    terms = require_options("mean", options, resolution, relative=False)
    require_flag("binary", binary)
    if target.ndim == 2:
        if binary or variance is not None or bounds is not None:
            text = "variance, bounds and binary are declared of samples, not of their products"
            raise ValueError(f"{text}: check the products as samples of their own")
        centre = None if mean is None else _claim(mean, x.shape, "mean")
        return _check_products(terms, x, target, centre, claim)
    if mean is not None:
        raise ValueError("mean= is for products, where exact is a matrix: leave it out")
    p, columns, target = target.size, x.reshape(x.shape[0], -1), target.ravel()
    method = _method(variance, bounds, binary, p, terms)
    terms.pay()
    rate = terms.false_alarm / p
    measurement = replace(method(columns, target, rate=rate, miss=terms.miss), n_intervals=p)
    ends, may_refute = (measurement.low, measurement.high), measurement.may_refute
    comparison = Comparison(measurement.observed, target, *ends, terms.resolution, may_refute)
    if not (measurement.need or measurement.note or comparison.outside[comparison.worst]):
        scatter = columns.var(axis=0) if variance is None else _spread(variance, p, "variance")
        if 0.0 < (most := float(scatter[comparison.worst])) < math.inf:
            # Bets and counts are a little wider than a plan by the variance.
            size = 1.02 * features_needed(most, terms.resolution, rate, terms.miss)
            measurement = replace(measurement, need=math.ceil(size))
    task = Task(Samples(target, np.ones(p), x.shape[0], 1, 0.0), None, terms)
    text = f"{target[0]:.6g}" if p == 1 else f"the claimed vector of {p} coordinates"
    verdict = conclude(task, measurement, claim or f"the mean is {text}")
    return verdict if x.ndim == 2 else replace(verdict, where={})


class Samples(Source):
    independence = "the samples are independent, and their number was fixed before"
    unit_name, counted_in = "", "sample"

    def place(self, index: int) -> dict[str, Any]:
        return {"coordinate": index}


def _samples(samples: Array) -> Any:
    require_plain(samples, "samples")
    array = samples if is_array(samples) else host_reals("samples", samples)
    return unclaimed_rows(array, "samples").values if array.ndim == 2 else sample_vector(array)


def _claim(value: object, shape: tuple[int, ...], name: str = "exact") -> Any:
    """Return a claim as a finite float64 array whose shape belongs to that of the samples."""
    array = host_reals(name, value)
    shapes = [shape[1:], shape[1:] * 2][: 2 if name == "exact" else 1]
    if array.shape not in shapes:
        columns = f" of {counted(shape[1], 'column')}" if shape[1:] else ""
        need = " or ".join(str(shape) for shape in dict.fromkeys(shapes))
        raise ValueError(f"{name} has shape {array.shape} but samples{columns} need {need}")
    if not np.isfinite(array).all():
        number = "" if array.ndim else f"={float(array)!r}"
        raise ValueError(f"{name}{number} holds NaN or infinity: nothing is claimed")
    return array


def _method(
    variance: Any, bounds: Any, binary: bool, p: int, options: CheckOptions
) -> Callable[..., Measurement]:
    """Return the interval method that the declarations select, a function of samples and claims."""
    if sum(value is not None for value in (variance, bounds)) + binary > 1:
        raise ValueError("variance, bounds and binary exclude each other: declare one of them")
    if variance is not None:
        variances = [require_positive("variance", v) for v in _spread(variance, p, "variance")]
        return partial(means_of_known_variance, variance=np.array(variances))
    if bounds is None and not binary:
        return partial(means_of_bounded_kurtosis, resolution=options.resolution)
    pair = (0.0, 1.0) if binary else bounds
    if not (is_array(pair) or isinstance(pair, tuple | list)) or len(pair) != 2:
        raise ValueError(f"bounds={bounds!r} must be a pair (low, high)")
    ranges = [bounds_pair(ends) for ends in zip(*(_spread(end, p, "bounds") for end in pair))]
    for low, high in ranges:
        if options.resolution >= high - low:
            text = f"resolution={options.resolution:.6g} is vacuous: the samples' own range is"
            raise ValueError(f"{text} [{low:.6g}, {high:.6g}]; give a smaller one")
    return means_of_binary if binary else partial(means_of_bounded, ranges=ranges)


def _spread(value: object, p: int, name: str) -> list[float]:
    if not is_array(value) and not isinstance(value, list | tuple):
        return [require_real(name, value)] * p
    array = host_reals(name, value)
    if array.shape not in ((), (p,)):
        raise ValueError(f"{name} has shape {array.shape}: give one number, or one for each of {p}")
    return [float(number) for number in np.broadcast_to(array, (p,))]


# Rows of a group, whose covariance is one sample where the mean is not given; most elements of a
# temporary array; the largest sample whose square can be summed.
GROUP, _BLOCK, _LARGEST = 8, 1 << 20, 1e150
_EPS = float(np.finfo(float).eps)


def _check_products(
    terms: CheckOptions, x: Array, c: Array, mean: Array | None, claim: str | None
) -> Verdict:
    """Return the verdict on E (x_i - m_i)(x_j - m_j) = C_ij; without m, within groups of rows."""
    terms.require_below(2.0, "in units of sqrt(C_ii C_jj) every covariance lies in [-1, 1]")
    if not float(np.max(np.abs(x), initial=0.0)) <= _LARGEST:
        raise ValueError(f"samples are above {_LARGEST:g}, too large to be squared: scale them")
    if mean is None and x.shape[0] < GROUP:
        few = counted(x.shape[0], "sample")
        raise ValueError(f"{few}: without mean= groups of {GROUP} are needed")
    _require_covariance(c)
    terms.pay()
    (first, second), diagonal = np.triu_indices(len(c)), np.diag(c)
    unit = np.sqrt(diagonal[first] * diagonal[second])
    rho, pairs = c[first, second] / unit, np.stack([first, second])
    z = (x if mean is None else x - mean) / np.sqrt(diagonal)
    rounding = 64.0 * _EPS * float(np.max(np.abs(z), initial=1.0)) ** 2
    bets = SquaredLengths(sums_and_differences(2.0, rho), pairs, rounding, "(z_i {} z_j)^2")
    sums, n = np.zeros((4, rho.size)), 0
    ends = np.full((2, rho.size), np.inf) * [[1.0], [-1.0]]
    step = GROUP * max(1, _BLOCK // (GROUP * rho.size))
    # Rows that do not fill a group are left out.
    for start in range(0, z.shape[0] // GROUP * GROUP if mean is None else z.shape[0], step):
        block, columns = z[start : start + step], np.arange(len(c))
        squares = _products(block, columns, columns, mean is None)
        products = _products(block, first, second, mean is None)
        whole = squares[:, first] + squares[:, second]
        bets.bet(sums_and_differences(whole, products), whole)
        gaps = products - rho
        sums += power_sums(gaps)
        ends = np.stack([np.minimum(ends[0], gaps.min(0)), np.maximum(ends[1], gaps.max(0))])
        n += products.shape[0]

    # Intervals and bets have half of the error rate each.
    rate = 0.5 * terms.false_alarm / rho.size
    look = Look(n, sums, rate, terms.resolution, rounding, ends=(ends[0], ends[1]))
    floor = FLOOR * terms.resolution
    length = bets.excess_length(math.log(2.0 * bets.n_bets / terms.false_alarm), floor)
    events = "rows" if mean is not None else f"groups of {GROUP} rows"
    measurement = look.measurement(rho, terms.miss, events, "pair", "sqrt(C_ii C_jj)")
    if length is not None:
        text = "nothing else: squares are not negative"
        measurement = replace(measurement, assumptions=(text,), unless="", note="")
    within = f", within groups of {GROUP}" if mean is None else ""
    measurement = replace(
        measurement,
        n_intervals=3 * rho.size,
        need=math.ceil(measurement.need / look.n * x.shape[0]),
        method=(KURTOSIS if length is None else FORMS) + within,
        excess_length=length,
        statistics=(*measurement.statistics, *bets.statistics(floor)),
    )
    source = Coordinates(rho, unit, x.shape[0], 1, rounding)
    source.pairs = pairs
    text = f"Cov(x_i, x_j) = C_ij at {counted(rho.size, 'pair')} of coordinates"
    return conclude(Task(source, None, terms), measurement, claim or text)


class Coordinates(Samples):
    unit_name = "sqrt(C_ii C_jj)"

    def place(self, index: int) -> dict[str, Any]:
        i, j = self.pairs[:, index]
        return {"i": int(i), "j": int(j)}

    def certificate_data(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"rows": [int(self.pairs.max()) + 1, None]}, {"pair": self.pairs}


def _require_covariance(c: NDArray[np.float64]) -> None:
    if not np.allclose(c, c.T, rtol=1e-9, atol=0.0):
        raise ValueError("exact is not symmetric: it is the claimed covariance matrix")
    diagonal = np.diag(c)
    if not (diagonal > 0.0).all():
        j = int(np.argmin(diagonal))
        text = f"exact[{j}, {j}] = {diagonal[j]:.6g}: variances must be positive"
        raise ValueError(f"{text}; leave constant coordinates out")
    if (np.abs(c) > (1.0 + 1e-9) * np.sqrt(np.outer(diagonal, diagonal))).any():
        raise ValueError("exact claims a correlation beyond 1: no covariance is that large")


def _products(z: Array, first: NDArray[np.int64], second: NDArray[np.int64], grouped: bool) -> Any:
    """Return products, one per row, or unbiased covariances of groups, (count, pairs)."""
    if not grouped:
        return z[:, first] * z[:, second]
    groups = z[: z.shape[0] // GROUP * GROUP].reshape(-1, GROUP, z.shape[1])
    y = groups - groups.mean(axis=1, keepdims=True)
    return np.einsum("gki,gki->gi", y[:, :, first], y[:, :, second]) / (GROUP - 1)
