"""gpjax.kernels.RFF: cos and sin without the factor that its Gram matrix puts in."""

import gpjax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def _draw(make, seed, n_features):
    maps = []

    def phi(X):
        if not maps:
            base = make(n_dims=X.shape[1])
            key = jax.random.key(seed)
            maps.append(gpjax.kernels.RFF(base, num_basis_fns=n_features // 2, key=key))
        rff = maps[0]
        z = rff.compute_features(jnp.asarray(X))
        return np.asarray(jnp.sqrt(rff.compute_engine.scaling(rff)) * z)

    return phi


def rbf(seed, n_features):
    return _draw(gpjax.kernels.RBF, seed, n_features)


def matern(seed, n_features):
    return _draw(gpjax.kernels.Matern32, seed, n_features)
