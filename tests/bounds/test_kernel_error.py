"""Bounds of the kernel error: formulas by hand, true inverses, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mehler import exact
from mehler.bounds import kernel_error, solve
from mehler.bounds.kernel_error._exponent import LOWEST
from mehler.bounds.kernel_error._pairs import Product, variance_of

KNOWN = [
    {"pool_size": 4},
    {"pool_size": 4, "rho": 0.3},
    {"pool_size": 1},
    {"pool_size": 64, "method": "sub-gamma"},
    {"pool_size": 8, "rho": -0.5, "method": "sub-gamma"},
    {"pool_size": 3, "method": "chebyshev"},
    {"variance": 2.0},
    {"sub_gamma": (2.0, 0.5)},
    {"sub_gamma": (2.0, 0.0)},
    {"width": 4.0},
    {"collision": 0.3},
    {"collision": 0.3, "method": "hoeffding"},
]


@pytest.mark.parametrize("setting", KNOWN, ids=str)
def test_all_pairs_pay_for_each_entry_of_half_the_matrix(setting):
    options = {"delta": 0.02, **setting}
    together = kernel_error.all_pairs(500, n_rows=7, **options)
    single = kernel_error.one_pair(500, **{**options, "delta": 0.02 / 28})
    assert together.value == single.value
    assert together.probability == 0.98
    assert not together.vacuous


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.5, 0.9, 1.0])
def test_sub_gamma_constants_bound_the_exact_moments_of_one_projection(rho):
    """q = 1: log E exp(l (g g' - rho)) = -log((1 - rho l)^2 - l^2)/2 - l rho."""
    v, c = Product(pool_size=1, rho=rho).sub_gamma_constants()
    x = np.linspace(-0.999, 0.999, 41) / c
    truth = -0.5 * np.log((1.0 - rho * x) ** 2 - x * x) - x * rho
    assert (truth <= 0.5 * x * x * v / (1.0 - c * np.abs(x)) + 1e-15).all()


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.9])
def test_sub_gamma_constants_by_hand(rho):
    h = float(exact.max_moment(1, 8))
    constants = 4 * (1 + abs(rho)) * (1 + h * h), 2 * (1 + abs(rho)) ** 0.5
    ours = kernel_error.one_pair(100, delta=0.1, pool_size=8, rho=rho, method="sub-gamma")
    inputs = kernel_error.one_pair(100, delta=0.1, sub_gamma=constants)
    assert ours.value == pytest.approx(inputs.value, rel=1e-14)
    worst = kernel_error.one_pair(100, delta=0.1, pool_size=8, method="sub-gamma")
    assert worst.value > ours.value


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_methods_in_their_order(q):
    """The exact law is the sharpest; no proved method goes below the central limit's number."""
    for rho in (None, 0.5):
        options = {"delta": 0.01, "pool_size": q, "rho": rho}
        normal = kernel_error.normal_quantile(2000, **options)
        chernoff, sub_gamma = (
            kernel_error.one_pair(2000, method=method, **options).value
            for method in ("chernoff", "sub-gamma")
        )
        assert normal < chernoff < sub_gamma
        assert chernoff < 1.45 * normal


def test_the_99_per_cent_half_width_of_the_theory_sheet():
    """q = 8, rho = 1/2, m = 1000: central limit 0.1213, Chernoff 0.157 above, 0.150 below."""
    options = {"delta": 0.01, "pool_size": 8, "rho": 0.5}
    assert kernel_error.normal_quantile(1000, **options) == pytest.approx(0.1213, abs=5e-5)
    assert kernel_error.one_pair(1000, **options).value == pytest.approx(0.157, abs=1e-3)
    assert kernel_error.one_pair(1000, method="sub-gamma", **options).value == pytest.approx(
        0.452, abs=1e-3
    )


