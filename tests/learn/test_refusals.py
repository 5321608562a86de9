"""Arrays of which entries are missing are refused by name, wherever they come in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mehler import FourierFeatures, learn, planning

X = np.random.default_rng(0).standard_normal((12, 3))
Y = np.sign(X[:, 0])
PHI = FourierFeatures.draw(3, 8, gamma=0.5, seed=0)
LAMBDAS = [0.1, 1.0]
FOLDS = np.arange(12.0) % 3
ENTRIES = {
    "X": (X, lambda x: learn.ridge(PHI, x, Y, lambdas=0.1)),
    "Y": (Y, lambda y: learn.ridge(PHI, X, y, lambdas=0.1)),
    "weights": (abs(Y), lambda w: learn.ridge(PHI, X, Y, lambdas=0.1, weights=w)),
    "folds": (FOLDS, lambda f: learn.ridge(PHI, X, Y, lambdas=LAMBDAS, folds=f)),
    "X of sums": (X, lambda x: learn.RidgeSums(PHI).add(x, Y)),
    "X to predict": (X, lambda x: learn.ridge(PHI, X, Y, lambdas=0.1).predict(x)),
    "labels": (Y, learn.one_vs_all),
    "Z": (X, lambda z: learn.box_erm(z, Y, scale=1.0)),
    "y": (Y, lambda y: learn.box_erm(X, y, scale=1.0)),
    "Z to decide": (X, lambda z: learn.box_erm(X, Y, scale=1.0).decision(z)),
    "K_hat": (X @ X.T, lambda k: learn.spectral_error(k, X @ X.T, 1.0)),
    "X of units": (X, lambda x: learn.units(PHI, x)),
    "margins": (Y, learn.losses.Hinge()),
    "data": (X, lambda x: planning.plan(x, measure=False)),
    "data of a map": (X, lambda x: planning.plan(x, map=PHI)),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_masked_and_sparse_arrays_are_refused_by_name(name):
    values, call = ENTRIES[name]
    argument = name.partition(" ")[0].replace("[", r"\[").replace("]", r"\]")
    for masked in (np.ma.masked_array(values), np.ma.masked_greater(values, 0.5)):
        with pytest.raises(TypeError, match=f"^{argument} is a masked array: drop or impute"):
            call(masked)
    with pytest.raises(TypeError, match=f"^{argument} must (be an array|hold real numbers)"):
        call(sparse.csr_array(np.atleast_2d(values)))
