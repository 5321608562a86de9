"""Our own maps keep their declarations and their laws; what breaks one is seen."""

import functools
import inspect

import numpy as np
import pytest

import mehler
from mehler import verify
from mehler._arrays import to_host
from mehler.features import projections
from tests.places import CPU
from tests.verify.conforming import Rectified
from tests.verify.corpus import units
from tests.verify.declarations import DECLARATIONS, broken
from tests.verify.map_kinds import DRAWS, OPTIONS, ROWS, SLOW

DECLARED = tuple(DECLARATIONS)
CALLS, ROWS_APART = "rows and results left alone", "rows that do not see each other"
# What is settled without chance.
SETTLED = ("repeatable calls", CALLS, ROWS_APART, "layouts and dtypes")
# What breaks, and the declaration, the rule of structure or the law that it breaks.
DEFECTS = {
    "widens": "dtypes",
    "writes its input": CALLS,
    "centres its rows": ROWS_APART,
    "another gram": "gram",
    "products without m": "gram",
    "a kernel that is none": "declared kernel",
    "a negative variance": "declared variance",
    "takes anything": "bad rows",
    "a recipe without a seed": "recipe",
    "a fat recipe": "recipe",
    "pickled without its seed": "pickle",
    "deaf to its seed": "seeds differ",
    "its own seeds": "the seed alone decides",
    "twice as long": "kernel",
    "half the variance": "variance",
    "eight units repeated": "convergence",
}


def host(function):
    return lambda x, y: np.asarray(to_host(function(x, y)), dtype=np.float64)


# Rows of the small map.
SMALL = np.random.default_rng(2).standard_normal((4, units.D))


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


def require(factory, X=ROWS, *, n_features=128):
    """Require what is settled without chance: rules of one map, and declarations."""
    verify.require(verdict_of(factory, SETTLED, X, n_features=n_features))
    draw = functools.partial(lambda m, seed: factory(m, seed=seed), n_features)
    assert [text for name in DECLARED if (text := broken(name, draw, X))] == []


LAWS = ("structure", "kernel", *SLOW)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.sampled(2)
def test_a_small_map_conforms(name):
    verify.require(verdict_of(Rectified, name, SMALL))
    require(Rectified, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.sampled(8)
def test_declarations_are_kept(kind):
    n_features = OPTIONS.get(kind, {}).get("n_features", 128)
    require(DRAWS[kind], n_features=n_features)


# The rest is looked at by default for these, and the small map stands for all where thousands of
# draws are needed.
LOOKED_AT = {
    *("centred", "shared", "next", "fresh", "codes", "pairs", "offset", "laplacian", "matern"),
    *("pairs-orthogonal", "maxout-hadamard", "invariant", "invariant-sampled", "not-invariant"),
    *("sinks-step", "sinks-relu", "sinks-tanh-bias", "plain-sampling", "maxout"),
}
OTHERS = [
    pytest.param(
        kind,
        name,
        marks=[pytest.mark.full] if name in SLOW or kind not in LOOKED_AT else [],
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


def test_every_declaration_can_fail():
    assert {*DEFECTS.values(), "parts"} >= {*DECLARED, *LAWS} - {"structure"}
    for fault, name in DEFECTS.items():
        if name in DECLARED:
            draw = functools.partial(lambda m, seed, f: Rectified(m, seed, f), 128, f=fault)
            assert broken(name, draw, SMALL), fault


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
    x = place.asarray(ROWS, "float64" if place.has_float64 else "float32")
    n_features = OPTIONS.get(kind, {}).get("n_features", 72)
    draw = functools.partial(DRAWS[kind], like=x)
    require(draw, x, n_features=n_features)


def test_every_map_that_is_exported_is_checked():
    drawn = {type(draw(72, seed=0)).__name__ for draw in DRAWS.values()}
    exported = {
        name
        for name, cls in vars(mehler.features).items()
        if inspect.isclass(cls)
        and issubclass(cls, mehler.features.FeatureMap)
        and not inspect.isabstract(cls)
    }
    # A function of the user's has neither a recipe nor a kernel: tests/features/kitchen_sinks.
    # Softmax features have no value of an earlier version: tests/features/test_softmax.py.
    assert drawn == exported - {"RandomFunctions", "SoftmaxFeatures"}


def test_every_projection_is_checked_with_cosines():
    maps = [draw(72, seed=0) for draw in DRAWS.values()]
    drawn = {phi._projection.name for phi in maps if isinstance(phi, mehler.FourierFeatures)}
    assert drawn == {*projections.NAMES}
