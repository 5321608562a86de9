"""Theorem 3: bounds of the excess risk of learning with group-invariant features.

In Mroueh, Voinea and Poggio (2015) features of a row x are distribution functions of <t, g x> over
r elements g of a group, for m random vectors t, *templates*, at the ends of n bins of a window [-s,
s]. Sums with weights of at most C/m minimise the empirical risk of N samples. The excess is over
the least risk of the *infinite class*, means over all t with weights of at most C. Our bound is
compared with draws, and with instances where the chance of an excess is exact.

The bound restored from the paper's words fails on one orbit, x and -x under sign flips, with P(y =
1) = 1/2 + eta. For C = 1 the infinite class has the values [-s, s] at x, sums have [-b, b]; b
differs from s by at most s/n and s|2p - 1|, p the fraction of the identity among the elements.
Where the loss has slope -1 the minimiser is b or -b, by the sign of the labels' mean; the risk of
the wrong one is 2 eta (s + b) above the least.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from mehler import GroupInvariantFeatures
from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import (
    Bounding,
    Case,
    Instance,
    compare_instances,
    compare_with_bounds,
    compute,
    wrong_majority,
)
from ..._plots import plot, quantile_points
from .. import _published
from .._shared import ENDLESS
from .._tokens import BINS, LABELS, SHARE, TOKENS, WINDOW, fitted, least_risk, risk_everywhere
from .lemma_4 import falls_short, half_of_elements, same_cell

_DELTA = 0.02
ORBIT_EPSILON = 0.99
ORBIT_WINDOW = 1 + ORBIT_EPSILON
SAMPLES = 10**6
# Templates, bins and elements: so many that their terms of the bound are negligible.
MANY = 10**14
# |2p - 1| stays below this but for probability 2 exp(-MANY SLACK^2 / 2), which no float can hold.
SLACK = 2e-5


class Violation(NamedTuple):
    """Ends of the exact probability of an excess above the restored `bound`; the one `promised`."""

    bound: float
    low: float
    high: float
    promised: float


def violation(delta: float, loss_at_zero: float) -> Violation:
    """Compute the probability of a violation, for the labels' mean that makes it largest.

    `loss_at_zero` is V(0) of the loss max(0, V(0) - u), at least b; or 0 for the loss -u.
    """
    bound = _published.theorem_3(
        SAMPLES,
        n_templates=MANY,
        n_bins=MANY,
        n_elements=MANY,
        window=ORBIT_WINDOW,
        scale=1.0,
        lipschitz=1.0,
        delta=delta,
        loss_at_zero=loss_at_zero,
    ).value
    # The least b, so that with this eta the wrong sign is always a violation.
    eta = bound * (1 + 1e-9) / (2 * ORBIT_WINDOW * (2 - SLACK))
    # Labels whose mean is 0 may go either way.
    low, high = (float(stats.binom.cdf(SAMPLES // 2 - tie, SAMPLES, 0.5 + eta)) for tie in (1, 0))
    rare = 2 * math.exp(-MANY * SLACK**2 / 2)
    return Violation(bound, low * (1 - 1e-6) - rare, high * (1 + 1e-6) + rare, 3 * delta)


def largest_value() -> float:
    """Return the largest b: V(0) must not be below it."""
    return ORBIT_WINDOW * (1 + SLACK + 1 / MANY)


@check("group-invariant.theorem-3", form="restored", name="one orbit, V(u) = -u")
def one_orbit(context: Context, *, delta: float = 1e-10) -> Evidence:
    """Compute how often the excess risk of a linear loss exceeds the restored bound."""
    return _violated("$V(u) = -u$", delta, 0.0)


@check("group-invariant.theorem-3", form="restored", name="one orbit, a loss from 0 up")
def not_negative(context: Context, *, delta: float = 1e-18) -> Evidence:
    """Compute the same for a loss that is not negative, whose value at 0 the bound includes."""
    least = largest_value()
    return _violated(rf"$V(u) = \max(0, {least:.4g} - u)$", delta, least)


def _violated(loss: str, delta: float, loss_at_zero: float) -> Evidence:
    chance = violation(delta, loss_at_zero)
    return Evidence.from_interval(
        claim=(
            rf"the excess risk exceeds the bound {chance.bound:.5f} with probability at most "
            rf"$3\delta$, $\delta$ = {delta:g}: sign flips, one orbit, {loss}, $s = "
            rf"{ORBIT_WINDOW:g}$, $N = 10^6$, $m = n = r = 10^{{14}}$"
        ),
        observed=chance.low,
        interval=(chance.low, chance.high),
        upper=chance.promised,
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
    sorted_rows, all_rows = map(TOKENS.one_hot, (TOKENS.representatives, everything))
    scale = math.sqrt(phi.bins.step / phi.n_units)
    # Weights C/m times the signs that fit the sorted sequences best.
    weights = scale * np.sign((SHARE * LABELS) @ phi(sorted_rows))
    on_orbits = -(SHARE * LABELS) @ (phi(sorted_rows) @ weights)
    on_all = -float(np.mean(LABELS[orbit] * (phi(all_rows) @ weights)))
    claim = (
        r"$|\mathcal E_{\mathcal X}(\tilde f) - \mathcal E_{\mathcal X_0}(\tilde f)| > 0.01$ "
        r"for $\tilde f$ of a sample of $r = 2$ elements: a proof has to pay for it"
    )
    return compute(claim, abs(on_all - float(on_orbits)), 1e-12, lower=0.01)


def _settings(context: Context) -> tuple[tuple[tuple[int, int], ...], int]:
    return (((10, 50),), 1200) if context.quick else (((10, 50), (50, 500)), 20_000)


def _bound_at(bound: Bounding, m: int, n: int, **options: Any) -> Bound:
    sizes = {"n_templates": m, "n_bins": BINS, "window": WINDOW, **options}
    return bound(n, scale=1.0, lipschitz=1.0, delta=_DELTA, **sizes)


@check("group-invariant.theorem-3", form="proved", name="excess risk", pays=True)
def excess(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Count how often the excess risk exceeds the proved bound, with the whole group."""
    settings, n_draws = _settings(context)
    least = least_risk(context)
    cases = [
        Case(
            draws=fitted(context, m, n, n_draws).risk - least,
            bound=_bound_at(bound, m, n),
            where={"m": m, "N": n, "loss": "-y f"},
        )
        for m, n in settings
    ]
    claim = (
        r"the excess risk of the empirical minimiser exceeds the bound with probability at "
        r"most $3\delta$ (whole group, linear loss)"
    )
    n_features = sum(n_draws * m for m, _ in settings) * (2 * BINS + 1)
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=(_plot(context, least),)
    )


