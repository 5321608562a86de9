"""Made-up packages in a folder on the path, so that loaders can be tried without the real ones."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path

import numpy as np
import pytest

from mehler import data
from mehler.data import _images


def carry(
    monkeypatch: pytest.MonkeyPatch, root: Path, files: dict[str, bytes], name: str = ""
) -> None:
    """Put files into packages below root, and root on the path before everything else.

    Their hashes become those of the data set `name`, if there is one.
    The packages raise when they are imported: a loader must not import what carries its data.
    """
    for place, content in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        (root / place.split("/")[0] / "__init__.py").write_text("raise RuntimeError('imported')\n")
        if name:
            monkeypatch.setitem(data.sources()[name].sha256, path.name, sha256(content))
    monkeypatch.syspath_prepend(str(root))
    importlib.invalidate_caches()


def small_mnist(monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, np.ndarray]:
    """Put four small idx files into a folder, and return what they hold, under their names.

    Their hashes become those of MNIST.
    """
    rng = np.random.default_rng(0)
    shapes = ((5, 4, 3), (5,), (2, 4, 3), (2,))
    arrays = {}
    for part, shape in zip(_images._PARTS, shapes):
        name, values = f"{part}-ubyte", rng.integers(0, 10, shape, dtype=np.uint8)
        header = bytes([0, 0, 8, values.ndim]) + np.array(shape, dtype=">u4").tobytes()
        (folder / name).write_bytes(header + values.tobytes())
        monkeypatch.setitem(data.sources()["mnist"].sha256, name, sha256(values.tobytes()))
        arrays[name] = values
    return arrays


def sha256(content: bytes) -> str:
    """Hash as the loaders state it."""
    return hashlib.sha256(content).hexdigest()
