"""Make extremal instances for risk bounds of the maxout paper: Theorem 2 and its lemmas.

An instance has an interval for a computed chance or mean, which its bound must not be below. Bounds
are evaluated at a delta at which all their events fail with the chance `failure` together.
Functions are sums over m units, linear ones (q = 1) but where pools are named, with weights of at
most C/m: the box. The infinite class has means of endlessly many units, weights at most C. The loss
of a margin t is a ramp, B clip((1 - t)/2, 0, 1), labels are 1 or -1, and inputs have norm R.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scipy import special, stats

from mehler import exact

from ..._comparisons import Bounding, Instance, mean_exceeds, widen, wrong_majority

# E|g| and the standard deviation of |g| for a standard normal g. The third absolute moment of |g|,
# standardised, is 1.55: `mean_exceeds` takes 2.
MEAN = math.sqrt(2 / math.pi)
SPREAD = math.sqrt(1 - 2 / math.pi)
# So many units or samples that their remaining deviations do not matter.
ENDLESS = 10**40
# The inputs that are memorised, and the samples at each of them.
_INPUTS, _SAMPLES = 10**4, 10**6


@dataclass(frozen=True)
class Shape:
    """How a bound is called: how many events of probability delta it excludes, further options.

    `geometry` makes the options from a number of orthogonal inputs and their norm.
    """

    events: int
    geometry: Callable[[int, float], dict[str, Any]] = field(default=lambda n, radius: {})


def _orthogonal(n: int, radius: float) -> dict[str, Any]:
    """Describe n orthogonal inputs: R sqrt(2) apart, and covered by n balls of half that size."""
    return {
        "n_inputs": n,
        "dimension": math.log2(n),
        "diameter": radius * math.sqrt(2) if n > 1 else 0.0,
    }


# Our two bounds, by the number of the statement, 2 for Theorem 2, 3 for Lemmas 3 and 4: FREE ones
# are dimension-free, PAPER ones depend on the inputs' doubling dimension and diameter.
FREE = {2: Shape(3), 3: Shape(1)}
PAPER = {2: Shape(4, _orthogonal), 3: Shape(2, _orthogonal)}


def wrong_sign(
    bound: Bounding, shape: Shape, *, radius: float = 1.0, loss_bound: float = 1.0
) -> Iterator[Instance]:
    r"""Yield instances of one input, where the minimiser of the loss has the wrong sign.

    It does if the labels' sum has: its sign is wrong with the chance of a binomial tail. With C R
    E|g| = 1 the best function is 1, the wrong one -1, and the excess risk is B b, where b is the
    mean of a label. It is taken so that B b is just above the bound.
    """

    def bias(n: int, failure: float) -> float:
        setting = _ramp(radius, loss_bound) | shape.geometry(1, radius)
        delta = failure / shape.events
        value = bound(**setting, n_features=ENDLESS, n_samples=n, delta=delta).value
        return value / loss_bound

    yield from wrong_majority("one input", bias, (1e-3, 1e-6, 1e-12))


def memorised_inputs(
    bound: Bounding, shape: Shape, *, radius: float = 1.0, loss_bound: float = 1.0
) -> Instance:
    r"""Return the instance of n orthogonal inputs, each of which is given its labels' majority.

    The functions of a box of endless units are those <a, x> with |a| <= C E|g|, up to a part
    2 sqrt(n/m) + 40/sqrt(m). So with C R E|g| = 1.01 sqrt(n) all of {-1, 1}^n are among them, and
    the minimiser takes the majority of the labels of each input. Each input has a million samples,
    within a tenth, whose labels have the mean b: where the majority is wrong, B b is lost.
    """
    n, failure = _INPUTS, 0.9
    value = bound(
        **{**_ramp(radius, loss_bound), "scale": 1.01 * math.sqrt(n) / (MEAN * radius)},
        **shape.geometry(n, radius),
        n_features=ENDLESS,
        n_samples=n * _SAMPLES,
        delta=failure / shape.events,
    ).value
    bias, wrong = _wrong_majority()
    # Chernoff: no input has a tenth more or less than its share.
    lost = 2 * n * math.exp(-_SAMPLES * 0.1**2 / 3)
    chance = float(stats.binom.sf(value / (loss_bound * bias) * n, n, wrong))
    return Instance(f"{n:,} inputs memorised", widen((chance, 1.0), lost), failure)


def memorised_inputs_mean(bound: Bounding) -> Instance:
    """Return the same in expectation, where no other term hides the statistical one."""
    value = bound(
        **{**_ramp(1.0, 1.0), "scale": 1.01 * math.sqrt(_INPUTS) / MEAN},
        n_features=ENDLESS,
        n_samples=_INPUTS * _SAMPLES,
    ).value
    bias, wrong = _wrong_majority()
    return Instance("inputs memorised, in expectation", (bias * wrong * 0.99, bias), value)


def _wrong_majority() -> tuple[float, float]:
    """Return the mean label at which majorities lose most, and a bound of how often they are wrong.

    An input has at most a tenth more samples than expected; of a million, laws are normal to 1e-3.
    """
    x = 0.75
    return x / math.sqrt(_SAMPLES), float(special.ndtr(-x * math.sqrt(1.1))) - 1e-3


def falls_short(
    bound: Bounding,
    shape: Shape,
    *,
    radius: float = 1.0,
    loss_bound: float = 1.0,
    samples: bool = True,
) -> Iterator[Instance]:
    """Yield instances of one input of label 1 and endless samples: the box lacks the best function.

    The ramp ends at C R E|g|, the best function of the infinite class. The largest function of the
    box is C R times the mean of m values |g|, which is nearly normal about it.
    """
    options = {**_ramp(radius, loss_bound), "scale": 0.5 / radius, **shape.geometry(1, radius)}
    if samples:
        options["n_samples"] = ENDLESS**2
    size = options["lipschitz"] * 0.5
    for failure in (0.4, 1e-3, 1e-15):
        value = bound(**options, n_features=ENDLESS, delta=failure / shape.events).value
        t = value / size * math.sqrt(ENDLESS) / SPREAD
        yield Instance(
            f"the box falls short of a label, failure {failure:g}",
            mean_exceeds(t, ENDLESS),
            failure,
        )


def falls_short_mean(bound: Bounding, **options: Any) -> Instance:
    """Return the same in expectation: the mean of the positive part of a normal deviation."""
    value = bound(**{**_ramp(1.0, 1.0), "scale": 0.5}, n_features=ENDLESS, **options).value
    mean = 0.25 * SPREAD / math.sqrt(2 * math.pi * ENDLESS)
    # The central limit theorem in Wasserstein's distance errs by E|X|^3/sqrt(m) (Goldstein 2010).
    error = 0.25 * SPREAD * 2 / ENDLESS
    return Instance("the box falls short of a label, in expectation", (mean - error, mean), value)


def nearest_falls_short(bound: Bounding, shape: Shape) -> Iterator[Instance]:
    """Yield instances of one input: the distance of the function C E|g| from the box (Lemma 3)."""
    for failure in (0.4, 1e-3, 1e-15):
        value = bound(
            n_features=ENDLESS,
            pool_size=1,
            scale=0.5,
            delta=failure / shape.events,
            **shape.geometry(1, 1.0),
        ).value
        t = value / 0.5 * math.sqrt(ENDLESS) / SPREAD
        yield Instance(
            f"the box falls short, failure {failure:g}", mean_exceeds(t, ENDLESS), failure
        )


def random_signs(bound: Bounding, shape: Shape, **options: Any) -> Iterator[Instance]:
    """Yield instances of m units with weights C/m and random signs, which approximate f = 0.

    That is the Monte Carlo function of Lemma 3. Signs are those of the units in a direction
    orthogonal to the input: the function is C g / sqrt(m), g normal, exactly at any m.
    """
    for failure in (0.9, 0.4, 1e-3, 1e-15):
        value = bound(
            n_features=10**6,
            pool_size=1,
            scale=0.5,
            delta=failure / shape.events,
            **shape.geometry(1, 1.0),
            **options,
        ).value
        chance = 2 * float(special.ndtr(-value / 0.5 * 1e3))
        yield Instance(f"random signs, failure {failure:g}", (chance, chance * (1 + 1e-9)), failure)


def mean_of_signs(bound: Bounding) -> Instance:
    """Return the mean of |C g / sqrt(m)|, for a loss that grows both ways from 0 (Lemma 4)."""
    value = bound(n_features=10**6, pool_size=1, scale=0.5).value
    mean = 0.5 * MEAN / 1e3
    return Instance("random signs, in expectation", (mean * (1 - 1e-12), mean), value)


def mean_square_of_signs(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of the mean square, C^2 sigma^2(q)/m, which the bound equals for all q."""
    for q in (1, 4, 64):
        value = bound(n_features=7, pool_size=q, scale=0.5).value
        truth = 0.5 * math.sqrt(exact.sigma2(q) / 7)
        ends = (truth * (1 - 1e-12), truth * (1 - 1e-13))
        yield Instance(f"random signs, mean square, q = {q}", ends, value)


def _ramp(radius: float, loss_bound: float) -> dict[str, Any]:
    return {
        "pool_size": 1,
        "scale": 1 / (MEAN * radius),
        "lipschitz": loss_bound / 2,
        "loss_bound": loss_bound,
        "radius": radius,
    }
