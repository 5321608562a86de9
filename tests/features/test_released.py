"""A map's weights are gone with the map, whether or not the collector of circles has run."""

from __future__ import annotations

import functools
import gc
import pickle
import weakref

import numpy as np
import pytest

import mehler

DRAWN = {
    "maxout": lambda: mehler.MaxoutFeatures.draw(3, 8, 2, seed=0),
    "codes": lambda: mehler.MaxoutCodes.draw(3, 8, 2, seed=0),
    "fourier": lambda: mehler.FourierFeatures.draw(3, 8, seed=0),
    "sinks": lambda: mehler.KitchenSinks.draw(3, 8, activation="relu", seed=0),
    "not stored": lambda: mehler.MaxoutFeatures.draw(3, 8, 2, seed=0, stored=False),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_map_that_was_called_leaves_no_circle(name):
    x = np.eye(3)
    gc.disable()
    try:
        phi = DRAWN[name]()
        phi(x), phi.kernel(x), phi.variance(x)
        gone = weakref.ref(phi)
        del phi
        assert gone() is None
    finally:
        gc.enable()


def test_the_function_of_a_chunk_travels_as_a_recipe():
    x = np.eye(3)
    phi = mehler.MaxoutFeatures.draw(3, 10_000, 2, seed=0)
    sent = pickle.dumps(functools.partial(phi._features, finite=True))
    assert len(sent) < 1000
    np.testing.assert_array_equal(pickle.loads(sent)(x), phi(x))
