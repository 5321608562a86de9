"""Spectral bounds: Chebyshev's by sums; roots and integrals have tests of their own."""

import numpy as np

from mehler.bounds import spectral
from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value


def _draw(rng: np.random.Generator) -> Arguments:
    n = int(rng.integers(1, 6))
    eigenvalues = n * rng.exponential(size=n) ** 3
    return {
        "n_features": 2 * count(rng),
        "delta": log_uniform(rng, 1e-9, 0.9),
        "eigenvalues": eigenvalues,
        "block": 2,
    }


def _at_ridge(rng: np.random.Generator) -> Arguments:
    return {**_draw(rng), "ridge": log_uniform(rng, 1e-3, 10.0)}


def _ball(rng: np.random.Generator) -> Arguments:
    arguments = _draw(rng)
    del arguments["delta"]
    largest = arguments["eigenvalues"].max() / arguments["eigenvalues"].size
    # One ridge of the proof, as the search over all takes a second.
    return {**arguments, "norm": log_uniform(rng, 0.1, 10.0), "ridge": 0.1 * largest}


def _deviation(a: Arguments) -> dict[str, Value]:
    if "variance" in a:
        return {
            "m": a["n_features"],
            r"\delta": a["delta"],
            r"\lambda": a["ridge"] or 1.0,
            r"\sum_{ij}V_{ij}": float(np.sum(a["variance"])),
        }
    # A root of an equation, found by a search in tests/bounds/test_spectral.py.
    value = spectral.gram_error(**a).value
    return {r"\Delta_s(\delta, \beta)": value, r"\Delta_s(\delta, \mu)": value}


def _nearest(a: Arguments) -> dict[str, Value]:
    # By another quadrature in tests/bounds/test_spectral.py.
    least = spectral.approximation(**a).total / a["norm"] ** 2
    return {"B": a["norm"], r"\min_\lambda\lambda\int_0^{\Delta_1}p_m(t)/(1-t)^2\,dt": least}


_ROWS = {"eigenvalues": np.array([3.0, 1.0]), "variance": np.array([[2.0, 0.5], [0.5, 1.0]])}
ROWS = {
    "spectral.gram_error": Row(_at_ridge, _deviation,
        (*({"sup": 2.0}, {"lipschitz": 1.5}, {"leverage": 40.0, "lipschitz": 2.0}, _ROWS),
        *({"ridge": None, **size} for size in ({"sup": 2.0}, {"lipschitz": 1.5}, _ROWS)))),
    "spectral.approximation": Row(_ball, _nearest,
        ({"kurtosis": 3.0}, {"sup": 3.0}, {"lipschitz": 1.0})),
}  # fmt: skip
