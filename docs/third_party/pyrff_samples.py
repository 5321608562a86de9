"""pyrff's cosines, sqrt(2/m) cos(W x + b), read from a function that `sample_rff` draws.

The function is drawn given one observation, which changes its coefficients and not its features.
"""

import math

import numpy as np
import pyrff


def _draw(seed, n_features, nu):
    drawn = []

    def phi(X):
        if not drawn:
            d = X.shape[1]
            drawn.append(
                pyrff.sample_rff(
                    lengthscales=np.ones(d),
                    scaling=1.0,
                    noise=1.0,
                    kernel_nu=nu,
                    X=np.zeros((1, d)),
                    Y=np.zeros(1),
                    M=n_features,
                    seed=seed,
                )
            )
        sample = drawn[0]
        return sample.sqrt_2_alpha_over_m * np.cos(X @ sample.W.T + sample.B.T)

    return phi


def rbf(seed, n_features):
    return _draw(seed, n_features, np.inf)


def matern(seed, n_features, nu=1.5):
    return _draw(seed, n_features, nu)


def matern_seeded(seed, n_features, nu=1.5):
    """With NumPy's global generator seeded, from which its Student weights come."""
    phi = _draw(seed, n_features, nu)

    def seeded(X):
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed % 2**32)  # noqa: NPY002
        try:
            return phi(X)
        finally:
            np.random.set_state(before)  # noqa: NPY002

    return seeded


def matern_multivariate(seed, n_features, nu=1.5):
    """Its cosines with Student weights of 2 nu degrees of freedom and one scale a frequency."""
    rng = np.random.default_rng(seed)
    offsets = rng.uniform(0.0, 2.0 * np.pi, n_features)
    scales = np.sqrt(2.0 * nu / rng.chisquare(2.0 * nu, n_features))
    weights = []

    def phi(X):
        if not weights:
            weights.append(rng.standard_normal((X.shape[1], n_features)) * scales)
        return math.sqrt(2.0 / n_features) * np.cos(X @ weights[0] + offsets)

    return phi
