"""Ratios of the ground: maps, kernels, codes, ridge regression and verdicts over plain lines.

``python benchmarks/ground.py`` writes ``results/ground.md``. Each row is the CPU time of ours over
that of a plain formulation, or of scikit-learn, in turns in one process with one BLAS thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import _harness
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import mehler
from mehler import exact, learn, sklearn, verify
from mehler.features import groups
from mehler.features.projections import named

Row = tuple[str, Callable[[], Any], Callable[[], Any]]


def products(rows: Any, weights: Any, block: int) -> Callable[[], None]:
    """The bare matrix products, block by block, piece by piece."""

    def run() -> None:
        for start in range(0, len(rows), block):
            for piece in weights:
                rows[start : start + block] @ piece

    return run


def other_libraries(rows: np.ndarray) -> Iterator[Row]:
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


def exact_kernels(rng: np.random.Generator) -> Iterator[Row]:
    """Exact kernels over distances by SciPy, and over arccos of as many numbers."""
    for d in (10, 40, 784):
        x = rng.standard_normal((1000, d))
        kernel = mehler.FourierFeatures.draw(d, 2, gamma=0.5 / d, seed=0).kernel
        name = f"exact Fourier kernel, d = {d}, over `cdist`"
        yield name, partial(cdist, x, x, "sqeuclidean"), partial(kernel, x)
    for n, q in ((2000, 2), (2000, 4), (4000, 4), (1000, 0)):
        x, rho = rng.standard_normal((n, 20)), rng.uniform(-1, 1, (n, n))
        kernel = mehler.DeepKernel("tanh", 3).nngp
        name = f"tanh NNGP of {n} rows by Mehler's series, 3 layers"
        if q:
            kernel = mehler.MaxoutFeatures.draw(20, 2, q, seed=0).kernel
            name = f"exact maxout kernel of {n} rows, q = {q}"
        yield name + ", over arccos of as many numbers", partial(np.arccos, rho), partial(kernel, x)


def fourier(rows: np.ndarray) -> Iterator[Row]:
    """Fourier features and ridge regression on them, over scikit-learn's."""
    d, m, gamma = rows.shape[1], 1000, 0.5 / rows.shape[1]
    theirs = RBFSampler(gamma=gamma, n_components=m, random_state=0).fit(rows)
    ours = sklearn.FourierSampler(gamma=gamma, n_components=m, random_state=0).fit(rows)
    pairs = mehler.FourierFeatures.draw(d, m, gamma=gamma, seed=0, like=rows)
    yield (
        "Fourier pairs, d = 784, over RBFSampler",
        lambda: theirs.transform(rows),
        lambda: pairs(rows),
    )
    few = rows[:1]
    name = "FourierSampler.transform of one row, over RBFSampler's"
    yield name, lambda: theirs.transform(few), lambda: ours.transform(few)
    y = np.tanh(rows[:, :2])
    pipeline = make_pipeline(theirs, Ridge(1e-4 * len(rows)))
    for dtype in ("float32", "float64"):
        x = rows.astype(dtype)
        yield (
            f"ridge, one lambda, {dtype}, over RBFSampler and Ridge",
            lambda x=x: pipeline.fit(x, y),
            lambda x=x: learn.ridge(pairs, x, y, lambdas=1e-4),
        )


def invariants() -> Row:
    """All cyclic shifts over the bare product with all moved templates."""
    rows = np.random.default_rng(0).standard_normal((2048, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    group = groups.CyclicShifts(256).drawn(16, seed=0)
    phi = mehler.GroupInvariantFeatures.draw(
        256, group=group, n_templates=64, n_bins=8, seed=0, like=rows
    )
    moved = np.random.default_rng(1).standard_normal((1, 256, 1024)).astype(np.float32)
    name = "group-invariant features, 64 templates, 16 elements, over the bare product"
    return name, products(rows, moved, 1024), partial(phi, rows)


def counts(q: int) -> Row:
    """Equal digits of codes over the product of one-hot digits that are there already."""
    codes = np.random.default_rng(0).integers(0, q, (3072, 1000)).astype(np.uint8)
    digits = (codes[:, :, None] == np.arange(q)).reshape(len(codes), -1).astype(np.float32)
    phi = mehler.MaxoutCodes.draw(2, 1000, q, seed=0)
    name = f"similarity of codes, 1000 digits below {q}, over a one-hot product"
    return name, lambda: digits @ digits.T, lambda: phi.similarity(codes)


def verdict(rows: np.ndarray) -> Row:
    """A check over the draws and features that it needs."""
    few = rows[:6]

    def draw(seed: int) -> Any:
        return mehler.MaxoutFeatures.draw(784, 1000, 4, seed=seed)

    def check() -> Any:
        return verify.check_kernel(draw, draw(0).kernel, few, resolution=0.1)

    count = check().n_draws
    name = f"check_kernel, maxout, resolution .1, over its {count} draws and features"
    return name, lambda: [draw(seed)(few) for seed in range(count)], check


def pairs() -> list[Row]:
    """Name, plain formulation and ours of each row."""
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((4096, 784)).astype(np.float32)
    narrow = rng.standard_normal((4096, 40))
    phi = mehler.MaxoutFeatures.draw(784, 1024, 4, seed=0)
    bare = products(wide, phi._weights("float32")[0], 1024)
    rows = [("maxout, d = 784, q = 4, over the bare product, NumPy", bare, partial(phi, wide))]
    flat = np.moveaxis(phi._weights("float32")[0], 0, -1).reshape(784, -1).copy()
    rows.append(
        (
            "maxout by `(X @ W).reshape(n, m, 4).max(-1)`, over the bare product",
            bare,
            lambda: (wide @ flat).reshape(4096, 1024, 4).max(-1),
        )
    )
    rows += [*other_libraries(wide), *fourier(wide), invariants(), counts(2), counts(4)]
    for q in (4, 16):
        units = mehler.DecoupledMaxoutFeatures.draw(40, 2000, q, seed=0)
        bare = products(narrow, units._weights("float64")[0], 256)
        name = f"decoupled, d = 40, m = 2000, q = {q}, over the bare product"
        rows.append((name, bare, partial(units, narrow)))
    rows += exact_kernels(rng)
    draws = [
        partial(named(n).draw, 0, 1, 2048, 2048, "float64") for n in ("gaussian", "orthogonal")
    ]
    rho = np.random.default_rng(1).uniform(-1, 1, (1000, 1000))
    rows.append(
        (
            "maxout_kernel of 10^6 correlations, q = 4, over arccos of them",
            lambda: np.arccos(rho),
            lambda: exact.maxout_kernel(rho, 4),
        )
    )
    rows.append(verdict(wide))
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
