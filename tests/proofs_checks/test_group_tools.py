"""Numbers of the group-invariant paper by second routes; rotations of images as a group."""

import itertools
import math

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations, image_rotations
from mehler.proofs_checks.group_invariant.kernel import theorem_1_limit, theorem_1_positive
from mehler.proofs_checks.group_invariant.risk import theorem_5
from scipy import special


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


DEGREES = (10.0, 30.0, 45.0, 120.0, 200.0)


def points(height: int, width: int):
    """Radii in units of the rim, and angles, of the pixels."""
    down, right = np.mgrid[:height, :width]
    x, y = right - (width - 1) / 2, (height - 1) / 2 - down
    return (np.hypot(x, y) / ((min(height, width) + 1) / 2)).ravel(), np.arctan2(y, x).ravel()


def wave(k: int, j: int, height: int, width: int, turn: float):
    """The j-th function of frequency k, turned counter-clockwise, on the pixels."""
    radius, angle = points(height, width)
    value = special.jv(k, special.jn_zeros(k, j)[-1] * radius) * np.cos(k * (angle - turn))
    return np.where(radius < 1, value, 0.0)


@pytest.mark.parametrize(("height", "width"), [(8, 8), (9, 9), (7, 10)])
@pytest.mark.parametrize(("k", "j"), [(0, 1), (1, 1), (2, 1), (3, 1), (1, 2), (5, 1)])
def test_samples_of_a_function_turn_as_the_function(height, width, k, j):
    group = SteerableRotations(height, width, 360)
    plain = wave(k, j, height, width, 0.0)
    # Here and below: products of at most 81 terms in an orthonormal basis, of images whose norm is
    # below 20, round by 81 * 20 * 2^-53 = 1.8e-13 each.
    np.testing.assert_allclose(group.turning_part(plain[None])[0], plain, atol=1e-12)
    values = group.singular_values
    slip = (values[0] - values[-1]) / values[-1] * np.linalg.norm(plain)
    for degrees in DEGREES:
        image = group.apply(plain[None], [[int(degrees)]])[0, 0]
        exact = wave(k, j, height, width, math.radians(degrees))
        assert np.linalg.norm(image - exact) <= slip
        if k == 3:  # The other way round is far off.
            back = wave(k, j, height, width, -math.radians(degrees))
            assert np.linalg.norm(image - back) > slip or degrees == 120


def test_splines_are_no_group_and_these_are():
    """The law of composition, by the largest singular value."""
    degrees = np.arange(0, 360, 30)
    splines, exact = (
        np.swapaxes(group.apply(np.eye(64)), 1, 2)
        for group in (image_rotations(8, 8, degrees), SteerableRotations(8, 8, 12))
    )
    assert np.linalg.norm(splines[1] @ splines[1] - splines[2], 2) > 0.3
    assert np.linalg.norm(exact[1] @ exact[1] - exact[2], 2) < 1e-13
