"""The exponent of hashing by codes: signs at pools of two, a limit, thirty digits."""

import math

import pytest

from mehler import MaxoutCodes, exact


def exponent(q, near, far):
    return MaxoutCodes.draw(3, 2, q, seed=0).exponent(near, far)


@pytest.mark.parametrize(("near", "far"), [(0.9, 0.0), (0.75, 0.5), (0.3, -0.3)])
def test_that_of_signs_at_two_falls_towards_its_limit(near, far):
    exponents = [exponent(q, near, far) for q in (2, 8, 256)]
    # Charikar (2002): the sign of one projection is the same with probability 1 - angle/pi.
    signs = [math.log1p(-math.acos(rho) / math.pi) for rho in (near, far)]
    assert exponents[0] == pytest.approx(signs[0] / signs[1], rel=1e-12)
    limit = (1 - near) * (1 + far) / ((1 + near) * (1 - far))
    assert exponents[0] > exponents[1] > exponents[2] > limit
    # Equal rows collide always.
    assert exponent(64, 1.0, far) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("q", "near", "far"), [(16, 0.5, -0.8), (64, 0.0, -0.6), (4, 0.9, -0.98)])
@pytest.mark.sampled(1)
def test_rare_collisions_in_digits(q, near, far):
    p, r = (exact.collision_probability(rho, q, dps=30) for rho in (near, far))
    assert exponent(q, near, far) == pytest.approx(math.log(p) / math.log(r), rel=1e-5)
