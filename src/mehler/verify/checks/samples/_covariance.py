"""check_covariance: is the covariance of these independent vectors as claimed?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_mapping
from mehler.verify._arguments import CheckOptions, pay, require_options
from mehler.verify._verdict import FORMS, KURTOSIS, Status, Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks.samples._products import Products, claimed, look_at, sample_matrix
from mehler.verify.sampling._choose_source import GROUP
from mehler.verify.undeclared._kurtosis_test import LEAST

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
    BudgetExceeded
        If the ledger cannot pay.

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
    status: Status = "holds"
    reason, method = "", KURTOSIS
    rests: tuple[str, ...] = (look.assumed("product"),)
    worst = int(np.argmax(np.abs(look.off) / np.maximum(look.half, 1e-300)))
    if seen.form is not None:
        status, method = "refuted", FORMS
        rests = ("nothing else: squares are not negative",)
        worst = seen.form % len(pairs)
    elif look.refuted.any():
        status = "refuted"
        worst = int(np.argmax(np.where(look.refuted, np.abs(look.off) / look.half, -1.0)))
    elif not look.decided:
        status = "inconclusive"
        worst = int(np.argmax(np.where(look.outside, np.inf, look.width)))
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
