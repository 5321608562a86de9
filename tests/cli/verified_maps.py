"""Maps for `mehler verify`, by every way that they can be named; of the rbf or linear kernel."""

from __future__ import annotations

import os
import random
import sys
import warnings

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

    def set_params(self, **parameters):
        self.__dict__ |= parameters
        return self

    def fit(self, X, y=None):
        self.weights, self.offsets = weights(
            self.random_state, self.n_components, X.shape[1], self.gamma
        )
        return self

    def transform(self, X):
        if self.weights is None:
            raise NotFittedError
        return waves(X, self.weights, self.offsets)


class Halved(Fourier):
    def transform(self, X):
        return super().transform(X) / np.sqrt(2.0)


class NotFinite(Fourier):
    def transform(self, X):
        return super().transform(X) * np.nan


def weights(seed, m, d=5, gamma=1.0):
    rng = np.random.default_rng(seed)
    return np.sqrt(2.0 * gamma) * rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * np.pi, m)


def waves(X, w, b):
    return np.sqrt(2.0 / w.shape[1]) * np.cos(X @ w + b)


# -- one of each form -----------------------------------------------------------------------------

instance = Fourier(gamma=0.5, n_components=300)
fitted = Fourier(random_state=0, n_components=40).fit(np.eye(5)).transform
number = 3.0


class Rectified:
    """A class that is called with X, as one of the documentation's."""

    def __init__(self, n_features, *, seed):
        self.weights = weights(seed, n_features)

    def __call__(self, X):
        return waves(X, *self.weights)


class Ambient:
    """A class without a seed."""

    def __init__(self, in_features, out_features):
        self.w = np.sqrt(2.0) * np.random.standard_normal((in_features, out_features))  # noqa: NPY002
        self.b = [random.uniform(0.0, 2.0 * np.pi) for _ in range(out_features)]

    def __call__(self, X):
        return waves(X, self.w, np.array(self.b))


class Fixed:
    """A class that draws nothing."""

    def __call__(self, X):
        return X


class Nothing:
    pass


def transformer(scale=1.0):
    return Fourier(gamma=scale, n_components=500)


def sized(seed, n_features, gamma=1.0):
    return Fourier(gamma=gamma, n_components=n_features, random_state=seed)


def seed_last(d, D, random_state):
    return lambda X: waves(X, *weights(random_state, D, d))


def generator(rng, m=200):
    w, b = np.sqrt(2.0) * rng.standard_normal((5, m)), rng.uniform(0.0, 2.0 * np.pi, m)
    return lambda X: waves(X, w, b)


def columns_and_components(n_features, n_components, seed):
    return lambda X: waves(X, *weights(seed, n_components, n_features))


def three_sizes(rows, hidden, m):
    return lambda seed: lambda X: waves(X, *weights(seed, m, rows))


def identity(X):
    return X


def shifted(X, by=0.5):
    return X + by


def linear(X, Y, scale=1.0):
    return scale * X @ Y.T


# -- that do something else beside it -------------------------------------------------------------


def signs(seed, m=600):
    matrix = np.random.default_rng(seed).choice([-1.0, 1.0], size=(5, m))
    return lambda X: X @ matrix / np.sqrt(m)


def moves(seed):
    """Change the working directory."""
    os.chdir("elsewhere" if os.path.isdir("elsewhere") else ".")
    return signs(seed)


def broken(seed):
    raise RuntimeError("the sampler\nbroke")


def one_scale(seed, n_features):
    """One factor for all features of a draw: right in the mean, and the error does not fall."""
    phi = sized(seed, n_features).fit(np.eye(5)).transform
    scale = np.sqrt(np.random.default_rng(seed).choice([0.5, 1.5]))
    return lambda X: scale * phi(X)


def sparse(seed):
    import scipy.sparse

    return lambda X: scipy.sparse.csr_array(signs(seed)(X))


def half(seed):
    return lambda X: signs(seed)(X).astype(np.float16)


def complex_waves(seed, n_features=300):
    w, _ = weights(seed, n_features)
    return lambda X: np.exp(1j * X @ w) / np.sqrt(n_features)


def positive(seed, n_features, gamma=1.0):
    w = np.sqrt(gamma) * np.random.default_rng(seed).standard_normal((5, n_features))
    return lambda X: np.exp(X @ w - 0.5 * gamma * (X**2).sum(1, keepdims=True)) / n_features**0.5


def printing(seed):
    """Print by every way there is, and warn past filters that forget what they have shown."""
    sys.__stdout__.write("drawn\n")
    os.write(1, b"::error::past Python\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("this map\nis drawn", UserWarning, stacklevel=1)
    warnings.warn(f"seed {seed}", FutureWarning, stacklevel=1)
    return signs(seed)
