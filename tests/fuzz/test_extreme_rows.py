"""Rows near the ends of the floats: an answer, a refusal, or the error that NumPy is to raise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures

import mehler
from mehler import exact
from mehler.bounds import ridge

SINKS = ("relu", "step", "relu2", "erf", "tanh", "cos", "sin")
MAPS = {
    "maxout": lambda: mehler.MaxoutFeatures.draw(3, 8, 4, seed=0),
    "decoupled": lambda: mehler.DecoupledMaxoutFeatures.draw(3, 8, 4, seed=0),
    "codes": lambda: mehler.MaxoutCodes.draw(3, 8, 4, seed=0),
    "Gaussian": lambda: mehler.FourierFeatures.draw(3, 8, seed=0),
    "Laplacian": lambda: mehler.FourierFeatures.draw(3, 8, kernel="laplacian", seed=0),
    "deep": lambda: mehler.DeepFeatures.draw(3, (8, 8), activation="relu", seed=0),
    "tangent": lambda: TangentFeatures.draw(3, (8, 8), activation="relu", seed=0),
    **{
        name: lambda name=name: mehler.KitchenSinks.draw(3, 8, activation=name, seed=0)
        for name in SINKS
    },
}
# Variances of deep networks are not known.
PARTS = ("__call__", "kernel", "variance", "gram_variance")
ROWS = np.random.default_rng(0).standard_normal((5, 3))
EACH = np.array([1e-200, 1e200, 1.0, 1e-310, 0.0])[:, None]
SCALED = {f"{size:g}": ROWS * size for size in (5e-324, 1e-310, 1e-200, 1e200, 1e300)}
SCALED["each"] = ROWS * EACH


def answer(method, rows):
    """The values, or None where they are refused, or NumPy raises what it is told to."""
    try:
        return method(rows)
    except FloatingPointError:
        return None
    except ValueError as error:
        if "X" not in str(error):
            raise
        return None


@pytest.mark.parametrize("scale", SCALED)
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(40)
def test_values_do_not_depend_on_the_errors_that_numpy_raises(name, scale):
    phi, rows = MAPS[name](), SCALED[scale]
    for method in (getattr(phi, part) for part in PARTS if hasattr(phi, part)):
        with np.errstate(all="raise", under="ignore"):
            found = answer(method, rows)
        with np.errstate(all="ignore"):
            expected = answer(method, rows)
        if found is not None:
            np.testing.assert_array_equal(found, expected)


def test_small_correlations_are_no_error():
    rho = np.array([5e-324, 1e-310, 1e-200, 0.0])
    with np.errstate(all="raise", under="ignore"):
        for q in (1, 2, 4):
            assert np.isfinite(exact.maxout_kernel(rho, q)).all()
            assert np.isfinite(exact.maxout_variance(rho, q)).all()
            assert np.isfinite(exact.collision_probability(rho, q)).all()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scale", ["1e-200", "1e+200", "each"])
@pytest.mark.parametrize("name", MAPS)
def test_so_are_chunks_of_dask(name, scale, part):
    dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
    method, rows = getattr(MAPS[name](), part, None), SCALED[scale]
    if method is None:
        return  # of deep networks
    with np.errstate(all="ignore"):
        expected = answer(method, rows)
    with np.errstate(all="ignore"), dask.config.set(scheduler="synchronous"):
        found = answer(lambda x: method(x).compute(), da.from_array(rows, chunks=(2, 3)))
    if found is not None:
        # Products of parts of the rows round otherwise, by a few eps of the sum of their terms.
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15 * largest)
    else:
        assert expected is None or not np.isfinite(expected).all()


def test_chunks_of_dask_know_their_diagonal():
    da = pytest.importorskip("dask.array")
    phi, rows = MAPS["codes"](), np.repeat(ROWS, 2, axis=0)
    chunked = da.from_array(rows, chunks=((3, 3, 4), (2, 1)))
    expected = phi.kernel(rows)
    # Equal rows beside the diagonal: the square root of the rounding of one inner product.
    np.testing.assert_allclose(phi.kernel(chunked), expected, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(np.diag(phi.kernel(chunked)), np.ones(10))
    other = da.from_array(rows[:3], chunks=(2, 3))
    np.testing.assert_allclose(
        phi.kernel(chunked, other), phi.kernel(rows, rows[:3]), rtol=0, atol=1e-7
    )


def test_frequencies_near_the_end_of_the_floats():
    # 2 gamma overflows from 9e307 on. Rows equal but for a distance of 1e-154: gamma d^2 = 2.
    gamma = 1.7e308
    phi = mehler.FourierFeatures.draw(1, 20_000, gamma=gamma, seed=0)
    rows = np.array([[0.0], [math.sqrt(0.5 / gamma)]])
    found = (phi(rows) @ phi(rows).T)[0, 1]
    np.testing.assert_allclose(phi.kernel(rows)[0, 1], math.exp(-0.5), rtol=1e-12)
    # Five standard deviations: an average of 10,000 cosines, whose variance is at most 1.
    assert abs(found - math.exp(-0.5)) < 5 / 100


@pytest.mark.filterwarnings("error")
def test_ridges_of_the_largest_eigenvalues_warn_of_nothing():
    decay = np.linspace(1.0, 0.01, 60)
    found = ridge.best_ridge(norm=1.0, noise=1.0, eigenvalues=1.7e308 * decay)
    assert 0 < found < np.inf
