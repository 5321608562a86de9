"""Values of the symbols in the formulas of `bounds.kernel_error`, by a second route.

Sums over levels are loops, and roots are SciPy's. Exponents alone are the library's own grid, which
has tests elsewhere. `ROWS` gives each bound random arguments and the values of its symbols.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from mehler import exact
from mehler.bounds import kernel_error
from mehler.bounds.kernel_error import _exponent
from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value

LEVELS = range(64)


def _chernoff(exponents: _exponent.Exponents) -> Callable[[float], float]:
    """Return Delta(u), the deviation at cost u, by the library's exponents."""

    def deviation(u: float) -> float:
        with np.errstate(over="ignore"):
            sides = [(u + psi) / exponents.at for psi in (exponents.upper, exponents.lower)]
        return float(max(side.min() for side in sides))

    return deviation


def _of_codes(kappa: float) -> Callable[[float], float]:
    """Return the inverse of the relative entropy of a binomial fraction, the farther side."""

    def farthest(share: float, u: float) -> float:
        def excess(t: float) -> float:
            below = special.rel_entr(1 - share - t, 1 - share)
            return float(special.rel_entr(share + t, share) + below) - u

        end = 1 - share
        return end if excess(end) <= 0 else float(optimize.brentq(excess, 0, end, xtol=1e-15))

    return lambda u: max(farthest(kappa, u), farthest(1 - kappa, u))


def _of_product(a: Arguments) -> dict[str, Value]:
    """Return the symbols of the declared moments of one product."""
    if "variance" in a:
        return {"V": a["variance"]}
    if "sub_gamma" in a:
        return dict(zip(("v", "c"), a["sub_gamma"], strict=True))
    if "width" in a:
        return {"b": a["width"], "V": a["width"] ** 2 / 4}
    if "collision" in a:
        kappa = a["collision"]
        return {"b": 1.0, "V": kappa - kappa**2, r"\Delta_\kappa": _of_codes(kappa)}
    q, rho = a["pool_size"], a.get("rho")
    spread = 2.0 if rho is None else 1 + abs(rho)
    grid = np.linspace(-1, 1, 4001)
    worst = float(exact.maxout_variance(grid, q).max()) + 6 * exact.sigma2(q) / 4000
    symbols: dict[str, Value] = {
        "V": worst if rho is None else float(exact.maxout_variance(rho, q)),
        "v": 4 * spread * (1 + exact.max_moment(1, q) ** 2),
        "c": 2 * math.sqrt(spread),
        r"\Delta": _chernoff(_exponent.any_correlation(q)),
    }
    if rho is not None and (q == 1 or rho >= -0.95):
        symbols[r"\Delta_\rho"] = _chernoff(_exponent.at_correlation(q, rho))
    return symbols


def _pair_symbols(a: Arguments) -> dict[str, Value]:
    rows = a.get("n_rows", 1)
    return {
        "m": a["n_features"],
        r"\delta": a["delta"],
        "P": rows * (rows + 1) / 2,
        **_of_product(a),
    }


def _pair(rng: np.random.Generator) -> Arguments:
    return {"n_features": count(rng), "delta": log_uniform(rng, 1e-9, 0.9)}


def _pairs(rng: np.random.Generator) -> Arguments:
    return {**_pair(rng), "n_rows": count(rng)}


# Declarations of one product, and the methods that they allow.
DECLARATIONS = (
    {"variance": 2.5},
    {"sub_gamma": (2.0, 0.3)},
    *({"width": 4.0, "method": method} for method in ("hoeffding", "chebyshev")),
    *({"collision": 0.3, "method": method} for method in ("binomial", "hoeffding", "chebyshev")),
    *({"pool_size": q, "method": method, **rho} for q, rho in ((4, {}), (4, {"rho": 0.5}),
        (4, {"rho": -0.97}), (1, {"rho": -1.0})) for method in ("chernoff", "sub-gamma",
        "chebyshev")),
    {"pool_size": 8},
)  # fmt: skip


def _set(rng: np.random.Generator) -> Arguments:
    return {
        **_pair(rng),
        "dimension": float(rng.uniform(0, 8)),
        "diameter": float(rng.uniform(0.1, 2)),
    }


def _log_pairs(k: float, level: int) -> float:
    return 2 * k * level * math.log(2) + math.log1p(2.0 ** (-k * level))


