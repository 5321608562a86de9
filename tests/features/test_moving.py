"""Maps move to a library and device and come back as they were; so do copies and pickles."""

import copy
import io
import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.features.test_places import DRAWS, ROWS
from tests.places import Place
from tests.verify.map_kinds import DRAWS as KINDS

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
    back = there.to(np)
    assert back.place.name == "numpy"
    assert np.array_equal(back(rows), here(rows))


@pytest.mark.parametrize("name", sorted(KINDS))
@pytest.mark.sampled(51)
def test_copies_keep_library_device_and_dtype(place: Place, name):
    """Of every kind of map, by each way that Python has."""
    x = place.asarray(ROWS[:20, :3], "float32")
    dtype = [None, "float32"][len(name) % 2]
    phi = KINDS[name](72, seed=3, like=x)
    phi = type(phi)(**phi._arguments(), like=x, dtype=dtype)
    for copied in (copy.copy(phi), copy.deepcopy([phi])[0], pickle.loads(pickle.dumps(phi))):
        assert type(copied) is type(phi)
        assert copied.place == phi.place
        assert copied.dtype == phi.dtype
        ours, theirs = phi(x), copied(x)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(_arrays.to_host(ours), _arrays.to_host(theirs))


def test_pickles_of_torch_files():
    """Its own files hold maps too, but not for readers of weights alone: that is a module's."""
    torch = pytest.importorskip("torch", reason="PyTorch is the user's choice")
    phi = DRAWS["maxout"](like=torch.ones(1))
    file = io.BytesIO()
    torch.save({"map": phi}, file)
    file.seek(0)
    again = torch.load(file, weights_only=False)["map"]
    assert again.place == phi.place
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(file)
