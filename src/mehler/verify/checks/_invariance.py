"""check_invariance: are features invariant under a group acting on the rows?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, from_host, is_array, place_of, require_matrix, to_host
from mehler._plural import counted
from mehler._validate import require_reals
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import binomial, known_variance
from mehler.verify.intervals._known_variance import detectable_effect, features_needed
from mehler.verify.nonparametric._nonnegative import refutation_of
from mehler.verify.pairwise._catoni import statistics_of_samples
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, read, rows_without_claim
from mehler.verify.sampling._sources import BLOCK, call, units_of

# Relative rounding of features allowed, in eps: the action changes the order of sums.
ROUNDING = 2.0**10
# Relative changes of every entry of a row, in eps, that stand for rounding on the way to a jump,
# and how many changed rows are looked at.
_CHANGE, _COPIES = 2.0**6, 32
_FLOAT64 = float(np.finfo(np.float64).eps)


def beyond_rounding(
    phi: Callable[..., Any], rows: EvaluatedRows, other: EvaluatedRows, features: tuple[Any, float]
) -> tuple[Any, Any]:
    """Return where phi(x) and phi(g x) differ by more than rounding, and the gaps.

    `found` is phi(x) and its eps. A feature with jumps (a bin, a code, a sign) may differ by a
    jump where both rows are next to it. There rows that are changed by rounding and changed moved
    rows have the same range of values, up to the chance of 32 copies; ranges that only touch are
    those of two bins with a common edge. Rows are looked at by falling gap, until one differs.
    """
    values, eps = features
    z, there = values.astype(np.float64), read(phi, other)[0].astype(np.float64)
    gap = np.abs(z - there)
    exact = values.dtype.kind != "f"
    share = 0.0 if exact else min(ROUNDING * eps, math.sqrt(eps))
    allowed = share * np.abs(z).max(axis=1, keepdims=True)
    wrong = ~(gap <= allowed)
    at = np.flatnonzero(wrong.any(axis=1))
    at = at[np.argsort(-np.nan_to_num(gap[at].max(axis=1), nan=np.inf), kind="stable")]
    eps = max(0.0 if exact else eps, _eps(rows.host)) or _FLOAT64
    # Integers stay what they are: the least change of one is no rounding.
    change = min(_CHANGE * eps, math.sqrt(eps)) if _eps(rows.host) else 0.0
    step = max(1, BLOCK // (_COPIES * z.shape[1]))
    for start in range(0, at.size, step):
        some = at[start : start + step]
        low, high = _reached(phi, rows, some, change)
        other_low, other_high = _reached(phi, other, some, change)
        common = np.minimum(high, other_high) - np.maximum(low, other_low)
        narrow = np.minimum(high - low, other_high - other_low)
        wrong[some] &= ~(common + allowed[some] >= 0.5 * narrow)
        if wrong[some].any():
            wrong[at[start + step :]] = False
            break
    return wrong, gap


def _reached(
    phi: Callable[..., Any], rows: EvaluatedRows, at: NDArray[np.int64], change: float
) -> tuple[Any, Any]:
    """Return the least and the largest feature of the rows at `at`, changed by rounding."""
    x = rows.host[at].astype(np.float64)
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, (_COPIES, *x.shape))
    noise[0] = 0.0
    changed = x * (1.0 + change * noise)
    host = changed.reshape(-1, x.shape[1]).astype(rows.host.dtype)
    evaluated = EvaluatedRows(from_host(host, place_of(rows.given)), host, np.ones(host.shape[0]))
    values = read(phi, evaluated)[0].astype(np.float64).reshape(_COPIES, at.size, -1)
    return values.min(axis=0), values.max(axis=0)


def _eps(z: Array) -> float:
    return float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0


def exact_invariance(
    terms: CheckOptions,
    draws: Draws,
    rows: EvaluatedRows,
    moved: list[EvaluatedRows],
) -> Verdict:
    # The least n for which 0 of n leaves an interval no wider than the resolution.
    n_trials = math.ceil(math.log(2.0 / terms.false_alarm) / -math.log1p(-terms.resolution))
    done, trials, happened = 0, 0, 0
    where: dict[str, Any] = {}
    reason, m, kind = "", 0, "draws"
    while trials < n_trials and not happened and terms.draws_within(done + 1, m) > done:
        phi = draws[done]
        features, eps = read(phi, rows)
        m = features.shape[1]
        for element, other in enumerate(moved):
            wrong, gap = beyond_rounding(phi, rows, other, (features, eps))
            if wrong.any():
                gap = np.where(wrong, np.nan_to_num(gap, nan=np.inf), 0.0)
                row = int(np.argmax(gap.max(axis=1)))
                happened = 1
                where = {"row": row, "element": element, "seed": draws.seed(done)}
                reason = (
                    f"A feature moves by {gap[row].max():.3g}, where features reach "
                    f"{np.abs(features).max():.3g}."
                )
                break
        done += 1
        units = units_of(phi, m)
        kind = "units" if units else "draws"
        trials += units or 1
    interval = binomial(happened, trials, terms.false_alarm)
    status: Status = "refuted" if happened else "holds"
    if not happened and interval[1] > terms.resolution:
        status, reason = "inconclusive", f"{trials} trials were allowed; {n_trials} would decide."
    return terms.verdict(
        status=status,
        claim=f"phi(g x) = phi(x) for {len(moved)} group elements at "
        f"{counted(rows.host.shape[0], 'row')}",
        observed=happened / trials,
        interval=interval,
        n_features=done * m,
        n_draws=done,
        # An event of probability p goes unseen in n trials with probability (1 - p)^n.
        detectable=-math.expm1(math.log(terms.miss) / trials),
        method=f"binomial (share of {kind} that differ)",
        assumptions=(
            "draws from different seeds are independent",
            f"rounding moves no feature by more than {ROUNDING:g} eps of its row's largest, but "
            "where a row next to it has another value",
        ),
        where=where,
        reason=reason,
        statistics=(Statistics("no event", {}, {"n": [trials], "count": [happened]}),),
    )


# Samples of the pilot, and the safety factor on its variance.
_PILOT, _SAFETY = 256, 2.0

_PILOTED = "asymptotic (Catoni, variance from a pilot)"
_SUSPICION = (
    "A mean is off, but few large samples decide it, and nothing bounds what was not seen: draw "
    "larger maps, or allow more draws."
)


Defect = float | Callable[[Any], Array]


def mean_invariance_defect(
    terms: CheckOptions,
    draws: Draws,
    rows: EvaluatedRows,
    moved: EvaluatedRows,
    defect: Defect,
) -> Verdict:
    n = rows.host.shape[0]
    claim = require_reals(
        "defect", to_host(defect(rows.values)) if callable(defect) else defect, finite=False
    )
    claim = np.broadcast_to(claim, (n,)) if claim.ndim == 0 else claim
    if claim.shape != (n,) or not np.isfinite(claim).all() or (claim < 0.0).any():
        raise ValueError(f"defect must be finite, not negative and of shape ({n},)")
    phi = draws[0]
    m = call(phi, rows).shape[1]
    units = units_of(phi, m)
    per_draw = units or 1

    def sample(source: Draws, k: int) -> tuple[Any, Any]:
        phi = source[k]
        a, b = (call(phi, each).astype(np.float64) for each in (rows, moved))
        gaps, sizes = (a - b) ** 2, 0.5 * (a * a + b * b)
        if units == m:
            return m * gaps.T, sizes.sum(axis=1)
        if units:  # several columns per unit, combined by the map
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
    rate = terms.false_alarm / n
    floor = (terms.resolution / 20.0) ** 2
    bound = np.maximum(_SAFETY * scattered.var(axis=0, ddof=1), floor)
    needed = features_needed(float(bound.max()), terms.resolution, rate, terms.miss / n)
    n_draws = terms.draws_within(-(-needed // per_draw), m)
    x = np.concatenate([sample(draws, k)[0] for k in range(n_draws)]) / unit
    if x.shape[0] > 2.0 * math.log(2.0 / rate):
        ends = np.array([known_variance(x[:, i], float(bound[i]), rate) for i in range(n)])
    else:
        ends = np.tile([-math.inf, math.inf], (n, 1))
    exact = claim / unit
    half = 0.5 * (ends[:, 1] - ends[:, 0])
    excess = np.maximum(ends[:, 0] - exact, exact - ends[:, 1])
    observed = x.mean(axis=0)
    statistics = statistics_of_samples(x, exact, bound, rate, ends.T, pilot=True)
    status: Status = "holds"
    reason, method = "", _PILOTED
    rests: tuple[str, ...] = (
        f"the variance of a sample is at most {_SAFETY:g} times that of a pilot",
    )
    worst = int(np.argmax(np.abs(observed - exact) / half))
    if (excess > 0.0).any():
        # A pilot's variance guarantees nothing, so this is a suspicion only.
        worst = int(np.argmax(excess))
        status = "inconclusive"
        # Betting against a larger claim is conservative; a claim of 0 admits no bets.
        proof = refutation_of(
            np.maximum(exact, 1e-3 * terms.resolution),
            rate,
            terms.resolution,
            lambda k: sample(draws, k)[0] / unit,
            per_draw,
            lambda size: terms.draws_within(-(-size // per_draw), m),
        )
        reason = proof.note or _SUSPICION
        if proof.refuted.any():
            status, worst, statistics = "refuted", proof.worst, proof.statistics
            method = f"squared differences: {proof.method}"
            assumption, reason = proof.words(
                "squared differences",
                "units" if units else "draws",
                f"(E|phi(x)|^2 + E|phi(g x)|^2)/2 = {float(unit[worst]):.3g} there",
            )
            rests = (assumption,)
            observed, ends = proof.ends.mean, np.stack([proof.ends.low, proof.ends.high], axis=1)
            n_draws = proof.draws
    elif (2.0 * half > terms.resolution).any():
        status, worst = "inconclusive", int(np.argmax(half))
        reason = f"About {counted(-(-needed // per_draw), 'draw')} would decide."
    scale = float(unit[worst])
    return terms.verdict(
        status=status,
        claim=f"E|phi(x) - phi(g x)|^2 is the claimed defect at {counted(n, 'row')}",
        observed=float(observed[worst]) * scale,
        exact=float(claim[worst]),
        interval=(float(ends[worst, 0]) * scale, float(ends[worst, 1]) * scale),
        n_features=n_draws * m,
        n_draws=n_draws,
        n_intervals=n,
        detectable=detectable_effect(x.shape[0], float(bound.max()), rate, terms.miss),
        method=method,
        assumptions=("draws, and units where declared, are independent", *rests),
        where={"row": worst, "relative_to": scale},
        reason=reason,
        statistics=(statistics,),
    )


Action = Callable[[Any], Array]


@accepts("max_features", "seed")
def check_invariance(
    draw: Callable[[int], Any],
    act: Action | Sequence[Action],
    X: Array,
    *,
    defect: Defect | None = None,
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    """Check that phi(g x) = phi(x), or that E|phi(x) - phi(g x)|^2 is as claimed.

    Parameters
    ----------
    draw : callable
        seed -> map.
    act : callable or sequence of them
        One or several group actions X -> g X that preserve the shape.
    X : array, shape (n, d)
        Rows in general position: a row fixed by g is no evidence.
    defect : float or callable, optional
        X -> (n,), the claimed E|phi(x) - phi(g x)|^2, for a map of kernel k
        k(x,x) + k(gx,gx) - 2 k(x,gx); requires a single g. Default exactly 0, in every draw and
        feature.
    resolution : float
        Without `defect`, the largest fraction of draws (of units, if the map declares them
        independent) that may differ undetected. With it, the smallest deviation that must not be
        missed, as a fraction of (E|phi(x)|^2 + E|phi(g x)|^2)/2.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, seed.

    Returns
    -------
    Verdict
        ``observed`` is the fraction that differs, or the mean squared difference at the worst row.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more (2 with `defect`), an action
        that moves no row.

    Notes
    -----
    Exact invariance is refuted by one difference beyond rounding: 1024 eps of the row's largest
    feature (the root of eps in half precision), or a jump that rows next to both rows, their
    entries changed by 64 eps, have as well, as the features of bins and codes do. Rows of integers
    are not changed, and a row on the edge of a bin shows less than others. A claimed defect is a
    mean of unbounded samples. It holds by Catoni's interval at twice a pilot's variance; the
    verdict calls this asymptotic. If that interval excludes the claim, squared differences that
    are larger than claimed refute it without assumptions, smaller ones as those of `check_kernel`:
    after as many fresh draws, and with the words what rare draws would have to carry. Else the
    verdict is *inconclusive*.

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
    terms = require_options("invariance", options, resolution)
    terms.require_below(
        1.0 if defect is None else 2.0, "a share lies in [0, 1] and a relative defect in [0, 4]"
    )
    draws, rows = Draws(draw, terms.seed), rows_without_claim(X)
    actions = list(act) if isinstance(act, Sequence) else [act]
    if not actions or not all(callable(each) for each in actions):
        raise TypeError(f"act={act!r} must be a callable X -> g X, or a sequence of them")
    moved = [_moved(each, rows) for each in actions]
    terms.pay()
    if defect is None:
        return exact_invariance(terms, draws, rows, moved)
    if len(moved) != 1:
        raise ValueError("a defect is claimed of one group element: give one action")
    with np.errstate(all="ignore"):
        return mean_invariance_defect(terms, draws, rows, moved[0], defect)


def _moved(act: Action, rows: EvaluatedRows) -> EvaluatedRows:
    image = act(rows.given)
    image = image if is_array(image) else np.asarray(image)
    require_matrix(image, name="act(X)")
    host = to_host(image)
    if host.shape != rows.host.shape:
        raise ValueError(f"act(X) has shape {host.shape} but X {rows.host.shape}")
    if np.array_equal(host, rows.host):
        raise ValueError("act(X) equals X at every row: such rows show nothing; give others")
    return EvaluatedRows(image, host, rows.unit)
