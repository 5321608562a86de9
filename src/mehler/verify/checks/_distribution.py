"""check_distribution: do single features follow the law that is claimed?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, to_host
from mehler._plural import counted
from mehler._validate import require_flag, require_function, require_positive
from mehler.verify._arguments import DrawOptions, accepts, require_options
from mehler.verify._maps import Clock, Draws, EvaluatedRows, call, first_map, unclaimed_rows
from mehler.verify._sources import INDEPENDENT, declaration, units_of
from mehler.verify._verdict import Statistics, Status, Verdict
from mehler.verify.intervals import dkw

# A feature may be off by so many eps times sqrt(d) of its row's largest, or this part of itself.
_ROUNDED, _SHARE = 256.0, 2.0**-26

Cdf = Callable[[Any, Any], Array]


@accepts()
def check_distribution(
    draw: Callable[[int], Any],
    cdf: Cdf | None,
    X: Array,
    *,
    scale: float | None = None,
    independent_features: bool | None = None,
    resolution: float = 0.05,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that a feature times `scale` has distribution function F_x at every row x.

    .. math:: \sup_t |\hat F_n(t) - F_x(t)| \le d, \qquad P(\sup_t |\hat F_n - F| > d) \le \alpha

    Parameters
    ----------
    draw : callable
        seed -> map.
    cdf : callable or None
        (X, t) -> (n, k), P(scale * phi_l(x_i) <= t[i, j]) for t of shape (n, k), in NumPy; None
        for the map's own ``feature_cdf``.
    X : array, shape (n, d)
        Rows; each counts as one test.
    scale : float, optional
        Factor on the features; default sqrt(n_features), which undoes a map's normalisation.
    independent_features : bool, optional
        Whether the columns of a draw are independent samples, by default as the map declares;
        if not, one of them, chosen at random, is.
    resolution : float
        Width of the band, the largest Kolmogorov distance of the laws that may go undetected.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` and ``exact`` are the distribution functions where they differ most: ``where``.

    Raises
    ------
    ValueError, TypeError
        For bad input, and vacuous: a resolution of 1 or more; a `cdf` that falls or leaves [0, 1].

    Notes
    -----
    The empirical distribution function, of n samples, is compared with F_x; d is that of
    `intervals.dkw`, alpha `false_alarm` over the number of rows. F_x is evaluated at both ends of a
    sample's rounding, so that atoms raise no alarm.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import ndtr
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 500))
    ...     return lambda X: X @ w / np.sqrt(500)
    >>> normal = lambda X, t: ndtr(t / np.linalg.norm(X, axis=1, keepdims=True))
    >>> X = np.random.default_rng(0).standard_normal((2, 3))
    >>> check_distribution(draw, normal, X, independent_features=True).status
    'holds'
    >>> check_distribution(draw, normal, X, independent_features=True, scale=20).status
    'refuted'
    """
    terms = require_options("distribution", options, resolution)
    terms.require_below(1.0, "distribution functions differ by at most 1")
    require_function("cdf", cdf, optional=True)
    if independent_features is not None:
        require_flag("independent_features", independent_features)
    if scale is not None:
        scale = require_positive("scale", scale)
    draws, rows, clock = Draws(draw, terms.seed), unclaimed_rows(X), Clock(terms.time_limit)
    n_rows = rows.host.shape[0]
    rate = terms.false_alarm / n_rows
    terms.pay()
    with np.errstate(all="ignore"):
        phi = first_map(draws, rows)
        cdf = declaration(phi, "feature_cdf") if cdf is None else cdf
        if cdf is None:
            raise ValueError("cdf=None but the map declares no feature_cdf: give (X, t) -> F")
        m = call(phi, rows).shape[1]
        alike = independent_features
        all_columns = units_of(phi, m) == m if alike is None else alike
        n_samples = math.ceil(2.0 * math.log(2.0 / rate) / terms.resolution**2)
        n_draws = terms.draws_within(-(-n_samples // m) if all_columns else n_samples, m)
        choose, parts = np.random.default_rng([draws.root, 1]), []
        for k in range(n_draws):
            z = call(draws[k], rows)
            if z.shape[1] != m:
                raise ValueError(f"a draw has {counted(z.shape[1], 'feature')}, the first had {m}")
            parts.append(z if all_columns else z[:, [int(choose.integers(m))]])
            if clock.over:
                break
        values, n_draws = np.concatenate(parts, axis=1), len(parts)
        factor = math.sqrt(m) if scale is None else scale
        eps = float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
        samples = np.sort(values.astype(np.float64) * factor, axis=1)
        size = np.abs(samples)
        largest = size.max(axis=1, keepdims=True)
        rounding = _ROUNDED * math.sqrt(rows.host.shape[1]) * eps * largest
        slack = np.maximum(rounding, _SHARE * np.maximum(size, np.minimum(largest, 1.0)))
        above = _law(cdf, rows, samples + slack)
        below = _law(cdf, rows, np.nextafter(samples - slack, -np.inf))
    n = samples.shape[1]
    d, rank = dkw(n, rate), np.arange(1, n + 1) / n
    over, under = rank - above, below - (rank - 1.0 / n)
    distance = np.where(np.isnan(over + under), np.inf, np.maximum(over, under))
    gaps = np.maximum(distance.max(axis=1), 0.0)
    worst, at = (int(k) for k in np.unravel_index(int(np.argmax(distance)), distance.shape))
    higher = over[worst, at] >= under[worst, at]
    observed = float(rank[at] if higher else rank[at] - 1.0 / n)
    exact = float((above if higher else below)[worst, at])
    status: Status = "refuted" if distance.max() > d else "holds"
    reason = ""
    if status == "refuted":
        reason = f"The distribution functions are {distance.max():.3g} apart, more than {d:.3g}."
        if not np.isfinite(values).all():
            reason = "The map returned features that are not finite."
    elif 2.0 * d > terms.resolution:
        status, reason = "inconclusive", f"The band of {counted(n, 'sample')} has width {2 * d:.3g}"
        reason += f": {n_samples} would decide."
        if clock.over:
            reason += f" The time limit was over: take resolution={2.2 * d:.2g}, or a longer one."
    remark = "the features of a draw are independent and alike" if all_columns else INDEPENDENT
    return terms.verdict(
        status=status,
        claim=f"a feature times {factor:.6g} has the claimed distribution at "
        f"{counted(n_rows, 'row')}",
        observed=observed,
        exact=exact,
        interval=(max(0.0, observed - d), min(1.0, observed + d)),
        n_features=n,
        n_draws=n_draws,
        n_intervals=n_rows,
        detectable=d + dkw(n, terms.miss),
        method="Kolmogorov's distance (Dvoretzky-Kiefer-Wolfowitz, Massart)",
        assumptions=(remark, f"rounding moves no feature by more than {slack.max() / factor:.2g}"),
        where={"row": worst, "t": float(samples[worst, at])},
        seeds={"seed": terms.seed, "first_draw": draws.seed(0)},
        reason=reason,
        statistics=(Statistics("distribution", {"n": n}, {"distance": gaps}),),
    )


def _law(cdf: Cdf, rows: EvaluatedRows, t: NDArray[np.float64]) -> Any:
    value = np.asarray(to_host(cdf(rows.values, t)), dtype=np.float64)
    if value.shape != t.shape:
        raise ValueError(f"cdf(X, t) has shape {value.shape} for t of shape {t.shape}")
    fine = np.isfinite(t)
    falls = (np.diff(value, axis=1)[fine[:, 1:] & fine[:, :-1]] < -1e-12).any()
    if falls or not ((value >= 0.0) & (value <= 1.0))[fine].all():
        what = "falls as t grows" if falls else "leaves [0, 1]"
        raise ValueError(f"cdf(X, t) {what}: it must be a distribution function")
    return value
