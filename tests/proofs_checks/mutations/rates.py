"""Rates, exponents and second moments: each constant changed by as little as is seen."""

from __future__ import annotations

import math
from typing import Any

from mehler.proofs_checks.maxout.growth import h1_growth, locality, remark_1_codes
from mehler.proofs_checks.maxout.growth._growth import expansion, variance_rate
from mehler.proofs_checks.maxout.kernel import centred_kernel, decoupled_kernel
from mehler.proofs_checks.maxout.risk import definition_2, density

from mehler import exact
from mehler.bounds import lower, maxout
from tests.proofs_checks.defects_rates import covariance_times
from tests.proofs_checks.mutations._row import Check, Row, of_term, scaled, times


def row(name: str, term: str, change: str, check: Check, **defect: Any) -> Row:
    """A row of a maxout statement."""
    return Row(statement=f"maxout.{name}", term=term, change=change, check=check, defect=defect)


def farther(scale: float, q: int) -> tuple[float, float]:
    """The bounds of the distance from a class, a fifth larger."""
    low, high = density.distance_ends(scale, q)
    return low, 1.2 * high


H1, CODES, DECOUPLED, CENTRED = "h1-growth", "remark-1-codes", "decoupled-kernel", "centred-kernel"
ROWS = [
    row(H1, "expansion: all", "times 1.01", h1_growth.next_terms, terms=scaled(expansion, 1.01)),
    row(
        H1,
        "expansion: 2 gamma",
        "times 1.01",
        h1_growth.next_terms,
        terms=lambda q: expansion(q) + 0.02 * 0.5772156649,
    ),
    row(
        H1,
        "expansion: 4 pi under the logarithm",
        "times 1.01",
        h1_growth.next_terms,
        terms=lambda q: expansion(q) - math.log(1.01),
    ),
    row(
        H1,
        "expansion: the logarithm",
        "deleted",
        h1_growth.next_terms,
        terms=lambda q: expansion(q) + math.log(4 * math.pi * math.log(q)),
    ),
    row(
        "locality",
        "rate of V",
        "times 1.01",
        locality.variance_falls,
        rate=scaled(variance_rate, 1.01),
    ),
    row(
        "locality",
        "slope at equal rows",
        "times 0.999",
        locality.near_one,
        collision=lambda rho, q: 1 - (1 - exact.collision_probability(rho, q)) / 0.999,
    ),
    row(CODES, "variance", "times 1.01", remark_1_codes.digits, both=lambda kappa: 1.01 * kappa**2),
    row(CODES, "Hoeffding's exponent 2", "times 1.05", remark_1_codes.hoeffding, rate=2.1),
    Row(
        statement=f"maxout.{CODES}",
        term="Hoeffding's exponent 2",
        change="times 1.01",
        because="normal tails are below Hoeffding's by a factor, and floats end",
    ),
    row(
        CODES,
        "limit of the exponent",
        "times 1.01",
        remark_1_codes.exponent,
        limit=scaled(remark_1_codes.limiting_exponent, 1.01),
    ),
    *of_term(
        f"maxout.{CODES}",
        "below",
        remark_1_codes.sandwich,
        maxout.collision_probability,
        least=0.49,
        because="the term is 2 where both maxima count, which for equal rows are one",
        label="collisions from above: a maximum below the level",
        keyword="above",
    ),
    *of_term(
        f"maxout.{CODES}",
        "above",
        remark_1_codes.sandwich,
        maxout.collision_probability,
        least=0.36,
        because="with the other term it is at least 1.69 for equal rows, whose codes agree",
        label="collisions from above: one index",
        keyword="above",
    ),
    row(
        CODES,
        "collisions from below: one index",
        "times 3",
        remark_1_codes.sandwich,
        below=times(lower.collision_probability, "both", 3.0),
    ),
    row(
        CODES,
        "collisions from below: the others",
        "deleted",
        remark_1_codes.sandwich,
        below=times(lower.collision_probability, "others", 0.0),
    ),
    row(
        CODES,
        "collisions from below: the others",
        "times 0.12",
        remark_1_codes.sandwich,
        below=times(lower.collision_probability, "others", 0.12),
    ),
    Row(
        statement=f"maxout.{CODES}",
        term="collisions from below",
        change="times 2",
        because="for equal rows the bound is an eighth of the truth: of all ways in which an index "
        "wins twice it counts one",
    ),
    row(
        DECOUPLED,
        "covariance of neighbours",
        "times 1.01",
        decoupled_kernel.covariance,
        variance=covariance_times(1.01),
    ),
    row(
        DECOUPLED,
        "covariance of neighbours",
        "times 0.5",
        decoupled_kernel.covariance,
        variance=covariance_times(0.5),
    ),
    row(
        DECOUPLED,
        "variance",
        "times 1.2",
        decoupled_kernel.spread,
        variance=scaled(exact.decoupled_variance, 1.2),
    ),
    row(
        CENTRED,
        "the integral of the collision probability",
        "times 1.01",
        centred_kernel.localiser,
        kernel=scaled(exact.centred_kernel, 1.01),
    ),
    row(CENTRED, "1 - 1/m", "times 1.5", centred_kernel.mean_over_units, share=0.75),
    row("definition-2", "s log d", "log deleted", definition_2.sparse, rate=lambda s, d: float(s)),
    row(
        "definition-2", "s log d", "s squared", definition_2.sparse, rate=lambda s, d: float(s * s)
    ),
    row("density", "distance from the union", "times 1.2", density.union, ends=farther),
]
