"""Rotations of images as a group, against functions that are evaluated at turned points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations, image_rotations
from scipy import special

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
        turned = group.apply(plain[None], [[int(degrees)]])[0, 0]
        exact = wave(k, j, height, width, math.radians(degrees))
        assert np.linalg.norm(turned - exact) <= slip
        if k == 3:  # The other way round is far off.
            other = wave(k, j, height, width, -math.radians(degrees))
            assert np.linalg.norm(turned - other) > slip or degrees == 120


def test_splines_are_no_group_and_these_are():
    """The law of composition, by the largest singular value."""
    degrees = np.arange(0, 360, 30)
    splines, exact = (
        np.swapaxes(one.apply(np.eye(64)), 1, 2)
        for one in (image_rotations(8, 8, degrees), SteerableRotations(8, 8, 12))
    )
    assert np.linalg.norm(splines[1] @ splines[1] - splines[2], 2) > 0.3
    assert np.linalg.norm(exact[1] @ exact[1] - exact[2], 2) < 1e-13
