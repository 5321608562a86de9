"""Maps of golden recipes have the golden values, on NumPy and the stand-in for CuPy."""

import itertools

import numpy as np
import pytest

from tests.golden import _maps
from tests.golden._store import close, plain, read, report, require_equal, row_of

RECIPES = read("recipes")
MAPS = read("maps")
# Expectations over dithered bins are an integral for each pair of chunks, seconds in all.
SLOW = {("invariant-dither", "kernel"), ("invariant-dither", "variance")}
COMPUTED = [
    pytest.param(*case, marks=[pytest.mark.full] if case in SLOW else [])
    for case in itertools.product(RECIPES, _maps.QUANTITIES)
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


@pytest.mark.parametrize(("kind", "quantity"), COMPUTED)
@pytest.mark.sampled(20)
def test_values_on_the_stand_in_for_cupy(cupy, kind: str, quantity: str):
    """Values that are listed as differences are compared on NumPy alone."""
    key = f"{kind}/{quantity}/float64"
    if row_of(f"maps/{key}") is None:
        x = cupy.asarray(_maps.ROWS)
        phi = _maps.drawn(RECIPES[kind], like=x)
        value = (phi(x) if quantity == "features" else getattr(phi, quantity)(x)).get()
        tolerance = _maps.tolerance(kind, quantity, "float64", MAPS)
        assert close(value, MAPS[key], tolerance), report(key, value, MAPS[key])
