"""Bounds by margins; the inverse of the relative entropy by a root in SciPy."""

import math

import numpy as np
from scipy import optimize, special, stats

from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value


def _inverse(e: float, level: float) -> float:
    """Return the largest p with kl(e, p) <= level."""

    def excess(p: float) -> float:
        return float(special.rel_entr(e, p) + special.rel_entr(1 - e, 1 - p)) - level

    return float(optimize.brentq(excess, e, 1 - 1e-15, xtol=1e-300, rtol=1e-14))


def _symbols(a: Arguments) -> dict[str, Value]:
    (threshold,), mu = a["thresholds"], a["scale"]
    if "margins" in a:
        n, e = len(a["margins"]), float(np.mean(stats.norm.cdf(threshold - mu * a["margins"])))
    else:
        n = a["n_samples"]
        e = a["below"] + (1 - a["below"]) * stats.norm.cdf(threshold - mu * a["margin"])
    xi = math.sqrt(math.pi * n / 2) * math.exp(1 / (12 * n)) + 2 / 3
    return {
        "e": e,
        "p_1": _inverse(e, mu**2 / (2 * n)),
        "p_2": _inverse(e, (mu**2 / 2 + math.log(xi / a["delta"])) / n),
        r"\theta": threshold,
        r"\Phi": stats.norm.cdf,
    }


def _shared(rng: np.random.Generator) -> Arguments:
    return {
        "delta": log_uniform(rng, 1e-6, 0.5),
        "scale": log_uniform(rng, 0.5, 8.0),
        "thresholds": (float(rng.uniform(0, 2)),),
    }


def _margins(rng: np.random.Generator) -> Arguments:
    return {"margins": rng.uniform(-0.5, 1.0, count(rng, 2000, 300)), **_shared(rng)}


def _separated(rng: np.random.Generator) -> Arguments:
    return {
        "n_samples": count(rng, 1e6, 300),
        "margin": float(rng.uniform(0.05, 1)),
        "below": float(rng.uniform(0, 0.5)),
        **_shared(rng),
    }


ROWS = {
    "margin.error_rate": Row(_margins, _symbols),
    "margin.error_rate_separated": Row(_separated, _symbols),
}
