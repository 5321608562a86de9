"""Bounds of the collision probability: by hand, against exact values, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mehler.proofs_checks.maxout.growth.remark_1_codes import (
    agree_at_least,
    agree_at_most,
    both_above,
)
from scipy.special import owens_t
from scipy.stats import norm


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.5, 0.97])
def test_values_by_hand(rho):
    q, a = 50, 2.1
    result = agree_at_most(rho, pool_size=q, level=a)
    assert result["below"] == pytest.approx(2 * norm.cdf(a) ** q)
    assert result["above"] == pytest.approx(q * norm.sf(2 * a / math.sqrt(2 * (1 + rho))))
    # By Owen's function: P(g > a, g' > a) = Q(a) - 2 T(a, tan(theta/2)).
    both = norm.sf(a) - 2 * owens_t(a, math.sqrt((1 - rho) / (1 + rho)))
    result = agree_at_least(rho, pool_size=q, level=a)
    assert result["both"] == pytest.approx(q * both, rel=1e-9)
    assert result["others"] == pytest.approx(-2 * q * norm.sf(a) * q * both, rel=1e-9)


def test_both_above_keeps_its_digits_where_it_is_small():
    """Independent rows: the square of a tail."""
    a = np.array([0.5, 3.0, 8.0, 20.0])
    np.testing.assert_allclose(both_above(a, 0.0), norm.sf(a) ** 2, rtol=1e-11)
    np.testing.assert_allclose(both_above(a, 1.0), norm.sf(a), rtol=1e-11)


def test_no_level_is_too_high():
    """Nothing is above it, and nothing overflows on the way."""
    with np.errstate(all="raise", under="ignore"):
        assert agree_at_least(0.5, pool_size=16, level=1e200).value == 0
        assert agree_at_most(0.5, pool_size=16, level=1e200)["above"] == 0


@pytest.mark.parametrize("rho", [0.0, 0.6, 1.0])
def test_the_best_level_is_as_good_as_any(rho):
    for q in (4, 1024):
        for level in (0.0, 1.0, 2.5, 3.3):
            options = {"pool_size": q, "level": level}
            best = agree_at_most(rho, pool_size=q).total
            assert best <= agree_at_most(rho, **options).total * (1 + 1e-4)
            best = agree_at_least(rho, pool_size=q).value
            assert best >= agree_at_least(rho, **options).value * (1 - 1e-4)


def test_equal_rows_of_large_pools():
    """With m = q Q(a) the ends are 2 exp(-m) + m, least at log 2, and m - 2 m^2, best at 1/4."""
    assert agree_at_most(1.0, pool_size=10**6).total == pytest.approx(1 + math.log(2), rel=1e-4)
    assert agree_at_least(1.0, pool_size=10**6).value == pytest.approx(1 / 8, rel=1e-3)
