"""Under the libraries' own transforms: compiled, mapped over batches, and in stacks of batches."""

import contextlib

import numpy as np
import pytest

from tests.derivatives import LIBRARIES, double_precision
from tests.verify.map_kinds import DRAWS, D

RNG = np.random.default_rng(4)
STACK, OTHER = RNG.standard_normal((2, 3, 5, D)), RNG.standard_normal((3, 4, D))
# Sums of three products in another order: a few eps of values below 10.
CLOSE = 1e-13
# Of kernels, whose tables and square roots at near rows have slopes below 10.
CLOSE_KERNELS = 10 * CLOSE


def map_of(name, like=None):
    return DRAWS[name](72, seed=1, like=like)


@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(8)
def test_batches_are_those_of_their_rows(name):
    phi = map_of(name)
    stacked, gram, kernel = phi(STACK), phi.products(STACK, STACK), phi.kernel(STACK, OTHER)
    own = phi.kernel(STACK)
    assert stacked.shape == (2, 3, 5, phi.n_features)
    assert gram.shape == (2, 3, 5, phi.n_units)
    assert kernel.shape == (2, 3, 5, 4)
    for i, j in np.ndindex(2, 3):
        rows, others = STACK[i, j], OTHER[j]
        np.testing.assert_allclose(stacked[i, j], phi(rows), atol=CLOSE)
        np.testing.assert_allclose(gram[i, j], phi.products(rows, rows), atol=100 * CLOSE)
        assert np.array_equal(kernel[i, j], phi.kernel(rows, others))
        assert np.array_equal(own[i, j], phi.kernel(rows))


# Their kernels are NumPy's and SciPy's, which cannot be traced.
ON_HOST = ("inv", "not-inv", "leverage-inv", "sinks-tanh-bias", "sinks-orthogonal")


@pytest.mark.skipif("torch" not in LIBRARIES, reason="PyTorch is the user's choice")
@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(8)
def test_mapped_by_pytorch(name):
    import torch

    x, y = torch.asarray(STACK[0]), torch.asarray(OTHER)
    phi = map_of(name, x)
    np.testing.assert_allclose(torch.func.vmap(phi)(x), phi(x), atol=CLOSE)
    if not name.startswith(ON_HOST):
        kernels = torch.func.vmap(phi.kernel)(x, y)
        np.testing.assert_allclose(kernels, phi.kernel(x, y), atol=CLOSE_KERNELS)


@pytest.mark.skipif("jax" not in LIBRARIES, reason="JAX is the user's choice")
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(2)
def test_compiled_and_mapped_by_jax(name):
    import jax

    with double_precision():
        x, y = jax.numpy.asarray(STACK[0]), jax.numpy.asarray(OTHER)
        phi = map_of(name, x)
        for transform in (jax.jit, jax.vmap):
            np.testing.assert_allclose(transform(phi)(x), phi(x), atol=CLOSE)
            if not name.startswith(ON_HOST):
                kernels = transform(phi.kernel)(x, y)
                np.testing.assert_allclose(kernels, phi.kernel(x, y), atol=CLOSE_KERNELS)
        if name.startswith(ON_HOST):
            with pytest.raises(TypeError, match="which cannot be traced"):
                jax.jit(phi.kernel)(x, y)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["pairs", "matern", "maxout", "sinks-relu", "sinks-erf"])
# PyTorch's forward mode warns of its own use of what it has deprecated.
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
@pytest.mark.sampled(3)
def test_derivatives_of_each_row_in_both_modes(name, library):
    xp = pytest.importorskip({"torch": "torch", "jax": "jax.numpy"}[library])
    functions = pytest.importorskip({"torch": "torch.func", "jax": "jax"}[library])
    with double_precision() if library == "jax" else contextlib.nullcontext():
        x, y = xp.asarray(STACK[0, 0]), xp.asarray(OTHER[0])
        phi = map_of(name, x)

        def kernel(row):
            return phi.kernel(row[None, :], y)[0]

        backward = functions.vmap(functions.jacrev(kernel))(x)
        forward = functions.vmap(functions.jacfwd(kernel))(x)
        plain = xp.stack([functions.jacrev(kernel)(row) for row in x])
        np.testing.assert_allclose(backward, plain, atol=CLOSE_KERNELS)
        np.testing.assert_allclose(forward, plain, atol=CLOSE_KERNELS)
