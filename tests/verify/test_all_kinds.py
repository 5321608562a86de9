"""Our own maps keep their declarations and their laws."""

import functools
import inspect
import json

import numpy as np
import pytest

import mehler
from mehler import verify
from mehler._arrays import to_host
from mehler.features import projections
from tests.places import CPU
from tests.verify.map_kinds import DRAWS, OPTIONS, ROWS, SLOW

# What is settled without chance.
SETTLED = (
    *("repeatable calls", "rows and results left alone", "rows that do not see each other"),
    "layouts and dtypes",
)


def host(function):
    return lambda x, y: np.asarray(to_host(function(x, y)), dtype=np.float64)


def verdict_of(factory, name, X=ROWS, *, n_features=128, resolution=0.2):
    """The verdict of a law that a map declares, or of rows of its structure."""

    def draw(seed, m=n_features):
        return factory(m, seed=seed)

    def redraw(seed, rows, m):
        return draw(seed, n_features if m is None else m)

    if name == "kernel":
        return verify.check_kernel(draw, host(draw(0).kernel), X, resolution=resolution)
    if name == "variance":
        return verify.check_variance(draw, None, X)
    if name == "convergence":
        return verify.check_convergence(draw, X)
    if name == "structure":
        rows = np.asarray(to_host(X), dtype=np.float64)
        kernels = [host(draw(seed).kernel) for seed in (0, 1)]
        values = [kernel(rows, rows) for kernel in kernels]
        # A map that keeps a part of a pool has a different kernel in each draw.
        common = np.allclose(*values, rtol=1e-6, atol=1e-9 * np.abs(values[0]).max())
        kernel = kernels[0] if common else None
        return verify.check_structure(draw, X, kernel=kernel, redraw=redraw)
    return verify.check_structure(draw, X, only=name)


def require(draw, place, n_features, x=ROWS):
    """Require what is settled without chance: rules of one map, and what it declares."""
    rows = place.asarray(x)
    factory = functools.partial(draw, like=rows)
    verify.require(verdict_of(factory, SETTLED, rows, n_features=n_features))
    phi, reseeded = (factory(n_features, seed=seed) for seed in (3, 4))
    z, gram = host(lambda x, _: phi(x))(rows, rows), host(phi.gram)(rows, rows)
    size = (5e-15 if place.has_float64 else 5e-6) * np.abs(gram).max() * phi.n_features
    assert z.shape == (len(x), phi.n_features)
    if "Codes" not in repr(phi):
        assert np.abs(z @ z.T - gram).max() <= size
    assert np.abs(host(phi.products)(rows, rows).mean(axis=1) - np.diag(gram)).max() <= size
    kernel, variance = host(phi.kernel)(rows, rows), host(phi.variance)(rows, rows[:2, :])
    assert np.abs(kernel - kernel.T).max() <= size
    # A square root at rho = 1, as for codes, turns rounding of rho into its root in the kernel.
    close = (1e-6 if place.has_float64 else 1e-2) * np.abs(kernel).max()
    assert np.abs(np.asarray(to_host(phi.kernel(rows))) - kernel).max() <= close
    assert np.linalg.eigvalsh(kernel).min() >= -close
    assert host(phi.kernel)(rows, rows[:1, :]).shape == (len(x), 1)
    assert variance.shape == (len(x), 2)
    assert np.isfinite(variance).all()
    assert variance.min() >= -1e-3 * close * max(1.0, variance.max())
    for bad in (np.nan, np.inf):
        with pytest.raises((TypeError, ValueError)):
            to_host(phi(place.asarray(np.where(x == x[0, 0], bad, x))))
    with pytest.raises((TypeError, ValueError)):
        phi(place.asarray(np.hstack([x, x[:, :1]])))
    recipe = phi.recipe()
    assert json.loads(json.dumps(recipe, allow_nan=False)) == recipe
    assert recipe != reseeded.recipe()


LAWS = ("structure", "kernel", *SLOW)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.sampled(8)
def test_declarations_are_kept(kind):
    require(DRAWS[kind], CPU[0], OPTIONS.get(kind, {}).get("n_features", 128))


# The rest is looked at by default for these.
LOOKED_AT = {
    *("centred", "shared", "next", "fresh", "codes", "pairs", "offset", "laplacian", "matern"),
    *("pairs-orthogonal", "maxout-hadamard", "invariant", "invariant-sampled", "not-invariant"),
    *("sinks-step", "sinks-relu", "sinks-tanh-bias", "plain-sampling", "maxout"),
}
OTHERS = [
    pytest.param(
        kind, name, marks=[pytest.mark.full] if name in SLOW or kind not in LOOKED_AT else []
    )
    for kind in DRAWS
    for name in LAWS
    if name not in OPTIONS.get(kind, {}).get("leave_out", ())
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), OTHERS)
@pytest.mark.sampled(2)
def test_the_other_maps_have_their_laws(kind, name):
    options = {k: v for k, v in OPTIONS.get(kind, {}).items() if k != "leave_out"}
    verify.require(verdict_of(DRAWS[kind], name, **options))


# Compiled transforms are compared with the eager ones in tests/features/test_places.py.
PLACES = [place for place in CPU if place.name != "numpy" and not place.jit]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "place"),
    [
        pytest.param(
            kind,
            place,
            id=f"{place.name}-{kind}",
            marks=[] if number % (2 * len(PLACES)) == 2 * there else [pytest.mark.full],
        )
        for number, kind in enumerate(DRAWS)
        for there, place in enumerate(PLACES)
    ],
)
@pytest.mark.sampled(3)
def test_declarations_are_kept_on_every_library(kind, place):
    """Weights are those of NumPy, so that what has error rates would only repeat its verdicts."""
    require(DRAWS[kind], place, OPTIONS.get(kind, {}).get("n_features", 72))


def test_every_map_that_is_exported_is_checked():
    names = {type(draw(72, seed=0)).__name__ for draw in DRAWS.values()}
    exported = {
        name
        for name, cls in vars(mehler.features).items()
        if inspect.isclass(cls)
        and issubclass(cls, mehler.features.FeatureMap)
        and not inspect.isabstract(cls)
    }
    # A function of the user's has neither a recipe nor a kernel: tests/features/kitchen_sinks.
    # Softmax features have no value of an earlier version: tests/features/test_softmax.py.
    assert names == exported - {"RandomFunctions", "SoftmaxFeatures"}


def test_every_projection_is_checked_with_cosines():
    maps = [draw(72, seed=0) for draw in DRAWS.values()]
    names = {phi._projection.name for phi in maps if isinstance(phi, mehler.FourierFeatures)}
    assert names == {*projections.NAMES}
