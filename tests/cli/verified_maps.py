"""Maps for `mehler verify`, by every way that they can be named.

scikit-learn takes a second to import, in each process that draws: only what needs it imports it.
"""

from __future__ import annotations

import os

import numpy as np


class NotFittedError(ValueError):
    """Called before `fit`, as scikit-learn names it."""


class Fourier:
    """Random Fourier features of exp(-gamma |x - y|^2), with the interface of scikit-learn."""

    def __init__(self, gamma=1.0, n_components=100, random_state=None):
        self.gamma, self.n_components, self.random_state = gamma, n_components, random_state
        self.weights = None

    def get_params(self, deep=True):
        return {name: vars(self)[name] for name in ("gamma", "n_components", "random_state")}

    def fit(self, X, y=None):
        rng, m = np.random.default_rng(self.random_state), self.n_components
        self.weights = np.sqrt(2.0 * self.gamma) * rng.standard_normal((X.shape[1], m))
        self.offsets = rng.uniform(0.0, 2.0 * np.pi, m)
        return self

    def transform(self, X):
        if self.weights is None:
            raise NotFittedError
        return np.sqrt(2.0 / self.n_components) * np.cos(X @ self.weights + self.offsets)


class Bandwidth2014(Fourier):
    """As scikit-learn had it until its pull request 3656: the factor 2 in the variance missing."""

    def fit(self, X, y=None):
        super().fit(X, y)
        self.weights /= np.sqrt(2.0)
        return self


class Halved(Fourier):
    def transform(self, X):
        return super().transform(X) / np.sqrt(2.0)


class NotFinite(Fourier):
    def transform(self, X):
        return super().transform(X) * np.nan


instance = Fourier(gamma=0.5, n_components=300)
fitted = Fourier(random_state=0, n_components=40).fit(np.eye(5)).transform
number = 3.0


def nystroem():
    from sklearn.kernel_approximation import Nystroem

    return Nystroem(gamma=1.0, n_components=20)


def transformer(scale=1.0):
    return Fourier(gamma=scale, n_components=500)


def sized(seed, n_features, gamma=1.0):
    return Fourier(gamma=gamma, n_components=n_features, random_state=seed)


def signs(seed):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(5, 600))
    return lambda X: X @ weights / np.sqrt(600)


def moves(seed):
    """Change the working directory."""
    os.chdir("elsewhere" if os.path.isdir("elsewhere") else ".")
    return signs(seed)


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
