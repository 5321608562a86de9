"""Bounds of random maxout features, proved and published."""

import functools
import math

import numpy as np
from scipy import integrate, special

from tests.bounds.formulas import Arguments, count, log_uniform, rows_of
from tests.bounds.latex import Value

_LETTERS = {
    "m": "n_features",
    "N": "n_samples",
    "q": "pool_size",
    "C": "scale",
    "L": "lipschitz",
    "B": "loss_bound",
    "R": "radius",
    "d": "n_inputs",
    "k": "dimension",
    "D": "diameter",
    r"\delta": "delta",
    r"\varepsilon": "epsilon",
    "|V(0)|": "loss_at_zero",
    r"E\sup_x|\phi(x, W)|": "mean_sup",
    "Z": "mean_norm",
    "C_1": "c1",
    "a": "level",
    r"\rho": "rho",
}
_RANGES = {
    "scale": (0.01, 10.0),
    "lipschitz": (0.1, 10.0),
    "loss_bound": (0.1, 10.0),
    "radius": (0.1, 10.0),
    "diameter": (1e-3, 20.0),
    "delta": (1e-9, 0.9),
    "epsilon": (1e-3, 0.9),
    "loss_at_zero": (1e-3, 1.0),
    "mean_sup": (0.1, 10.0),
    "mean_norm": (0.1, 10.0),
    "level": (1e-3, 5.0),
    "c": (0.01, 1.0),
    "c1": (0.1, 10.0),
    "c_prime": (0.1, 10.0),
}


def draw(rng: np.random.Generator, names: str) -> Arguments:
    """Draw arguments by their names."""
    arguments: Arguments = {}
    for name in names.split():
        if name == "rho":
            arguments[name] = float(rng.uniform(-1, 1))
        elif name == "dimension":
            arguments[name] = float(rng.uniform(0, 20))
        elif name == "pool_size":
            arguments[name] = int(rng.choice((1, 2, 3, 4, 16, 200, 1000)))
        elif name in _RANGES:
            arguments[name] = log_uniform(rng, *_RANGES[name])
        else:
            arguments[name] = count(rng)
    return arguments


@functools.cache
def moment(k: int, q: int) -> float:
    """Integrate the k-th moment of the maximum of q normal variables by its density."""

    def density(t: float) -> float:
        return t**k * q * math.exp(-t * t / 2) * float(special.ndtr(t)) ** (q - 1)

    integral = integrate.quad(density, -9, 12, epsabs=1e-13, epsrel=1e-12, limit=500)[0]
    return float(integral) / math.sqrt(2 * math.pi)


def symbols(arguments: Arguments) -> dict[str, Value]:
    """Return the symbols of the family's docstring."""
    a = {"radius": 1.0, "loss_bound": 1.0, "n_features": 1, **arguments}
    values: dict[str, Value] = {
        letter: a[name] for letter, name in _LETTERS.items() if a.get(name) is not None
    }
    q = a["pool_size"]
    values[r"\sigma(q)"] = math.sqrt(moment(2, q))
    values["V(q)"] = moment(2, q) - moment(1, q) ** 2
    values[r"\Phi"] = special.ndtr
    if a.get("dimension") is not None:
        balls = max(1.0, 2 * a["diameter"] * math.sqrt(a["n_inputs"]) / a["radius"])
        union = 2 * a["n_features"] * q / a["delta"]
        inside = a["dimension"] * np.log(balls) + np.log(union)
        values[r"M_\delta"] = float(4 * a["radius"] * np.sqrt(inside))
    return values


row = rows_of(draw, symbols)
_BOX = "n_features pool_size scale radius"
_SPACE = "n_inputs dimension diameter"
_RISK = f"{_BOX} n_samples lipschitz delta loss_bound"
_FREE = dict.fromkeys(_SPACE.split())
_APPROXIMATION = (
    {},
    _FREE,
    {**_FREE, "centred": True},
    {**_FREE, "function": "monte-carlo"},
    {**_FREE, "function": "monte-carlo", "centred": True},
    {**_FREE, "delta": None},
    {**_FREE, "delta": None, "centred": True},
)
ROWS = {
    "maxout.supremum": row(f"pool_size delta mean_sup n_features radius {_SPACE}", _FREE,
        {"mean_sup": None}),
    "maxout.approximation": row(f"{_BOX} delta {_SPACE}", *_APPROXIMATION),
    "maxout.approximation_risk": row(f"{_BOX} delta lipschitz loss_bound {_SPACE}",
        *_APPROXIMATION),
    "maxout.excess_risk": row(f"{_RISK} {_SPACE}", {}, _FREE, {**_FREE, "centred": True},
        {**_FREE, "delta": None}, {**_FREE, "delta": None, "centred": True},
        {**_FREE, "mean_norm": 0.7}, {**_FREE, "mean_norm": 0.7, "centred": True}),
}  # fmt: skip
