"""The estimation lemma: the largest gap of true and empirical risk over all small weights.

Rahimi and Recht (2008) bound it with probability 1 - delta over N samples, for sums of K features
of size at most 1, weights in the *box*, |alpha_k| <= C/K, and a loss c(y f(x)) of Lipschitz
constant L. Our texts lack the lemma; as restored, unverified, it fails for one constant feature, by
an exact probability above delta. Ours is compared with that, and with draws.
"""

import math
from collections.abc import Callable

import numpy as np

from mehler.bounds import Bound, kitchen_sinks
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import Case, compare_instances, compare_with_bounds, compute
from .._plots import plot
from . import _extremal_instances as extremal
from . import _published
from ._instances import LIPSCHITZ, Cosines, cosine_products, largest_gap, log_tail, mean_signs

Lemma = Callable[..., Bound]

_SIGNS = 100_000
_SAMPLES = 4000
# The logarithm of an exact integer is good to a unit in the last place of itself, below 3000.
_ROUNDING = 1e-9


def as_restored(n_samples: int, *, log_delta: float) -> float:
    """Return the restored bound for C = L = 1 and c(0) = 0; delta may be below every float."""
    smallest = _published.estimation_lemma(
        n_samples, scale=1.0, lipschitz=1.0, delta=math.exp(-1), loss_at_zero=0.0
    )
    return smallest["statistical"] + smallest["confidence"] * math.sqrt(-log_delta)


def as_proved(n_samples: int, *, log_delta: float) -> float:
    """Return our bound of the absolute gap, likewise."""
    smallest = kitchen_sinks.generalisation_gap(
        n_samples, scale=1.0, lipschitz=1.0, delta=math.exp(-1), two_sided=False
    )
    return smallest["statistical"] + smallest["confidence"] * math.sqrt(math.log(2) - log_delta)


@check("kitchen-sinks.estimation-lemma", form="restored", name="exact probability of a violation")
def restored_tail(context: Context, *, bound: Callable[..., float] = as_restored) -> Evidence:
    """Compare the exact probability of a violation with delta, for one constant feature."""
    log_delta = -100.0
    log_probability = log_tail(_SAMPLES, bound(_SAMPLES, log_delta=log_delta))
    claim = (
        "for one feature that is 1, $c(t) = -t$, $C = 1$, fair labels and "
        rf"$N = {_SAMPLES}$, at $\log\delta = {log_delta:g}$: the logarithm of the probability "
        r"of a violation is at most $\log\delta$"
    )
    plots = (_tails(),)
    method = "binomial tail summed in integers"
    return compute(claim, log_probability, _ROUNDING, upper=log_delta, method=method, plots=plots)


@check("kitchen-sinks.estimation-lemma", form="proved", name="exact probability of a violation")
def proved_tail(context: Context, *, bound: Callable[..., float] = as_proved) -> Evidence:
    """Compare the exact probability with delta for our bound, over a range of delta and N."""
    excess, n, log_delta = max(
        (log_tail(n, bound(n, log_delta=log_delta)) - log_delta, n, log_delta)
        for n in (100, 1000, _SAMPLES)
        for log_delta in (-1.0, -5.0, -20.0, -100.0)
        if bound(n, log_delta=log_delta) < 1  # |mean| is never above 1
    )
    claim = (
        "for one feature that is 1, $c(t) = -t$, $C = 1$ and fair labels, the logarithm of the "
        r"probability of a violation minus $\log\delta$ "
        rf"(largest at $N = {n}$, $\log\delta = {log_delta:g}$)"
    )
    return compute(claim, excess, _ROUNDING, upper=0.0, method="binomial tail summed in integers")


def _settings(context: Context) -> tuple[tuple[tuple[int, int, int, float], ...], int]:
    """Return (d, K, N, delta), and the number of draws of each."""
    settings: tuple[tuple[int, int, int, float], ...] = ((2, 20, 60, 0.05), (5, 50, 100, 0.05))
    if not context.quick:
        settings += ((5, 100, 200, 0.01), (20, 50, 400, 0.1))
    return settings, 600 if context.quick else 20_000


def cases(context: Context, bound: Lemma = kitchen_sinks.generalisation_gap) -> list[Case]:
    """Return the largest gaps over the box with their bounds."""
    settings, n_draws = _settings(context)
    cases = []
    for d, k, n, delta in settings:
        products = cosine_products(Cosines(d, 0.7, 0.5))(
            context.rng(f"cosines {d} {k} {n}"), k, n, n_draws
        )
        where = {"features": "cosines", "d": d, "K": k, "N": n, "delta": delta}
        limit = bound(n, scale=1.0, lipschitz=LIPSCHITZ, delta=delta)
        cases.append(Case(draws=largest_gap(products), bound=limit, where=where))
    for n, delta in ((100, 0.05), (4000, 0.01)):
        means = np.abs(mean_signs(context.rng(f"constant {n}"), n, _SIGNS))
        where = {"features": "constant", "N": n, "delta": delta}
        limit = bound(n, scale=1.0, lipschitz=1.0, delta=delta)
        cases.append(Case(draws=means, bound=limit, where=where))
    return cases


@check("kitchen-sinks.estimation-lemma", form="proved", name="largest gap over the box", pays=True)
def gaps(context: Context, *, bound: Lemma = kitchen_sinks.generalisation_gap) -> Evidence:
    """Count how often the largest gap over the box exceeds the proved bound."""
    settings, n_draws = _settings(context)
    claim = (
        "the largest difference of true and empirical risk over the box of weights exceeds the "
        r"bound with probability at most $\delta$ (cosines; one constant feature)"
    )
    n_features = max(n_draws * k for _, k, _, _ in settings)
    return compare_with_bounds(
        claim, cases(context, bound), context.false_alarm, n_features=n_features
    )


def _tails() -> Plot:
    logs = np.linspace(2.0, 120.0, 30)
    restored = [log_tail(_SAMPLES, as_restored(_SAMPLES, log_delta=-log)) for log in logs]
    proved = [log_tail(_SAMPLES, as_proved(_SAMPLES, log_delta=-log)) for log in logs]
    return plot(
        "Estimation lemma: probability of a violation, one constant feature, N = 4000",
        "log(1/δ)",
        "log of the probability",
        Series(label="promised: log δ", x=logs, y=-logs),
        Series(label="restored bound", x=logs, y=restored),
        Series(label="proved bound", x=logs, y=proved),
        caption="A valid bound stays below the promised line. The restored one crosses it: its "
        "deviation term is half of what it must be, which a larger first term hides at "
        "moderate δ.",
    )


@check("kitchen-sinks.estimation-lemma", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Lemma = kitchen_sinks.generalisation_gap) -> Evidence:
    """Compare the bound with instances where it is tight: one feature, and endless ones."""
    return compare_instances(
        "largest gap of the risks, fair labels",
        *extremal.one_feature_gap(bound),
        extremal.many_features_gap(bound),
    )
