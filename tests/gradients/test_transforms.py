"""Under the libraries' own transforms: compiled, mapped over batches, and in stacks of batches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gradients.derivatives import LIBRARIES, double_precision
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


@pytest.mark.skipif("torch" not in LIBRARIES, reason="PyTorch is the user's choice")
class TestTorch:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", sorted(DRAWS))
    @pytest.mark.sampled(3)
    def test_compiled_as_one_graph(self, name):
        import torch

        x = torch.asarray(STACK[0, 0])
        phi = map_of(name, x)
        torch._dynamo.reset()
        compiled = torch.compile(phi, fullgraph=True, backend="eager")
        np.testing.assert_allclose(compiled(x), phi(x), atol=CLOSE)

    @pytest.mark.parametrize("name", sorted(DRAWS))
    @pytest.mark.sampled(8)
    def test_mapped(self, name):
        import torch

        x = torch.asarray(STACK[0])
        phi = map_of(name, x)
        mapped = torch.func.vmap(phi)(x)
        np.testing.assert_allclose(mapped, phi(x), atol=CLOSE)
        if not name.startswith(("inv", "not-inv", "leverage-inv")) and name not in (
            "sinks-tanh-bias",
            "sinks-orthogonal",
        ):
            kernels = torch.func.vmap(phi.kernel)(x, torch.asarray(OTHER))
            np.testing.assert_allclose(
                kernels, phi.kernel(x, torch.asarray(OTHER)), atol=CLOSE_KERNELS
            )

    @pytest.mark.parametrize("name", ["pairs", "matern", "maxout", "sinks-relu", "sinks-erf"])
    # PyTorch's forward mode warns of its own use of what it has deprecated.
    @pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
    @pytest.mark.sampled(2)
    def test_derivatives_of_each_row_in_both_modes(self, name):
        import torch

        x, y = torch.asarray(STACK[0, 0]), torch.asarray(OTHER[0])
        phi = map_of(name, x)

        def kernel(row):
            return phi.kernel(row[None, :], y)[0]

        backward = torch.func.vmap(torch.func.jacrev(kernel))(x)
        forward = torch.func.vmap(torch.func.jacfwd(kernel))(x)
        plain = torch.stack([torch.autograd.functional.jacobian(kernel, row) for row in x])
        np.testing.assert_allclose(backward, plain, atol=CLOSE_KERNELS)
        np.testing.assert_allclose(forward, plain, atol=CLOSE_KERNELS)


@pytest.mark.skipif("jax" not in LIBRARIES, reason="JAX is the user's choice")
class TestJax:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", sorted(DRAWS))
    @pytest.mark.sampled(2)
    def test_compiled_and_mapped(self, name):
        import jax

        with double_precision():
            x, y = jax.numpy.asarray(STACK[0]), jax.numpy.asarray(OTHER)
            phi = map_of(name, x)
            np.testing.assert_allclose(jax.vmap(phi)(x), phi(x), atol=CLOSE)
            np.testing.assert_allclose(jax.jit(phi)(x), phi(x), atol=CLOSE)
            if name.startswith(("inv", "not-inv", "leverage-inv")) or name in (
                "sinks-tanh-bias",
                "sinks-orthogonal",
            ):
                with pytest.raises(TypeError, match="which cannot be traced"):
                    jax.jit(phi.kernel)(x, y)
                return
            for transform in (jax.jit, jax.vmap):
                np.testing.assert_allclose(
                    transform(phi.kernel)(x, y), phi.kernel(x, y), atol=CLOSE_KERNELS
                )

    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["pairs", "matern", "maxout", "sinks-relu", "sinks-erf"])
    @pytest.mark.sampled(1)
    def test_derivatives_in_both_modes(self, name):
        import jax

        with double_precision():
            x, y = jax.numpy.asarray(STACK[0, 0]), jax.numpy.asarray(OTHER[0])
            phi = map_of(name, x)

            def kernel(rows):
                return phi.kernel(rows, y)

            backward, forward = jax.jacrev(kernel)(x), jax.jit(jax.jacfwd(kernel))(x)
            np.testing.assert_allclose(backward, forward, atol=CLOSE_KERNELS)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_maps_are_mapped_over_single_rows(library):
    """As the page of gradients says of ``jax.vmap`` and ``torch.vmap``."""
    xp = pytest.importorskip({"torch": "torch", "jax": "jax.numpy"}[library])
    module = pytest.importorskip(library)
    X = xp.asarray(STACK[0, 0].astype("float32"))
    for name in ("pairs", "maxout", "sinks-relu"):
        phi = map_of(name, like=X)
        assert tuple(phi(X[0]).shape) == (phi.n_features,)
        # Products of float32 in another order.
        np.testing.assert_allclose(module.vmap(phi)(X), phi(X), atol=1e-5)
