"""Theorem 3: the risk of learning with features."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._violations import Case, hold_bounds
from ..._worlds import hold_worlds
from ...kitchen_sinks._quantiles import quantile_points
from .. import _tight_worlds as worlds
from . import _one_orbit
from ._toy_problem import BINS, LABELS, SHARE, TOKENS, WINDOW, fitted, least_risk, risk_everywhere

_DELTA = 0.02


@check("group-invariant.theorem-3", form="restored", name="one orbit, V(u) = -u")
def one_orbit(context: Context, *, delta: float = 1e-10) -> Evidence:
    """Compute how often the excess risk of a linear loss exceeds the restored bound."""
    return _violated("$V(u) = -u$", delta, 0.0)


@check("group-invariant.theorem-3", form="restored", name="one orbit, a loss from 0 up")
def not_negative(context: Context, *, delta: float = 1e-18) -> Evidence:
    """Compute the same for a loss that is not negative, whose value at 0 the bound pays for."""
    least = _one_orbit.largest_value()
    return _violated(rf"$V(u) = \max(0, {least:.4g} - u)$", delta, least)


def _violated(loss: str, delta: float, loss_at_zero: float) -> Evidence:
    found = _one_orbit.violation(delta, loss_at_zero)
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            rf"the excess risk exceeds the bound {found.bound:.5f} with probability at most "
            rf"$3\delta$, $\delta$ = {delta:g}: sign flips, one orbit, {loss}, $s = "
            rf"{_one_orbit.WINDOW:g}$, $N = 10^6$, $m = n = r = 10^{{14}}$"
        ),
        observed=found.low,
        interval=(found.low, found.high),
        upper=found.promised,
        method="binomial distribution, computed",
    )


@check("group-invariant.theorem-3", form="proved", name="risk on orbits and on everything")
def invariance(context: Context, *, n_elements: int | None = 2) -> Evidence:
    """Compare the risks on all sequences and on sorted ones, for one sampled function."""
    phi = GroupInvariantFeatures.draw(
        TOKENS.n_inputs,
        group=TOKENS.group,
        n_templates=20,
        n_bins=BINS,
        rule="paper",
        window=WINDOW,
        n_elements=n_elements,
        seed=context.seed_for("sampled"),
    )
    everything, orbit = TOKENS.everything
    sorted_rows, all_rows = (TOKENS.one_hot(one) for one in (TOKENS.representatives, everything))
    scale = math.sqrt(phi.bins.step / phi.n_units)
    # Weights C/m times the signs that fit the sorted sequences best.
    weights = scale * np.sign((SHARE * LABELS) @ phi(sorted_rows))
    on_orbits = -(SHARE * LABELS) @ (phi(sorted_rows) @ weights)
    on_all = -float(np.mean(LABELS[orbit] * (phi(all_rows) @ weights)))
    found = abs(on_all - float(on_orbits))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$|\mathcal E_{\mathcal X}(\tilde f) - \mathcal E_{\mathcal X_0}(\tilde f)| > 0.01$ "
            r"for $\tilde f$ of a sample of $r = 2$ elements: a proof has to pay for it"
        ),
        observed=found,
        interval=(found - 1e-12, found + 1e-12),
        lower=0.01,
        method="computed, with its rounding",
    )


def _settings(context: Context) -> tuple[tuple[tuple[int, int], ...], int]:
    return (((10, 50),), 1200) if context.quick else (((10, 50), (50, 500)), 20_000)


def _bound_at(bound: Callable[..., Bound], m: int, n: int, **options: Any) -> Bound:
    sizes = {"n_templates": m, "n_bins": BINS, "window": WINDOW, **options}
    return bound(n, scale=1.0, lipschitz=1.0, delta=_DELTA, **sizes)


@check("group-invariant.theorem-3", form="proved", name="excess risk", pays=True)
def excess(context: Context, *, bound: Callable[..., Bound] = bounds.excess_risk) -> Evidence:
    """Count how often the excess risk exceeds the proved bound, with the whole group."""
    settings, n_draws = _settings(context)
    least = least_risk(context)
    cases = [
        Case(
            drawn=fitted(context, m, n, n_draws).risk - least,
            bound=_bound_at(bound, m, n),
            where={"m": m, "N": n, "loss": "-y f"},
        )
        for m, n in settings
    ]
    return hold_bounds(
        cases,
        form="proved",
        claim=(
            r"the excess risk of the empirical minimiser exceeds the bound with probability at "
            r"most $3\delta$ (whole group, linear loss)"
        ),
        false_alarm=context.false_alarm,
        n_features=sum(n_draws * m for m, _ in settings) * (2 * BINS + 1),
        plots=(_plot(context, least),),
    )


@check("group-invariant.theorem-3", form="proved", name="excess risk, sampled elements", pays=True)
def excess_sampled(
    context: Context, *, bound: Callable[..., Bound] = bounds.excess_risk
) -> Evidence:
    """Count how often the excess risk on everything exceeds the bound, two random elements."""
    m, n, r, n_draws = 10, 50, 2, 240 if context.quick else 20_000
    case = Case(
        drawn=risk_everywhere(context, m, n, r, n_draws) - least_risk(context),
        bound=_bound_at(bound, m, n, n_elements=r),
        where={"m": m, "N": n, "r": r, "loss": "-y f"},
    )
    return hold_bounds(
        [case],
        form="proved",
        claim=(
            r"the excess risk on all sequences of the minimiser on sorted ones exceeds the bound "
            r"with probability at most $5\delta$ ($r = 2$ elements)"
        ),
        false_alarm=context.false_alarm,
        n_features=n_draws * m * (2 * BINS + 1),
    )


def _plot(context: Context, least: float) -> Plot:
    sizes = (20, 100, 500) if context.quick else (20, 100, 500, 2500, 10_000)
    drawn = [np.maximum(fitted(context, 20, n, 100).risk - least, 1e-6) for n in sizes]
    x = np.log10(sizes)
    promised = [
        math.log10(
            bounds.excess_risk(
                n, n_templates=n, n_bins=n, window=WINDOW, scale=1.0, lipschitz=1.0, delta=_DELTA
            ).value
        )
        for n in sizes
    ]
    return Plot(
        title="Theorem 3: excess risk, 20 templates, whole group",
        x_label="log10 of the number of samples",
        y_label="log10 of the excess risk",
        series=(
            Series(label="bound for as many templates and bins", x=x, y=promised),
            quantile_points("observed, 94 % quantile", x, drawn, 1 - 3 * _DELTA),
        ),
        caption="The observed excess levels off at what 20 templates and 8 bins leave.",
    )


@check("group-invariant.theorem-3", form="proved", name="worlds where it is tight")
def tight(context: Context, *, bound: Callable[..., Bound] = bounds.excess_risk) -> Evidence:
    """Hold the bound where it is tight: one row of a line, endless all but one size."""

    def endless(**sizes: Any) -> Bound:
        return bound(worlds.ENDLESS**2, lipschitz=1.0, **sizes)

    return hold_worlds(
        [
            *worlds.wrong_sign(bound),
            *worlds.falls_short(endless, events=3),
            *worlds.unseen(endless, events=5, both=True),
            worlds.same_cell(endless, events=3),
        ],
        form="proved",
        claim="excess risk",
    )
