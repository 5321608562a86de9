"""Lemma 1: K random features with weights of at most C/K approximate a function f* in L2(mu).

In Rahimi and Recht (2008) f* = int alpha* phi over features phi of density pi, |alpha*| <= C pi and
|phi| <= 1; mu is the law of the inputs. The error of the average of K drawn features, weighted by
alpha*/pi, is compared with the bound, for cosines, constants of random sign, and in instances. Our
bound is sharper by known moments, and holds for larger features, maxout units, once divided.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler.bounds import Bound, kitchen_sinks
from mehler.bounds.kitchen_sinks import feature_scale_maxout
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import Case, compare_count, compare_instances, compare_with_bounds
from .._plots import plot, quantile_points
from . import _extremal_instances as extremal
from ._instances import Cosines, average_errors, blocks, mean_signs

By = Literal["frobenius", "longest"]


@dataclass(frozen=True)
class Units:
    """Maxout units, maxima of q projections, on `n_points` points of norm sqrt(d) of the law mu.

    They are unbounded, or divided by a bound b of each, "frobenius" or "longest", to be at most 1.
    """

    n_inputs: int
    pool_size: int
    by: By | None = None
    n_points: int = 32

    @property
    def feature_scale(self) -> float:
        """E b, by which C grows; 1 for units as they are."""
        if self.by is None:
            return 1.0
        return feature_scale_maxout(
            self.n_inputs, self.pool_size, radius=math.sqrt(self.n_inputs), by=self.by
        )

    def points(self, rng: np.random.Generator) -> Any:
        """Draw the points of mu, shape (n_points, d)."""
        x = rng.standard_normal((self.n_points, self.n_inputs))
        return x * (math.sqrt(self.n_inputs) / np.linalg.norm(x, axis=1, keepdims=True))

    def draw(self, rng: np.random.Generator, n: int) -> Any:
        """Draw n units' weights, divided by their b where there is one; shape (n, q, d)."""
        if self.by is None:
            return rng.standard_normal((n, self.pool_size, self.n_inputs))
        radius = math.sqrt(self.n_inputs)
        if self.by == "frobenius":
            return self._directions(rng, n) / radius
        kept_weights: list[Any] = []
        while sum(map(len, kept_weights)) < n:
            w = self._directions(rng, n)
            longest = np.linalg.norm(w, axis=2).max(axis=1)
            long = rng.random(n) < longest
            kept_weights.append(w[long] / longest[long, np.newaxis, np.newaxis])
        return np.concatenate(kept_weights)[:n] / radius

    def _directions(self, rng: np.random.Generator, n: int) -> Any:
        """Draw directions uniformly on the unit sphere, also their law at the density |W|_F pi."""
        w = rng.standard_normal((n, self.pool_size, self.n_inputs))
        return w / np.linalg.norm(w, axis=(1, 2), keepdims=True)

    def errors(self, rng: np.random.Generator, n_features: int, n_draws: int) -> Any:
        """Return L2(mu) errors of averages of K features as an estimate of the mean, one a draw."""
        x = self.points(rng)
        target = exact.max_moment(1, self.pool_size) * math.sqrt(self.n_inputs)
        distances = []
        for n in blocks(n_draws, n_features * self.pool_size * self.n_points):
            w = self.draw(rng, n * n_features)
            units = (w.reshape(-1, self.n_inputs) @ x.T).reshape(
                n, n_features, self.pool_size, self.n_points
            )
            average = self.feature_scale * units.max(axis=2).mean(axis=1)
            distances.append(np.sqrt(((average - target) ** 2).mean(axis=1)))
        return np.concatenate(distances)


Lemma = Callable[..., Bound]

_SIGNS = 100_000  # draws of constant features: each is one binomial number


def _settings(context: Context) -> tuple[tuple[tuple[int, float, int, float], ...], int]:
    """Return (d, bandwidth, K, delta), and the number of draws of each."""
    if context.quick:
        return ((1, 1.0, 20, 0.05), (5, 0.5, 40, 0.05)), 600
    return (
        (1, 1.0, 20, 0.05),
        (1, 1.0, 50, 0.01),
        (2, 2.0, 80, 0.1),
        (5, 0.5, 50, 0.05),
        (20, 0.2, 100, 0.01),
    ), 20_000


def _cosines(context: Context) -> list[tuple[Cosines, Any, int, float, dict[str, Any]]]:
    settings, n = _settings(context)
    rows = []
    for d, bandwidth, k, delta in settings:
        instance = Cosines(d, bandwidth)
        errors = average_errors(context.rng(f"cosines {d} {k}"), instance, k, n)
        where = {"features": "cosines", "d": d, "K": k, "delta": delta}
        rows.append((instance, errors, k, delta, where))
    return rows


def _printed_cases(context: Context, bound: Lemma) -> list[Case]:
    """Return errors of averages of cosines and random signs with the published bound."""
    cases = [
        Case(draws=errors, bound=bound(k, scale=1.0, delta=delta), where=where)
        for _, errors, k, delta, where in _cosines(context)
    ]
    for k, delta in ((50, 0.05), (1000, 0.01)):
        errors = np.abs(mean_signs(context.rng(f"signs {k}"), k, _SIGNS))
        where = {"features": "signs", "K": k, "delta": delta}
        cases.append(Case(draws=errors, bound=bound(k, scale=1.0, delta=delta), where=where))
    return cases


def _moment_cases(context: Context, bound: Lemma) -> list[Case]:
    """Return errors of averages of cosines with our bound, by their moments."""
    return [
        Case(
            draws=errors,
            bound=bound(
                k, scale=1.0, delta=delta, mean_square=instance.mean_square, norm=instance.norm
            ),
            where={**where, "moments": "known"},
        )
        for instance, errors, k, delta, where in _cosines(context)
    ]


