"""Derivatives on PyTorch and JAX, which are either correct or raise an error.

Arrays of other libraries have no derivatives: there, each function computes values alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from mehler._arrays._namespace import Array, array_namespace, is_jax_array, is_torch_array


def differentiable(*arrays: Array) -> bool:
    """Return whether a derivative may be asked for in one of `arrays`; True of all JAX tracers."""
    for x in arrays:
        if type(x) is np.ndarray:
            continue
        if is_torch_array(x):
            from mehler._arrays import _torch

            if _torch.differentiable(x):
                return True
        elif is_jax_array(x):
            import jax

            if isinstance(x, jax.core.Tracer):
                return True
    return False


def is_compiling() -> bool:
    """Return whether ``torch.compile`` traces this call."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_compiling())


def require_no_gradient(*arrays: Array, what: str) -> None:
    """Raise TypeError where `what`, computed by NumPy and SciPy, would lose a derivative."""
    if not differentiable(*arrays):
        return
    if any(is_jax_array(x) for x in arrays):
        raise TypeError(
            f"{what} is computed by NumPy and SciPy, which cannot be traced: call it outside of "
            "jax.jit, jax.vmap and jax.grad"
        )
    raise TypeError(
        f"{what} is computed by NumPy and SciPy, which have no gradients: pass X.detach(), or "
        "call it under torch.no_grad() and outside of torch.func and torch.compile"
    )


def graft(values: Array, on: Array) -> Array:
    """Return `values` with the derivatives of `on`, which is the same function of less accuracy."""
    if not differentiable(on, values):
        return values
    return with_derivative(_second, _one, on, values)


def _second(_: Array, values: Array) -> Array:
    # A copy, since an autograd function of PyTorch must not return its own argument.
    return 1.0 * values


def _one(on: Array, _: Array) -> Array:
    return array_namespace(on).ones_like(on)


def constant(x: Array) -> Array:
    """Return `x` without its derivatives, for what the result does not depend on."""
    if is_torch_array(x):
        return x.detach()
    if is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    return x


def with_derivative(
    function: Callable[..., Array], derivative: Callable[..., Array], x: Array, *constants: Array
) -> Array:
    """Return ``function(x, *constants)``, elementwise, with a derivative in `x` of its own."""
    if not differentiable(x):
        return function(x, *constants)
    if is_torch_array(x):
        from mehler._arrays._torch import Chain

        return Chain.apply(function, derivative, x, *constants)
    import jax

    chained = jax.custom_jvp(function)
    chained.defjvp(lambda at, tangents: (chained(*at), tangents[0] * derivative(*at)))
    return chained(x, *constants)
