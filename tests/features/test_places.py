"""One file for all backends: same weights bit for bit, transforms equal to rounding."""

import copy
import functools
import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.places import Place
from tests.verify.map_kinds import DRAWS as KINDS
from tests.verify.map_kinds import D, codes, decoupled, fourier

N_FEATURES = 72
softmax = functools.partial(mehler.features.SoftmaxFeatures.draw, D, scale=0.1)
OTHERS = {
    "softmax": functools.partial(softmax, projections="orthogonal", tilted_at=1.5),
    "softmax-waves": functools.partial(softmax, form="trigonometric"),
    # Not half an integer: Bessel functions, on the host.
    "matern-rough": functools.partial(fourier, kernel="matern", nu=0.8, form="offset"),
    "fresh-hadamard": functools.partial(decoupled, directions="fresh", projections="hadamard"),
    "codes-hadamard": functools.partial(codes, projections="hadamard"),
}
DRAWS = {
    name: functools.partial(draw, n_features=N_FEATURES, seed=3)
    for name, draw in (KINDS | OTHERS).items()
}
ROWS = np.random.default_rng(7).standard_normal((300, D))
EPS = {"float32": 2.0**-23, "float64": 2.0**-52}
# A projection of 3 numbers rounds by less than 8 eps sum |x_i w_i|; with |x_i|, |w_i| < 5 (they
# are fixed here) that is 8 * 3 * 25 eps, the factors sigma(q) and 1/sqrt(m) are below 1.
ROUNDING = 8 * D * 25


@pytest.fixture(params=DRAWS)
def draw(request):
    return DRAWS[request.param]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sampled(110)
def test_weights_bit_for_bit_and_transforms_to_rounding(place: Place, draw, dtype):
    if dtype == "float64" and not place.has_float64:
        dtype = "float32"  # what the device has
    x = place.asarray(ROWS, dtype)
    phi, numpys = draw(like=x), draw()
    for ours, theirs in zip(phi._weights(dtype), numpys._weights(dtype), strict=True):
        host = _arrays.to_host(ours)
        assert host.dtype == theirs.dtype
        assert host.tobytes() == theirs.tobytes()
    z = place.apply(phi, x)
    assert _arrays.array_namespace(z) is _arrays.array_namespace(x)
    expected = numpys(ROWS.astype(dtype))
    assert _arrays.dtype_name(z.dtype) == _arrays.dtype_name(expected.dtype)
    host = _arrays.to_host(z)
    if expected.dtype.kind in "iu":
        # A tie within rounding may fall either way; in 21,000 digits at most a few do.
        assert np.mean(host != expected) <= ROUNDING * EPS[dtype]
    else:
        assert np.abs(host - expected).max() <= ROUNDING * EPS[dtype]


@pytest.mark.sampled(25)
def test_row_blocks_do_not_show(place: Place, draw):
    # 2600 rows are several blocks of at most 1024; each row's features must not know its block.
    x = place.asarray(np.tile(ROWS[:26], (100, 1)), "float32")
    z = _arrays.to_host(place.apply(draw(like=x), x))
    z = z.reshape(100, 26, -1)
    if z.dtype.kind == "f":
        # Matrix products of other heights may sum in another order.
        assert np.max(np.abs(z - z[0])) <= ROUNDING * EPS["float32"]
    else:
        assert np.mean(z != z[0]) <= ROUNDING * EPS["float32"]


@pytest.mark.sampled(10)
def test_integers_become_the_default_float(place: Place, draw):
    x = place.asarray(np.arange(9).reshape(3, 3), "int32")
    phi = draw(like=x)
    z = place.apply(phi, x)
    if "Codes" not in repr(phi):
        assert "float" in _arrays.dtype_name(z.dtype)


@pytest.mark.sampled(16)
def test_kernel_and_variance_agree_with_numpy(place: Place, draw):
    dtype = "float64" if place.has_float64 else "float32"
    x = place.asarray(ROWS[:9], dtype)
    phi = draw()
    for method in ("kernel", "variance", "gram_variance"):
        ours = _arrays.to_host(getattr(phi, method)(x))
        exact = getattr(phi, method)(ROWS[:9].astype(dtype).astype(np.float64))
        # Correlations carry some eps; dK/drho <= |x||z|, and the square root of kappa_q at
        # rho = 1 is kept off by distinct rows (rho < 0.9 here) and the exact diagonal.
        bound = 200 * EPS[dtype] * np.max(np.abs(exact))
        assert np.max(np.abs(ours - exact)) <= bound, method


def test_dask_is_lazy_and_computes_once():
    import dask
    import dask.array

    calls = []

    def load(block):
        calls.append(block.shape)
        return block

    x = dask.array.from_array(ROWS, chunks=(100, -1)).map_blocks(load, dtype=float, meta=ROWS[:0])
    z = DRAWS["maxout"](like=x)(x)
    assert not calls
    assert z.chunks == ((100, 100, 100), (N_FEATURES,))
    with dask.config.set(scheduler="synchronous"):
        z.compute()
    assert len(calls) == 3


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.sampled(51)
def test_maps_move_and_are_copied_as_they_are(place: Place, name):
    """By each way that Python has, and back."""
    x, here = place.asarray(ROWS[:20], "float32"), DRAWS[name]()
    there = here.to(x)
    assert there.recipe() == here.recipe()
    assert np.array_equal(there.to(np)(ROWS), here(ROWS))
    dtype = [None, "float32"][len(name) % 2]
    phi = type(there)(**there._arguments(), like=x, dtype=dtype)
    z = phi(x)
    for copied in (copy.copy(phi), copy.deepcopy([phi])[0], pickle.loads(pickle.dumps(phi))):
        assert type(copied) is type(phi)
        assert copied.place == phi.place
        assert copied.dtype == phi.dtype
        assert copied(x).dtype == z.dtype
        assert np.array_equal(_arrays.to_host(copied(x)), _arrays.to_host(z))
