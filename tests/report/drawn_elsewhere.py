"""Maps that are drawn in other processes, and know where they are."""

from __future__ import annotations

import multiprocessing
import os

import numpy as np


def signs(seed, n_features):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, n_features))
    return lambda X: X @ weights / np.sqrt(n_features)


def wrong(seed, n_features):
    return lambda X: 1.1 * signs(seed, n_features)(X)


def dying(seed, n_features):
    if multiprocessing.parent_process() is not None:
        os._exit(3)
    return signs(seed, n_features)


def raising(seed, n_features):
    def phi(X):
        if seed % 2 == 0 and seed > 2**24:
            raise RuntimeError("seed of an even draw")
        return signs(seed, n_features)(X)

    return phi


class Declared:
    def variance(self, X, Y):
        return np.ones((len(X), len(Y)))

    def __call__(self, X):
        return X
