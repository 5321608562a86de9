"""Distances from the class of one C, against closed forms."""

from __future__ import annotations

import math

import pytest
from mehler.proofs_checks.maxout.risk import density
from scipy import integrate

from mehler import exact


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 1.2])
def test_one_weight_in_closed_form(scale):
    """For q = 1 the class is the functions <x, v> with |v| <= C E|g|: the lower bound is exact."""
    low, high = density.distance_ends(scale, 1)
    assert low == pytest.approx(max(0.0, 1 - scale * math.sqrt(2 / math.pi)), abs=1e-11)
    assert low <= high + 1e-12  # equal at C = 0


@pytest.mark.parametrize("q", [1, 4, 64])
def test_moments_of_the_excess(q):
    assert density.excess_moment(0.0, q, 2) == pytest.approx(exact.sigma2(q), abs=1e-11)

    def integrand(t):
        law = q * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
        return max(abs(t) - 1.5, 0.0) * law * (0.5 * math.erfc(-t / math.sqrt(2))) ** (q - 1)

    truth = sum(integrate.quad(integrand, *ends)[0] for ends in ((-12, -1.5), (1.5, 12)))
    assert density.excess_moment(1.5, q, 1) == pytest.approx(truth, abs=1e-9)
