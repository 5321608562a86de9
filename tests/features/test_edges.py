"""Moments and kernels at the ends of the floats, by scaling laws: right, or refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import mehler
from mehler.exact import activations
from mehler.exact.activations import activation_of

X = np.array([[1.0, 0.3, -0.2], [0.5, -1.0, 0.7]])
SIZES = [1e-200, 1e-100, 1e-40, 1e-8, 1e-4, 1.0, 1e4, 1e8, 1e15, 1e100, 1e200]


@pytest.mark.parametrize("name", ["relu", "step", "relu2"])
def test_a_kurtosis_of_homogeneous_units_does_not_depend_on_lengths(name):
    phi = mehler.KitchenSinks.draw(3, 10, activation=name, seed=0)
    usual = phi.product_kurtosis(X)
    for size in SIZES:
        assert phi.product_kurtosis(size * X) == pytest.approx(usual, rel=1e-9)
    # A row of zeros, and opposite rows of relu: a product that is always 0.
    assert np.isfinite(phi.product_kurtosis(np.array([[0.0] * 3, *X, -X[0]]))).all()


@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "cos"])
def test_other_kurtoses_are_those_of_the_limits_or_refused(name):
    phi = mehler.KitchenSinks.draw(3, 10, activation=name, seed=0)
    served = 0
    for size in SIZES:
        found = None
        with contextlib.suppress(ValueError):
            found = phi.product_kurtosis(size * X)
        if found is None:
            with pytest.raises(ValueError, match="scale the rows nearer to length 1"):
                phi.product_kurtosis(size * X)
            continue
        served += 1
        rho = X[0] @ X[1] / np.linalg.norm(X[0]) / np.linalg.norm(X[1])
        if size <= 1e-4:
            # Odd units are linear there: products of two correlated normals.
            expected = 3 * (3 + 14 * rho**2 + 3 * rho**4) / (1 + rho**2) ** 2
            limit = (expected, 15.0)
        elif size >= 1e4 and name in ("sin", "cos"):
            # Independent uniform angles; equal ones.
            limit = (2.25, 1.5)
        elif size >= 1e4:
            # Signs that differ with probability p.
            p = np.arccos(rho) / np.pi
            limit = ((1 - 3 * p * (1 - p)) / (p * (1 - p)), None)
        else:
            continue
        assert found[0, 1] == pytest.approx(limit[0], rel=2e-2)
        assert limit[1] is None or found[0, 0] == pytest.approx(limit[1], rel=2e-2)
    assert served >= 3


@pytest.mark.parametrize("draw", [mehler.MaxoutCodes.draw, mehler.DecoupledMaxoutFeatures.draw])
@pytest.mark.parametrize("q", [2, 4, 64])
def test_equal_rows_are_equal_off_the_diagonal(draw, q):
    phi = draw(5, 8, q, seed=0)
    rows = np.random.default_rng(0).standard_normal((40, 5))
    both = phi.kernel(rows, np.concatenate([rows, 3.0 * rows]))
    diagonal = np.diag(phi.kernel(rows))
    assert np.diag(both[:, :40]) == pytest.approx(diagonal, rel=1e-15)
    scale = 1.0 if draw is mehler.MaxoutCodes.draw else 3.0
    assert np.diag(both[:, 40:]) == pytest.approx(scale * diagonal, rel=1e-13)


def test_powers_are_integers_and_norms_not_negative():
    one = np.ones(())
    pairs = activations.Pairs(one, 0 * one, 2 * one, one, one)
    for call in (
        activation_of("relu").moment,
        lambda _, p: activation_of("relu").has_closed_form(p),
    ):
        with pytest.raises(TypeError, match=r"power=1.5 must be an integer"):
            call(pairs, 1.5)
        with pytest.raises(ValueError, match="power=0 must be at least 1"):
            call(pairs, 0)


SINKS = {"activation": np.exp}, {"activation": "relu2"}, {"activation": lambda t: t**3}


@pytest.mark.parametrize("options", SINKS, ids=["exp", "relu2", "cube"])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_features_that_overflow_are_refused_by_the_name_of_the_activation(options, stored, dtype):
    phi = mehler.KitchenSinks.draw(3, 200, seed=0, stored=stored, **options)
    rows = np.full((2, 3), 1e200 if dtype == "float64" else 1e30, dtype=dtype)
    words = r"^X has a row of length .*features by KitchenSinks of .* leave the floats of"
    for rows_of in (phi, phi.gram, lambda x: phi.products(x, x), next(phi.unit_blocks(64))):
        with pytest.raises(ValueError, match=words):
            rows_of(rows)
    if options["activation"] is np.exp:
        with pytest.raises(ValueError, match=words):
            phi(np.full((2, 3), 900.0, dtype=dtype))


@pytest.mark.parametrize("size", [1e307, 1.7e308])
def test_rows_at_the_end_of_the_floats_are_refused_by_every_map(size):
    """Sums of products overflow on the way: winners, signs and angles were of no use."""
    rows, shifts = np.full((2, 3), size), mehler.features.groups.CyclicShifts(3)
    maps = [
        mehler.MaxoutFeatures.draw(3, 8, 4, seed=0),
        mehler.MaxoutCodes.draw(3, 8, 4, seed=0),
        mehler.FourierFeatures.draw(3, 8, seed=0),
        mehler.KitchenSinks.draw(3, 8, activation="erf", seed=0),
        mehler.KitchenSinks.draw(3, 8, activation="cos", bias="uniform", seed=0),
        mehler.GroupInvariantFeatures.draw(3, group=shifts, n_templates=4, seed=0),
    ]
    for call in (*maps, maps[0].local_coefficients):
        with pytest.raises(ValueError, match=r"X has .*length .* in row 0|whose projections leave"):
            call(rows)


def test_products_that_overflow_are_refused_where_features_do_not():
    phi = mehler.MaxoutFeatures.draw(3, 8, 4, seed=0)
    rows = np.full((2, 3), 1e200)
    assert np.all(np.isfinite(phi(rows)))
    for call in (phi.gram, phi.kernel, lambda x: phi.products(x, x)):
        with pytest.raises(ValueError, match="whose products leave the floats of float64"):
            call(rows)
