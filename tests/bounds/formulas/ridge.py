"""Bounds of ridge regression: bias, variance, and what features add by loops over their proof."""

import numpy as np

from mehler.bounds import ridge
from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value


def _draw(rng: np.random.Generator) -> Arguments:
    n = int(rng.integers(1, 8))
    eigenvalues = n * rng.exponential(size=n) ** 3
    ridge_of_rows = log_uniform(rng, 1e-4, 10.0)
    return {
        "n_features": 2 * count(rng),
        "block": 2,
        "ridge": ridge_of_rows,
        "norm": log_uniform(rng, 0.1, 10.0),
        "noise": log_uniform(rng, 0.1, 10.0),
        "eigenvalues": eigenvalues,
        "sup": float(np.sqrt(eigenvalues.max())),
        "smoothness": float(rng.uniform(0.05, 1.0)),
    }


def _symbols(a: Arguments) -> dict[str, Value]:
    mu = np.sort(a["eigenvalues"])[::-1]
    n, r, lam = mu.size, a["smoothness"], a["ridge"]
    x = np.append(np.geomspace(1e-9, 1e9, 2_000_001), r / max(1 - r, 1e-12))
    c = 1 + (a["sup"] ** 2 / (n * lam) if a.get("design") == "left-out" else 0.0)
    bound = ridge.excess_risk(**a)
    return {
        "c": c,
        "R": a["norm"],
        "s_r": float(np.max(np.exp(2 * r * np.log(x) - 2 * np.log1p(x)))),
        "r": r,
        r"\lambda": lam,
        r"\mu_1": float(mu[0]),
        "N": n,
        r"\sigma": a["noise"],
        "d": float(np.trace(np.diag(mu) @ np.linalg.inv(np.diag(mu) + n * lam * np.eye(n)))),
        # By loops over tau in tests/bounds/test_ridge_source.py.
        "F": bound["features"] / (c * a["norm"]) ** 2,
    }


def _clipped(rng: np.random.Generator) -> Arguments:
    return {
        "n_samples": count(rng),
        "ridge": log_uniform(rng, 1e-6, 1.0),
        "norm": log_uniform(rng, 0.1, 10.0),
        "clip": log_uniform(rng, 0.1, 10.0),
        "degrees_of_freedom": log_uniform(rng, 0.1, 1e4),
    }


_CLIPPED = {
    "N": "n_samples",
    r"\lambda": "ridge",
    "R": "norm",
    "b": "clip",
    "d": "degrees_of_freedom",
}
ROWS = {
    "ridge.excess_risk": Row(_draw, _symbols, ({}, {"design": "left-out"}, {"ridge": 1e3},
        {"sup": None, "leverage": 60.0}, {"sup": None, "lipschitz": 0.7})),
    "ridge.excess_risk_clipped": Row(_clipped,
        lambda a: {letter: a[name] for letter, name in _CLIPPED.items()}),
}  # fmt: skip
