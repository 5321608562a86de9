"""Energy and least distances of orbits: by quadrature, by hand, and on rows that elements keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.kernel.energy_quotient import (
    largest_energy,
    least_energy,
)
from mpmath import mp
from scipy import integrate

from mehler.features import groups


@pytest.mark.parametrize(("share", "radius"), [(1 / 7, 0.0), (1.0, 0.0), (0.2, 0.5), (1.0, 1.1)])
def test_lower_bound_is_the_integral_of_the_proof(share, radius):
    """Gaussian kernels of all widths, from where what is left is not negative."""
    delta = 1.3
    start = math.sqrt(-math.log(share) / (delta**2 - radius**2))

    def left(s):
        return (share * math.exp(-((s * radius) ** 2)) - math.exp(-((s * delta) ** 2))) / s**2

    # From `start` on; s = start/t, so that the range is finite. At share 1 both are 1 at 0.
    least = max(start, 1e-12)
    result = (
        integrate.quad(
            lambda t: left(least / t) * least / t**2, 0, 1, epsabs=0, epsrel=1e-10, limit=2000
        )[0]
        if share < 1
        else integrate.quad(left, 1e-6, 40, limit=2000)[0]
        + ((delta**2 - radius**2) * 1e-6 + (radius == 0) / 40)
    )
    assert least_energy(delta, share=share, radius=radius).value == pytest.approx(
        2 / math.sqrt(math.pi) * result, rel=1e-7
    )


def test_of_two_rows_that_some_elements_keep():
    """A row with two equal coordinates: two of the six permutations leave it alone."""
    group = groups.BlockPermutations(3)
    x, z = np.array([1.0, 1.0, -2.0]), np.array([0.5, 0.2, -0.3])
    images = group.apply(z[None]).reshape(-1, 3)
    delta = np.linalg.norm(x - images, axis=1).min()
    exact = float(groups.energy_distance(group, x[None], z[None])[0, 0])
    # Orbits of three and of six points.
    share = (1 / 3 + 1 / 6) / 2
    assert least_energy(delta, share=1 / 6).value < (least_energy(delta, share=share).value)
    assert least_energy(delta, share=share).value <= exact
    assert exact <= largest_energy(delta).value == 2 * delta


def test_an_order_of_a_million_is_no_nought():
    value = least_energy(1.0, share=1e-6).value
    # 2/(n sqrt(pi log n)), less a part of 1/(2 log n).
    assert 0.95 < value / (2e-6 / math.sqrt(math.pi * math.log(1e6))) < 1


@pytest.mark.parametrize("share", [1e-300, 1e-30, 1e-3, 0.2, 0.99])
@pytest.mark.parametrize("radius", [0.0, 0.3, 0.9, 1 - 1e-3, 1 - 1e-6])
def test_lower_bound_keeps_its_digits_and_its_sign(share, radius):
    """In fifty digits; each of the two parts alone is many times their difference."""
    with mp.workdps(50):
        p, r = mp.mpf(share), mp.mpf(radius)
        s = mp.sqrt(-mp.log(p) / (1 - r * r))
        exact = 2 * (mp.erfc(s) - p * r * mp.erfc(s * r))
        value = least_energy(1.0, share=share, radius=radius).value
        # A cancellation by 1 - r at most, and the exponent -s^2 to a rounding.
        rounding = 1e-15 * (1 / (1 - r) ** 2 + s * s)
        assert 0 <= value <= exact * (1 + rounding) + mp.mpf(2) ** -1073
        assert value >= exact * (1 - rounding) - mp.mpf(2) ** -1022


@pytest.mark.parametrize(("change", "message"), [({"radius": 1.0}, "radius")])
def test_lower_names_what_it_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        least_energy(**{"distance": 1.0, "share": 0.5, **change})


@pytest.mark.parametrize(
    ("change", "message"), [({"moves": []}, "moves"), ({"moves": [[1.0]]}, "moves")]
)
def test_upper_names_what_it_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        largest_energy(**{"distance": 1.0, **change})
