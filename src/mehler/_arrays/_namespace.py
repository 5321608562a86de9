"""Find the namespace and device of an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._libraries import LIBRARIES

# Six namespaces share no static type; what an array must be is checked at run time.
Array: TypeAlias = Any


@dataclass(frozen=True)
class Place:
    """A namespace and one of its devices; for Dask arrays, those of the blocks."""

    xp: Any
    device: Any

    @property
    def name(self) -> str:
        """Name for messages: ``torch`` on ``cuda:0`` reads "torch on cuda:0"."""
        short = namespace_name(self.xp)
        return short if self.device in (None, "cpu") else f"{short} on {self.device}"


def array_namespace(*arrays: Array, names: tuple[str, ...] | None = None) -> Any:
    """Return the common namespace of `arrays`, or raise TypeError naming the one that differs."""
    names = names or tuple(f"argument {i + 1}" for i in range(len(arrays)))
    spaces = []
    for array, name in zip(arrays, names):
        if not _kinds.is_array(array):
            dense = f"{name}.toarray()" if hasattr(array, "toarray") else f"numpy.asarray({name})"
            raise TypeError(
                f"{name} must be an array of NumPy, CuPy, PyTorch, JAX, Dask or another array API "
                f"library, but is {type(array).__name__}; convert it first, for instance with "
                f"{dense}"
            )
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(
                f"{name} is a masked array: drop or impute what is masked first, and pass "
                f"numpy.asarray({name})"
            )
        spaces.append(_kinds.namespace(array))
    first = spaces[0]
    for space, name in zip(spaces[1:], names[1:]):
        if space is not first:
            raise TypeError(
                f"{names[0]} is an array of {namespace_name(first)} but {name} of "
                f"{namespace_name(space)}; bring both to one library and device"
            )
    return first


def namespace_name(xp: Any) -> str:
    """Return ``numpy``, ``torch``, ``jax.numpy`` and so on, without the wrapper's prefix."""
    return str(xp.__name__).removeprefix("array_api_compat.")


def is_lazy(x: Array) -> bool:
    """Return whether values are not available yet.

    Dask graphs, tracers of JAX, and PyTorch under ``torch.compile`` and ``torch.func.vmap``.
    """
    if _kinds.is_dask_array(x):
        return True
    if _kinds.is_torch_array(x):
        from mehler._arrays import _torch_gradients

        return _torch_gradients.traced(x)
    if _kinds.is_jax_array(x):
        import jax

        return isinstance(x, jax.core.Tracer)
    return False


def place_of(x: Array) -> Place:
    """Return namespace and device of `x`; a tracer under ``jax.jit`` has no device."""
    xp = array_namespace(x)
    if is_lazy(x) and not _kinds.is_torch_array(x):
        return Place(xp, None)
    return Place(xp, _kinds.device(x))


def resolve_place(like: Any) -> Place:
    """Return the place of a ``like=`` argument: an array's own, or a namespace's default device."""
    if like is None:
        # Asked of an array, not imported by name: `array_api_compat.numpy` loads all of NumPy, its
        # test tools and its Fortran parser too, which costs as much as the rest of this library.
        return Place(_kinds.namespace(np.empty(0)), "cpu")
    if isinstance(like, Place):
        return like
    if _kinds.is_array(like):
        return place_of(like)
    if hasattr(like, "__array_namespace_info__"):
        return Place(like, None)
    name = getattr(like, "__name__", None)
    if name in {library.module for library in LIBRARIES.values()}:
        # The bare library: ask one of its own arrays for the standard's face of it.
        make = getattr(like, "asarray", None) or like.tensor
        return Place(_kinds.namespace(make([0.0])), None)
    raise TypeError(
        f"like= must be an array or an array namespace such as numpy or torch, not {like!r}"
    )


def require_same_place(x: Array, place: Place, *, name: str, owner: str) -> None:
    """Raise if `x` does not live where `owner` does; the message gives the call that moves it."""
    here = place_of(x)
    if here.xp is not place.xp:
        raise TypeError(
            f"{name} is an array of {namespace_name(here.xp)} but the weights of this {owner} are "
            f"of {namespace_name(place.xp)}; use {owner}.to({name}), or draw with like={name}"
        )
    if None not in (here.device, place.device) and here.device != place.device:
        raise ValueError(
            f"{name} lives on {here.device} but the weights of this {owner} on {place.device}; "
            f"use {owner}.to({name}), or draw with like={name}"
        )
