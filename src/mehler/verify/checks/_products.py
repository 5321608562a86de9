"""Means of products of coordinates: their covariances, by bets on squared sums and intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR, FORMS, KURTOSIS, Verdict
from mehler.verify.checks._sample_means import SampleBounds
from mehler.verify.intervals._self_normalised import effective_samples
from mehler.verify.nonparametric._kurtosis_test import Means
from mehler.verify.nonparametric._pairwise import SquaredLengths
from mehler.verify.nonparametric._unseen import Unseen
from mehler.verify.sampling._sources import GROUP, power_sums

# Elements of the largest temporary.
_BLOCK = 1 << 20
# Largest sample that can be squared, and summed up.
_LARGEST = 1e150
_EPS = float(np.finfo(float).eps)


class ProductMeans(Means):
    """Intervals for the deviations of mean products after n samples, from four power sums."""

    def __init__(
        self, n: int, sums: Any, ends: Any, rate: float, resolution: float, rounding: float
    ) -> None:
        super().__init__(n, sums, resolution)
        self._plan = {"look": None, "fixed": False, "rounding": rounding, "shared": True}
        # Samples or sums that differ by rounding only count as constant.
        floor = n * (rounding**2 + 1e-24) + 64.0 * _EPS * math.sqrt(n) * sums[1]
        effective = effective_samples(self.squares, self.fourths)
        effective = np.where(self.squares > floor, effective, 0.0)
        self.extremes, self.unseen = ends, Unseen.of(n, sums, rate, resolution, ends)
        self.bounds = SampleBounds(
            n, self.off, self.squares, effective, self.unseen, rate, resolution, rounding
        )
        self.compare(self.bounds.half(rate), self.bounds.refuted, self.bounds.ends)

    def statistics(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Statistics:
        """Return what decided, at pairs of coordinates."""
        sums = self._statistics("self normalised", self._plan)
        pairs = {"pair": np.stack([first, second]), "ends": self.extremes}
        return replace(sums, tests={**pairs, **sums.tests})


def check_products(
    terms: CheckOptions,
    x: Array,
    c: Array,
    mean: Array | None,
    claim: str | None,
    where: dict[str, Any],
    seeds: dict[str, Any],
) -> Verdict:
    """Return the verdict on E (x_i - m_i)(x_j - m_j) = C_ij for rows x, shape (n, p).

    Without the mean m, covariances are taken within groups of rows, which any mean leaves
    unchanged.
    """
    terms.require_below(2.0, "in units of sqrt(C_ii C_jj) every covariance lies in [-1, 1]")
    if not float(np.max(np.abs(x), initial=0.0)) <= _LARGEST:
        raise ValueError(f"samples are above {_LARGEST:g}, too large to be squared: scale them")
    if mean is None and x.shape[0] < GROUP:
        raise ValueError(
            f"{counted(x.shape[0], 'sample')}: without mean= groups of {GROUP} are needed"
        )
    _require_covariance(c)
    terms.pay()
    (first, second), diagonal = np.triu_indices(len(c)), np.diag(c)
    unit = np.sqrt(diagonal[first] * diagonal[second])
    rho = c[first, second] / unit
    z = (x if mean is None else x - mean) / np.sqrt(diagonal)
    rounding = 64.0 * _EPS * float(np.max(np.abs(z), initial=1.0)) ** 2
    forms = SquaredLengths(np.stack([first, second]), 2.0, rho, rounding, "(z_i {} z_j)^2")
    sums, n = np.zeros((4, rho.size)), 0
    ends = np.full((2, rho.size), np.inf) * [[1.0], [-1.0]]
    step = GROUP * max(1, _BLOCK // (GROUP * rho.size))
    # A rest that makes no group is left out.
    for start in range(0, z.shape[0] // GROUP * GROUP if mean is None else z.shape[0], step):
        block, columns = z[start : start + step], np.arange(len(c))
        squares = _products(block, columns, columns, mean is None)
        products = _products(block, first, second, mean is None)
        forms.add(products, squares, squares)
        gaps = products - rho
        sums += power_sums(gaps)
        ends = np.stack([np.minimum(ends[0], gaps.min(0)), np.maximum(ends[1], gaps.max(0))])
        n += products.shape[0]

    # Half of the rate each.
    rate = 0.5 * terms.false_alarm / rho.size
    means = ProductMeans(n, sums, ends, rate, terms.resolution, rounding)
    floor = FLOOR * terms.resolution
    excess = forms.found(math.log(2.0 * forms.n_bets / terms.false_alarm), floor)
    method, status, worst = KURTOSIS, means.compared.status, means.compared.worst
    place: dict[str, Any] = {}
    assumption, reason = _assumption(means), ""
    if excess is not None:
        method, status, worst = FORMS, "refuted", excess.pair
        assumption = "nothing else: squares are not negative"
        place["form"] = excess.form
        observed, exact, low, high = excess.observed, excess.claim, excess.low, math.inf
    else:
        if status == "inconclusive":
            reason = _reason(terms, means, worst, x.shape[0])
        elif status == "refuted":
            events = "rows" if mean is not None else f"groups of {GROUP} rows"
            unless = means.unseen.text(worst, events, "sqrt(C_ii C_jj)")
            assumption, reason = f"not that {unless}", f"Unless {unless}, the claim is wrong."
        exact = float(c[first[worst], second[worst]])
        observed, low, high = (
            float(exact + unit[worst] * each[worst]) for each in (means.off, *means.ends)
        )
    i, j = int(first[worst]), int(second[worst])
    return terms.verdict(
        status=status,
        claim=claim or f"Cov(x_i, x_j) = C_ij at {counted(rho.size, 'pair')} of coordinates",
        observed=observed,
        exact=exact,
        interval=(low, high),
        n_features=x.shape[0],
        n_draws=0,
        n_intervals=3 * rho.size,
        detectable=float(np.max(means.half + means.bounds.half(terms.miss))),
        method=method + (f", within groups of {GROUP}" if mean is None else ""),
        assumptions=("the samples are independent, and their number was fixed before", assumption),
        where={**where, "i": i, "j": j, "relative_to": float(unit[worst]), **place},
        seeds=seeds,
        reason=reason,
        statistics=(means.statistics(first, second), *forms.statistics(floor)),
    )


def _require_covariance(c: NDArray[np.float64]) -> None:
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


def _products(z: Array, first: NDArray[np.int64], second: NDArray[np.int64], grouped: bool) -> Any:
    """Return products, one per row, or unbiased covariances of groups, (count, pairs)."""
    if not grouped:
        return z[:, first] * z[:, second]
    groups = z[: z.shape[0] // GROUP * GROUP].reshape(-1, GROUP, z.shape[1])
    y = groups - groups.mean(axis=1, keepdims=True)
    return np.einsum("gki,gki->gi", y[:, :, first], y[:, :, second]) / (GROUP - 1)


def _assumption(means: ProductMeans) -> str:
    varies = means.bounds.effective > 0.0
    own = float(np.max(means.n / means.bounds.effective[varies], initial=1.0))
    limit = float(np.max(means.bounds.limit))
    return f"the kurtosis of one product is at most {limit:.4g}; the samples show at most {own:.3g}"


def _reason(terms: CheckOptions, means: ProductMeans, worst: int, n: int) -> str:
    parts, more = [], means.wanted() / means.n
    if means.outside.any() and not means.bounds.effective[worst]:
        parts.append("A covariance is off, and its products never varied.")
    elif means.outside.any() or means.bounds.short[worst]:
        parts.append(
            "Few large samples decide a covariance, and nothing bounds what was not seen: take "
            "more samples."
        )
    width = float(means.width[worst])
    if not width <= terms.resolution:
        parts.append(
            f"The interval is {width:.3g} wide in units of sqrt(C_ii C_jj), more than the "
            f"resolution {terms.resolution:.3g}."
        )
    if 1.0 < more < 2.0**20 and not means.bounds.short[worst]:
        parts.append(f"About {counted(math.ceil(more * n), 'sample')} would decide.")
    return " ".join(parts)
