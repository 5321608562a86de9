"""Maps move to a library and device and come back as they were; elsewhere they land on the host."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.features.test_places import DRAWS, ROWS
from tests.places import Place

# One of each class: how weights are drawn does not matter to where they go.
NAMES = {type(draw()).__name__: name for name, draw in reversed(DRAWS.items())}


@pytest.mark.parametrize("name", sorted(NAMES.values()))
@pytest.mark.sampled(15)
def test_there_and_back(place: Place, name):
    here = DRAWS[name](dtype="float32")
    x = place.asarray(ROWS[:20], "float32")
    there = here.to(x)
    assert there.recipe() == here.recipe()
    assert _arrays.array_namespace(there(x)) is _arrays.array_namespace(x)
    again = mehler.from_recipe(there.recipe(), like=x)
    for one, other in zip(there._weights("float32"), again._weights("float32"), strict=True):
        assert _arrays.to_host(one).tobytes() == _arrays.to_host(other).tobytes()
    rows = ROWS[:20].astype(np.float32)
    for back in (there.to(np), pickle.loads(pickle.dumps(there))):
        assert back.place.name == "numpy"
        assert np.array_equal(back(rows), here(rows))


def test_codes_are_counted_where_they_are(place: Place):
    rng = np.random.default_rng(0)
    phi = mehler.MaxoutCodes.draw(7, 70, 5, seed=0)
    c, d = rng.integers(0, 5, (2, 9, 70)).astype(np.uint8)
    found = phi.similarity(place.asarray(c), place.asarray(d))
    by_hand = (c[:, None, :] == d[None, :, :]).mean(axis=2)
    assert _arrays.array_namespace(found) is _arrays.array_namespace(place.asarray(c))
    # Counts are whole numbers, exact in float32; the share of 70 is rounded once.
    assert np.abs(_arrays.to_host(found) - by_hand).max() <= 2.0**-24
