"""Fits made on a device come back from a pickle where they were, with their maps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.places import CPU

X = np.random.default_rng(0).standard_normal((60, 3)).astype(np.float32)
Y = np.sin(X[:, 0])

FITS = {
    "ridge": (lambda phi, x, y: learn.ridge(phi, x, y, lambdas=1e-2), "predict"),
    "folds": (
        lambda phi, x, y: learn.RidgeSums.cross_validate(
            [
                learn.RidgeSums(phi).add(x[:30, :], y[:30]),
                learn.RidgeSums(phi).add(x[30:, :], y[30:]),
            ],
            [1e-2, 1.0],
        )[0],
        "predict",
    ),
}


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
@pytest.mark.parametrize("kind", FITS)
def test_fits_come_back_where_they_were(kind, place) -> None:
    make, method = FITS[kind]
    x, y = place.asarray(X), place.asarray(Y[:, None])[:, 0]
    phi = mehler.MaxoutFeatures.draw(3, 20, 3, seed=0, like=x)
    fit = make(phi, x, y)
    again = pickle.loads(pickle.dumps(fit))
    found, wanted = getattr(again, method)(x), getattr(fit, method)(x)
    assert type(found) is type(wanted)
    np.testing.assert_array_equal(_arrays.to_host(found), _arrays.to_host(wanted))
