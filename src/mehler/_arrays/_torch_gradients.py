"""Functions with their own derivatives for PyTorch, in both modes and under its transforms."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _get_current_dispatch_mode


def differentiable(x: Any) -> bool:
    """Return whether somebody may ask for a derivative in `x`."""
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
    """Return whether `x` is an ordinary tensor that nobody differentiates, traces or records."""
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
