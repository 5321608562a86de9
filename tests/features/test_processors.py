"""Weights of recipes where the linear algebra has kernels for another processor.

OpenBLAS takes its kernels from an environment variable. With another library both runs are alike.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.verify.map_kinds import DRAWS

DRAWING = """
import json, sys
import numpy as np
import mehler

drawn = {}
for name, recipe in json.load(sys.stdin).items():
    for dtype in ("float32", "float64"):
        for i, part in enumerate(mehler.from_recipe(recipe)._weights(dtype)):
            drawn[f"{name} {dtype} {i}"] = part
np.savez(sys.argv[1], **drawn)
"""

# By what a QR factorisation gives, or matrices times vectors: the others are the generator's.
ROUNDED = ("orthogonal", "hadamard", "invariant-maps")


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Weights of every kind, by their names, here and with the kernels of an old processor."""
    sizes = {"n_features": 504, "seed": 7}
    recipes = {name: draw(**sizes).recipe() for name, draw in DRAWS.items()}
    for projections in ("gaussian", "orthogonal", "hadamard"):
        phi = mehler.FourierFeatures.draw(40, 160, projections=projections, seed=3)
        recipes[f"wide-{projections}"] = phi.recipe()
    folder = tmp_path_factory.mktemp("weights")
    arrays = []
    for kernels in ({}, {"OPENBLAS_CORETYPE": "Nehalem"}):
        path = folder / f"{len(arrays)}.npz"
        subprocess.run(
            [sys.executable, "-c", DRAWING, path],
            input=json.dumps(recipes),
            text=True,
            check=True,
            env={**os.environ, **kernels},
        )
        with np.load(path) as held:
            arrays.append(dict(held))
    return arrays


def test_what_a_generator_draws_has_the_same_bits(weights):
    here, there = weights
    assert here.keys() == there.keys()
    assert {name.split()[0] for name in here} >= set(DRAWS)
    apart = {name.split()[0] for name in here if not np.array_equal(here[name], there[name])}
    assert {name for name in apart if not name.endswith(ROUNDED)} == set()


def test_what_is_factorised_agrees_as_stated(weights):
    """To 1e-11 of a vector's length; in float32, to the rounding of its entries."""
    here, there = weights
    for name in here:
        a, b = here[name].astype(float), there[name].astype(float)
        if not name.split()[0].endswith(ROUNDED) or here[name].dtype.kind != "f":
            continue
        off = 1e-11 if "float64" in name else 2.0 * np.finfo(np.float32).eps
        assert np.abs(a - b).max() <= off * np.abs(a).max(), name
