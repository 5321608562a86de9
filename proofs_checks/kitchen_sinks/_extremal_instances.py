"""Instances where bounds of the kitchen sinks are nearly tight: random constants, and bases.

Rahimi and Recht (2008) approximate a function f* by sums of K random features of size at most 1,
weights each at most C/K, the *box*, or of length C/sqrt K, the *ball*; C is `scale`. Risks are
means of a loss c(y f(x)), true or of N samples; their difference is the gap. An Instance has an
interval for the exact probability that an error, risk or gap exceeds the bound, and the probability
that the bound allows, delta: `failure`.
"""

import math
from collections.abc import Iterator
from typing import Any

from .._comparisons import Bounding, Instance, mean_exceeds, wrong_majority

# So many features or samples that their remaining error is negligible in floats.
ENDLESS = 10**40
_FAILURES = (0.4, 1e-3, 1e-15)
_NEARLY_CERTAIN = 0.995


def random_signs(
    bound: Bounding, size: float = 1.0, sides: int = 2, **options: Any
) -> Iterator[Instance]:
    """Yield errors of constant features of random sign, f* = 0: the average is a mean of signs.

    The error is `size` times that mean, where it is positive (`sides` is 1), or of either sign.
    """
    for failure in _FAILURES:
        value = bound(ENDLESS, scale=1.0, delta=failure, **options).value / size
        low, high = mean_exceeds(value * math.sqrt(ENDLESS), ENDLESS, third=1.0)
        yield Instance(f"random signs, failure {failure:g}", (sides * low, sides * high), failure)


def basis(bound: Bounding, *, moments: bool = False) -> Instance:
    """Return the error of ten features out of a billion orthogonal functions, f* their mean.

    Ten features that differ, as they do but for a chance of 5e-8, miss it by sqrt(1/10 - 1/n).
    """
    n, k = 10**9, 10
    declarations = {"mean_square": 1.0, "norm": n**-0.5} if moments else {}
    # `value` is cut at the norm of f*, which bounds the error of the nearest function alone.
    value = bound(k, scale=1.0, delta=_NEARLY_CERTAIN, **declarations).total
    happens = float(math.sqrt(1 / k - 1 / n) > value)
    return Instance("an orthogonal basis", (happens * (1 - 5e-8), happens), _NEARLY_CERTAIN)


def one_of_a_basis(bound: Bounding) -> Instance:
    """Return the risk of one feature of values 1 and -1, f* = 0: its loss |t| is 1."""
    value = bound(1, scale=1.0, lipschitz=1.0, delta=_NEARLY_CERTAIN).value
    happens = float(1 - 1e-4 > value)
    return Instance("one feature of a basis", (happens, happens), _NEARLY_CERTAIN)


def one_feature_gap(bound: Bounding) -> Iterator[Instance]:
    """Yield gaps of one constant feature, c(t) = -t, fair labels: the size of the labels' mean."""
    for failure in (0.3, 1e-3, 1e-20):
        for sides in (1, 2):
            value = bound(
                ENDLESS**2, scale=1.0, lipschitz=1.0, delta=failure, two_sided=sides == 2
            ).value
            # From below and from above by either sign of the weight: two tails in either case.
            low, high = mean_exceeds(value * ENDLESS, ENDLESS**2, third=1.0)
            yield Instance(f"one feature, failure {failure:g}", (2 * low, 2 * high), failure)


def many_features_gap(bound: Bounding) -> Instance:
    """Return the gap of endless patterns of signs on n = 10^8 inputs, c(t) = -t, fair labels.

    The largest gap is the mean over patterns of |sum of s_j Y_j|/N, Y_j the sum of the labels at
    input j. The squares of these sum to N within a hundredth, but for a chance of 2/(n 0.01^2), and
    the sum of signs is normal to 3/sqrt(n) in the mean.
    """
    value = bound(
        ENDLESS, scale=1.0, lipschitz=1.0, delta=_NEARLY_CERTAIN, two_sided=False
    ).value * math.sqrt(ENDLESS)
    happens = float(math.sqrt(2 / math.pi) * 0.99 > value)
    return Instance("endless features", (happens * (1 - 2e-4), happens), _NEARLY_CERTAIN)


def wrong_sign(bound: Bounding) -> Iterator[Instance]:
    """Yield risks of a constant feature, c(t) = -t, labels of bias b: a wrong sign loses 2 C b."""

    def bias(n: int, failure: float) -> float:
        return bound(ENDLESS, n, scale=1.0, lipschitz=1.0, delta=failure / 2).value / 2

    yield from wrong_majority("one feature", bias, (1e-3, 1e-6, 1e-12))


def falls_short(bound: Bounding) -> Iterator[Instance]:
    """Yield risks of features that are 0 or 1 everywhere: the box reaches C times their mean.

    The loss ends at the largest function of the class, C/2; endless samples of label 1.
    """
    for failure in _FAILURES:
        value = bound(ENDLESS, ENDLESS**2, scale=1.0, lipschitz=1.0, delta=failure / 2).value
        t = value * math.sqrt(ENDLESS) / 0.5
        yield Instance(
            f"zeros and ones, failure {failure:g}", mean_exceeds(t, ENDLESS, third=1.0), failure
        )
