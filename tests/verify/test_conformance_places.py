"""mehler's own maps meet the requirements on every library, not on NumPy alone."""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest

import mehler
from mehler.verify import conformance
from tests.places import CPU
from tests.verify.map_kinds import DRAWS, OPTIONS, ROWS, SLOW

# Compiled transforms are held to the eager ones in tests/features/test_places.py.
PLACES = [place for place in CPU if place.name != "numpy" and not place.jit]
# With error rates. Weights are the same on every library bit for bit and features to rounding
# (tests/features/test_places.py), so thousands of draws would only repeat those of NumPy.
STATISTICAL = ("structure", "kernel", "finite")


def requirements(kind, place):
    x = place.asarray(ROWS, "float64" if place.has_float64 else "float32")
    options = {"n_features": 72, "resolution": 0.2, **OPTIONS.get(kind, {})}
    found = conformance.checks(functools.partial(DRAWS[kind], like=x), X=x, **options)
    return [requirement for requirement in found if requirement.name not in SLOW]


def look(kind, place, statistical):
    for requirement in requirements(kind, place):
        if (requirement.name in STATISTICAL) == statistical:
            requirement()


def each(in_turn):
    """All kinds at all places; by default every other kind at one place, in turn."""
    return [
        pytest.param(
            kind,
            place,
            id=f"{place.name}-{kind}",
            marks=[] if in_turn and number % (2 * len(PLACES)) == 2 * there else [pytest.mark.full],
        )
        for number, kind in enumerate(DRAWS)
        for there, place in enumerate(PLACES)
    ]


@pytest.mark.parametrize(("kind", "place"), each(in_turn=True))
@pytest.mark.sampled(10)
def test_what_is_settled_without_chance(kind, place):
    look(kind, place, statistical=False)


@pytest.mark.parametrize(("kind", "place"), each(in_turn=False))
def test_what_has_error_rates(kind, place):
    look(kind, place, statistical=True)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
@pytest.mark.sampled(1)
def test_features_have_the_declared_kernel(place):
    """By default for one map at each place."""
    found = {requirement.name: requirement for requirement in requirements("pairs", place)}
    found["structure"]()
    found["kernel"]()


class Elsewhere:
    """A map that lives at a place, with a defect that only its library's arrays show."""

    def __init__(self, n_features, *, seed, like, defect=""):
        self.phi = mehler.MaxoutFeatures.draw(
            ROWS.shape[1], n_features, pool_size=4, seed=seed, like=like
        )
        self.n_features, self.n_inputs = n_features, ROWS.shape[1]
        self.defect = defect

    def __call__(self, x):
        if self.defect == "takes anything" and x.ndim == 2 and x.shape[1] == self.n_inputs:
            x = x * 0.0 + 1.0
            x[x != x] = 0.0
        if self.defect == "writes its input":
            x += 1.0
        z = self.phi(x)
        return z.double() if self.defect == "widens" else z

    def __getattr__(self, name):
        return getattr(self.__dict__["phi"], name)


@pytest.mark.parametrize(
    ("defect", "name"),
    [("takes anything", "bad-rows"), ("writes its input", "input"), ("widens", "shape")],
)
def test_a_defect_breaks_its_requirement_elsewhere_too(defect, name):
    torch = pytest.importorskip("torch")
    x = torch.asarray(ROWS, dtype=torch.float32)
    for broken in ("", defect):
        factory = functools.partial(Elsewhere, like=x, defect=broken)
        found = {one.name: one for one in conformance.checks(factory, X=x.clone(), n_features=8)}
        if not broken:
            found[name]()
            continue
        with pytest.raises(AssertionError):
            found[name]()


def test_maps_that_come_back_on_the_host_are_brought_along():
    """A pickled map lands on the host; one that forgets its weights on the way is seen."""
    torch = pytest.importorskip("torch")
    x = torch.asarray(ROWS)
    draw = functools.partial(DRAWS["maxout"], like=x)
    found = {one.name: one for one in conformance.checks(draw, X=x, n_features=8)}
    found["pickle"]()

    class Forgets(mehler.MaxoutFeatures):
        def __reduce__(self):
            return functools.partial(DRAWS["maxout"], self.n_features, seed=self.seed + 1), ()

    def forgetful(n_features, *, seed):
        return Forgets(ROWS.shape[1], n_features, 4, seed=seed, like=x)

    found = {one.name: one for one in conformance.checks(forgetful, X=x, n_features=8)}
    with pytest.raises(AssertionError, match="other features"):
        found["pickle"]()


def test_every_map_that_is_exported_is_held_to_the_requirements():
    drawn = {type(draw(72, seed=0)).__name__ for draw in DRAWS.values()}
    exported = {
        name
        for name, cls in vars(mehler.features).items()
        if inspect.isclass(cls)
        and issubclass(cls, mehler.features.FeatureMap)
        and not inspect.isabstract(cls)
    }
    # A function of the user's has neither a recipe nor a kernel: tests/features/kitchen_sinks.
    assert drawn == exported - {"RandomFunctions"}


def test_rows_are_in_general_position():
    assert np.linalg.matrix_rank(ROWS) == ROWS.shape[1]
