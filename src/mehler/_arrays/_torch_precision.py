"""Products of PyTorch in the digits of their dtype, whatever the surroundings ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch


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
    flags = _flags(device)
    name = "fp32_precision" if hasattr(flags, "fp32_precision") else "allow_tf32"
    before = getattr(flags, name)
    setattr(flags, name, "ieee" if name == "fp32_precision" else False)
    try:
        with torch.autocast(device, enabled=False):
            yield
    finally:
        setattr(flags, name, before)