@check("group-invariant.theorem-3", form="proved", name="excess risk, sampled elements", pays=True)
def excess_sampled(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Count how often the excess risk on everything exceeds the bound, two random elements."""
    m, n, r, n_draws = 10, 50, 2, 240 if context.quick else 20_000
    case = Case(
        draws=risk_everywhere(context, m, n, r, n_draws) - least_risk(context),
        bound=_bound_at(bound, m, n, n_elements=r),
        where={"m": m, "N": n, "r": r, "loss": "-y f"},
    )
    claim = (
        r"the excess risk on all sequences of the minimiser on sorted ones exceeds the bound "
        r"with probability at most $5\delta$ ($r = 2$ elements)"
    )
    return compare_with_bounds(
        claim, [case], context.false_alarm, n_features=n_draws * m * (2 * BINS + 1)
    )


def _plot(context: Context, least: float) -> Plot:
    sizes = (20, 100, 500) if context.quick else (20, 100, 500, 2500, 10_000)
    excesses = [np.maximum(fitted(context, 20, n, 100).risk - least, 1e-6) for n in sizes]
    promised = [
        bounds.excess_risk(
            n, n_templates=n, n_bins=n, window=WINDOW, scale=1.0, lipschitz=1.0, delta=_DELTA
        ).value
        for n in sizes
    ]
    return plot(
        "Theorem 3: excess risk, 20 templates, whole group",
        "number of samples",
        "excess risk",
        Series(label="bound for as many templates and bins", x=sizes, y=promised),
        quantile_points("observed, 94% quantile", sizes, excesses, 1 - 3 * _DELTA),
        log="xy",
        caption="The observed excess levels off at what 20 templates and 8 bins leave.",
    )


def wrong_sign(bound: Bounding) -> Iterator[Instance]:
    """Yield one row of a line, loss V(u) = -u, labels of bias b: a wrong sign loses 2 s C b."""
    sizes = {"n_templates": ENDLESS, "n_bins": ENDLESS**2}

    def bias(n: int, failure: float) -> float:
        value = bound(n, **sizes, window=1.0, scale=1.0, lipschitz=1.0, delta=failure / 3).value
        return value / 2

    yield from wrong_majority("one row", bias, (1e-3, 1e-6, 1e-250))


@check("group-invariant.theorem-3", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Compare the bound with one row of a line, where all sizes but one are endless."""

    def endless(**sizes: Any) -> Bound:
        return bound(ENDLESS**2, lipschitz=1.0, **sizes)

    return compare_instances(
        "excess risk",
        *wrong_sign(bound),
        *falls_short(endless, events=3),
        *half_of_elements(endless, events=5, both=True),
        same_cell(endless, events=3),
    )
