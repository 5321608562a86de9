"""The names of the installed CuPy, as `names.json` keeps them for the stand-in.

python -m tests.devices.names     after `pip install cupy-cuda12x`; it needs no GPU
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("names.json")
MODULES = (
    *("cupy", "cupy.linalg", "cupy.fft", "cupy.random", "cupy.cuda", "cupy.cuda.runtime"),
    *("cupy.cuda.device", "cupyx", "cupyx.scipy", "cupyx.scipy.special"),
)
CLASSES = (
    *("cupy.ndarray", "cupy.cuda.Device", "cupy.cuda.Stream", "cupy.cuda.Event"),
    "cupy.cuda.MemoryPool",
)


def kept() -> dict[str, Any]:
    """Return the kept list: the version, and public names by module and class."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def installed() -> dict[str, Any]:
    """Return the same of the CuPy that is imported here."""
    # All first: a module has the name of one below it once that is imported.
    modules = {module: importlib.import_module(module) for module in MODULES}
    names = {module: _public(found) for module, found in modules.items()}
    for path in CLASSES:
        module, _, name = path.rpartition(".")
        # Python's own methods of every object say nothing.
        names[path] = _public(getattr(importlib.import_module(module), name), special=True)
    return {"version": importlib.import_module("cupy").__version__, "names": names}


def _public(thing: Any, special: bool = False) -> list[str]:
    plain = set(dir(object))
    return sorted(
        name
        for name in dir(thing)
        if name not in plain
        and (not name.startswith("_") or (special and name.endswith("__") and "pyx" not in name))
    )


if __name__ == "__main__":
    found = installed()
    lines = (f'  "{path}": {json.dumps(names)}' for path, names in found["names"].items())
    body = ",\n".join(lines)
    KEPT.write_text(
        f'{{"version": "{found["version"]}", "names": {{\n{body}\n}}}}\n', encoding="utf-8"
    )
