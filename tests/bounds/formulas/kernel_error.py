"""Values of the symbols in the formulas of `bounds.kernel_error`, by a second route.

Sums over levels are loops, and roots are SciPy's. Exponents alone are the library's own grid, which
has tests elsewhere. `ROWS` gives each bound random arguments and the values of its symbols.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special

from mehler import exact
from mehler.bounds.kernel_error import _exponent
from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value


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


def _slope(rng: np.random.Generator) -> Arguments:
    mean = log_uniform(rng, 0.1, 10.0)
    return {**_set(rng), "slope": (mean, mean**2 * float(rng.uniform(1.01, 3)))}


ROWS = {
    "kernel_error.one_pair": Row(_pair, _pair_symbols, DECLARATIONS),
    "kernel_error.all_pairs": Row(_pairs, _pair_symbols, DECLARATIONS),
    "kernel_error.uniform": Row(
        _set,
        lambda a: {},
        ({"pool_size": 4}, {"pool_size": 1}),
        dict.fromkeys(("net", "between"), "a level is chosen: checks of maxout.kernel-error"),
    ),
    "kernel_error.uniform_by_slope": Row(
        _slope,
        lambda a: {},
        (
            {"width": 2.0},
            {"width": 2.0, "method": "net"},
            {"width": 5.0, "increments": (0.25, 0.1), "method": "chaining"},
            {"sub_gamma": (2.0, 0.5), "increments": (1.0, 2.0)},
            {"variance": 1.0},
        ),
        dict.fromkeys(
            ("deviation", "variance", "tail", "increments", "range", "between", "spread"),
            "levels and links are chosen: test_kernel_error_slopes.py",
        ),
    ),
}