@check("kitchen-sinks.lemma-1", form="printed", name="errors of averages", pays=True)
def averages(context: Context, *, bound: Lemma = kitchen_sinks.approximation) -> Evidence:
    """Count how often averages of cosines, and of random signs, exceed the bound."""
    settings, n = _settings(context)
    claim = (
        "the average of $K$ features misses $f^*$ by more than the bound with probability at "
        r"most $\delta$ (cosines; constants of random sign)"
    )
    n_features = max(n * k for _, _, k, _ in settings)
    plots = (_plot(context),)
    return compare_with_bounds(
        claim,
        _printed_cases(context, bound),
        context.false_alarm,
        n_features=n_features,
        plots=plots,
    )


@check("kitchen-sinks.lemma-1", form="proved", name="errors of averages, moments known", pays=True)
def moments(context: Context, *, bound: Lemma = kitchen_sinks.approximation) -> Evidence:
    """Count how often averages exceed the bound by moments."""
    settings, n = _settings(context)
    claim = (
        r"the same with $\sqrt{E\|f_1\|^2 - \|f^*\|^2}$ for the first $C$, which is exact for "
        "cosines"
    )
    n_features = max(n * k for _, _, k, _ in settings)
    return compare_with_bounds(
        claim, _moment_cases(context, bound), context.false_alarm, n_features=n_features
    )


def _units(context: Context, dims: tuple[int, ...], by: By | None) -> list[tuple[Units, Any]]:
    """Return units of each dimension with the errors of averages of 50."""
    n = 600 if context.quick else 20_000
    rows = []
    for d in dims:
        units = Units(d, 4, by)
        rows.append((units, units.errors(context.rng(f"units {d} {by}"), 50, n)))
    return rows


@check("kitchen-sinks.lemma-1", form="proved", name="features without a bound", pays=True)
def without_bound(context: Context, *, by: By | None = None) -> Evidence:
    """Show that the bound on the features is needed: 50 maxout units without one."""
    ((units, errors),) = _units(context, (80,), by)
    bound = kitchen_sinks.approximation(50, scale=units.feature_scale, delta=0.05).total
    violations, n = int(np.sum(errors > bound)), int(errors.size)
    claim = (
        r"for maxout units of 4 weights on inputs of norm $\sqrt{80}$, which the published "
        r"form leaves out, the bound for $C = 1$, $K = 50$, $\delta = 0.05$ fails with "
        "probability of at least 0.5"
    )
    return compare_count(context, claim, violations, n, lower=0.5, n_features=50 * n)


def divided_cases(context: Context, bound: Lemma = kitchen_sinks.approximation) -> list[Case]:
    """Return the errors of averages of divided maxout units with the bound for C times E b."""
    dims = (5, 40) if context.quick else (5, 20, 80)
    rows = _units(context, dims, "frobenius") + _units(context, dims, "longest")
    return [
        Case(
            draws=errors,
            bound=bound(50, scale=1.0, feature_scale=units.feature_scale, delta=0.05),
            where={
                "features": f"maxout, q = 4, by {units.by}",
                "d": units.n_inputs,
                "K": 50,
                "delta": 0.05,
            },
        )
        for units, errors in rows
    ]


@check(
    "kitchen-sinks.lemma-1",
    form="proved",
    name="maxout units divided by a bound of theirs",
    pays=True,
)
def divided(context: Context, *, bound: Lemma = kitchen_sinks.approximation) -> Evidence:
    """Compare averages of divided maxout units with the bound for C times E b."""
    cases = divided_cases(context, bound)
    claim = (
        r"units divided by $b = R\|W\|_F$ or $R\max_j|w_j|$ and drawn with density "
        r"proportional to $b\pi$ keep the bound for $C\,E\,b$"
    )
    n_features = sum(50 * case.draws.size for case in cases)
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_features)


def _plot(context: Context) -> Plot:
    counts = (8, 16, 32, 64) if context.quick else (8, 16, 32, 64, 128, 256)
    n = 300 if context.quick else 2000
    instance = Cosines(5, 0.5)
    cosines, signs, promised, sharper = [], [], [], []
    for k in counts:
        rng = context.rng(f"plot {k}")
        cosines.append(average_errors(rng, instance, k, n))
        signs.append(np.abs(mean_signs(rng, k, _SIGNS)))
        promised.append(kitchen_sinks.approximation(k, scale=1.0, delta=0.05).value)
        limits = kitchen_sinks.approximation(
            k, scale=1.0, delta=0.05, mean_square=instance.mean_square, norm=instance.norm
        )
        sharper.append(limits.value)
    return plot(
        "Lemma 1: bound and observation at δ = 0.05",
        "number of features",
        "L2 error",
        Series(label="bound", x=counts, y=promised),
        Series(label="bound, moments known", x=counts, y=sharper),
        quantile_points("95% quantile, cosines, d = 5", counts, cosines, 0.95),
        quantile_points("95% quantile, constant signs", counts, signs, 0.95),
        log="xy",
        caption="All fall like one over the root of the number of features; on constants of random "
        "sign the bound is within a factor of two.",
    )


@check("kitchen-sinks.lemma-1", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Lemma = kitchen_sinks.approximation) -> Evidence:
    """Compare the bound with extremal instances: random signs, and an orthogonal basis."""
    return compare_instances(
        "distance of the average from $f^*$",
        *extremal.random_signs(bound),
        extremal.basis(bound),
        extremal.basis(bound, moments=True),
    )
