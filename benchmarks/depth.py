"""Deep kernels beside neural-tangents: values, and the time of a Gram of 2,000 rows.

    python benchmarks/depth.py [--peer PYTHON]

PYTHON is an interpreter with neural-tangents, which needs an older JAX than mehler's tests, in an
environment of its own. Without it, mehler alone is timed. neural-tangents has no maxout; it runs in
single precision, its default, and in double, as mehler.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from _harness import save

import mehler

DEPTH, ROWS, COLUMNS, REPEATS = 3, 2000, 64, 2
VARIANCES = {"weight_variance": 1.5, "bias_variance": 0.1}
PEERS = {"relu": "Relu", "erf": "Erf", "sin": "Sin", "cos": "Cos"}

PEER = """
import sys, time
import numpy as np
import jax, neural_tangents as nt
from neural_tangents import stax
folder, name, depth, w, b, repeats = sys.argv[1:]
layers = []
for _ in range(int(depth)):
    layers += [stax.Dense(1, float(w) ** 0.5, float(b) ** 0.5), getattr(stax, name)()]
layers.append(stax.Dense(1, float(w) ** 0.5, float(b) ** 0.5))
kernel = jax.jit(stax.serial(*layers)[2], static_argnums=2)
X = np.load(folder + "/X.npy")
found, seconds = kernel(X, None, ("nngp", "ntk")), []
for _ in range(int(repeats)):
    start = time.process_time()
    found = jax.block_until_ready(kernel(X, None, ("nngp", "ntk")))
    seconds.append(time.process_time() - start)
least = min(seconds, default=float("nan"))
np.savez(folder + "/" + name, nngp=found.nngp, ntk=found.ntk, seconds=least)
"""


def peer(
    python: str | None,
    folder: str,
    name: str,
    double: bool,
    *,
    depth: int = DEPTH,
    variances: dict[str, float] = VARIANCES,
    repeats: int = REPEATS,
) -> dict[str, np.ndarray] | None:
    """Compute the kernels of one activation by neural-tangents."""
    if python is None or name not in PEERS:
        return None
    numbers = [str(value) for value in variances.values()]
    call = [python, "-c", PEER, folder, PEERS[name], str(depth), *numbers, str(repeats)]
    environment = os.environ | {"JAX_ENABLE_X64": str(int(double))}
    environment.pop("PYTHONPATH", None)
    subprocess.run(call, check=True, capture_output=True, env=environment)
    with np.load(Path(folder) / f"{PEERS[name]}.npz") as found:
        return dict(found)


def compared(other: dict[str, np.ndarray] | None, values: dict[str, np.ndarray]) -> tuple[str, str]:
    """Return seconds, and the largest differences off and on the diagonal, of the largest value."""
    if other is None:
        return "", ""
    off, on = [], []
    for method, mine in values.items():
        apart = np.abs(other[method] - mine) / np.abs(mine).max()
        on.append(np.diagonal(apart).max())
        np.fill_diagonal(apart, 0.0)
        off.append(apart.max())
    return f"{float(other['seconds']):.2f}", f"{max(off):.0e}, {max(on):.0e}"


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer")
    python = parser.parse_args().peer
    X = np.random.default_rng(0).standard_normal((ROWS, COLUMNS))
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        for name, pool in (*((each, None) for each in PEERS), ("maxout", 2), ("maxout", 16)):
            kernel = mehler.DeepKernel(name, DEPTH, pool_size=pool, **VARIANCES)
            values, seconds = {}, []
            for method in ("nngp", "ntk"):
                getattr(kernel, method)(X[:2])
                best = np.inf
                for _ in range(REPEATS):
                    start = time.process_time()
                    values[method] = getattr(kernel, method)(X)
                    best = min(best, time.process_time() - start)
                seconds.append(f"{best:.2f}")
            told = [
                cell
                for double in (False, True)
                for cell in compared(peer(python, folder, name, double), values)
            ]
            label = name if pool is None else f"{name}, q = {pool}"
            rows.append([label, *seconds, *told])
    apart = "apart off, on the diagonal"
    header = [
        "units",
        "NNGP, s",
        "NTK, s",
        "neural-tangents, both, s",
        apart,
        "in double, s",
        apart,
    ]
    save("depth", "Deep kernels of 2,000 rows", header, rows, rows)


if __name__ == "__main__":
    main()
