"""Which array libraries can be imported here."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

# Name for users, and the namespace that `like=` takes.
_NAMESPACES = {
    "numpy": "numpy",
    "strict": "array_api_strict",
    "torch": "torch",
    "jax": "jax.numpy",
    "dask": "dask.array",
}


def installed_namespaces() -> dict[str, Any]:
    """The namespaces of the libraries installed here that need no accelerator, by name."""
    return {
        name: importlib.import_module(module)
        for name, module in _NAMESPACES.items()
        if importlib.util.find_spec(module.partition(".")[0]) is not None
    }
