"""Bounds of features drawn by their leverage scores, proved and published."""

import math

import numpy as np
from scipy import optimize

from tests.bounds.formulas import Arguments, count, log_uniform, rows_of
from tests.bounds.latex import Value

_LETTERS = {
    "M": "n_features",
    "N": "n_samples",
    "M_0": "pool_size",
    r"\lambda": "ridge",
    "d": "degrees_of_freedom",
    r"\hat d": "estimated",
    r"\eta": "mix",
    r"\lambda_{\min}": "smallest",
    "L": "lipschitz",
}


def draw(rng: np.random.Generator, names: str) -> Arguments:
    """Draw arguments by their names."""
    arguments: Arguments = {}
    for name in names.split():
        if name.startswith("n_"):
            arguments[name] = count(rng, 1e9)
        elif name == "delta":
            arguments[name] = log_uniform(rng, 1e-9, 0.9)
        elif name == "mix":
            arguments[name] = float(rng.uniform(0.01, 0.99))
        elif name == "pool_size":
            arguments[name] = count(rng, low=100)
        elif name == "largest_ratio":
            arguments[name] = arguments["degrees_of_freedom"] * log_uniform(rng, 1, 100)
        else:
            arguments[name] = log_uniform(rng, 0.3, 100.0)
    return arguments


def symbols(arguments: Arguments) -> dict[str, Value]:
    """Return the values of the symbols that have one."""
    a = {"feature_bound": 1.0, "norm": 1.0, **arguments}
    values: dict[str, Value] = {letter: a[name] for letter, name in _LETTERS.items() if name in a}
    values[r"\kappa"], values["B"] = a["feature_bound"], a.get("radius", a["norm"])
    if a.get("n_scored") is not None and "degrees_of_freedom" in a:
        # The matrix Bernstein inequality: 16 d exp(-3 Delta^2 lambda N_0/(8 kappa^2)) = delta.
        rate = 3 * a["ridge"] * a["n_scored"] / (8 * a["feature_bound"] ** 2)
        values[r"\Delta"] = math.sqrt(-math.log(a["delta"] / (16 * a["degrees_of_freedom"])) / rate)
        values[r"\Delta'"] = 1 / (1 / values[r"\Delta"] - 1)
    if "radius" in a:
        values["a"] = 2 * a["pool_size"] / a["n_features"]
        values["u"] = math.log(a["pool_size"]) - math.log(a["delta"])
    elif "n_features" in a:
        values["t"] = relative_error(a)
    return values


def relative_error(a: Arguments) -> float:
    """Solve 8 d exp(-M t^2/2/(D + min(1, d) t/3)) = delta for t."""
    d = a["degrees_of_freedom"]
    largest, cost = a.get("largest_ratio") or d, math.log(8 * d / a["delta"])

    def excess(t: float) -> float:
        return a["n_features"] * t**2 / 2 - cost * (largest + min(1.0, d) * t / 3)

    if cost <= 0:
        return 0.0
    return float(optimize.brentq(excess, 0.0, 1e6, xtol=1e-15, rtol=1e-14))


row = rows_of(draw, symbols)
_BALL = "n_features ridge degrees_of_freedom delta largest_ratio norm"
_SCORES = "n_scored ridge degrees_of_freedom delta feature_bound"
ROWS = {
    "leverage.approximation": row(_BALL, {}, {"largest_ratio": None}, {"n_features": 3}),
    "leverage.score_error": row(_SCORES, {}, {"n_scored": 2}),
    "leverage.probability_error": row(f"{_SCORES} pool_size", {}, {"n_scored": 2}),
    "leverage.score_ratio": row(f"{_SCORES} pool_size estimated mix", {}, {"n_scored": 2},
        {"n_scored": 10**12}),
    "leverage.excess_risk": row(
        "n_samples n_features pool_size n_scored ridge radius lipschitz degrees_of_freedom "
        "pool_degrees estimated delta", {}, {"n_scored": None}),
}  # fmt: skip
