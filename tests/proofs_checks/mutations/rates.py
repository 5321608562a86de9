"""Rates, exponents and second moments: each constant changed by as little as is seen."""

import math
from typing import Any

from mehler.proofs_checks.maxout.growth import h1_growth, locality, remark_1_codes
from mehler.proofs_checks.maxout.growth._growth import expansion, variance_rate
from mehler.proofs_checks.maxout.kernel import centred_kernel, decoupled_kernel
from mehler.proofs_checks.maxout.risk import definition_2, density

from mehler import exact
from tests.proofs_checks.mutations._row import blind, of_term, red, scaled


def farther(scale: float, q: int) -> tuple[float, float]:
    """The bounds of the distance from a class, a fifth larger."""
    low, high = density.distance_ends(scale, q)
    return low, 1.2 * high


def covariance(factor: float) -> Any:
    """The variance of a chain with another covariance of neighbours."""

    def wrong(rho: Any, q: int, next_fraction: float = 0.0) -> Any:
        alone = exact.decoupled_variance(rho, q)
        chain = exact.decoupled_variance(rho, q, next_fraction=next_fraction)
        return alone + factor * (chain - alone)

    return wrong


def nearer(rho: Any, q: int) -> Any:
    return 1 - (1 - exact.collision_probability(rho, q)) / 0.999


H, L, C, D, N, T = (
    f"maxout.{name}"
    for name in (
        *("h1-growth", "locality", "remark-1-codes", "decoupled-kernel", "centred-kernel"),
        "definition-2",
    )
)
CODES, EXPANSION = remark_1_codes, h1_growth.next_terms
ONE_INDEX = "collisions from below: one index"
OTHERS = "collisions from below: the others"
OF_LIMIT = scaled(CODES.limiting_exponent, 1.01)
ROWS = [
    red(H, "expansion: all", "times 1.01", EXPANSION, terms=scaled(expansion, 1.01)),
    red(H, "expansion: 2 gamma", "times 1.01", EXPANSION,
        terms=lambda q: expansion(q) + 0.02 * 0.5772156649),
    red(H, "expansion: 4 pi under the logarithm", "times 1.01", EXPANSION,
        terms=lambda q: expansion(q) - math.log(1.01)),
    red(H, "expansion: the logarithm", "deleted", EXPANSION,
        terms=lambda q: expansion(q) + math.log(4 * math.pi * math.log(q))),
    red(L, "rate of V", "times 1.01", locality.variance_falls, rate=scaled(variance_rate, 1.01)),
    red(L, "slope at equal rows", "times 0.999", locality.near_one, collision=nearer),
    red(C, "variance", "times 1.01", CODES.digits, both=lambda kappa: 1.01 * kappa**2),
    red(C, "Hoeffding's exponent 2", "times 1.05", CODES.hoeffding, rate=2.1),
    blind(C, "Hoeffding's exponent 2", "times 1.01",
        "normal tails are below Hoeffding's by a factor, and floats end"),
    red(C, "limit of the exponent", "times 1.01", CODES.exponent, limit=OF_LIMIT),
    *of_term(C, "below", CODES.sandwich, CODES.agree_at_most, least=0.49,
        because="the term is 2 where both maxima count, which for equal rows are one",
        label="collisions from above: a maximum below the level", keyword="above"),
    *of_term(C, "above", CODES.sandwich, CODES.agree_at_most, least=0.36,
        because="with the other term it is at least 1.69 for equal rows, whose codes agree",
        label="collisions from above: one index", keyword="above"),
    *(red(C, label, change, CODES.sandwich, below=scaled(CODES.agree_at_least, factor,
        term)) for label, change, factor, term in ((ONE_INDEX, "times 3", 3.0, "both"), (OTHERS,
        "deleted", 0.0, "others"), (OTHERS, "times 0.12", 0.12, "others"))),
    blind(C, "collisions from below", "times 2",
        "for equal rows the bound is an eighth of the truth: of all ways in which an index "
        "wins twice it counts one"),
    *(red(D, "covariance of neighbours", f"times {factor}", decoupled_kernel.covariance,
        variance=covariance(factor)) for factor in (1.01, 0.5)),
    red(D, "variance", "times 1.2", decoupled_kernel.spread,
        variance=scaled(exact.decoupled_variance, 1.2)),
    red(N, "the integral of the collision probability", "times 1.01", centred_kernel.localiser,
        kernel=scaled(exact.centred_kernel, 1.01)),
    red(N, "1 - 1/m", "times 1.5", centred_kernel.mean_over_units, share=0.75),
    red(T, "s log d", "log deleted", definition_2.sparse, rate=lambda s, d: float(s)),
    red(T, "s log d", "s squared", definition_2.sparse, rate=lambda s, d: float(s * s)),
    red("maxout.density", "distance from the union", "times 1.2", density.union, ends=farther),
]  # fmt: skip
