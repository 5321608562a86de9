"""Means of products of coordinates: their covariances, by bets on squared sums and intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import FLOOR, Verdict
from mehler.verify.checks._conclusion import conclude
from mehler.verify.intervals._kurtosis import KURTOSIS, Look
from mehler.verify.intervals._measurement import Measurement, Task
from mehler.verify.intervals._nonnegative import FORMS, SquaredLengths, sums_and_differences
from mehler.verify.sampling._power_sums import power_sums
from mehler.verify.sampling._sources import Source

# Rows whose covariance is one sample, where their mean is not known.
GROUP = 8
# Elements of the largest temporary.
_BLOCK = 1 << 20
# Largest sample that can be squared, and summed up.
_LARGEST = 1e150
_EPS = float(np.finfo(float).eps)


def check_products(
    terms: CheckOptions,
    x: Array,
    c: Array,
    mean: Array | None,
    claim: str | None,
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
    rho, pairs = c[first, second] / unit, np.stack([first, second])
    z = (x if mean is None else x - mean) / np.sqrt(diagonal)
    rounding = 64.0 * _EPS * float(np.max(np.abs(z), initial=1.0)) ** 2
    bets = SquaredLengths(sums_and_differences(2.0, rho), pairs, rounding, "(z_i {} z_j)^2")
    sums, n = np.zeros((4, rho.size)), 0
    ends = np.full((2, rho.size), np.inf) * [[1.0], [-1.0]]
    step = GROUP * max(1, _BLOCK // (GROUP * rho.size))
    # A rest that makes no group is left out.
    for start in range(0, z.shape[0] // GROUP * GROUP if mean is None else z.shape[0], step):
        block, columns = z[start : start + step], np.arange(len(c))
        squares = _products(block, columns, columns, mean is None)
        products = _products(block, first, second, mean is None)
        whole = squares[:, first] + squares[:, second]
        bets.add(sums_and_differences(whole, products), whole)
        gaps = products - rho
        sums += power_sums(gaps)
        ends = np.stack([np.minimum(ends[0], gaps.min(0)), np.maximum(ends[1], gaps.max(0))])
        n += products.shape[0]

    # Half of the rate each.
    look = Look(
        n, sums, 0.5 * terms.false_alarm / rho.size, terms.resolution, rounding,
        ends=(ends[0], ends[1]),
    )  # fmt: skip
    compared = look.compared(look.refutable, look.carried)
    evidence = bets.evidence(
        math.log(2.0 * bets.n_bets / terms.false_alarm), FLOOR * terms.resolution
    )
    assumptions, note, unless = look.assumptions("pair"), "", ""
    if evidence is not None:
        assumptions = ("nothing else: squares are not negative",)
    elif compared.status == "refuted":
        events = "rows" if mean is not None else f"groups of {GROUP} rows"
        unless = look.unless(compared.worst, events, "sqrt(C_ii C_jj)")
        assumptions = ()
    elif not look.effective[compared.worst]:
        note = "A covariance is off, and its products never varied: check the samples."
    elif look.short[compared.worst]:
        note = "Few large samples decide a covariance, and nothing bounds what was not seen."
    more = math.ceil(look.wanted() / look.n * x.shape[0])
    known = x.shape[0] < more < 2**20 * x.shape[0] and not note
    measured = Measurement(
        observed=rho + look.off,
        low=rho + compared.low,
        high=rho + compared.high,
        n_draws=0,
        n_intervals=3 * rho.size,
        detectable=float(np.max(look.detectable(terms.miss))),
        needed=more if known else 0,
        method=(KURTOSIS if evidence is None else FORMS)
        + (f", within groups of {GROUP}" if mean is None else ""),
        assumptions=assumptions,
        may_refute=compared.refuted,
        evidence=evidence,
        unless=unless,
        note=note,
        statistics=(look.statistics(shared=True), *bets.statistics(FLOOR * terms.resolution)),
    )
    source = Coordinates(rho, unit, x.shape[0], 1, rounding)
    source.pairs = pairs
    text = f"Cov(x_i, x_j) = C_ij at {counted(rho.size, 'pair')} of coordinates"
    return conclude(Task(source, None, terms), measured, claim or text)


class Coordinates(Source):
    """Products of two coordinates of samples at hand."""

    independence = "the samples are independent, and their number was fixed before"
    unit_name, counted_in = "sqrt(C_ii C_jj)", "sample"
    pairs: Any

    def place(self, index: int) -> dict[str, Any]:
        i, j = self.pairs[:, index]
        return {"i": int(i), "j": int(j)}

    def certified(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"rows": [int(self.pairs.max()) + 1, None]}, {"pair": self.pairs}


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
