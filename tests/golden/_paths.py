"""Calls and files of ours that five ways through the library take, and sizes of packages."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import mehler
from mehler import exact, learn

ROOT = Path(__file__).resolve().parents[2]
OURS = str(Path(mehler.__file__).parent)


def paths() -> dict[str, Callable[[], Any]]:
    """Return the five ways, on ten rows of NumPy."""
    rows = np.random.default_rng(26).standard_normal((10, 3))
    fourier = mehler.FourierFeatures.draw(3, 8, gamma=0.3, seed=0)
    maxout = mehler.MaxoutFeatures.draw(3, 8, 4, seed=0)
    targets = np.sin(rows[:, :1])
    return {
        "FourierFeatures(X)": lambda: fourier(rows),
        "MaxoutFeatures(X)": lambda: maxout(rows),
        "MaxoutFeatures.kernel(X)": lambda: maxout.kernel(rows),
        "exact.maxout_kernel(0.5, 4)": lambda: exact.maxout_kernel(0.5, 4),
        "learn.ridge(phi, X, Y)": lambda: learn.ridge(maxout, rows, targets, lambdas=[0.1]),
    }


def count(path: Callable[[], Any]) -> dict[str, int]:
    """Count calls of Python functions of ours, and their files, when called the second time."""
    path()
    calls: Counter[str] = Counter()

    def record(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            calls[frame.f_code.co_filename] += 1

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        path()
    finally:
        sys.setprofile(before)
    return {"calls": calls.total(), "files": len(calls)}


def sizes() -> dict[str, dict[str, int]]:
    """Count lines and files of Python of each package of the sources, proofs and tests."""
    return {
        f"{top}/{package}": counts
        for top, folder in (
            ("src", ROOT / "src" / "mehler"),
            ("proofs_checks", ROOT / "proofs_checks"),
            ("tests", ROOT / "tests"),
        )
        for package, counts in _packages(folder).items()
    }


def _packages(folder: Path) -> dict[str, dict[str, int]]:
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        inside = path.relative_to(folder).parts
        name = inside[0] if len(inside) > 1 else "."
        lines[name] += len(path.read_text(encoding="utf-8").splitlines())
        files[name] += 1
    return {name: {"lines": lines[name], "files": files[name]} for name in sorted(lines)}


def names() -> dict[str, int]:
    """Count the names that public packages and modules offer in ``__all__``."""
    folder = ROOT / "src"
    public = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if "proofs_checks" in parts or any(
            part.startswith("_") for part in parts if part != "__init__"
        ):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                module = ".".join(part for part in parts if part != "__init__")
                public[module] = len(ast.literal_eval(node.value))
    return public
