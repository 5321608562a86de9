"""What surrounds a call: autocast of PyTorch, chunks of Dask, seeds and recipes without end."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.golden._maps import N_FEATURES
from tests.verify.map_kinds import DRAWS

X = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.sampled(20)
def test_autocast_changes_no_digit(kind, dtype):
    torch = pytest.importorskip("torch")
    rows = torch.from_numpy(X)
    phi = DRAWS[kind](n_features=N_FEATURES.get(kind, 12), seed=0, like=rows)
    values, gram = phi(rows), phi.gram(rows)
    with torch.autocast("cpu", dtype=getattr(torch, dtype)):
        assert torch.equal(phi(rows), values)
        assert torch.equal(phi.gram(rows), gram)


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.sampled(20)
def test_chunks_that_are_not_finite_raise_when_computed(kind, bad):
    array = pytest.importorskip("dask.array")
    rows = X.copy()
    rows[4, 1] = bad
    phi, lazy = (
        DRAWS[kind](n_features=N_FEATURES.get(kind, 12), seed=0),
        array.from_array(rows, chunks=(3, 3)),
    )
    unknown = lazy[array.from_array(np.ones(6, bool), chunks=3)]
    for of in (lazy, unknown):
        with pytest.raises(ValueError, match="a chunk of X holds NaN or infinity, first in row 1"):
            phi(of).compute()
    assert np.array_equal(_arrays.to_host(phi(lazy[:3])), phi(X[:3]))


def test_seeds_can_be_printed_and_recipes_have_a_limit():
    with pytest.raises(ValueError, match="not a number of about 5000 digits"):
        mehler.MaxoutFeatures(3, 8, 2, seed=10**5000)
    recipe = {**mehler.FourierFeatures(3, 8, seed=0).recipe(), "n_features": 10**10}
    with pytest.raises(ValueError, match=r"GiB of weights; .* max_bytes=120000000000"):
        mehler.from_recipe(recipe)
    small = {**recipe, "n_features": 100}
    with pytest.raises(ValueError, match="max_bytes=1200"):
        mehler.from_recipe(small, max_bytes=1000)
    assert mehler.from_recipe(small, max_bytes=1200).n_features == 100
