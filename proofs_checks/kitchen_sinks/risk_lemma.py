"""The risk lemma: the average of K random features has nearly the risk of the function f*.

In Rahimi and Recht (2008) f* = int alpha* phi over features phi of density pi, |alpha*| <= C pi and
|phi| <= 1; the average is of K drawn phi, weighted by alpha*/pi. The risk R is the mean of a loss
c(y f(x)) of Lipschitz constant L. How much larger the average's is than that of f* is compared with
the bound, in draws and instances: it may be exceeded with probability delta.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, kitchen_sinks
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import Case, compare_instances, compare_with_bounds
from .._plots import plot, quantile_points
from . import _extremal_instances as extremal
from ._instances import Cosines, blocks, cosine_features, mean_signs

Loss = Callable[[Any], Any]
_SIGNS = 100_000
_POINTS = 32


def logistic(t: Any) -> Any:
    """Compute log(1 + e^{-t}), 1-Lipschitz."""
    return np.logaddexp(0.0, -t)


def hinge(t: Any) -> Any:
    """Compute max(0, 1 - t), 1-Lipschitz."""
    return np.maximum(0.0, 1.0 - t)


def losses_in_risk(
    rng: np.random.Generator, instance: Cosines, n_features: int, n_draws: int, loss: Loss
) -> Any:
    """Compute R of the average minus R of f*, one a draw, for inputs uniform over fixed points.

    The risks are sums over the points and both labels, P(y = 1 | x) = (1 + cos(x_1))/2. As in
    `Cosines.errors`, alpha*/pi = sign(cos b) and f*(x) = (2/pi) e^{-s^2 |x|^2/2}.
    """
    x = rng.standard_normal((_POINTS, instance.n_inputs))
    positive = (1 + instance.signal * np.cos(instance.frequency * x[:, 0])) / 2

    def risk(f: Any) -> Any:
        return (positive * loss(f) + (1 - positive) * loss(-f)).mean(axis=-1)

    target = 2 / math.pi * np.exp(-0.5 * instance.bandwidth**2 * (x**2).sum(axis=1))
    losses = []
    for n in blocks(n_draws, n_features * _POINTS):
        w, b = instance.draw(rng, n, n_features)
        phi = cosine_features(x, w, b)
        average = (phi @ np.sign(np.cos(b))[..., np.newaxis])[..., 0] / n_features
        losses.append(risk(average) - risk(target))
    return np.concatenate(losses)


def _settings(context: Context) -> tuple[tuple[tuple[int, int, float, Loss], ...], int]:
    """Return (d, K, delta, loss), and the number of draws of each."""
    settings: tuple[tuple[int, int, float, Loss], ...] = (
        (2, 20, 0.05, logistic),
        (5, 50, 0.05, hinge),
    )
    if not context.quick:
        settings += ((2, 100, 0.01, logistic), (20, 50, 0.1, hinge), (20, 200, 0.01, logistic))
    return settings, 600 if context.quick else 20_000


def cases(
    context: Context, bound: Callable[..., Bound] = kitchen_sinks.approximation_risk
) -> list[Case]:
    """Return the risks of averages above those of f*, with their bounds."""
    settings, n = _settings(context)
    rows = []
    for d, k, delta, loss in settings:
        rng = context.rng(f"{loss.__name__} {d} {k}")
        differences = losses_in_risk(rng, Cosines(d, 0.5), k, n, loss)
        where = {"features": f"cosines, {loss.__name__}", "d": d, "K": k, "delta": delta}
        limit = bound(k, scale=1.0, lipschitz=1.0, delta=delta)
        rows.append(Case(draws=differences, bound=limit, where=where))
    for k, delta in ((50, 0.05), (1000, 0.01)):
        # Constant features of random sign, y = 1, c(t) = (1 - t)/2: R = (1 - f)/2 and f* = 0.
        differences = -mean_signs(context.rng(f"signs {k}"), k, _SIGNS) / 2
        where = {"features": "signs", "K": k, "delta": delta}
        limit = bound(k, scale=1.0, lipschitz=0.5, delta=delta)
        rows.append(Case(draws=differences, bound=limit, where=where))
    return rows


@check("kitchen-sinks.risk-lemma", form="printed", name="risks of averages", pays=True)
def averages(
    context: Context, *, bound: Callable[..., Bound] = kitchen_sinks.approximation_risk
) -> Evidence:
    """Count how often the average's risk exceeds that of f* by more than the bound."""
    settings, n = _settings(context)
    claim = (
        "the average of $K$ features has a risk above that of $f^*$ by more than the bound "
        r"with probability at most $\delta$ (logistic and hinge loss on cosines, a linear loss "
        "on constants)"
    )
    n_features = max(n * k for _, k, _, _ in settings)
    plots = (_plot(context),)
    return compare_with_bounds(
        claim, cases(context, bound), context.false_alarm, n_features=n_features, plots=plots
    )


def _plot(context: Context) -> Plot:
    counts = (8, 16, 32, 64) if context.quick else (8, 16, 32, 64, 128, 256)
    n = 400 if context.quick else 2000
    observed, promised, signs = [], [], []
    for k in counts:
        rng = context.rng(f"plot {k}")
        differences = losses_in_risk(rng, Cosines(2, 0.5), k, n, logistic)
        observed.append(differences)
        signs.append(mean_signs(rng, k, _SIGNS))
        promised.append(
            kitchen_sinks.approximation_risk(k, scale=1.0, lipschitz=1.0, delta=0.05).value
        )
    return plot(
        "Risk lemma: bound and observation at δ = 0.05, L = 1",
        "number of features",
        "risk above that of f*",
        Series(label="bound", x=counts, y=promised),
        quantile_points("95% quantile, logistic loss, d = 2", counts, observed, 0.95),
        quantile_points("95% quantile, constants", counts, signs, 0.95),
        log="x",
        caption=(
            "The bound is one for the absolute difference of the two functions; a smooth loss with "
            "random labels loses less, a linear one with fixed labels nearly half of it."
        ),
    )


@check("kitchen-sinks.risk-lemma", form="printed", name="extremal instances")
def tight(
    context: Context, *, bound: Callable[..., Bound] = kitchen_sinks.approximation_risk
) -> Evidence:
    """Compare the bound where it is tight: the loss |t|, on random signs and one of a basis."""
    return compare_instances(
        "risk of the average above that of $f^* = 0$",
        *extremal.random_signs(bound, lipschitz=1.0),
        extremal.one_of_a_basis(bound),
    )
