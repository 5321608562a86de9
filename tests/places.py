"""Where the same tests run: one enum of namespaces and devices, the strict ones included."""

import importlib.util
from dataclasses import dataclass
from typing import Any

import array_api_strict
import numpy as np

# The strict namespace as our maps must live with it: shapes never depend on data.
array_api_strict.set_array_api_strict_flags(boolean_indexing=False, data_dependent_shapes=False)


@dataclass(frozen=True)
class Place:
    """A namespace, a device, and whether the transform is compiled."""

    name: str
    jit: bool = False

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        values = np.asarray(values)
        if dtype is not None:
            values = values.astype(dtype)
        library, _, device = self.name.partition(":")
        if library == "numpy":
            return values
        if library == "strict":
            if device.startswith("no_") and values.dtype == np.float64:
                values = values.astype(np.float32)
            place = array_api_strict.Device(device)
            return array_api_strict.asarray(values, device=place)
        if library == "torch":
            import torch

            return torch.asarray(values.copy(), device=device)
        if library == "jax":
            import jax.numpy as jnp

            return jnp.asarray(values)
        if library == "cupy":
            import cupy

            return cupy.asarray(values)
        import dask.array

        return dask.array.from_array(values, chunks=(max(1, len(values) // 3), -1))

    def apply(self, phi: Any, x: Any) -> Any:
        if not self.jit:
            return phi(x)
        import jax

        return jax.jit(phi)(x)

    @property
    def has_float64(self) -> bool:
        return "strict:no_" not in self.name and not self.name.startswith("jax")


def installed(place: Place) -> bool:
    """PyTorch and JAX are the user's choice; `.ci/run` fails if one of them is missing."""
    library = place.name.partition(":")[0]
    return (
        importlib.util.find_spec({"strict": "array_api_strict"}.get(library, library)) is not None
    )


_CPU = (
    Place("numpy"),
    Place("strict:CPU_DEVICE"),
    Place("strict:device1"),
    Place("strict:no_float64"),
    Place("strict:no_x64"),
    Place("torch:cpu"),
    Place("jax"),
    Place("jax:jit", jit=True),
    Place("dask"),
)
CPU = tuple(place for place in _CPU if installed(place))
GPU = (Place("cupy"), Place("torch:cuda"))
