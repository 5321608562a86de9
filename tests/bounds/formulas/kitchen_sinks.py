"""Bounds of weighted sums of random features, proved and published."""

import numpy as np

from tests.bounds.formulas import Arguments, count, log_uniform, rows_of
from tests.bounds.latex import Value

_LETTERS = {
    "K": "n_features",
    "N": "n_samples",
    "L": "lipschitz",
    "B": "total_weight",
    r"\delta": "delta",
    "|c(0)|": "loss_at_zero",
    "c": "c",
}


def draw(rng: np.random.Generator, names: str) -> Arguments:
    """Draw arguments by their names."""
    arguments: Arguments = {}
    for name in names.split():
        if name.startswith("n_"):
            arguments[name] = count(rng)
        elif name == "delta":
            arguments[name] = log_uniform(rng, 1e-9, 0.9)
        elif name in ("mean_square", "norm"):
            continue
        else:
            arguments[name] = log_uniform(rng, 0.01, 10.0)
    size = arguments.get("scale", 1.0) * arguments.get("feature_scale", 1.0)
    if "mean_square" in names:
        arguments["mean_square"] = size**2 * rng.uniform(0.5, 1)
    if "norm" in names:
        arguments["norm"] = arguments.get("total_weight", size) * rng.uniform(0, 0.7)
    return arguments


def symbols(arguments: Arguments) -> dict[str, Value]:
    """Return the values of the symbols that have one."""
    values: dict[str, Value] = {
        letter: arguments[name] for letter, name in _LETTERS.items() if name in arguments
    }
    if "scale" in arguments:
        values["C"] = arguments["scale"] * arguments.get("feature_scale", 1.0)
    if arguments.get("mean_square") is not None:
        values["s"] = np.sqrt(arguments["mean_square"])
    if arguments.get("norm") is not None:
        values[r"\|f^*\|"] = arguments["norm"]
    return values


row = rows_of(draw, symbols)
_BOX = "scale feature_scale delta"
ROWS = {
    "kitchen_sinks.approximation": row(f"n_features {_BOX} mean_square norm", {},
        {"mean_square": None}, {"norm": None}, {"mean_square": None, "norm": None},
        {"function": "monte-carlo"}),
    "kitchen_sinks.approximation_risk": row(f"n_features {_BOX} lipschitz"),
    "kitchen_sinks.approximation_greedy": row("n_features total_weight norm"),
    "kitchen_sinks.generalisation_gap": row(f"n_samples {_BOX} lipschitz", {"two_sided": True},
        {"two_sided": False}),
    "kitchen_sinks.excess_risk": row(f"n_features n_samples {_BOX} lipschitz"),
}  # fmt: skip
