"""Copy arrays to NumPy, count threads, read random states, refuse derivatives that are wrong."""

from __future__ import annotations

import os
import pickle
import random
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler._arrays import _namespace as ns
from mehler._arrays._namespace import Array


def to_host(x: Array) -> Any:
    """Return the values of `x` as a NumPy array; a Dask graph is computed once."""
    if type(x) is np.ndarray:
        return x
    ns.require_unmasked(x, "this")
    if isinstance(x, np.ndarray):
        return x
    if ns.stays_lazy(x):
        return to_host(x.compute())
    ns.require_values(x, "this")
    if ns.is_torch_array(x):
        return x.detach().cpu().numpy()
    if ns.is_cupy_array(x):
        return x.get()
    if ns.is_array(x) and ns.namespace_name(ns.standard_namespace(x)) == "array_api_strict":
        # It can only be read from its CPU device.
        x = x.to_device(ns.standard_namespace(x).Device("CPU_DEVICE"))
    return np.asarray(x)


def elementwise_on_host(function: Callable[[Any], Any], x: Array, *, what: str) -> Array:
    """Apply an elementwise NumPy function in float64, under JAX's transforms too."""
    if ns.is_jax_array(x):
        return xpx.lazy_apply(
            lambda host: function(host.astype(np.float64)).astype(host.dtype),
            x,
            shape=x.shape,
            dtype=x.dtype,
            as_numpy=True,
        )
    ns.require_values(x, f"the argument of {what}")
    host = function(np.asarray(to_host(x), dtype=np.float64))
    return ns.from_host(host, ns.place_of(x), x.dtype)


def dense_host(x: Array) -> tuple[Any, float | None]:
    """Return `x` as a dense NumPy array, and the machine epsilon of its dtype, None of integers."""
    for dense in ("toarray", "to_dense", "todense"):
        if hasattr(x, dense):
            # PyTorch has to_dense on dense tensors too, where it changes nothing.
            x = getattr(x, dense)()
            break
    if not ns.is_array(x) or "float" not in (name := ns.dtype_name(x.dtype)):
        return np.asarray(to_host(x)), None
    # NumPy has no dtype of its own for bfloat16 and floats of 8 bits, which float32 holds.
    narrow = not hasattr(np, name)
    if narrow and isinstance(x, np.ndarray):
        return x.astype(np.float32), float(np.spacing(x.dtype.type(1)))
    xp = ns.standard_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    return np.asarray(to_host(xp.astype(x, xp.float32) if narrow else x)), eps


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def host_threads() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, as BLAS does; else the number of usable cores."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    return int(number) if number.isdigit() and int(number) > 0 else usable_cores()


def one_blas_thread() -> Any:
    """Return a context of one BLAS thread (idle ones spin), if threadpoolctl is installed."""
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none
    except ImportError:
        return nullcontext()
    return threadpool_limits(1, user_api="blas")


def global_states() -> dict[str, bytes]:
    """Return the pickled state of each global generator, by library, to see who changed it."""
    legacy = np.random.get_state()  # noqa: NPY002  # as those who use it do
    states: dict[str, Any] = {"random": random.getstate(), "numpy.random": legacy}
    torch = sys.modules.get("torch")  # generators of a library that is not imported are unused
    if torch is not None:
        states["torch"] = torch.get_rng_state().numpy()
        if torch.cuda.is_initialized():
            states["torch.cuda"] = [state.numpy() for state in torch.cuda.get_rng_state_all()]
    return {name: pickle.dumps(state) for name, state in states.items()}


def differentiable(*arrays: Array) -> bool:
    """Return whether a derivative may be asked for in one of `arrays`; True of all JAX tracers."""
    for x in arrays:
        if type(x) is np.ndarray:
            continue
        if ns.is_torch_array(x):
            from mehler._arrays import _torch

            if _torch.differentiable(x):
                return True
        elif ns.is_jax_array(x):
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
    if differentiable(*arrays):
        raise TypeError(
            f"{what} is computed by NumPy and SciPy, which have no gradients and which cannot be "
            "traced: pass X.detach(), or call it under torch.no_grad() and outside of torch.func, "
            "torch.compile, jax.jit, jax.vmap and jax.grad"
        )


def graft(values: Array, on: Array) -> Array:
    """Return `values` with the derivatives of `on`, a less accurate form of the same function."""
    if not differentiable(on, values):
        return values
    ones = ns.array_namespace(on).ones_like
    # A copy, since an autograd function of PyTorch must not return its own argument.
    return with_derivative(lambda _, copied: 1.0 * copied, lambda x, _: ones(x), on, values)


def constant(x: Array) -> Array:
    """Return `x` without its derivatives, for what the result does not depend on."""
    if ns.is_torch_array(x):
        return x.detach()
    if ns.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    return x


def with_derivative(
    function: Callable[..., Array], derivative: Callable[..., Array], x: Array, *constants: Array
) -> Array:
    """Return ``function(x, *constants)``, elementwise, with a derivative in `x` of its own."""
    if not differentiable(x):
        return function(x, *constants)
    if ns.is_torch_array(x):
        from mehler._arrays._torch import Chain

        return Chain.apply(function, derivative, x, *constants)
    import jax

    chained = jax.custom_jvp(function)
    chained.defjvp(lambda at, tangents: (chained(*at), tangents[0] * derivative(*at)))
    return chained(x, *constants)
