"""Numbers of Theorem 1's parts, Lemma 7 and Theorem 5 by second routes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.kernel import theorem_1_limit, theorem_1_positive
from mehler.proofs_checks.group_invariant.risk import theorem_5


def test_the_gap_in_the_plane_is_a_closed_form() -> None:
    # Chi-square of two and three degrees: an exponential, and an error function.
    for epsilon in (0.01, 0.3, 0.99):
        c = 2 * (1 + epsilon)
        p = 1 - math.exp(-c / 2)
        q = math.erf(math.sqrt(c / 2)) - math.sqrt(2 * c / math.pi) * math.exp(-c / 2)
        assert theorem_1_limit.relative_gap(2, epsilon) == pytest.approx(1 - q / p, rel=1e-12)
        rate = (1 + epsilon) * math.exp(-epsilon) / (p * math.sqrt(2 * math.pi))
        assert theorem_1_limit.fastest(2, epsilon) == pytest.approx(rate, rel=1e-12)


def test_the_rate_is_right_to_the_factor_that_is_said() -> None:
    # Tails of d, d + 1 and d + 2 degrees are as 1, sqrt(1 + epsilon), 1 + epsilon in the limit.
    for epsilon in (0.1, 0.5, 0.9):
        d = int(100 / epsilon**2)
        ratio = theorem_1_limit.relative_gap(d, epsilon) / theorem_1_limit.fastest(d, epsilon)
        # The corrections are of the order of 1/(d epsilon^2), a hundredth.
        assert ratio == pytest.approx(1 / (1 + math.sqrt(1 + epsilon)), rel=0.02)


@pytest.mark.parametrize("d", [2, 3, 5, 30])
def test_the_mean_distance_on_a_sphere_is_an_integral(d: int) -> None:
    # Of the angle between two points, whose density is sin^(d-2).
    angles = (np.arange(100_000) + 0.5) * np.pi / 100_000
    weights = np.sin(angles) ** (d - 2)
    mean = np.sum(weights * 2 * np.sin(angles / 2)) / np.sum(weights)
    # Midpoints of 1e5: 1e-10 for what is smooth.
    assert theorem_1_positive.mean_distance_of_sphere(d) == pytest.approx(mean, rel=1e-8)


def test_the_complexity_of_two_functions_is_that_of_all_signs() -> None:
    signs = np.array(list(itertools.product((-1, 1), repeat=6)))
    assert theorem_5.both_signs(6) == pytest.approx(np.abs(signs.mean(axis=1)).mean(), rel=1e-13)
