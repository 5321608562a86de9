"""Check E|phi(x) - phi(g x)|^2 row by row against a claim."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array, to_host
from mehler._plural import counted
from mehler._validate import require_reals
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR, Status, Verdict
from mehler.verify.intervals import known_variance
from mehler.verify.intervals._design import detectable_effect, features_needed
from mehler.verify.pairwise._catoni import statistics_of_samples
from mehler.verify.sampling._choose_source import units_of
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import call
from mehler.verify.undeclared._nonnegative import Ends, Nonnegative, sizes

# Samples of the pilot, and the safety factor on its variance.
_PILOT, _SAFETY = 256, 2.0

_PILOTED = "asymptotic (Catoni, variance from a pilot)"
_SUSPICION = (
    "A mean is off, but few large samples decide it, and nothing bounds what was not seen: draw "
    "larger maps, or allow more draws."
)

Defect = float | Callable[[Any], Array]


def mean_invariance_defect(
    asked: CheckOptions,
    draws: Draws,
    rows: EvaluatedRows,
    moved: EvaluatedRows,
    defect: Defect,
    max_draws: int | None,
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
        status, reason = "inconclusive", _SUSPICION
        seen = _surely(asked, lambda k: sample(draws, k)[0] / unit, exact, per_draw, max_draws)
        if seen is not None:
            again, refuted, statistics = seen
            status, reason = "refuted", ""
            # Defects that are too large first, since refuting them takes no assumption.
            larger = refuted & (again.low > exact)
            worst = int(np.argmax(larger if larger.any() else refuted))
            method = f"squared differences: {again.method(larger.any())}"
            rests = tuple(f"of squared differences {a}" for a in again.assumptions(larger.any()))
            observed, ends = again.mean, np.stack([again.low, again.high], axis=1)
            n_draws = -(-again.n // per_draw)
    elif (2.0 * half > asked.resolution).any():
        status, worst = "inconclusive", int(np.argmax(half))
        reason = f"About {counted(-(-wanted // per_draw), 'draw')} would decide."
    scale = float(unit[worst])
    return asked.verdict(
        status=status,
        claim=f"E|phi(x) - phi(g x)|^2 is the claimed defect at {counted(n, 'row')}",
        observed=float(observed[worst]) * scale,
        exact=float(claim[worst]),
        interval=(float(ends[worst, 0]) * scale, float(ends[worst, 1]) * scale),
        n_features=n_draws * m,
        n_draws=n_draws,
        n_intervals=n,
        detectable=detectable_effect(x.shape[0], float(bound.max()), rate, asked.miss),
        method=method,
        assumptions=("draws, and units where declared, are independent", *rests),
        where={"row": worst, "relative_to": scale},
        seeds={"seed": draws.root},
        reason=reason,
        statistics=(statistics,),
    )


def _surely(
    asked: CheckOptions,
    sample: Callable[[int], Any],
    exact: Any,
    per_draw: int,
    max_draws: int | None,
) -> tuple[Ends, Any, Statistics] | None:
    """Return guaranteed intervals and where they exclude a claim, or None if nowhere."""
    # Betting against a larger claim is conservative; a claim of 0 admits no bets.
    claims, rate = np.maximum(exact, 1e-3 * asked.resolution), asked.false_alarm / exact.size
    seen, drawn = Nonnegative(claims, rate, asked.resolution), 0
    for target in sizes(rate, cheap=per_draw > 1):
        until = -(-target // per_draw)
        if max_draws is not None:
            until = min(until, max_draws)
        if until == drawn:
            continue
        seen.add(np.concatenate([sample(k) for k in range(drawn, until)]))
        drawn, ends = until, seen.look()
        refuted = ends.refuted(claims, FLOOR * asked.resolution)
        if refuted.any():
            return ends, refuted, seen.statistics()
    return None
