"""Every kind of map on the stand-in: NumPy's values, where the rows are, and one look at them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mehler
from tests.devices.standin import counted
from tests.verify.map_kinds import DRAWS, ROWS

X = np.concatenate([ROWS, np.random.default_rng(1).standard_normal((16, 3))]).astype(np.float32)
# Both are NumPy's arithmetic, by other routes: another order of sums, cosines by other polynomials.
# A value that is within rounding of a jump may fall on the other side; none of these rows is.
ROUNDING = 2.0**-18


def on_host(array):
    return array.get()


@pytest.mark.parametrize("name", DRAWS)
def test_features_and_pickles(cupy, name):
    x = cupy.asarray(X)
    usual, phi = DRAWS[name](72, seed=3), DRAWS[name](72, seed=3, like=x)
    phi(x)
    with counted() as found:
        z = phi(x)
    assert (found.waits, found.bytes_in) == (1, 0)
    # The largest entry, which is finite where all are, and by which long rows are refused.
    assert found.bytes_out == 4
    with counted() as unlooked:
        again = phi(x, check_finite=False)
    assert (unlooked.waits, unlooked.bytes_out) == (0, 0)
    assert isinstance(z, cupy.ndarray)
    assert z.device == x.device
    expected = usual(X)
    assert z.dtype == expected.dtype
    assert np.abs(on_host(z) - expected).max() <= ROUNDING
    assert np.array_equal(on_host(z), on_host(again))
    back = pickle.loads(pickle.dumps(phi))
    assert back.place == phi.place
    assert np.array_equal(on_host(back(x)), on_host(z))


@pytest.mark.parametrize("method", ["kernel", "variance", "gram_variance"])
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.sampled(24)
def test_kernels_and_variances(cupy, name, method):
    phi = DRAWS[name](72, seed=3)
    ours, theirs = (getattr(phi, method)(rows) for rows in (cupy.asarray(X[:3]), X[:3]))
    assert isinstance(ours, cupy.ndarray)
    # Rounded to float32 once, from values that differ by the order of sums.
    np.testing.assert_allclose(on_host(ours), theirs, rtol=2.0**-22, atol=2.0**-22)


@pytest.mark.parametrize("rows", [3000, 100_000])
def test_blocks_are_for_the_memory_of_a_device(cupy, rows):
    """Not for a CPU's cache: as many launches as for few rows, and one look."""
    phi = mehler.FourierFeatures.draw(3, 64, seed=0, like=cupy, dtype="float32")
    few, many = cupy.ones((10, 3)), cupy.ones((rows, 3))
    phi(few)
    with counted() as small:
        phi(few)
    with counted() as large:
        phi(many)
    assert large == small
