"""check_reproducible: same seed, same features; different seeds, independent ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.verify._arguments import CheckOptions, at_most, pay, require_options, root_seed
from mehler.verify._verdict import Status, Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks.reproducible._sign_tests import SUMMARIES, Finding, SignTests
from mehler.verify.intervals import binomial
from mehler.verify.sampling._choose_source import units_of
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim
from mehler.verify.sampling._sources import call

# Seeds that are drawn twice.
_TWICE = 8
_CLAIM = "the same seed gives the same features, different seeds independent ones"


@passed_to_ledger
def check_reproducible(
    draw: Callable[[int], Any],
    X: Array,
    *,
    independent_features: bool | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.5,
    max_draws: int | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
) -> Verdict:
    r"""Check that a seed determines the features, and that different seeds are independent.

    Same seed: bitwise equal features, also with other draws in between. Different seeds: no two
    draws share half of their columns, and for summaries T of a draw and seeds s, u

    .. math:: P\big[(T_s - T_u)(T_{s+1} - T_{u+1}) > 0\big] = \tfrac12,

    exactly, whatever the law of T, if the four draws are i.i.d.: Kendall's tau of neighbouring
    seeds is 0, and so is that of distant seeds. Codes of different seeds coincide by chance. For
    them two further comparisons are exactly fair coins: whether neighbouring seeds or distant ones
    share more columns, and, for i.i.d. units, whether more columns agree in place or with those of
    their neighbour.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows at which features are compared.
    independent_features : bool, optional
        Whether the columns of one draw are i.i.d.; default the map's own ``independent_units``.
        Needed to tell shared features from chance where columns coincide by chance.
    resolution : float
        Width of the intervals for Kendall's tau, which lies in [-1, 1]: seeds whose tau is
        farther from 0 hold with probability at most `false_alarm`.
    max_draws : int, optional
        Largest number of draws.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        ``observed`` is the tau of the worst summary, ``exact`` 0.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 2 or more.
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_structure : Also looks at single bits of the seed and at global state.
    check_backends : Equal features in every library.

    Notes
    -----
    Up to nine Clopper-Pearson intervals share `false_alarm`; ties count for neither side. If there
    are eight or more floating-point features, all different within every draw, half of them in
    common is a finding by itself, since continuous columns do not coincide by chance.

    References
    ----------
    M. G. Kendall, A new measure of rank correlation, Biometrika 30 (1938).

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: X @ w / np.sqrt(20)
    >>> check_reproducible(draw, np.eye(3)).status
    'holds'
    >>> check_reproducible(lambda seed: draw(seed // 2), np.eye(3)).status
    'refuted'
    """
    seed = root_seed(seed)
    asked = require_options("reproducible", name, false_alarm, resolution, miss)
    asked.require_below(2.0, "Kendall's tau lies in [-1, 1]")
    max_draws = at_most("max_draws", max_draws)
    draws, rows = Draws(draw, seed), rows_without_claim(X)
    pay(ledger, asked.name, asked.false_alarm)
    with np.errstate(all="ignore"):
        alike = independent_features
        if alike is None:
            m = call(draws[0], rows).shape[1]
            alike = units_of(draws[0], m) == m  # columns of one unit are not alike
        signs = SignTests(draws, rows, alike, asked.false_alarm, asked.resolution)
        quadruples = signs.quadruples
        if max_draws is not None:
            quadruples = max(1, min(quadruples, max_draws // 6))
        found = _same_seed(draws, rows) or signs.take(quadruples)
    moving = np.flatnonzero(signs.moving)
    if found is None and quadruples >= _TWICE and not (moving < len(SUMMARIES)).any():
        found = "No summary of the features differs between seeds.", {"seeds": "all"}
    report = partial(_verdict, asked, signs, seed)
    if found is not None:
        # Draws that agree entirely.
        return report("refuted", 1.0, (1.0, 1.0), 1.0, found[1], found[0])
    # Constant summaries are no evidence either way.
    taus, ends = zip(*(signs.tau(int(test)) for test in moving))
    halves = [0.5 * (high - low) for low, high in ends]
    excess = [max(low, -high) for low, high in ends]
    worst = int(np.argmax([abs(t) / h for t, h in zip(taus, halves)]))
    status: Status = "holds"
    reason = ""
    if max(excess) > 0.0:
        worst = int(np.argmax(excess))
        status = "refuted"
        reason = "Draws of different seeds are not independent."
        if moving[worst] >= len(SUMMARIES):
            reason = "Draws of different seeds have more columns in common than chance gives."
    elif max(2.0 * h for h in halves) > asked.resolution:
        worst = int(np.argmax(halves))
        status = "inconclusive"
        reason = (
            f"{int(signs.decided[moving[worst]])} comparisons without ties were made: "
            f"{signs.quadruples} would decide."
        )
    pattern, summary = signs.tests[int(moving[worst])]
    compared = signs.decided[moving[moving < len(SUMMARIES)]]
    reach = math.inf
    if compared.size:
        least = int(compared.min())
        seen = [binomial(least // 2, least, r) for r in (0.5 * signs.rate, asked.miss)]
        reach = sum(high - low for low, high in seen)
    where = {"seeds": pattern, "summary": summary}
    verdict = report(status, taus[worst], ends[worst], reach, where, reason)
    return replace(verdict, statistics=(signs.statistics(),))


def _verdict(
    asked: CheckOptions,
    signs: SignTests,
    seed: int,
    status: Status,
    observed: float,
    interval: tuple[float, float],
    detectable: float,
    where: dict[str, Any],
    reason: str,
) -> Verdict:
    n_draws = signs.n_draws + 2 * _TWICE
    return asked.verdict(
        status=status,
        claim=_CLAIM,
        observed=observed,
        exact=0.0,
        interval=interval,
        n_features=n_draws * signs.n_features,
        n_draws=n_draws,
        n_intervals=len(signs.tests),
        detectable=detectable,
        method="equality of bits and columns; binomial (Kendall's tau of draws, columns shared)",
        assumptions=(
            "draws whose columns all differ do not share half of them by chance",
            "one law for all seeds",
            *(["the units of a draw are independent and alike"] if len(signs.tests) > 7 else []),
        ),
        where=where,
        seeds={"seed": seed},
        reason=reason,
    )


def _same_seed(draws: Draws, rows: EvaluatedRows) -> Finding | None:
    """Draw a few seeds, then all of them again, and compare the bits."""
    seeds = [draws.seed(k) for k in range(_TWICE)]
    first = [call(draws.draw(s), rows) for s in seeds]
    for s, z in zip(seeds, first):
        again = call(draws.draw(s), rows)
        if again.shape != z.shape or not np.array_equal(again, z, equal_nan=True):
            return f"Seed {s} gave different features the second time.", {"seed": s}
    return None
