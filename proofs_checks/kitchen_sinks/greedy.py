"""Greedy approximation of a function by features phi added one at a time (Jones, Barron).

The rate of Sejdinovic's slides (2014) is compared with the error on a sum of two orthonormal
features, where it fails; ours, for steps among +-B phi, with errors over finite dictionaries. B is
at least the sum of the absolute weights with which features make up the target.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, kitchen_sinks
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute
from .._plots import plot
from . import _published

# dictionary of phi (n, p), target (p,), total weight B, steps K -> errors after each step
Steps = Callable[[Any, Any, float, int], list[float]]


def as_printed(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors of f_k = (1 - a) f_{k-1} + a phi, minimised over all real a and all phi.

    The total weight plays no part: the features enter as they are.
    """
    del total
    return _search(dictionary, target, n_steps)


def line_search(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors over the dictionary of +-B phi."""
    return _search(_signed(dictionary, total), target, n_steps)


def equal_weights(dictionary: Any, target: Any, total: float, n_steps: int) -> list[float]:
    """Return the errors of f_k = (1 - 1/k) f_{k-1} + g/k, minimised over g among +-B phi."""
    choices = _signed(dictionary, total)
    f = np.zeros_like(target)
    errors = []
    for k in range(1, n_steps + 1):
        f, error = _nearest((1 - 1 / k) * f + choices / k, target)
        errors.append(error)
    return errors


def _nearest(candidates: Any, target: Any) -> tuple[Any, float]:
    distance = np.linalg.norm(candidates - target, axis=1)
    best = int(np.argmin(distance))
    return candidates[best], float(distance[best])


def _signed(dictionary: Any, total: float) -> Any:
    return total * np.concatenate([dictionary, -dictionary])


def _search(choices: Any, target: Any, n_steps: int) -> list[float]:
    f = np.zeros_like(target)
    errors = []
    for _ in range(n_steps):
        gaps = choices - f
        square = (gaps**2).sum(axis=1)
        # The projection of target - f on each line; a choice that equals f offers no line.
        factor = (gaps @ (target - f)) / np.where(square > 0, square, 1.0)
        f, error = _nearest(f + factor[:, np.newaxis] * gaps, target)
        errors.append(error)
    return errors


_STEPS = 1000
_CONSTANT = 10.0
# Errors are norms of sums of at most a hundred numbers below 10 with rounding 1e-16 each.
_ROUNDING = 1e-11


@check("kitchen-sinks.greedy", form="printed", name="the sum of two orthonormal features")
def stalls(context: Context, *, steps: Steps = as_printed) -> Evidence:
    """Run the printed steps on the sum of two orthonormal features."""
    errors = steps(np.eye(2), np.ones(2), 2.0, _STEPS)
    bound = _published.greedy(_STEPS, total_weight=2.0, c=_CONSTANT)
    claim = (
        rf"after $K = {_STEPS}$ steps the error is at most $c\,\|\alpha^*\|_1/\sqrt K$ with "
        rf"$c = {_CONSTANT:g}$ (any $c$ fails at a larger $K$: after two steps it was "
        f"{errors[1]:.4f})"
    )
    plots = (_stalled(),)
    method = "the algorithm, in floating point"
    return compute(claim, errors[-1], _ROUNDING, upper=bound.value, method=method, plots=plots)


def problems(context: Context) -> list[tuple[Any, Any, float]]:
    """Return dictionaries of unit vectors, targets, and B: random ones, equal weights, a pair."""
    rng = context.rng("dictionaries")
    sums = []
    for n, p in ((10, 5), (60, 20), (200, 30)) if context.quick else ((10, 5), (60, 20)) * 50:
        dictionary = rng.standard_normal((n, p))
        dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
        weights = rng.standard_normal(n) * (rng.random(n) < 0.3)
        weights[0] = 1.0
        # B may be larger than the sum of absolute weights.
        total = float(np.abs(weights).sum()) * rng.uniform(1.0, 1.5)
        sums.append((dictionary, weights @ dictionary, total))
    sums.append((np.eye(64), np.full(64, 1 / 64), 1.0))
    sums.append((np.eye(2), np.ones(2), 2.0))
    return sums


@check("kitchen-sinks.greedy", form="proved", name="errors of greedy steps")
def rate(
    context: Context,
    *,
    steps: tuple[Steps, ...] = (equal_weights, line_search),
    bound: Callable[..., Bound] = kitchen_sinks.approximation_greedy,
) -> Evidence:
    """Compare the errors of every step of every problem with our bound."""
    worst, where = -np.inf, (0, 0)
    for number, (dictionary, target, total) in enumerate(problems(context)):
        norm = float(np.linalg.norm(target))
        for take in steps:
            errors = take(dictionary, target, total, 50)
            # One step among equal weights attains the bound: compared from the second on.
            for k, error in enumerate(errors[1:], start=2):
                ratio = error / bound(k, total_weight=total, norm=norm).value
                if ratio > worst:
                    worst, where = ratio, (number, k)
    claim = (
        r"the error after $K$ steps over $\sqrt{(B^2 - \|f^*\|^2)/K}$, $2 \le K \le 50$ "
        f"(largest: problem {where[0]}, $K = {where[1]}$)"
    )
    plots = (_rates(context),)
    return compute(
        claim, worst, _ROUNDING, upper=1.0, method="the algorithm, in floating point", plots=plots
    )


def _stalled() -> Plot:
    k = np.arange(1, 51)
    return plot(
        "Greedy steps towards the sum of two orthonormal features",
        "steps",
        "L2 error",
        Series(label="as printed", x=k, y=as_printed(np.eye(2), np.ones(2), 2.0, 50)),
        Series(label="among ±B φ", x=k, y=line_search(np.eye(2), np.ones(2), 2.0, 50)),
        caption="Convex combinations of the features alone never reach a sum of weight 2.",
    )


def _rates(context: Context) -> Plot:
    dictionary, target, total = problems(context)[1]
    k = np.arange(1, 51)
    norm = float(np.linalg.norm(target))
    promised = [
        kitchen_sinks.approximation_greedy(int(n), total_weight=total, norm=norm).value for n in k
    ]
    return plot(
        "Greedy steps: bound and error",
        "number of steps",
        "L2 error",
        Series(label="bound, 60 random features", x=k, y=promised),
        *(
            Series(label=label, x=k, y=steps(dictionary, target, total, 50))
            for label, steps in (
                ("error, factor 1/k", equal_weights),
                ("error, best factor", line_search),
            )
        ),
        log="xy",
        caption="Both kinds of steps keep the bound; the best factor gains as the sum comes near.",
    )
