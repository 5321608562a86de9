"""Ratios of the ground: maxout in three libraries, decoupled units, the ReLU kernel, weights.

``python benchmarks/ground.py`` writes ``results/ground.md``. Each row is the CPU time of ours over
that of a plain formulation, in turns in one process with one BLAS thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import _harness
import numpy as np

import mehler
from mehler.features.projections import named


def products(rows: Any, weights: Any, block: int) -> Callable[[], None]:
    """The bare matrix products, block by block, piece by piece."""

    def run() -> None:
        for start in range(0, len(rows), block):
            for piece in weights:
                rows[start : start + block] @ piece

    return run


def other_libraries(rows: np.ndarray) -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Maxout over the bare products of PyTorch, by its blocks of rows, and of compiled JAX."""
    import jax
    import torch

    torch.set_num_threads(1)
    here = torch.asarray(rows)
    phi = mehler.MaxoutFeatures.draw(rows.shape[1], 1024, 4, seed=0, like=here)
    name = "maxout, d = 784, q = 4, over the bare product, "
    bare = products(here, phi._weights("float32")[0], 1024)
    yield name + "PyTorch", bare, partial(phi, here)
    there = jax.numpy.asarray(rows)
    psi = mehler.MaxoutFeatures.draw(rows.shape[1], 1024, 4, seed=0, like=there)
    weights = psi._weights("float32")[0]
    multiply = jax.jit(lambda x, w: [x @ piece for piece in w])
    compiled = jax.jit(psi)
    yield (
        name + "JAX",
        lambda: jax.block_until_ready(multiply(there, weights)),
        lambda: jax.block_until_ready(compiled(there)),
    )


def relu_kernel(rows: np.ndarray, depth: int) -> Callable[[], Any]:
    """The arc-cosine recursion in plain lines, which lose digits near equal rows."""

    def run() -> Any:
        s = 2.0 / rows.shape[1] * rows @ rows.T
        for _ in range(depth):
            length = np.sqrt(np.diag(s))
            scale = np.outer(length, length)
            rho = np.clip(s / scale, -1, 1)
            angle = np.arccos(rho)
            s = scale * (np.sqrt(1 - rho * rho) + (np.pi - angle) * rho) / np.pi
        return s

    return run


def pairs() -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Name, plain formulation and ours of each row."""
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((4096, 784)).astype(np.float32)
    narrow = rng.standard_normal((4096, 40))
    phi = mehler.MaxoutFeatures.draw(784, 1024, 4, seed=0)
    bare = products(wide, phi._weights("float32")[0], 1024)
    rows = [("maxout, d = 784, q = 4, over the bare product, NumPy", bare, partial(phi, wide))]
    rows += other_libraries(wide)
    for q in (4, 16):
        units = mehler.DecoupledMaxoutFeatures.draw(40, 2000, q, seed=0)
        bare = products(narrow, units._weights("float64")[0], 256)
        name = f"decoupled, d = 40, m = 2000, q = {q}, over the bare product"
        rows.append((name, bare, partial(units, narrow)))
    for depth in (1, 3):
        ours = partial(mehler.DeepKernel("relu", depth).nngp, narrow[:1000])
        name = f"ReLU NNGP of 1000 x 1000, {depth} layers, over plain lines"
        rows.append((name, relu_kernel(narrow[:1000], depth), ours))
    draws = [
        partial(named(n).draw, 0, 1, 2048, 2048, "float64") for n in ("gaussian", "orthogonal")
    ]
    return [*rows, ("orthogonal weights over dense ones, d = 2048", *draws)]


def main() -> None:
    """Write the table."""
    lines = [
        f"Measured on {date.today()} by `python benchmarks/ground.py`, median (least to largest).",
        "",
        "| work | ratio of CPU time |",
        "|---|---|",
    ]
    for name, plain, ours in pairs():
        found = _harness.ratios({"plain": plain, "ours": ours})["ours"]
        lines.append(f"| {name} | {_harness.spread(found)} |")
    text = "\n".join(lines) + "\n"
    (_harness.RESULTS / "ground.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
