"""Maps for `mehler verify` that warn, wait, exit, raise, and return what is not an array."""

from __future__ import annotations

import ctypes
import os
import random
import sys
import time
import warnings

import numpy as np


def signs(seed, m=600, d=5):
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(d, m)) / np.sqrt(m)


def warning(seed):
    """Warn at every draw and at every call, past filters that forget what they have shown."""
    weights = signs(seed)

    def phi(X):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("this map\nis called", FutureWarning, stacklevel=1)
        return X @ weights

    warnings.warn("this map is drawn", UserWarning, stacklevel=1)
    return phi


def chattering(seed):
    """Warn of something else each time."""
    warnings.warn(f"seed {seed}", UserWarning, stacklevel=1)
    return lambda X: X @ signs(seed)


def slow(seed, n_features=4):
    time.sleep(0.02)
    return lambda X: X @ signs(seed, n_features)


def leaving(seed):
    sys.exit(0)


def raising(seed):
    def phi(X):
        raise KeyError("weights")

    return phi


def sparse(seed):
    import scipy.sparse

    return lambda X: scipy.sparse.csr_array(X @ signs(seed))


def not_fitted(seed):
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(random_state=seed, n_components=300)


def not_fitted_method(seed):
    return not_fitted(seed).transform


def complex_waves(seed, n_features=300):
    w = np.sqrt(2.0) * np.random.default_rng(seed).standard_normal((5, n_features))
    return lambda X: np.exp(1j * X @ w) / np.sqrt(n_features)


def half(seed):
    return lambda X: (X @ signs(seed)).astype(np.float16)


def positive(seed, n_features, gamma=1.0):
    w = np.sqrt(gamma) * np.random.default_rng(seed).standard_normal((5, n_features))
    return lambda X: np.exp(X @ w - 0.5 * gamma * (X**2).sum(1, keepdims=True)) / n_features**0.5


def not_normalised(seed, n_features):
    """Without exp(-|x|^2/2)."""
    w = np.random.default_rng(seed).standard_normal((5, n_features))
    return lambda X: np.exp(X @ w) / np.sqrt(n_features)


def leaning(seed, n_features):
    """Directions from QR factorisations whose signs are not fixed."""
    rng = np.random.default_rng(seed)
    q = [np.linalg.qr(rng.standard_normal((5, 5)))[0].T for _ in range(-(-n_features // 5))]
    lengths = np.linalg.norm(rng.standard_normal((n_features, 5)), axis=1)
    w = (np.concatenate(q)[:n_features] * lengths[:, None]).T
    return lambda X: np.exp(X @ w - 0.5 * (X**2).sum(1, keepdims=True)) / np.sqrt(n_features)


printed = []


def printing(seed):
    """Print by every way there is, where the file is read, drawn and called."""
    sys.stdout.write("drawn\n")
    sys.__stdout__.write("past the name\n")
    ctypes.CDLL(None).puts(b"from C")
    if not printed:  # once a process: it takes a while
        printed.append(seed)
        os.system("echo from a child")  # words of our own

    def phi(X):
        os.write(1, b"called\n")
        return X @ signs(seed)

    return phi


def reseeding(seed):
    """Set every global generator to the same state in each draw."""
    np.random.seed(0)  # noqa: NPY002
    random.seed(0)
    return lambda X: X @ signs(seed)


def reseeding_when_called(seed):
    def phi(X):
        np.random.seed(1)  # noqa: NPY002
        return X @ signs(seed)

    return phi


def well_behaved(seed):
    return lambda X: X @ signs(seed)
