"""Settings where bounds of the excess risk (maxout paper, Theorem 2 and lemmas) are nearly tight.

Functions return an `Instance`: the computed chance or mean, and the bound that must not be below.
All have m linear units (q = 1), of one input or of orthogonal ones, with weights of at most C/m.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scipy import special, stats

from mehler import exact

from ..._comparisons import Bounding, Instance, at_least, mean_exceeds, wrong_majority

# E|g| and the standard deviation of |g| for a standard normal g; E||g| - E|g||^3 over its cube is
# 1.55, below the 2 that is taken.
MEAN = math.sqrt(2 / math.pi)
SPREAD = math.sqrt(1 - 2 / math.pi)
# So many units or samples that what is left of them is below any float that matters.
ENDLESS = 10**40
# The inputs that are memorised, and the samples that each of them has.
_INPUTS, _SAMPLES = 10**4, 10**6


@dataclass(frozen=True)
class Shape:
    """A bound's number of events, each of probability delta, and its further options.

    `geometry` maps a number of orthogonal inputs and their norm to these options.
    """

    events: int
    geometry: Callable[[int, float], dict[str, Any]] = field(default=lambda n, radius: {})


def _orthogonal(n: int, radius: float) -> dict[str, Any]:
    """Describe n orthogonal inputs: R sqrt(2) apart, covered by n balls of half the size."""
    return {
        "n_inputs": n,
        "dimension": math.log2(n),
        "diameter": radius * math.sqrt(2) if n > 1 else 0.0,
    }


FREE = {2: Shape(3), 3: Shape(1)}  # dimension-free: Theorem 2, and Lemmas 3 and 4
PAPER = {2: Shape(4, _orthogonal), 3: Shape(2, _orthogonal)}


def wrong_sign(
    bound: Bounding, shape: Shape, *, radius: float = 1.0, loss_bound: float = 1.0
) -> Iterator[Instance]:
    r"""Take one input, labels of bias b: the minimiser has the wrong sign when the labels' sum has.

    The loss B clip((1 - t)/2, 0, 1), weights up to C, inputs of norm R with C R E|g| = 1: the best
    function is 1, the wrong one -1, the excess risk is B b with the chance of a binomial tail. The
    bias is the one at which this is just above the bound.
    """

    def bias(n: int, failure: float) -> float:
        setting = _ramp(radius, loss_bound) | shape.geometry(1, radius)
        delta = failure / shape.events
        value = bound(**setting, n_features=ENDLESS, n_samples=n, delta=delta).value
        return value / loss_bound

    yield from wrong_majority("one input", bias, (1e-3, 1e-6, 1e-12))


def learnt_by_heart(
    bound: Bounding, shape: Shape, *, radius: float = 1.0, loss_bound: float = 1.0
) -> Instance:
    r"""Take orthogonal inputs in a box that holds all their sign patterns: majorities, one by one.

    The functions of a box of endless units are those <a, x> with |a| <= C E|g|, up to a part
    2 sqrt(n/m) + 40/sqrt(m), so with C R E|g| = 1.01 sqrt(n) all of {-1, 1}^n are among them, and
    the minimiser of the ramp takes the majority of the labels of each input. Each input has a
    million samples, within a tenth, and a bias of b: where the majority is wrong, B b is lost.
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
    happens = float(stats.binom.sf(value / (loss_bound * bias) * n, n, wrong))
    return Instance(f"{n:,} inputs memorised", at_least((happens, 1.0), lost), failure)


def learnt_by_heart_mean(bound: Bounding) -> Instance:
    """Take expectations, where no other term hides the statistical one."""
    value = bound(
        **{**_ramp(1.0, 1.0), "scale": 1.01 * math.sqrt(_INPUTS) / MEAN},
        n_features=ENDLESS,
        n_samples=_INPUTS * _SAMPLES,
    ).value
    bias, wrong = _wrong_majority()
    return Instance("inputs memorised, in expectation", (bias * wrong * 0.99, bias), value)


def _wrong_majority() -> tuple[float, float]:
    """Return the bias at which majorities lose most, and a bound of how often they are wrong.

    A tenth more samples than its share is what an input has at most; the binomial law is normal
    to 1e-3 at a million.
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
    """Take one input of label 1, endless samples: the box falls short of the best function.

    The ramp ends where the best function of the class is, C R E|g|; the box ends at C R times the
    mean of m sizes |g|, which is normal about it.
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
    """Take expectations: the mean of the positive part of a normal deviation."""
    value = bound(**{**_ramp(1.0, 1.0), "scale": 0.5}, n_features=ENDLESS, **options).value
    mean = 0.25 * SPREAD / math.sqrt(2 * math.pi * ENDLESS)
    # The central limit theorem in Wasserstein's distance errs by E|X|^3/sqrt(m) (Goldstein 2010).
    error = 0.25 * SPREAD * 2 / ENDLESS
    return Instance("the box falls short of a label, in expectation", (mean - error, mean), value)


def nearest_falls_short(bound: Bounding, shape: Shape) -> Iterator[Instance]:
    """Take one input: the distance of C E|g| from the box (Lemma 3)."""
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
    """Take the Monte Carlo function of f = 0, of units with independent signs (Lemma 3).

    The sign is that of the weights in a direction that the input has no part of: the function is
    a mean of normal variables, C g / sqrt(m) exactly, at any m.
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
    """Take expectations of |C g / sqrt(m)|: of a loss that grows both ways from 0 (Lemma 4)."""
    value = bound(n_features=10**6, pool_size=1, scale=0.5).value
    mean = 0.5 * MEAN / 1e3
    return Instance("random signs, in expectation", (mean * (1 - 1e-12), mean), value)


def mean_square_of_signs(bound: Bounding) -> Iterator[Instance]:
    """Take the mean square: an equality, for every pool, C^2 sigma^2(q)/m."""
    for q in (1, 4, 64):
        value = bound(n_features=7, pool_size=q, scale=0.5).value
        truth = 0.5 * math.sqrt(exact.sigma2(q) / 7)
        happens = (truth * (1 - 1e-12), truth * (1 - 1e-13))
        yield Instance(f"random signs, mean square, q = {q}", happens, value)


def _ramp(radius: float, loss_bound: float) -> dict[str, Any]:
    return {
        "pool_size": 1,
        "scale": 1 / (MEAN * radius),
        "lipschitz": loss_bound / 2,
        "loss_bound": loss_bound,
        "radius": radius,
    }
