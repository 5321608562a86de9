"""Features of a row are computed once a draw, however many pairs it is in."""

import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.verify._maps import make_pairs
from mehler.verify._sources import unit_products
from tests.places import CPU, Place

MAPS = {
    "pairs": lambda **kw: mehler.FourierFeatures.draw(3, 10, seed=0, **kw),
    "codes": lambda **kw: mehler.MaxoutCodes.draw(3, 10, 4, seed=0, **kw),
    "next": lambda **kw: mehler.DecoupledMaxoutFeatures.draw(3, 10, 4, seed=0, **kw),
}
X, Y = np.random.default_rng(0).standard_normal((2, 5, 3)).astype("float32")


@pytest.mark.slow
@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(12)
def test_products_are_those_of_the_rows_in_pairs(name, sides, place: Place):
    like = np if place.name == "dask" else place.asarray(X)
    phi = MAPS[name](like=like)
    x, y = place.asarray(X), place.asarray(Y) if sides == 2 else None
    pairs = make_pairs(MAPS[name]().kernel, x, y)
    for indices in (np.arange(pairs.n), np.array([pairs.n - 1])):
        products = unit_products(phi, pairs, indices)
        first, second = pairs.first[indices], pairs.second[indices]
        right = X if y is None else Y
        expected = phi.products(place.asarray(X[first]), place.asarray(right[second]))
        assert np.abs(products - _arrays.to_host(expected)).max() < 1e-5


def test_products_of_a_subclass_or_of_a_wrapper_are_asked():
    class Own(mehler.FourierFeatures):
        def products(self, X, Y, **options):
            return 7.0 + 0.0 * super().products(X, Y, **options)

    class Wrapper:
        def __init__(self, phi):
            self.phi = phi

        def __getattr__(self, name):
            return getattr(self.phi, name)

        def products(self, X, Y):
            return 7.0 + 0.0 * self.phi.products(X, Y)

    pairs = make_pairs(MAPS["pairs"]().kernel, X, None)
    for phi in (Own.draw(3, 10, seed=0), Wrapper(MAPS["pairs"]())):
        assert np.all(unit_products(phi, pairs, np.arange(pairs.n)) == 7.0)
