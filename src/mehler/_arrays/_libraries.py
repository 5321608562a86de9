"""The array libraries: their names, and how to import, install and find out the version of each."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Library:
    """An array library by the name that users give it.

    `module` is its namespace, `install` what pip is told, `distributions` whose version counts;
    `accelerator` says that it computes on nothing else.
    """

    module: str
    install: str
    distributions: tuple[str, ...]
    accelerator: bool = False


# Simplest first: the order in which examples shrink.
LIBRARIES = {
    "numpy": Library("numpy", "numpy", ("numpy",)),
    "strict": Library("array_api_strict", "array-api-strict", ("array-api-strict",)),
    "torch": Library("torch", "'mehler[torch]'", ("torch",)),
    "jax": Library("jax.numpy", "'mehler[jax]'", ("jax",)),
    "dask": Library("dask.array", "'mehler[dask]'", ("dask",)),
    "cupy": Library(
        "cupy",
        "'mehler[cupy12]' or 'mehler[cupy13]', by the CUDA version",
        ("cupy", "cupy-cuda12x", "cupy-cuda13x"),
        accelerator=True,
    ),
}


def installed_namespaces() -> dict[str, Any]:
    """The namespaces of the libraries installed here that need no accelerator, by name."""
    return {
        name: importlib.import_module(library.module)
        for name, library in LIBRARIES.items()
        if not library.accelerator
        and importlib.util.find_spec(library.module.partition(".")[0]) is not None
    }
