"""Values of deep kernels beside neural-tangents, entry by entry, and what of it is its rounding.

    python benchmarks/depth_values.py PYTHON

PYTHON is an interpreter with neural-tangents 0.6.5 and JAX 0.4.30 (`pip install "jax==0.4.30"
"jaxlib==0.4.30" "neural-tangents==0.6.5" "numpy<2" "scipy<1.13"`, in an environment of its own).

An entry that differs from its single precision by more than 1e-6 of the largest has to differ from
its own double precision by as much, but for 1e-6: else the script stops. Pools of two are its ReLU
at twice both variances, of which both kernels are twice maxout's.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path

import numpy as np
from _harness import save
from depth import VARIANCES, peer

import mehler

ROWS, COLUMNS, DEPTHS, TARGET = 500, 64, (1, 3, 8), 1e-6
UNITS = ("relu", "erf", "sin", "cos", "maxout, q = 2")


def ours(unit: str, depth: int, method: str, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and their stated errors."""
    pool = 2 if unit.startswith("maxout") else None
    kernel = mehler.DeepKernel(unit.split(",")[0], depth, pool_size=pool, **VARIANCES)
    values, errors = getattr(kernel, method)(X, return_error=True)
    return values, errors


def theirs(python: str, folder: str, unit: str, depth: int, double: bool) -> dict[str, np.ndarray]:
    """Both kernels by neural-tangents."""
    factor = 2.0 if unit.startswith("maxout") else 1.0
    variances = {name: factor * value for name, value in VARIANCES.items()}
    name = "relu" if unit.startswith("maxout") else unit
    found = peer(python, folder, name, double, depth=depth, variances=variances, repeats=0)
    assert found is not None
    return {method: found[method].astype(np.float64) / factor for method in ("nngp", "ntk")}


def main() -> None:
    """Compare, and write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("peer")
    python = parser.parse_args().peer
    X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
    rows: list[list[str]] = []
    on = np.eye(ROWS, dtype=bool)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        for unit, depth in itertools.product(UNITS, DEPTHS):
            single, double = (theirs(python, folder, unit, depth, each) for each in (False, True))
            for method in ("nngp", "ntk"):
                values, errors = ours(unit, depth, method, X)
                largest = np.abs(values).max()
                apart = np.abs(values - single[method]) / largest
                own = np.abs(double[method] - single[method]) / largest
                exactly = np.abs(values - double[method]) / largest
                if np.any(apart > TARGET + own):
                    raise SystemExit(
                        f"{unit}, depth {depth}, {method}: apart by more than rounding"
                    )
                beyond = apart > TARGET
                off, diagonal = int(np.sum(beyond & ~on)), int(np.sum(beyond & on))
                rows.append(
                    [
                        unit,
                        str(depth),
                        method.upper(),
                        f"{apart[~on].max():.0e}, {apart[on].max():.0e}",
                        f"{off}, {diagonal}",
                        f"{own[~on].max():.0e}, {own[on].max():.0e}",
                        f"{exactly[~on].max():.0e}, {exactly[on].max():.0e}",
                        f"{errors.max() / largest:.0e}",
                    ]
                )
                print(rows[-1], flush=True)
    header = [
        "units",
        "depth",
        "kernel",
        "mehler and its single, off, on the diagonal",
        "entries beyond 1e-6",
        "its single and its double",
        "mehler and its double",
        "stated by mehler",
    ]
    save("depth_values", "Deep kernels beside neural-tangents, entry by entry", header, rows, rows)


if __name__ == "__main__":
    main()
