"""Maps for `mehler verify`, by every way that they can be named."""

from __future__ import annotations

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler


class Bandwidth2014(RBFSampler):
    """As scikit-learn had it until its pull request 3656: the factor 2 in the variance missing."""

    def fit(self, X, y=None):
        super().fit(X, y)
        self.random_weights_ /= np.sqrt(2.0)
        return self


class Halved(RBFSampler):
    def transform(self, X):
        return super().transform(X) / np.sqrt(2.0)


class NotFinite(RBFSampler):
    def transform(self, X):
        return super().transform(X) * np.nan


instance = RBFSampler(gamma=0.5, n_components=300)
nystroem = Nystroem(gamma=1.0, n_components=20)
fitted = RBFSampler(random_state=0, n_components=40).fit(np.eye(5)).transform
number = 3.0


def transformer(scale=1.0):
    return RBFSampler(gamma=scale, n_components=500)


def sized(seed, n_features, gamma=1.0):
    return RBFSampler(gamma=gamma, n_components=n_features, random_state=seed)


def signs(seed):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(5, 600))
    return lambda X: X @ weights / np.sqrt(600)


def identity(X):
    return X


def shifted(X):
    return X + 0.5


def linear(X, Y, scale=1.0):
    return scale * X @ Y.T


def broken(seed):
    raise RuntimeError("the sampler\nbroke")


class Nothing:
    pass


def repeated(seed, n_features):
    """64 features over and over: the kernel is right in the mean, and the error does not fall."""
    phi = sized(seed, 64).fit(np.eye(5)).transform
    copies = n_features // 64
    return lambda X: np.tile(phi(X), copies) / np.sqrt(copies)


def one_scale(seed, n_features):
    """One factor for all features of a draw: right in the mean, and the error does not fall."""
    phi = sized(seed, n_features).fit(np.eye(5)).transform
    scale = np.sqrt(np.random.default_rng(seed).choice([0.5, 1.5]))
    return lambda X: scale * phi(X)
