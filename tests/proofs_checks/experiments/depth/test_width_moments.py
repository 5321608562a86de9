"""What the expansion is made of, by a second route each."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import finite_width
from mehler.proofs_checks.experiments.depth._width import (
    maxout_moments,
    sided_moments,
    third_with_first,
)

import mehler
from mehler import exact
from mehler.exact import Activation

RHO = np.array([-0.95, -0.4, 0.0, 0.3, 0.9])
X = np.array([[1.0, 0.0], [-0.5, 0.8], [0.2, 1.0]])


def expanded(activation, q=None, widths=(16,) * 3):
    phi = mehler.DeepFeatures.draw(
        2,
        widths,
        activation=activation,
        pool_size=q,
        weight_variance=1.7,
        bias_variance=0.2,
        seed=0,
    )
    return finite_width(phi, X)


def test_third_moment_by_the_density_of_both_maxima():
    """E M^3 M' from P(M <= s, M' <= t) = Phi_2^q, by Hoeffding's covariance."""
    special = pytest.importorskip("scipy.stats")
    q, rho = 3, 0.4
    t = np.linspace(-7, 7, 121)
    pairs = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1)
    law = special.multivariate_normal(cov=[[1, rho], [rho, 1]])
    joint = law.cdf(pairs) ** q
    alone = special.norm.cdf(t) ** q
    step = t[1] - t[0]
    covariance = np.sum(3 * t[:, None] ** 2 * (joint - np.outer(alone, alone))) * step**2
    expected = covariance + exact.max_moment(3, q) * exact.max_moment(1, q)
    # The trapezoid rule of analytic functions; cdf is good to 1e-5 in each of 121^2 cells.
    assert third_with_first(q)(rho) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("q", [2, 4, 16])
def test_third_moment_of_equal_rows(q):
    assert third_with_first(q)(1.0) == pytest.approx(exact.max_moment(4, q), rel=1e-13)


@pytest.mark.parametrize("q", [1, 2, 3, 4, 16])
def test_derivatives_of_maxout_are_those_of_what_they_derive_from(q):
    """By central differences, good to about h^2 and eps/h."""
    h = 1e-5
    at, more, less = (maxout_moments(RHO + side * h, q) for side in (0, 1, -1))
    for name, slope, factor in (
        ("kernel", "slope", 1),
        ("slope", "bend", 1),
        ("bend", "turn", 1),
        ("squares", "product_slope", 4),
        ("cubes", "square_slope", 3),
    ):
        found = (getattr(more, name) - getattr(less, name)) / (2 * h)
        expected = factor * getattr(at, slope)
        assert found == pytest.approx(expected, abs=3e-6 * np.max(np.abs(expected)) + 1e-9), name


def test_pools_of_two_by_winners():
    """E[M^2; D = D'] and E[M M'; D = D'] of pools of two from 10^6 pairs, within 5 errors."""
    rng, rho = np.random.default_rng(0), 0.6
    z = rng.standard_normal((1_000_000, 2))
    w = rho * z + (1 - rho**2) ** 0.5 * rng.standard_normal(z.shape)
    same = z.argmax(axis=1) == w.argmax(axis=1)
    at = maxout_moments(np.array([rho]), 2)
    for sample, exactly in (
        (z.max(axis=1) ** 2 * same, at.square_slope),
        (z.max(axis=1) * w.max(axis=1) * same, at.product_slope),
    ):
        assert abs(sample.mean() - exactly[0]) < 5 * sample.std() / 1000


@pytest.mark.parametrize(("right", "left"), [(1.0, 0.0), (1.0, -0.3), (1.0, 0.7), (2.0, -2.0)])
def test_two_sided_moments_on_a_fine_grid_of_angles(right, left):
    """In polar coordinates the radius has E r^4 = 8, E r^2 = 2, and the angle is uniform."""
    n = 200_000
    angle = (np.arange(n) + 0.5) * (2 * np.pi / n)
    a, slope = (
        lambda t: np.where(t > 0, right * t, -left * t),
        lambda t: np.where(t > 0, right, -left),
    )
    for rho in RHO:
        at = sided_moments(np.array([rho]), right, left)
        u, v = np.cos(angle), np.cos(angle - np.arccos(rho))
        gates = slope(u) * slope(v)
        for name, integrand in (
            ("kernel", 2 * a(u) * a(v)),
            ("slope", gates),
            ("squares", 8 * a(u) ** 2 * a(v) ** 2),
            ("cubes", 8 * a(u) ** 3 * a(v)),
            ("product_slope", 2 * a(u) * a(v) * gates),
            ("square_slope", 2 * a(u) ** 2 * gates),
            ("together", gates**2),
        ):
            # A jump is missed by one step at most: four of them, of up to 32.
            assert getattr(at, name)[0] == pytest.approx(integrand.mean(), abs=4 * 32 / n), name


def test_the_linear_unit_is_the_pool_of_one():
    linear, pool = expanded(Activation("", lambda xp, t: t, degree=1)), expanded("maxout", 1)
    assert linear.bias == pytest.approx(pool.bias, abs=1e-14)
    assert linear.variance == pytest.approx(pool.variance, rel=1e-12)


@pytest.mark.parametrize("unit", ["tanh", "relu2", "step"])
def test_units_of_another_degree_are_refused(unit):
    with pytest.raises(ValueError, match=f"{unit}.* has no expansion in 1/width here"):
        expanded(unit)
