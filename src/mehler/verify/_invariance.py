"""check_invariance: do features stay what they are when a group acts on the rows?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler._arrays import Array, check_matrix, is_array, to_host
from mehler.verify._arguments import count
from mehler.verify._check_counts import Rates, never, rates, trials_for
from mehler.verify._check_rows import plain_rows
from mehler.verify._design import detectable_effect, features_needed
from mehler.verify._draws import Draws
from mehler.verify._ledger import Ledger
from mehler.verify._pairs import Rows
from mehler.verify._sources import call
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import known_variance

# Samples of the pilot, and what is allowed on top of the variance that it shows.
_PILOT, _SAFETY = 256, 2.0

# Averages over a group are summed in another order after the action: relative rounding allowed.
_ROUNDING = 2.0**10

Action = Callable[[Any], Array]
Defect = float | Callable[[Any], Array]


def check_invariance(
    draw: Callable[[int], Any],
    act: Action | Sequence[Action],
    X: Array,
    *,
    defect: Defect | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.02,
    max_draws: int | None = None,
    seed: int = 0,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
) -> Verdict:
    r"""Check that phi(g x) = phi(x), or that E|phi(x) - phi(g x)|^2 is what is claimed.

    Parameters
    ----------
    draw : callable
        seed -> map.
    act : callable or sequence of them
        X -> g X, the same shape; several elements g may be given.
    X : array, shape (n, d)
        Rows in general position: a row that g leaves alone shows nothing.
    defect : float or callable, optional
        X -> (n,), the claimed E|phi(x) - phi(g x)|^2, k(x,x) + k(gx,gx) - 2 k(x,gx) for a map of
        kernel k; one element g then. Default exactly 0, in every draw and feature.
    resolution : float
        Without `defect`: largest share of draws (of units, where the map declares them
        independent) that may differ unseen. With it: as a fraction of
        (E|phi(x)|^2 + E|phi(g x)|^2)/2.
    max_draws : int, optional
        Most draws.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        ``observed`` is the share that differs, or the mean squared difference at the worst row.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more (2 with `defect`), an action
        that moves no row.
    BudgetExceeded
        If the ledger cannot pay.

    Notes
    -----
    Exact invariance is refuted by one difference beyond rounding, 1024 eps of the row's largest
    feature. A claimed defect is a mean of unbounded samples, whose variance is taken from a pilot
    and doubled: Catoni's interval, labelled asymptotic.

    Examples
    --------
    Even functions under x -> -x:

    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: np.abs(X @ w) / np.sqrt(20)
    >>> check_invariance(draw, lambda X: -X, np.eye(3)).status
    'holds'
    >>> check_invariance(draw, lambda X: X[:, [1, 0, 2]], np.eye(3)).status
    'refuted'
    """
    asked = rates(
        false_alarm,
        resolution,
        miss,
        name or "invariance",
        None,
        below=1.0 if defect is None else 2.0,
        because="a share lies in [0, 1] and a relative defect in [0, 4]",
    )
    if max_draws is not None:
        max_draws = count("max_draws", max_draws)
    draws, rows = Draws(draw, seed), plain_rows(X)
    actions = list(act) if isinstance(act, Sequence) else [act]
    if not actions or not all(callable(each) for each in actions):
        raise TypeError(f"act={act!r} must be a callable X -> g X, or a sequence of them")
    moved = [_moved(each, rows) for each in actions]
    if ledger is not None:
        ledger.spend(asked.name, asked.false_alarm)
    if defect is None:
        return _exactly(asked, draws, rows, moved, max_draws)
    if len(moved) != 1:
        raise ValueError("a defect is claimed of one group element: give one action")
    with np.errstate(all="ignore"):
        return _in_mean(asked, draws, rows, moved[0], defect, max_draws)


def _moved(act: Action, rows: Rows) -> Rows:
    given = act(rows.given)
    given = given if is_array(given) else np.asarray(given)
    check_matrix(given, name="act(X)")
    host = to_host(given)
    if host.shape != rows.host.shape:
        raise ValueError(f"act(X) has shape {host.shape} but X {rows.host.shape}")
    if np.array_equal(host, rows.host):
        raise ValueError("act(X) equals X at every row: such rows show nothing; give others")
    return Rows(given, host, rows.unit)


def _exactly(
    asked: Rates, draws: Draws, rows: Rows, moved: list[Rows], max_draws: int | None
) -> Verdict:
    wanted, done, trials, happened = trials_for(asked), 0, 0, 0
    where: dict[str, Any] = {}
    reason, m, kind = "", 0, "draws"
    largest = 0.0
    while trials < wanted and not happened and (max_draws is None or done < max_draws):
        phi = draws[done]
        z = call(phi, rows).astype(np.float64)
        eps = _eps(call(phi, rows))
        m = z.shape[1]
        for element, other in enumerate(moved):
            gap = np.abs(z - call(phi, other).astype(np.float64))
            scale = np.abs(z).max(axis=1, keepdims=True)
            wrong = ~(gap <= _ROUNDING * eps * scale)
            if wrong.any():
                row = int(np.argmax(np.nan_to_num(gap.max(axis=1), nan=np.inf)))
                largest = float(gap[row].max())
                happened = 1
                where = {"row": row, "element": element, "seed": draws.seed(done)}
                reason = (
                    f"A feature moves by {largest:.3g}, where features reach {scale.max():.3g}."
                )
                break
        done += 1
        units = _units(phi, m)
        kind = "units" if units else "draws"
        trials += units or 1
    return never(
        asked,
        happened,
        trials,
        claim=f"phi(g x) = phi(x) for {len(moved)} group elements at {rows.host.shape[0]} rows",
        method=f"binomial (share of {kind} that differ)",
        n_features=done * m,
        n_draws=done,
        assumptions=(
            "draws from different seeds are independent",
            f"rounding moves no feature by more than {_ROUNDING:g} eps of its row's largest",
        ),
        where=where,
        seeds={"seed": draws.root},
        reason=reason,
    )


def _in_mean(
    asked: Rates, draws: Draws, rows: Rows, moved: Rows, defect: Defect, max_draws: int | None
) -> Verdict:
    n = rows.host.shape[0]
    claim = np.asarray(to_host(defect(rows.values)) if callable(defect) else defect, dtype=float)
    claim = np.broadcast_to(claim, (n,)) if claim.ndim == 0 else claim
    if claim.shape != (n,) or not np.isfinite(claim).all() or (claim < 0.0).any():
        raise ValueError(f"defect must be finite, not negative and of shape ({n},)")
    phi = draws[0]
    m = call(phi, rows).shape[1]
    units = _units(phi, m)
    per_draw = units or 1

    def sample(source: Draws, k: int) -> tuple[Any, Any]:
        phi = source[k]
        a, b = (call(phi, each).astype(np.float64) for each in (rows, moved))
        gaps, sizes = (a - b) ** 2, 0.5 * (a * a + b * b)
        if units == m:
            return m * gaps.T, sizes.sum(axis=1)
        if units:  # several columns a unit, which the map puts together
            left, right = rows.given, moved.given
            parts = [(left, left), (right, right), (left, right)]
            own, other, across = (np.asarray(to_host(phi.products(*part))) for part in parts)
            return (own + other - 2.0 * across).T, sizes.sum(axis=1)
        return gaps.sum(axis=1)[None, :], sizes.sum(axis=1)

    pilot_draws = Draws(draws.draw, draws.root, stream=1)
    pilot = [sample(pilot_draws, k) for k in range(-(-_PILOT // per_draw))]
    unit = np.mean([size for _, size in pilot], axis=0)
    if not (unit > 0.0).all():
        raise ValueError("phi(x) and phi(g x) are 0 at a row: leave it out")
    scattered = np.concatenate([gaps for gaps, _ in pilot]) / unit
    rate = asked.false_alarm / n
    floor = (asked.resolution / 20.0) ** 2
    bound = np.maximum(_SAFETY * scattered.var(axis=0, ddof=1), floor)
    wanted = features_needed(float(bound.max()), asked.resolution, rate, asked.miss / n)
    n_draws = -(-wanted // per_draw)
    if max_draws is not None:
        n_draws = min(n_draws, max_draws)
    x = np.concatenate([sample(draws, k)[0] for k in range(n_draws)]) / unit
    if x.shape[0] > 2.0 * math.log(2.0 / rate):
        ends = np.array([known_variance(x[:, i], float(bound[i]), rate) for i in range(n)])
    else:
        ends = np.tile([-math.inf, math.inf], (n, 1))
    exact = claim / unit
    half = 0.5 * (ends[:, 1] - ends[:, 0])
    excess = np.maximum(ends[:, 0] - exact, exact - ends[:, 1])
    observed = x.mean(axis=0)
    status: Status = "holds"
    reason = ""
    worst = int(np.argmax(np.abs(observed - exact) / half))
    if (excess > 0.0).any():
        status, worst = "refuted", int(np.argmax(excess))
    elif (2.0 * half > asked.resolution).any():
        status, worst = "inconclusive", int(np.argmax(half))
        reason = f"About {-(-wanted // per_draw)} draws would decide."
    scale = float(unit[worst])
    return Verdict(
        status=status,
        check=asked.name,
        claim=f"E|phi(x) - phi(g x)|^2 is the claimed defect at {n} rows",
        observed=float(observed[worst]) * scale,
        exact=float(claim[worst]),
        interval=(float(ends[worst, 0]) * scale, float(ends[worst, 1]) * scale),
        n_features=n_draws * m,
        n_draws=n_draws,
        n_looks=n,
        false_alarm=asked.false_alarm,
        resolution=asked.resolution,
        detectable=detectable_effect(x.shape[0], float(bound.max()), rate, asked.miss),
        miss=asked.miss,
        method="asymptotic (Catoni, variance from a pilot)",
        assumptions=(
            "draws, and units where declared, are independent",
            f"the variance of a sample is at most {_SAFETY:g} times that of a pilot",
        ),
        where={"row": worst, "relative_to": scale},
        seeds={"seed": draws.root},
        reason=reason,
    )


def _units(phi: Any, n_features: int) -> int:
    """Return how many independent units a draw has, of one or more columns each; 0 for none."""
    if not getattr(phi, "independent_units", False):
        return 0
    return int(getattr(phi, "n_units", n_features))


def _eps(z: Any) -> float:
    return float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
