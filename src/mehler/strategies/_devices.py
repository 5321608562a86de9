"""Strategies for installed array namespaces and devices, importing only those requested."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler import _arrays
from mehler.strategies._validate import require_members

# Import names, simplest first, the order of shrinking.
_LIBRARIES = tuple(library.module for library in _arrays.LIBRARIES.values())


@dataclass(frozen=True)
class Device:
    """An array namespace with one of its devices.

    Attributes
    ----------
    library : str
        Import name.
    xp : namespace
        The library's array API namespace.
    device : object
        The library's own device object.

    See Also
    --------
    devices : Generate the devices available.
    """

    library: str
    xp: Any
    device: Any

    def __repr__(self) -> str:
        """Return, for example, ``Device(torch, cpu)``."""
        return f"Device({self.library}, {self.device})"

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Names of the dtypes in which maps can compute on this device, widest first."""
        wide = _arrays.has_float64(self.xp, self.device)
        return ("float64", "float32") if wide else ("float32",)

    @property
    def like(self) -> Any:
        """A small array on this device, for ``draw(..., like=device.like)``."""
        return self.asarray(np.zeros((1, 1)))

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        """Return host values as an array on this device.

        Parameters
        ----------
        values : array_like
            Real numbers.
        dtype : str, optional
            Default the widest of `dtypes`.

        Returns
        -------
        array
            Of the same shape, in this namespace and on this device.
        """
        name = dtype or self.dtypes[0]
        if name not in self.dtypes:
            raise ValueError(
                f"dtype={name!r} does not exist on {self!r}: take one of {self.dtypes}"
            )
        host = np.asarray(values).astype(name)
        if self.library == "dask.array":
            return self.xp.asarray(host)
        return _arrays.from_host(host, _arrays.Place(self.xp, self.device))


def namespaces(*, only: Iterable[str] | None = None) -> SearchStrategy[Any]:
    """Generate array API namespaces of installed libraries; shrinks to NumPy's.

    Parameters
    ----------
    only : list of str, optional
        Import names among 'numpy', 'array_api_strict', 'torch', 'jax.numpy', 'dask.array' and
        'cupy'; default all that are installed.

    Returns
    -------
    SearchStrategy of namespaces
        As ``array_api_compat`` wraps them.

    Raises
    ------
    TypeError, ValueError
        If a name is unknown, or no library is installed.

    See Also
    --------
    devices : Namespaces with their devices.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(namespaces(), lambda xp: True).__name__
    'array_api_compat.numpy'
    """
    names = _installed(only)
    # Deferred, so that libraries are imported when a test starts, not with its module.
    return st.deferred(lambda: st.sampled_from([_namespace(name) for name in names]))


def devices(*, only: Iterable[str] | None = None) -> SearchStrategy[Device]:
    """Generate devices of installed libraries; shrinks to NumPy's.

    Parameters
    ----------
    only : list of str, optional
        As for `namespaces`.

    Returns
    -------
    SearchStrategy of Device
        Devices that can store values.

    Raises
    ------
    TypeError, ValueError
        If a name is unknown, or no library is installed.

    See Also
    --------
    namespaces : The libraries alone.
    dtypes : Names of dtypes.

    Examples
    --------
    >>> from hypothesis import find
    >>> device = find(devices(), lambda device: True)
    >>> device, device.asarray([[1, 2]])
    (Device(numpy, cpu), array([[1., 2.]]))
    """
    names = _installed(only)
    return st.deferred(
        lambda: st.sampled_from([device for name in names for device in _devices(name)])
    )


def _installed(only: Iterable[str] | None) -> list[str]:
    wanted = require_members("only", only, _LIBRARIES)
    found = [name for name in wanted if importlib.util.find_spec(name.partition(".")[0])]
    if not found:
        raise ValueError(f"only={wanted} names no library that is installed: install one of them")
    return found


def _namespace(library: str) -> Any:
    return _arrays.array_namespace(importlib.import_module(library).asarray([0.0]))


def _devices(library: str) -> list[Device]:
    xp = _namespace(library)
    # Devices without memory hold no values: torch's "meta", and Dask's name for its own blocks.
    real = [
        device
        for device in xp.__array_namespace_info__().devices()
        if device is not None and str(device) not in {"meta", "DASK_DEVICE"}
    ]
    return [Device(library, xp, device) for device in real]
