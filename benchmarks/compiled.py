"""Maps on JAX as they are and under `jax.jit`, beside the same maps on NumPy, by CPU time.

XLA is held to one thread. Compiling, once a shape, is not counted in the ratios and stands in a
column of its own. Run: python benchmarks/compiled.py
"""

from __future__ import annotations

import os

# Before JAX is loaded.
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 "
    + os.environ.get("XLA_FLAGS", "")
)

import time

import _harness
import jax
import numpy as np

import mehler

# label: rows, d, and a map of d inputs.
SETTINGS = {
    "MaxoutFeatures, d=784 m=1000 q=4": (
        1024,
        784,
        lambda d, **kw: mehler.MaxoutFeatures.draw(d, 1000, 4, **kw),
    ),
    "MaxoutFeatures, d=40 m=2000 q=16": (
        2048,
        40,
        lambda d, **kw: mehler.MaxoutFeatures.draw(d, 2000, 16, **kw),
    ),
    "DecoupledMaxoutFeatures, d=40 m=2000 q=16": (
        2048,
        40,
        lambda d, **kw: mehler.DecoupledMaxoutFeatures.draw(d, 2000, 16, **kw),
    ),
    "FourierFeatures, d=784 m=4000": (
        1024,
        784,
        lambda d, **kw: mehler.FourierFeatures.draw(d, 4000, gamma=0.5 / d, **kw),
    ),
    "FourierFeatures, d=40 m=2000": (
        4096,
        40,
        lambda d, **kw: mehler.FourierFeatures.draw(d, 2000, gamma=0.5 / d, **kw),
    ),
    "KitchenSinks, relu, d=40 m=2000": (
        4096,
        40,
        lambda d, **kw: mehler.KitchenSinks.draw(d, 2000, activation="relu", **kw),
    ),
}


PRODUCT = jax.jit(lambda rows, weights: rows @ weights)


def bare(x, pieces, block=256):
    """The floor on JAX: compiled products of blocks of rows, one after the other."""
    for start in range(0, len(x), block):
        rows = x[start : start + block]
        for weights in pieces:
            PRODUCT(rows, weights).block_until_ready()


def main():
    rows, raw = [], []
    for label, (n, d, draw) in SETTINGS.items():
        x = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
        there = jax.numpy.asarray(x)
        on_numpy, on_jax = draw(d, seed=0, like=x), draw(d, seed=0, like=there)
        jitted = jax.jit(on_jax)
        start = time.process_time()
        first = jitted(there).block_until_ready()
        seconds = time.process_time() - start
        weights = list(on_jax._weights("float32")[-1])
        gap = float(np.abs(np.asarray(first) - on_numpy(x)).max())
        runs = {
            "NumPy": lambda phi=on_numpy, x=x: phi(x),
            "JAX, bare products in blocks": lambda x=there, w=weights: bare(x, w),
            "JAX": lambda phi=on_jax, x=there: phi(x).block_until_ready(),
            "JAX, jit": lambda phi=jitted, x=there: phi(x).block_until_ready(),
        }
        for name, values in _harness.ratios(runs, rounds=5).items():
            cell = f"{seconds:.1f} s" if name.endswith("jit") else ""
            rows.append([label, name, _harness.spread(values), cell])
            raw.append({"setting": label, "contender": name, "ratios": values, "gap": gap})
            print(*rows[-1], f"{gap:.0e}", flush=True)
    _harness.save(
        "compiled",
        "Maps under jax.jit, float32: CPU time over that of NumPy",
        ["map", "on", "ratio, median (least to largest)", "first call, with compiling"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