def _cells(a: Arguments) -> dict[str, Value]:
    """Return numbers of cells and their diameters, by level."""
    k, diameter = a["dimension"], a["diameter"]
    return {
        **{f"T_{{{j}}}": 2.0 ** (k * j) for j in LEVELS},
        **{f"r_{{{j}}}": diameter * min(1.0, 2.0 ** (1 - j)) for j in range(600)},
    }


def _chained(a: Arguments, level: int) -> float:
    """Sum the increments below a level, level by level."""
    increments = _chernoff(_exponent.increments(a["pool_size"]))
    total = 0.0
    for j in range(level, level + 60):
        logs = math.log(2) * (j - level + 2) - math.log(a["delta"])
        cost = (logs + _log_pairs(a["dimension"], j + 1)) / a["n_features"]
        total += 2 * a["diameter"] * min(1.0, 2.0 ** (1 - j)) * increments(cost)
    return total


def _set_symbols(a: Arguments) -> dict[str, Value]:
    q, m, delta = a["pool_size"], a["n_features"], a["delta"]
    symbols = {"m": m, r"\delta": delta, **_cells(a)}
    symbols[r"\Delta"] = _chernoff(_exponent.any_correlation(q))
    if a["method"] == "net":
        longest = (math.sqrt(a["n_inputs"]) + math.sqrt(2 * math.log(q))) ** 2
        symbols["L"] = (math.sqrt(longest + 1) + math.sqrt(2 * math.log(2 / delta) / m)) ** 2
        return symbols
    formula = kernel_error.uniform(**a).terms[1].formula
    level = int(re.findall(r"\\ge (\d+)", formula)[0])
    return {**symbols, formula: _chained(a, level)}


def _links(a: Arguments, level: int, stride: int, links: int) -> tuple[float, float]:
    """Sum both parts of the links of a chain, each by its cheaper law."""
    first = second = 0.0
    for i in range(links):
        at = level + stride * (i + 1)
        logs = math.log(2) * (i + 2) - math.log(a["delta"]) + _log_pairs(a["dimension"], at)
        u = logs / a["n_features"]
        r = a["diameter"] * min(1.0, 2.0 ** (1 - at + stride))
        laws = []
        if "width" in a:
            laws.append((a["slope"][1], a["width"] / 3))
        if "increments" in a:
            v, c = a["increments"]
            laws.append((v, 2 * r * c))
        best = min(((2 * r * math.sqrt(2 * v * u), c * u) for v, c in laws), key=sum)
        first, second = first + best[0], second + best[1]
    return first, second


def _slope_symbols(a: Arguments) -> dict[str, Value]:
    mean, square = a["slope"]
    symbols: dict[str, Value] = {
        "m": a["n_features"],
        r"\delta": a["delta"],
        r"\mathbb{E}G": mean,
        r"\mathrm{Var}\,G": square - mean**2,
        **_of_product(a),
        **_cells(a),
    }
    formulas = {term.name: term.formula for term in kernel_error.uniform_by_slope(**a).terms}
    result = re.findall(r"i<(\d+)\}2r_\{(\d+) \+ (\d+)i", formulas["increments"])
    if result:
        links, level, stride = map(int, result[0])
        sums = _links(a, level, stride, links)
        symbols |= dict(zip((formulas["increments"], formulas["range"]), sums, strict=True))
    return symbols


def _slope(rng: np.random.Generator) -> Arguments:
    mean = log_uniform(rng, 0.1, 10.0)
    return {**_set(rng), "slope": (mean, mean**2 * float(rng.uniform(1.01, 3)))}


ROWS = {
    "kernel_error.one_pair": Row(_pair, _pair_symbols, DECLARATIONS),
    "kernel_error.all_pairs": Row(_pairs, _pair_symbols, DECLARATIONS),
    "kernel_error.uniform": Row(_set, _set_symbols, ({"pool_size": 4, "method": "chaining"},
        {"pool_size": 1, "method": "chaining"}, {"pool_size": 4, "method": "net", "n_inputs": 10})),
    "kernel_error.uniform_by_slope": Row(_slope, _slope_symbols, ({"width": 2.0},
        {"width": 2.0, "method": "net"},
        {"width": 5.0, "increments": (0.25, 0.1), "method": "chaining"},
        {"sub_gamma": (2.0, 0.5), "increments": (1.0, 2.0)}, {"variance": 1.0})),
}  # fmt: skip
