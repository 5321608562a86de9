"""Maps for `mehler verify`, by every way that they can be named; of the rbf or linear kernel."""

import os
import random

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


def generator(rng, m=200):
    w, b = np.sqrt(2.0) * rng.standard_normal((5, m)), rng.uniform(0.0, 2.0 * np.pi, m)
    return lambda X: waves(X, w, b)


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


def sparse(seed):
    import scipy.sparse

    return lambda X: scipy.sparse.csr_array(signs(seed)(X))


def complex_waves(seed, n_features=300):
    w, _ = weights(seed, n_features)
    return lambda X: np.exp(1j * X @ w) / np.sqrt(n_features)
