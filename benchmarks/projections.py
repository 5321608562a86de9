"""Structured products against dense ones, Fourier features against scikit-learn's, and variances.

Ratios of CPU time with one thread, interleaved. A structured block pays off once its ratio to the
product of the same size is below 1. Run: python benchmarks/projections.py
"""

from __future__ import annotations

import _harness
import numpy as np
from sklearn.kernel_approximation import RBFSampler

import mehler
from mehler.features.projections import named

SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
BLOCK = 1024


def product(x, weights, resident):
    """The floor: row blocks into memory that stays resident."""
    for start in range(0, len(x), BLOCK):
        rows = x[start : start + BLOCK]
        np.matmul(rows, weights, out=resident[: len(rows)])


def structured(d):
    """A map of d units on d inputs either way, and the bare product."""
    n = max(512, (1 << 20) // d)
    x = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    # Weights for the time of a product need not be drawn one by one.
    weights = np.random.default_rng(1).standard_normal((d, d)).astype(np.float32)
    resident = np.empty((BLOCK, d), np.float32)
    runs = {"bare product": lambda: product(x, weights, resident)}
    projection = named("hadamard")
    drawn = projection.draw(0, 1, d, d, "float32")
    step = projection.block_rows_for_map(d)

    def alone():
        for start in range(0, n, step):
            rows = x[start : start + step]
            for piece in projection.pieces(np, rows, *drawn):
                resident[: len(rows)] = piece

    runs["hadamard, product alone"] = alone
    maps = {}
    for name in ("gaussian", "hadamard"):
        for label, draw in (
            ("MaxoutFeatures, q = 4", lambda **kw: mehler.MaxoutFeatures.draw(d, d, 4, **kw)),
            ("FourierFeatures", lambda **kw: mehler.FourierFeatures.draw(d, 2 * d, **kw)),
        ):
            if name == "gaussian" and d > 4096:
                continue  # 1 GiB of weights and more: the product stands for them
            maps[f"{label}, {name}"] = draw(projections=name, seed=0, like=x)
    runs |= {name: lambda phi=phi: phi(x) for name, phi in maps.items()}
    return runs


def fourier(n, d, m, dtype):
    x = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    theirs = RBFSampler(gamma=0.5 / d, n_components=m, random_state=0).fit(x)
    runs = {"RBFSampler.transform": lambda: theirs.transform(x)}
    for label, options in (
        ("pairs", {}),
        ("offset", {"form": "offset"}),
        ("pairs, orthogonal", {"projections": "orthogonal"}),
        ("pairs, hadamard", {"projections": "hadamard"}),
    ):
        phi = mehler.FourierFeatures.draw(d, m, gamma=0.5 / d, seed=0, like=x, **options)
        runs[f"FourierFeatures, {label}"] = lambda phi=phi: phi(x)
    weights = np.random.default_rng(1).standard_normal((d, m)).astype(dtype)
    resident = np.empty((BLOCK, m), dtype)
    runs["bare product of m projections"] = lambda: product(x, weights, resident)
    return runs


def variances(draws=400):
    """m Var of the estimate over that of independent units, over draws, at two pairs of rows."""
    rng = np.random.default_rng(0)
    d, m = 64, 64
    x = rng.standard_normal((2, d)) / np.sqrt(d)
    pairs = {"near": np.vstack([x[:1], x[:1] + 0.3 * x[1:]]), "far": x}
    kinds = {
        "MaxoutFeatures, q = 4": lambda **kw: mehler.MaxoutFeatures.draw(d, m, 4, **kw),
        "MaxoutCodes, q = 4": lambda **kw: mehler.MaxoutCodes.draw(d, m, 4, **kw),
        "FourierFeatures": lambda **kw: mehler.FourierFeatures.draw(d, 2 * m, gamma=0.5, **kw),
    }
    found = {}
    for kind, draw in kinds.items():
        for where, rows in pairs.items():
            usual = draw(seed=0).gram_variance(rows)[0, 1]
            for name in ("gaussian", "orthogonal", "hadamard", "sobol"):
                maps = (draw(seed=seed, projections=name) for seed in range(draws))
                values = [float(phi.gram(rows[:1], rows[1:])[0, 0]) for phi in maps]
                bound = draw(seed=0, projections=name).gram_variance(rows)[0, 1] / usual
                found[kind, where, name] = np.var(values) / usual, bound
    return found


def main():
    rows, raw = [], []
    for d in SIZES:
        for name, values in _harness.ratios(structured(d), rounds=5).items():
            rows.append([f"m = d = {d}, float32", name, _harness.spread(values)])
            raw.append({"setting": f"d={d}", "contender": name, "ratios": values})
    for n, d, m, dtype in (
        (4096, 784, 4000, "float32"),
        (2048, 784, 4000, "float64"),
        (8192, 40, 2000, "float32"),
        (8192, 40, 2000, "float64"),
    ):
        for name, values in _harness.ratios(fourier(n, d, m, dtype), rounds=5).items():
            setting = f"d = {d}, m = {m}, {dtype}"
            rows.append([setting, name, _harness.spread(values)])
            raw.append({"setting": setting, "contender": name, "ratios": values})
    _harness.save(
        "projections",
        "CPU time over that of the first of its setting",
        ["setting", "contender", "ratio, median (least to largest)"],
        rows,
        raw,
    )
    rows, raw = [], []
    for (kind, where, name), (ratio, bound) in variances().items():
        rows.append([kind, where, name, f"{ratio:.2f}", f"{bound:.2f}"])
        raw.append(
            {"map": kind, "rows": where, "projections": name, "ratio": ratio, "bound": bound}
        )
    _harness.save(
        "projections_variance",
        "Variance of the Gram's entries over that of independent units, 400 draws",
        ["map, d = m = 64", "rows", "projections", "measured", "declared"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