@pytest.mark.parametrize(("q", "rho"), [(2, -0.96), (8, -1.0)])
def test_chernoff_says_where_it_takes_the_bound_for_any_correlation(q, rho):
    """The value is that of any correlation, and so is the formula; an assumption says so."""
    setting = {"delta": 1e-6, "pool_size": q, "method": "chernoff"}
    near, worst = (
        kernel_error.one_pair(100, rho=rho, **setting),
        kernel_error.one_pair(100, **setting),
    )
    assert near.terms == worst.terms
    assert "below -0.95 chernoff takes the bound for any" in near.assumptions[-1].text
    for other in (
        kernel_error.one_pair(100, rho=LOWEST, **setting),
        kernel_error.one_pair(100, rho=rho, **{**setting, "pool_size": 1}),
    ):
        assert other.terms[0].formula != worst.terms[0].formula
        assert "any" not in other.assumptions[-1].text


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("m", [20, 300])
def test_binomial_bound_holds_by_the_exact_law(share, m):
    result = kernel_error.one_pair(m, delta=0.05, collision=share)
    counts = np.arange(m + 1)
    outside = np.abs(counts / m - share) > result.value
    missed = stats.binom.pmf(counts, m, share)[outside].sum()
    assert missed <= 0.05
    hoeffding = kernel_error.one_pair(m, delta=0.05, collision=share, method="hoeffding")
    assert result.value <= hoeffding.value + 1e-12


def test_normal_quantile_by_hand():
    value = kernel_error.normal_quantile(100, delta=0.05, variance=4.0)
    assert value == pytest.approx(1.959964 * 0.2, rel=1e-6)
    for pairs in (1, 10):
        options = {"delta": 0.05, "pool_size": 4, "n_pairs": pairs}
        m = solve(kernel_error.normal_quantile, at_most=0.1, n_features=None, **options)
        assert kernel_error.normal_quantile(m, **options) <= 0.1
        assert kernel_error.normal_quantile(m - 1, **options) > 0.1


@pytest.mark.parametrize("q", [1, 2, 3, 4, 16, 1024])
def test_the_largest_variance_is_above_all_and_near(q):
    rho = np.random.default_rng(q).uniform(-1, 1, 5000)
    result = exact.maxout_variance(np.append(rho, 1.0), q)
    assert result.max() < variance_of(q, None) < 1.01 * result.max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "exactly one of pool_size, variance"),
        ({"pool_size": 4, "variance": 1.0}, "not pool_size, variance"),
        ({"variance": 1.0, "rho": 0.5}, "rho goes with pool_size"),
        ({"variance": 1.0, "method": "chernoff"}, "method='chernoff' is not one of 'chebyshev'"),
        ({"sub_gamma": 3.0}, "not a pair"),
        ({"sub_gamma": (1.0, -1.0)}, "c of sub_gamma=-1.0"),
    ],
)
def test_bad_input_is_refused(options, message):
    arguments = {"n_features": 10, "delta": 0.1, **options}
    with pytest.raises(ValueError, match=message):
        kernel_error.one_pair(**arguments)


def test_bad_input_of_the_inverses_is_refused():
    setting = {"n_features": None, "delta": 0.1, "pool_size": 4}
    with pytest.raises(ValueError, match="give a larger at_most"):
        solve(kernel_error.one_pair, at_most=1e-12, **setting)
    with pytest.raises(ValueError, match="n_rows=0"):
        solve(kernel_error.all_pairs, at_most=0.1, n_rows=0, **setting)
    with pytest.raises(ValueError, match="does not fall in n_rows"):
        solve(kernel_error.all_pairs, at_most=0.1, n_rows=None, **{**setting, "n_features": 5})
    with pytest.raises(ValueError, match=r"^pool_size=0 must be at least 1"):
        kernel_error.normal_quantile(10, delta=0.1, pool_size=0)
    with pytest.raises(ValueError, match="exactly one of pool_size and variance"):
        kernel_error.normal_quantile(10, delta=0.1)
    with pytest.raises(ValueError, match="known already"):
        kernel_error.normal_quantile(10, delta=0.1, variance=1.0, rho=0.5)
