"""Make golden values that do not exist yet: ``python -m tests.golden.make FOLDER [NAME ...]``.

A file is made once, from the commit whose values it keeps. One that exists is refused.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden import _maps, _paths
from tests.golden._store import plain, write


def maps() -> dict[str, Any]:
    """Compute features, kernels and variances of every kind of map."""
    values: dict[str, Any] = {"rows": plain(_maps.ROWS)}
    for kind in _maps.DRAWS:
        values |= _maps.values(kind, _maps.draw(kind))
    return values


def recipes() -> dict[str, Any]:
    """Describe the recipes of every kind of map, and the weights that they draw."""
    return {kind: _maps.recipe_row(kind) for kind in _maps.DRAWS}


def figures() -> dict[str, Any]:
    """Count what is to fall."""
    sizes = {name: counts for name, counts in _paths.sizes().items() if name != "tests/golden"}
    counts = {name: _paths.count(path) for name, path in _paths.paths().items()}
    return {
        "sizes": sizes,
        "public names": _paths.names(),
        "paths": {name: {"today": now, "at most": now} for name, now in counts.items()},
    }


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "maps": maps,
    "recipes": recipes,
    "figures": figures,
}


def main(arguments: list[str] | None = None) -> None:
    """Make the files of the names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=list(FILES))
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = options.names or list(FILES)
    if existing := [name for name in chosen if (options.folder / f"{name}.json").exists()]:
        parser.error(f"{', '.join(existing)} exist, and golden values are made once")
    for name in chosen:
        write(name, FILES[name](), options.folder)


if __name__ == "__main__":
    main()
