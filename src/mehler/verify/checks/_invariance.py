"""check_invariance: are features invariant under a group acting on the rows?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array, from_host, is_array, place_of, require_matrix, to_host
from mehler._plural import counted
from mehler.verify._arguments import DrawOptions, accepts, require_options
from mehler.verify._maps import Clock, Draws, EvaluatedRows, evaluate, first_map, unclaimed_rows
from mehler.verify._sources import BLOCK, INDEPENDENT, units_of
from mehler.verify._verdict import Statistics, Status, Verdict
from mehler.verify.intervals._counts import binomial

# Difference of features that is rounding, in eps of the row's largest; relative changes of entries,
# in eps, by which a jump near a row is looked for, and how many changed copies are tried.
ROUNDING, _CHANGE, _COPIES = 2.0**10, 2.0**6, 32
_FLOAT64 = float(np.finfo(np.float64).eps)


def beyond_rounding(
    phi: Callable[..., Any], rows: EvaluatedRows, image: EvaluatedRows, features: tuple[Any, float]
) -> tuple[Any, Any]:
    """Return where features phi(x) of rows and phi(g x) of their image differ, and the gaps.

    Differences of the size of rounding do not count, nor those at a jump (of a bin, a code, a sign)
    next to both rows: there the values of either row, over 32 copies changed by rounding, have
    overlapping ranges. Ranges that only touch are those of two bins with a common edge.
    """
    values, eps = features
    z, of_image = values.astype(np.float64), evaluate(phi, image)[0].astype(np.float64)
    gap = np.abs(z - of_image)
    exact = values.dtype.kind != "f"
    share = 0.0 if exact else min(ROUNDING * eps, math.sqrt(eps))
    slack = share * np.abs(z).max(axis=1, keepdims=True)
    wrong = ~(gap <= slack)
    at = np.flatnonzero(wrong.any(axis=1))
    at = at[np.argsort(-np.nan_to_num(gap[at].max(axis=1), nan=np.inf), kind="stable")]
    of_rows = float(np.finfo(rows.host.dtype).eps) if rows.host.dtype.kind == "f" else 0.0
    eps = max(0.0 if exact else eps, of_rows) or _FLOAT64
    # Integers stay what they are: the least change of one is no rounding.
    change = min(_CHANGE * eps, math.sqrt(eps)) if of_rows else 0.0
    step = max(1, BLOCK // (_COPIES * z.shape[1]))
    for start in range(0, at.size, step):
        part = at[start : start + step]
        low, high = _extent(phi, rows, part, change)
        image_low, image_high = _extent(phi, image, part, change)
        common = np.minimum(high, image_high) - np.maximum(low, image_low)
        narrow = np.minimum(high - low, image_high - image_low)
        wrong[part] &= ~(common + slack[part] >= 0.5 * narrow)
        if wrong[part].any():
            wrong[at[start + step :]] = False
            break
    return wrong, gap


def _extent(phi: Any, rows: EvaluatedRows, at: Array, change: float) -> tuple[Any, Any]:
    """Return the least and the largest feature of the rows at `at`, changed by rounding."""
    x = rows.host[at].astype(np.float64)
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, (_COPIES, *x.shape))
    noise[0] = 0.0
    copies = x * (1.0 + change * noise)
    host = copies.reshape(-1, x.shape[1]).astype(rows.host.dtype)
    noisy_rows = EvaluatedRows(from_host(host, place_of(rows.array)), host, np.ones(host.shape[0]))
    values = evaluate(phi, noisy_rows)[0].astype(np.float64).reshape(_COPIES, at.size, -1)
    return values.min(axis=0), values.max(axis=0)


RowAction = Callable[[Any], Array]


@accepts()
def check_invariance(
    draw: Callable[[int], Any],
    act: RowAction | Sequence[RowAction],
    X: Array,
    *,
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    """Check that phi(g x) = phi(x), in every draw and feature.

    Parameters
    ----------
    draw : callable
        seed -> map.
    act : callable or sequence of them
        One or several group actions X -> g X that preserve the shape.
    X : array, shape (n, d)
        Rows in general position: a row fixed by g is no evidence.
    resolution : float
        The largest fraction of draws, or of units declared independent, that may differ undetected.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` is the fraction that differs.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more, an action that moves no row.

    Notes
    -----
    One difference beyond rounding refutes: 1024 eps of the row's largest feature (the root of eps
    in half precision), or a jump that rows next to both, changed by 64 eps, have as well. Of other
    maps |phi(x) - phi(g x)|^2 has mean k(x,x) + k(gx,gx) - 2 k(x,gx): `check_kernel` at both.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: np.abs(X @ w) / np.sqrt(20)
    >>> check_invariance(draw, lambda X: -X, np.eye(3)).status
    'holds'
    """
    terms = require_options("invariance", options, resolution)
    terms.require_below(1.0, "a share lies in [0, 1]")
    draws, rows = Draws(draw, terms.seed), unclaimed_rows(X)
    actions = list(act) if isinstance(act, Sequence) else [act]
    if not actions or not all(callable(action) for action in actions):
        raise TypeError(f"act={act!r} must be a callable X -> g X, or a sequence of them")
    images = [_image(action, rows) for action in actions]
    terms.pay()
    first_map(draws, rows)
    # So many trials without an event leave an interval that is no wider than the resolution.
    n_trials = math.ceil(math.log(2.0 / terms.false_alarm) / -math.log1p(-terms.resolution))
    clock, done, trials, reason = Clock(terms.time_limit), 0, 0, ""
    where: dict[str, Any] = {}
    while trials < n_trials and not where:
        features, eps = evaluate(draws[done], rows)
        m = features.shape[1]
        units = units_of(draws[done], m)
        for element, image in enumerate(images):
            wrong, gap = beyond_rounding(draws[done], rows, image, (features, eps))
            if wrong.any():
                gap = np.where(wrong, np.nan_to_num(gap, nan=np.inf), 0.0)
                row, largest = int(np.argmax(gap.max(axis=1))), np.abs(features).max()
                reason = f"A feature moves by {gap[row].max():.3g}, where features reach "
                reason += f"{largest:.3g}."
                where = {"row": row, "element": element, "seed": draws.seed(done)}
                break
        done, trials = done + 1, trials + (units or 1)
        if terms.draws_within(done + 1, m) == done or clock.over:
            break
    count, kind = int(bool(where)), "units" if units else "draws"
    low, high = binomial(count, trials, terms.false_alarm)
    status: Status = "refuted" if count else "holds"
    if not count and high > terms.resolution:
        status = "inconclusive"
        reason = f"{counted(trials, 'trial')} of {n_trials} that would decide: allow more draws or "
        reason += f"time, or take resolution={1.1 * high:.2g}."
    remark = f"rounding moves no feature by more than {ROUNDING:g} eps of its row's largest, but "
    remark += "where a row next to it has another value"
    return terms.verdict(
        status=status,
        claim=f"phi(g x) = phi(x) for {len(images)} group elements at "
        f"{counted(rows.host.shape[0], 'row')}",
        observed=count / trials,
        interval=(low, high),
        n_features=done * m,
        n_draws=done,
        # An event of probability p never happens in n trials with probability (1 - p)^n.
        detectable=-math.expm1(math.log(terms.miss) / trials),
        method=f"binomial (share of {kind} that differ)",
        assumptions=(INDEPENDENT, remark),
        where=where,
        reason=reason,
        statistics=(Statistics("no event", {"n": trials}, {"count": [count]}),),
    )


def _image(act: RowAction, rows: EvaluatedRows) -> EvaluatedRows:
    image = act(rows.array)
    image = image if is_array(image) else np.asarray(image)
    require_matrix(image, name="act(X)")
    host = to_host(image)
    if host.shape != rows.host.shape:
        raise ValueError(f"act(X) has shape {host.shape} but X {rows.host.shape}")
    if np.array_equal(host, rows.host):
        raise ValueError("act(X) equals X at every row: such rows show nothing; give others")
    return EvaluatedRows(image, host, rows.unit)
