"""PyTorch tensors: derivatives in both modes, tracing, and products at full precision."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _get_current_dispatch_mode


def differentiable(x: Any) -> bool:
    """Return whether a derivative with respect to `x` may be requested."""
    if torch.compiler.is_compiling() or torch._C._functorch.is_functorch_wrapped_tensor(x):
        return True
    if x.requires_grad and torch.is_grad_enabled():
        return True
    # A level of forward mode is open, and `x` has a tangent there.
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(x).tangent is not None


def traced(x: Any) -> bool:
    """Return whether no branch may depend on the values of `x`."""
    if torch.compiler.is_compiling() or x.is_meta:
        return True
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(x):
        if functorch.is_batchedtensor(x):
            return True
        x = functorch.get_unwrapped(x)
    return False


def overwritable(x: Any) -> bool:
    """Return whether `x` is an ordinary tensor outside of autograd, tracing and dispatch modes."""
    if differentiable(x) or torch.jit.is_tracing() or _get_current_dispatch_mode() is not None:
        return False
    return type(x) in (torch.Tensor, torch.nn.Parameter)


class Chain(torch.autograd.Function):
    """``function(x, *constants)``, whose derivative in x is ``derivative(x, *constants)``."""

    generate_vmap_rule = True

    @staticmethod
    def forward(function: Any, derivative: Any, x: Any, *constants: Any) -> Any:
        return function(x, *constants)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.derivative, *arrays = inputs
        ctx.save_for_backward(*arrays)
        ctx.save_for_forward(*arrays)
        ctx.n_constants = len(arrays) - 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None, None, grad * ctx.derivative(*ctx.saved_tensors), *[None] * ctx.n_constants

    @staticmethod
    def jvp(ctx: Any, function: Any, derivative: Any, x: Any, *constants: Any) -> Any:
        return x * ctx.derivative(*ctx.saved_tensors)


def full_precision(device: str) -> Any:
    """Return a context without autocast and without TF32, which is put back at the end."""
    if device == "meta":
        return nullcontext()
    if torch.compiler.is_compiling():
        if _is_lowered(device):
            raise ValueError(
                "float32 products have a lower precision here, by set_float32_matmul_precision or "
                "fp32_precision, and maps lose their accuracy: set 'highest' before torch.compile"
            )
    elif _is_lowered(device):
        return _with_flags(device)
    elif hasattr(torch.amp, "is_autocast_available") and not torch.is_autocast_enabled(device):
        return nullcontext()
    return torch.autocast(device, enabled=False)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]  # it has no types
def _is_lowered(device: str) -> bool:
    """Whether flags ask for products of fewer digits than float32 has."""
    flags = _flags(device)
    precision = getattr(flags, "fp32_precision", None)
    if precision is None:  # before PyTorch 2.9
        return device == "cuda" and bool(flags.allow_tf32)
    return precision not in ("none", "ieee")


def _flags(device: str) -> Any:
    backend = {"cuda": torch.backends.cuda, "cpu": torch.backends.mkldnn}.get(device)
    return getattr(backend, "matmul", None)


@contextmanager
def _with_flags(device: str) -> Iterator[None]:
    """Set the flag of full precision, and put it back at the end."""
    flags = _flags(device)
    name = "fp32_precision" if hasattr(flags, "fp32_precision") else "allow_tf32"
    before = getattr(flags, name)
    setattr(flags, name, "ieee" if name == "fp32_precision" else False)
    try:
        with torch.autocast(device, enabled=False):
            yield
    finally:
        setattr(flags, name, before)
