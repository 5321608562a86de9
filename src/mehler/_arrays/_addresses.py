"""Places by name, so that what lives there can be pickled and come back to it."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

from mehler._arrays._namespace import Place, namespace_name, resolve_place


@dataclass(frozen=True)
class Address:
    """The module of a library, and a device as that library is told it; None for its default."""

    module: str
    device: str | int | None

    def find(self) -> Place:
        """Return the place, or the nearest one that is here, with a warning."""
        try:
            library = importlib.import_module(self.module)
        except ImportError:
            here = resolve_place(None)
            _warn(self.module, "which is not installed here", here)
            return here
        # NumPy itself is not the face of it that its arrays have.
        default = resolve_place(None if self.module == "numpy" else library)
        if self.device is None or self.module in ("numpy", "dask.array"):
            return Place(default.xp, self.device)
        try:
            return Place(default.xp, _DEVICES[self.module](library, self.device))
        # Each library has its own error for a device that it does not find.
        except (RuntimeError, ValueError, AssertionError, LookupError):
            _warn(f"{self.module} on {self.device}", "which is not here", default)
            return default


def address_of(place: Place) -> Address:
    """Return the address of a place."""
    module, device = namespace_name(place.xp), place.device
    if device is None:
        return Address(module, None)
    if module == "jax.numpy":
        return Address(module, f"{device.platform}:{device.id}")
    return Address(module, int(device.id) if module == "cupy" else _name(device))


def _name(device: Any) -> str:
    # array-api-strict gives the name in the repr alone: array_api_strict.Device('device1').
    return str(device).rpartition("Device('")[2].removesuffix("')")


def _jax_device(_: Any, name: str) -> Any:
    import jax

    platform, _, number = name.partition(":")
    return {device.id: device for device in jax.devices(platform)}[int(number)]


def _cupy_device(cupy: Any, number: int) -> Any:
    if number >= cupy.cuda.runtime.getDeviceCount():
        raise ValueError(f"there is no device {number}")
    return cupy.cuda.Device(number)


_DEVICES: dict[str, Any] = {
    "torch": lambda torch, name: torch.empty(0, device=name).device,
    "jax.numpy": _jax_device,
    "cupy": _cupy_device,
    "array_api_strict": lambda strict, name: strict.Device(name),
}


def _warn(lost: str, why: str, here: Place) -> None:
    warnings.warn(
        f"pickled on {lost}, {why}: it comes back on {here.name}; move a map with its method to()",
        RuntimeWarning,
        stacklevel=4,
    )
