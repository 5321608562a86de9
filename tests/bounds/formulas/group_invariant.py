"""Bounds of group-invariant features, proved and restored."""

import math

import numpy as np
from scipy import special, stats

from tests.bounds.formulas import Arguments, count, log_uniform, rows_of
from tests.bounds.latex import Value

_LETTERS = {
    "m": "n_templates",
    "n": "n_bins",
    "N": "n_rows",
    "r": "n_elements",
    "s": "window",
    "R": "radius",
    "C": "scale",
    "L": "lipschitz",
    r"\delta": "delta",
    r"\epsilon": "epsilon",
    "d": "n_inputs",
    "|V(0)|": "loss_at_zero",
    "C_1": "c1",
    "C_2": "c2",
    r"\sigma": "noise",
    "|w|": "norm",
}
_RANGES = {
    "window": (0.1, 10.0),
    "radius": (0.1, 10.0),
    "scale": (0.1, 10.0),
    "lipschitz": (0.1, 10.0),
    "delta": (1e-9, 0.5),
    "epsilon": (0.05, 0.95),
    "loss_at_zero": (1e-3, 1.0),
    "c1": (0.1, 10.0),
    "c2": (0.1, 10.0),
    "noise": (0.1, 10.0),
    "norm": (0.1, 10.0),
    "spread": (0.01, 10.0),
    "moves": (0.1, 10.0),
    "slips": (0.01, 1.0),
    "distance": (0.1, 10.0),
}


def draw(rng: np.random.Generator, names: str) -> Arguments:
    """Draw arguments by their names."""
    arguments: Arguments = {}
    for name in names.split():
        if name in _RANGES:
            arguments[name] = log_uniform(rng, *_RANGES[name])
        elif name == "n_inputs":
            arguments[name] = count(rng, 200, low=2)
        elif name == "n_fixed":
            arguments[name] = int(rng.integers(1, arguments["n_inputs"] + 1))
        elif name == "group_order":
            arguments[name] = arguments["n_elements"] + count(rng, 1000)
        elif name == "n_elements":
            arguments[name] = count(rng, 1000)
        else:
            arguments[name] = count(rng, 1e5)
    return arguments


def slope(law: str, d: int, epsilon: float) -> float:
    """Compute kappa, half the mean size of a coordinate of a template."""
    if law == "sphere":
        return math.exp(special.gammaln(d / 2) - special.gammaln((d + 1) / 2)) / (
            2 * math.sqrt(math.pi)
        )
    normal = 1 / math.sqrt(2 * math.pi * d)
    if law == "gaussian":
        return normal
    # E|t_1| with the weight |t_1| is a law of d + 1 degrees of freedom.
    p, q = (float(stats.chi2.cdf(d * (1 + epsilon), d + more)) for more in (0, 1))
    return normal * (q if law == "zero" else q / p)


def shares(r: int, order: int | None) -> tuple[float, float, float]:
    """Return w, S and V: sums over the elements, one by one."""
    if order is None:
        return 1.0, 1.0, 1.0
    if r == order:
        return 0.0, 0.0, 0.0
    shown = sum(((order - r) / (order - k)) ** 2 for k in range(1, r + 1)) / r
    hidden = sum((r / (order - k)) ** 2 for k in range(1, order - r + 1)) / r
    return (order - r) / (order - 1), min(shown, hidden), min(1.0, (order - r) / r)


def symbols(arguments: Arguments) -> dict[str, Value]:
    """Return the symbols of the family's docstrings."""
    a = {"radius": 1.0, "epsilon": 0.3, "n_rows": 1, "templates": "sphere", **arguments}
    values: dict[str, Value] = {
        letter: a[name] for letter, name in _LETTERS.items() if a.get(name) is not None
    }
    values["P"] = a["n_rows"] * (a["n_rows"] + 1) / 2
    long = a["templates"] in ("redraw", "zero")
    values[r"\rho"] = a["radius"] * (math.sqrt(1 + a["epsilon"]) if long else 1.0)
    if "n_elements" in a and a["n_elements"] is not None:
        w, moves, drawn = shares(a["n_elements"], a.get("group_order"))
        values |= {"w": w, "S": moves, "V": drawn}
    if "spread" in a:
        longest = math.sqrt(2) * a["radius"]
        values["D"] = longest if a["spread"] is None else min(a["spread"], longest)
    if a.get("n_inputs") is not None:
        d = a["n_inputs"]
        values["d'"] = d - (a["templates"] == "sphere")
        values[r"\kappa"] = slope(a["templates"], d, a["epsilon"])
        limit = d * (1 + a["epsilon"])
        values |= {"p": float(stats.chi2.cdf(limit, d)), "q": float(stats.chi2.cdf(limit, d + 1))}
    return values


def bias(arguments: Arguments) -> dict[str, Value]:
    """Return those of the expected kernel, whose window is 1 + epsilon."""
    return {**symbols(arguments), "s": 1 + arguments["epsilon"]}


row, row_of_bias, row_of_risk = (
    rows_of(draw, values)
    for values in (symbols, bias, lambda a: {**symbols(a), "N": a["n_samples"]})
)
_WHOLE = {"n_elements": None}
_NEAR = "n_templates n_bins window scale delta n_elements"
_OF_SIDES = tuple(
    {"side": side, "templates": law} for side in ("above", "below") for law in ("zero", "redraw")
)
ROWS = {
    "group_invariant.kernel_bias": row_of_bias("n_inputs epsilon", *_OF_SIDES),
    "group_invariant.kernel_error": row(
        "n_templates n_bins n_rows delta window radius n_elements group_order epsilon",
        {}, {"group_order": None}, {"group_order": None, **_WHOLE}, {"n_elements": 7,
        "group_order": 7}, {"templates": "redraw", "rule": "midpoint"}, {"templates": "zero"},
        {"templates": "zero", "group_order": None, **_WHOLE}, {"n_inputs": 12}, {"n_inputs": 12,
        "group_order": None, "templates": "redraw"}, {"n_inputs": 12, "group_order": None,
        "templates": "gaussian", **_WHOLE}),
    "group_invariant.kernel_change_elements": row(
        "n_elements n_inputs n_rows delta radius spread group_order epsilon",
        {}, {"delta": None}, {"group_order": None}, {"group_order": None, "delta": None},
        {"spread": None, "templates": "gaussian"}, {"spread": 0.01, "templates": "zero"},
        {"spread": None, "group_order": None, "templates": "redraw"}),
    "group_invariant.approximation": row(_NEAR, {}, _WHOLE),
    "group_invariant.excess_risk": row_of_risk(f"n_samples lipschitz {_NEAR}", {}, _WHOLE,
        {"lipschitz": 3.0, "n_elements": 50}),
    "group_invariant.cdf_error": row("n_elements delta"),
}  # fmt: skip
