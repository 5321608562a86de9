"""Derivatives by PyTorch and JAX in float64, and central differences on the host."""

import contextlib
import importlib.util

import numpy as np

# The user's choice, as in `tests.places`; `.ci/run` fails if one of them is missing.
LIBRARIES = tuple(name for name in ("torch", "jax") if importlib.util.find_spec(name) is not None)
STEP = 1e-6


@contextlib.contextmanager
def double_precision():
    """JAX in float64, under each of its versions."""
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


def by_differences(function, x, step=STEP):
    """Central differences of a function of an array to a number."""
    slopes = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        offset = np.zeros_like(x)
        offset[at] = step
        slopes[at] = (function(x + offset) - function(x - offset)) / (2 * step)
    return slopes


def gradient(library, function, x, *others):
    """The gradient in x of ``function(asarray, x, *others)``, which returns a number."""
    if library == "torch":
        import torch

        t = torch.tensor(x, requires_grad=True)
        (slopes,) = torch.autograd.grad(function(torch.asarray, t, *map(torch.asarray, others)), t)
        return slopes.numpy()
    import jax

    with double_precision():
        here = [jax.numpy.asarray(part) for part in (x, *others)]
        derivative = jax.grad(lambda *rows: function(jax.numpy.asarray, *rows))
        return np.asarray(derivative(*here))


def require_gradient(library, function, x, tolerance):
    """Require that the gradient in x of ``function(asarray, x)``, a number, is that of differences.

    PyTorch compares each entry, to `tolerance`. JAX compares c times the slope along t, numbers of
    ``RandomState(0)``, where differences are off by |c| |t|^3 times as much.
    """
    if library == "torch":
        import torch

        rows = torch.tensor(x, requires_grad=True)
        of_rows = lambda t: function(torch.asarray, t)  # noqa: E731
        assert torch.autograd.gradcheck(of_rows, (rows,), eps=STEP, atol=tolerance, rtol=0.0)
        return
    from jax import numpy as jnp
    from jax.test_util import check_grads

    with double_precision():
        of_rows = lambda rows: function(jnp.asarray, jnp.asarray(rows))  # noqa: E731
        random = np.random.RandomState(0)
        length, c = np.linalg.norm(random.randn(*x.shape)), random.randn()
        options = {"atol": tolerance * abs(c) * max(1.0, length**3), "rtol": 0.0, "eps": STEP}
        check_grads(of_rows, (jnp.asarray(x),), order=1, modes=["rev"], **options)


def hessian(library, function, x):
    """The matrix of second derivatives of ``function(x)``, a number."""
    if library == "torch":
        import torch

        return torch.autograd.functional.hessian(function, torch.asarray(x)).numpy()
    import jax

    with double_precision():
        return np.asarray(jax.hessian(function)(jax.numpy.asarray(x)))
