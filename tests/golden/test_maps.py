"""Maps of golden recipes have the golden features, kernels and variances, at every place."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mehler import _arrays
from tests.devices import standin
from tests.golden import _maps
from tests.golden._store import close, plain, read, report, require_equal, row_of
from tests.places import CPU, Place

RECIPES = read("recipes")
MAPS = read("maps")
# Expectations over dithered bins are an integral for each pair of chunks, seconds in all.
SLOW = {("invariant-dither", "kernel"), ("invariant-dither", "variance")}
COMPUTED = [
    pytest.param(*computed, marks=[pytest.mark.full] if computed in SLOW else [])
    for computed in itertools.product(RECIPES, _maps.QUANTITIES)
]


@pytest.mark.parametrize("dtype", _maps.DTYPES)
@pytest.mark.parametrize("kind", RECIPES)
@pytest.mark.sampled(84)
def test_values_on_numpy(kind: str, dtype: str):
    phi = _maps.drawn(RECIPES[kind])
    for quantity in _maps.QUANTITIES:
        key = f"{kind}/{quantity}/{dtype}"
        tolerance = _maps.tolerance(kind, quantity, dtype, MAPS)
        require_equal(f"maps/{key}", plain(_maps.value(phi, quantity, dtype)), MAPS[key], tolerance)


def test_rows_are_the_golden_ones():
    np.testing.assert_array_equal(_maps.ROWS, MAPS["rows"])


def _require_close_elsewhere(place: Place, kind: str, quantity: str) -> None:
    """Values that are listed as differences are compared on NumPy alone."""
    dtype = "float64" if place.has_float64 else "float32"
    key = f"{kind}/{quantity}/{dtype}"
    if row_of(f"maps/{key}") is not None:
        return
    x = place.asarray(_maps.ROWS, dtype)
    phi = _maps.drawn(RECIPES[kind], like=x)
    value = place.apply(phi, x) if quantity == "features" else getattr(phi, quantity)(x)
    tolerance = _maps.tolerance(kind, quantity, dtype, MAPS)
    value = _arrays.to_host(value)
    assert close(value, MAPS[key], tolerance), report(f"{place.name}: {key}", value, MAPS[key])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "quantity"), COMPUTED)
@pytest.mark.parametrize("elsewhere", CPU[1:], ids=lambda place: place.name)
@pytest.mark.sampled(40)
def test_values_at_other_places(elsewhere: Place, kind: str, quantity: str):
    _require_close_elsewhere(elsewhere, kind, quantity)


@pytest.mark.parametrize(("kind", "quantity"), COMPUTED)
@pytest.mark.sampled(20)
def test_values_on_the_fake_cupy(kind: str, quantity: str):
    with standin.installed():
        _require_close_elsewhere(Place("cupy"), kind, quantity)
