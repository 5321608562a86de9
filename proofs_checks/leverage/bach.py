"""Proposition 6 (Bach): how many features approximate the unit ball of the kernel's space.

In Shahrampour and Kolouri (2019) the *leverage* of a feature phi at a ridge is <phi, (T + ridge)^-1
phi>, T the kernel's operator; its mean is d, the degrees of freedom. M features are drawn in
proportion to leverage, or plainly. The error of the ball is the largest, over its functions, of the
least squared error of a sum of these features plus the ridge's penalty. It is compared with 4
ridge, at Bach's number of features (*restored*), and at our smaller one (*proved*).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, leverage, solve
from mehler.statements import Context, Evidence, Plot, Series, check
from mehler.verify import intervals

from .._comparisons import Case, compare_instances, compare_with_bounds
from .._plots import plot
from . import _instances as extremal
from . import _published
from ._instances import Circle

_DELTA = 0.05
_ROUNDING = 1e-9
Features = Callable[..., int]
as_restored: Features = _published.features_of_proposition_6


def as_proved(**options: Any) -> int:
    """Compute the number at which the proved error is 4 ridge."""
    return int(solve(leverage.approximation, at_most=4.0, n_features=None, ridge=1.0, **options))


def cases(context: Context, form: Any, features: Features) -> list[Case]:
    """Return drawn errors at the number of features that `form` requires, for both laws."""
    circle = Circle()
    n = 1000 if context.quick else 20_000
    forms: dict[str, tuple[Features, Callable[..., Bound]]] = {
        "restored": (as_restored, _published.proposition_6),
        "proved": (as_proved, leverage.approximation),
    }
    number, bound = forms[form]
    rows = []
    for ridge in (1e-2, 1e-3) if context.quick else (1e-1, 1e-2, 1e-3, 1e-4):
        d = circle.degrees(ridge)
        for name, law in (("leverage", circle.best(ridge)), ("plain", circle.law)):
            options = {
                "degrees_of_freedom": d,
                "largest_ratio": max(circle.ratio(ridge, law), d),
                "delta": _DELTA,
            }
            m = features(**options)
            rng = context.rng(f"{form} {name} {ridge}")
            rows.append(
                Case(
                    draws=circle.errors(rng, law, m, ridge, n) * (1 - _ROUNDING),
                    bound=bound(number(**options), ridge=ridge, **options),
                    where={"ridge": ridge, "law": name, "M": m},
                )
            )
    return rows


def _compare(context: Context, form: Any, features: Features, plots: Any = ()) -> Evidence:
    rows = cases(context, form, features)
    claim = (
        r"with that many features, by leverage or plainly, the error of the ball exceeds "
        r"$4\lambda$ with probability at most $\delta$ (waves on a circle)"
    )
    n_features = max(case.where["M"] * case.draws.size for case in rows)
    return compare_with_bounds(claim, rows, context.false_alarm, n_features=n_features, plots=plots)


@check("leverage.bach", form="restored", name="errors at the restored number", pays=True)
def restored(context: Context, *, features: Features = as_restored) -> Evidence:
    """Draw Bach's number of features."""
    return _compare(context, "restored", features)


@check("leverage.bach", form="proved", name="errors at the proved number", pays=True)
def proved(context: Context, *, features: Features = as_proved) -> Evidence:
    """Draw the smaller number that is proved here."""
    return _compare(context, "proved", features, (_plot(context),))


@check("leverage.bach", form="proved", name="fewer features", pays=True)
def fewer(context: Context, *, law: Callable[[Circle, float], Any] = Circle.best) -> Evidence:
    """Draw 137 features by leverage and plainly."""
    ridge, m = 1e-3, 137
    n = 4000 if context.quick else 100_000
    circle = Circle()
    rate = context.false_alarm / 2
    fractions = []
    for name, proposal in (("leverage", law(circle, ridge)), ("plain", circle.law)):
        reached = circle.errors(context.rng(f"fewer {name}"), proposal, m, ridge, n) <= 4 * ridge
        fractions.append((reached.mean(), *intervals.binomial(int(reached.sum()), n, rate)))
    (a, a_low, a_high), (b, b_low, b_high) = fractions
    return Evidence.from_interval(
        claim=(
            r"at $\lambda = 10^{-3}$ and $M = 137$, the share of draws that reach $4\lambda$ is "
            "larger by leverage than by plain sampling by at least 1/2"
        ),
        observed=a - b,
        interval=(a_low - b_high, a_high - b_low),
        lower=0.5,
        false_alarm=context.false_alarm,
        n_features=2 * m * n,
        method=f"two Clopper-Pearson intervals, {n} draws each",
        assumptions=("draws are independent",),
    )


@check("leverage.bach", form="proved", name="where it is tight")
def tight(context: Context, *, bound: Callable[..., Bound] = leverage.approximation) -> Evidence:
    """Compare the proved error where it is tight: many draws of orthogonal features."""
    return compare_instances(
        "error of the whole ball, features drawn so often that it is near the ridge",
        *extremal.rarest_feature(bound),
    )


def features_needed(
    rng: np.random.Generator, circle: Circle, law: Any, ridge: float, n: int
) -> int:
    """Return the least number on a grid of steps of 2 % at which 95 % of n draws reach 4 ridge."""
    m = 8.0
    while True:
        reached = circle.errors(rng, law, int(m), ridge, n) <= 4 * ridge
        if reached.mean() >= 0.95:
            return int(m)
        m = max(m * 1.02, m + 1)


def _plot(context: Context) -> Plot:
    circle, ridge = Circle(), 1e-3
    counts = np.array([25, 50, 75, 100, 137, 200, 300, 400, 463, 600, 800])
    n = 500 if context.quick else 20_000
    series = []
    for name, law in (("by leverage", circle.best(ridge)), ("plain", circle.law)):
        rng = context.rng(f"plot {name}")
        share = [np.mean(circle.errors(rng, law, int(m), ridge, n) <= 4 * ridge) for m in counts]
        series.append(Series(label=name, x=counts, y=np.asarray(share)))
    d = circle.degrees(ridge)
    promised = as_proved(degrees_of_freedom=d, delta=_DELTA)
    at = [promised, promised]
    series.append(Series(label="promised, by leverage", x=at, y=np.array([0.0, 0.95])))
    return plot(
        "Circle, ridge 0.001: share of draws that reach the whole ball to 4 ridge",
        "number of features",
        "share of draws",
        *series,
        log="x",
        caption=f"{d:.1f} degrees of freedom: 95% need about 140 features by leverage and 460 by "
        f"plain sampling; {promised} are promised. Plain sampling needs as many as it takes "
        "to meet the rarest wave that matters.",
    )
