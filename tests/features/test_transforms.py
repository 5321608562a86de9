"""Under the libraries' own transforms: compiled, mapped over batches, and in stacks of batches."""

import contextlib
import importlib

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
    whole = phi.kernel(STACK)
    assert stacked.shape == (2, 3, 5, phi.n_features)
    assert gram.shape == (2, 3, 5, phi.n_units)
    assert kernel.shape == (2, 3, 5, 4)
    for i, j in np.ndindex(2, 3):
        rows, others = STACK[i, j], OTHER[j]
        np.testing.assert_allclose(stacked[i, j], phi(rows), atol=CLOSE)
        np.testing.assert_allclose(gram[i, j], phi.products(rows, rows), atol=100 * CLOSE)
        assert np.array_equal(kernel[i, j], phi.kernel(rows, others))
        assert np.array_equal(whole[i, j], phi.kernel(rows))


# Their kernels are NumPy's and SciPy's, which cannot be traced.
ON_HOST = ("inv", "not-inv", "leverage-inv", "sinks-tanh-bias", "sinks-orthogonal")


def transforms_of(library):
    """Return a library's arrays and its transforms of functions."""
    module = importlib.import_module(library)
    if library == "torch":
        return module.asarray, (module.func.vmap,)
    return module.numpy.asarray, (module.jit, module.vmap)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] * n.startswith("deep")) for n in sorted(DRAWS)],
)
@pytest.mark.sampled(4)
def test_compiled_and_mapped_by_the_library(name, library):
    asarray, transforms = transforms_of(library)
    with double_precision() if library == "jax" else contextlib.nullcontext():
        x, y = asarray(STACK[0]), asarray(OTHER)
        phi = map_of(name, x)
        for transform in transforms:
            np.testing.assert_allclose(transform(phi)(x), phi(x), atol=CLOSE)
            if not name.startswith(ON_HOST):
                kernels = transform(phi.kernel)(x, y)
                np.testing.assert_allclose(kernels, phi.kernel(x, y), atol=CLOSE_KERNELS)
        if library == "jax" and name.startswith(ON_HOST):
            with pytest.raises(TypeError, match="which cannot be traced"):
                transforms[0](phi.kernel)(x, y)
