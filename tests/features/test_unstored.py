"""Units drawn alone: the weights of the stored map bit for bit, in bounded memory."""

import functools
import itertools
import json
import pickle
import tracemalloc

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.places import Place
from tests.verify.map_kinds import DRAWS as KINDS
from tests.verify.map_kinds import D

M = 300
ROWS = np.random.default_rng(7).standard_normal((150, D))
EPS = {"float32": 2.0**-23, "float64": 2.0**-52}
# As in test_places: of a projection of 3 numbers below 5, times 5.
ROUNDING = 8 * D * 25

NAMES = ("maxout", "centred", "shared", "next", "fresh", "pairs", "offset", "laplacian")
MORE = ("laplacian-pairs", "sinks-tanh-bias", "matern-offset")
SPHERE = {"activation": "relu", "law": "sphere"}
DRAWS = {
    **{name: KINDS[name] for name in (*NAMES, *MORE)},
    "sinks-sphere": functools.partial(mehler.KitchenSinks.draw, D, **SPHERE),
}


def draw(kind, m=M, **options):
    return DRAWS[kind](m, seed=3, **options)


@pytest.fixture(params=DRAWS)
def kind(request):
    return request.param


def whole(phi, kind, start, stop, dtype):
    """The weights of some units, cut out of those that the stored map holds."""
    weights = [_arrays.to_host(part) for part in phi._weights(dtype)]
    if kind == "shared":
        pool, members = weights
        return pool[members[:, start:stop]]
    if kind == "next":
        stop += 1
    return [part[..., start:stop] for part in weights]


def alone(phi, kind, start, stop, dtype):
    weights = phi._draw(dtype, slice(start, stop))
    return weights[0][weights[1]] if kind == "shared" else weights


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_weights_are_those_of_the_stored_map(kind, dtype):
    stored = draw(kind)
    # Within a block of the stream, across two of them, one unit, the last ones.
    slices = [(0, 64), (3, 40), (60, 130), (128, 129), (140, 150)]
    for phi, (start, stop) in itertools.product((stored, draw(kind, stored=False)), slices):
        parts = zip(
            alone(phi, kind, start, stop, dtype),
            whole(stored, kind, start, stop, dtype),
            strict=True,
        )
        for here, there in parts:
            assert here.dtype == there.dtype
            assert here.tobytes() == np.ascontiguousarray(there).tobytes()


@pytest.mark.sampled(10)
def test_features_on_every_place(place: Place, kind):
    dtype = "float32"
    x = place.asarray(ROWS, dtype)
    phi, stored = draw(kind, stored=False, like=x), draw(kind, like=x)
    for ours, theirs in zip(phi._weights(dtype), stored._weights(dtype), strict=True):
        assert _arrays.to_host(ours).tobytes() == _arrays.to_host(theirs).tobytes()
    z = place.apply(phi, x)
    assert _arrays.array_namespace(z) is _arrays.array_namespace(x)
    assert _arrays.dtype_name(z.dtype) == dtype
    if not place.name.startswith(("dask", "jax")):
        assert _arrays.place_of(z).device == _arrays.place_of(x).device
    host, there = _arrays.to_host(z), _arrays.to_host(place.apply(stored, x))
    wrong = np.abs(host - there) > ROUNDING * EPS[dtype]
    # Decoupled features jump where the argmax does: ties within rounding.
    assert np.mean(wrong) <= (ROUNDING * EPS[dtype] if kind in ("next", "fresh") else 0)
    parts = [(block.columns, _arrays.to_host(block(x))) for block in phi.unit_blocks(64)]
    assert np.array_equal(np.sort(np.concatenate([c for c, _ in parts])), np.arange(M))
    for columns, values in parts:
        wrong = np.abs(values - there[:, columns]) > ROUNDING * EPS[dtype]
        assert np.mean(wrong) <= (ROUNDING * EPS[dtype] if kind in ("next", "fresh") else 0)


def test_same_kernel_variance_recipe(kind):
    phi, stored = draw(kind, stored=False), draw(kind)
    for method in ("kernel", "variance", "gram_variance"):
        ours, theirs = (getattr(source, method)(ROWS[:5]) for source in (phi, stored))
        assert np.array_equal(ours, theirs)
    assert "stored" not in stored.recipe()
    recipe = json.loads(json.dumps(phi.recipe()))
    assert recipe.pop("stored") is False
    assert recipe == stored.recipe()
    z = phi(ROWS)
    for again in (
        mehler.from_recipe(phi.recipe()),
        pickle.loads(pickle.dumps(phi)),
        phi.to(np.float32(ROWS)).to(ROWS),
    ):
        assert not again.stored
        assert np.array_equal(again(ROWS), z)
    assert phi.dtype is None
    assert not phi._placed


def peak(function):
    function()
    tracemalloc.start()
    function()
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak_bytes


def test_memory_of_a_pass_is_bounded():
    """A pass over units and rows that keeps a sum: neither more units nor more rows cost memory."""
    rows = np.random.default_rng(0).standard_normal((4096, 20)).astype(np.float32)

    def a_pass(m, n):
        phi = mehler.MaxoutFeatures.draw(20, m, 16, seed=0, stored=False)
        total = 0.0
        for block in phi.unit_blocks(256):
            for part in _arrays.slices(n, 512):
                total += float(block(rows[part]).sum())

    small = peak(lambda: a_pass(1024, 1024))
    # 256 units of 320 weights and 512 x 256 features: 0.3 and 0.5 MiB.
    assert small < 4 << 20
    assert peak(lambda: a_pass(8192, 1024)) < 1.1 * small
    assert peak(lambda: a_pass(1024, 4096)) < 1.1 * small


def test_one_unit_on_the_sphere_among_many():
    """Its length is a sum, whose order must not depend on how many units are drawn."""
    phi = mehler.KitchenSinks.draw(50, 100, activation="relu", law="sphere", seed=0)
    (whole,) = phi._weights("float64")
    for unit in range(100):
        (weights,) = phi._draw("float64", slice(unit, unit + 1))
        assert np.array_equal(weights, whole[:, :, unit : unit + 1])
