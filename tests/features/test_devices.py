"""Every kind of map on the stand-in: NumPy's values, where the rows are, few launches and waits."""

import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.standin import counted
from tests.verify.map_kinds import DRAWS, ROWS

X = np.concatenate([ROWS, np.random.default_rng(1).standard_normal((16, 3))]).astype(np.float32)
# Both are NumPy's arithmetic, by other routes: another order of sums, cosines by other polynomials.
# A value that is within rounding of a jump may fall on the other side; none of these rows is.
ROUNDING = 2.0**-18
# The inspection of the rows before the first block: the largest and the least entry, the latter's
# opposite, and the larger of both.
LOOK = 4
# Launches for a block of rows: 10, and more for the norms of rows, safe from overflow, or for two
# fast transforms of rows padded to a power of 2.
LAUNCHES = {
    "centred": 18,
    "maxout-hadamard": 13,
    "sinks-hadamard": 14,
    "offset-hadamard": 16,
    "pairs-hadamard": 17,
    "matern-hadamard": 18,
}


@pytest.mark.parametrize("name", DRAWS)
def test_features_counts_and_pickles(cupy, name):
    x = cupy.asarray(X)
    phi = DRAWS[name](72, seed=3, like=x)
    phi(x)
    with counted() as counts:
        z = phi(x)
    # The largest entry, which is finite where all are, and by which long rows are refused.
    assert (counts.waits, counts.bytes_in, counts.bytes_out) == (1, 0, 4)
    assert counts.launches - LOOK <= LAUNCHES.get(name, 10)
    with counted() as counts:
        again = phi(x, check_finite=False)
    assert (counts.waits, counts.bytes_out) == (0, 0)
    assert isinstance(z, cupy.ndarray)
    assert z.device == x.device
    expected = DRAWS[name](72, seed=3)(X)
    assert z.dtype == expected.dtype
    assert np.abs(z.get() - expected).max() <= ROUNDING
    assert np.array_equal(z.get(), again.get())
    back = pickle.loads(pickle.dumps(phi))
    assert back.place == phi.place
    assert np.array_equal(back(x).get(), z.get())


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.sampled(12)
def test_several_blocks_take_no_more_each_and_one_look(cupy, monkeypatch, name):
    """On a device with a thousandth of the memory: blocks of a few hundred rows or fewer."""
    monkeypatch.setattr(_arrays._rows, "_ACCELERATOR", 1 << 18)
    x = cupy.asarray(np.random.default_rng(0).standard_normal((3000, 3)).astype(np.float32))
    phi = DRAWS[name](72, seed=0, like=x)
    phi(x[:1, :])
    width = max(phi.n_features, phi._unit.width)
    blocks = -(-len(x) // _arrays.block_rows_for_map(width, 4, x))
    with counted() as counts:
        phi(x)
    assert blocks > 1
    # One launch more copies a block to its place, and two gather the looks at blocks of rows.
    assert (counts.launches - LOOK) / blocks <= LAUNCHES.get(name, 10) + 3
    assert counts.waits == 1


@pytest.mark.parametrize("method", ["kernel", "variance", "gram_variance"])
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.sampled(24)
def test_kernels_and_variances(cupy, name, method):
    phi = DRAWS[name](72, seed=3)
    ours, theirs = (getattr(phi, method)(rows) for rows in (cupy.asarray(X[:3]), X[:3]))
    assert isinstance(ours, cupy.ndarray)
    # Rounded to float32 once, from values that differ by the order of sums.
    np.testing.assert_allclose(ours.get(), theirs, rtol=2.0**-22, atol=2.0**-22)


def test_blocks_are_for_the_memory_of_a_device(cupy):
    """Not for a CPU's cache: as many launches as for few rows, and one look."""
    phi = mehler.FourierFeatures.draw(3, 64, seed=0, like=cupy, dtype="float32")
    counts = []
    for n in (10, 10, 100_000):
        with counted() as count:
            phi(cupy.ones((n, 3)))
        counts.append(count)
    assert counts[2] == counts[1]
