"""Terms of Theorem 1's parts and of the tools of the group-invariant paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from mehler.proofs_checks.group_invariant.kernel import (
    energy_quotient,
    rotations,
    theorem_1,
    theorem_1_limit,
    theorem_1_positive,
)
from mehler.proofs_checks.group_invariant.risk import lemma_7, ridge_gain, theorem_5

from mehler.bounds import Bound, group_invariant, lower
from tests.proofs_checks.mutations._row import Check, Row, of_term, scaled, times

G = "group-invariant"


def of_gain(check: Check, risk: Callable[..., Bound], terms: tuple[str, str]) -> Iterator[Row]:
    """Both terms of an exact risk, for each place of the average."""
    for average in ("none", "after", "before"):

        def where(options: Mapping[str, Any], average: str = average) -> bool:
            return bool(options["average"] == average)

        for term in terms:
            yield from of_term(
                f"{G}.ridge-gain",
                term,
                check,
                risk,
                least=0.999,
                label=f"{term}, average {average}",
                where=where,
                keyword="risk",
            )


def with_option(bound: Callable[..., Bound], name: str, factor: float) -> Callable[..., Bound]:
    """The bound at another size, where one is declared."""

    def changed(*sizes: Any, **options: Any) -> Bound:
        if name in options:
            options[name] = factor * np.asarray(options[name], dtype=float)[()]
        return bound(*sizes, **options)

    return changed


ENERGY = f"{G}.energy-quotient"
# Orbits of one point are an equality. Of two, squares come nearest: their energy distance over
# theirs is 2 - sqrt(2), and (2 - sqrt(2))/(2 erfc(sqrt(log 2))) = 1.2254.
ENERGIES = [
    Row(
        statement=ENERGY,
        term="lower bound, fixed points",
        change="times 1.001",
        check=energy_quotient.below,
        defect={"bound": times(lower.energy_distance, "orbits", 1.001)},
    ),
    Row(
        statement=ENERGY,
        term="lower bound, orbits of two",
        change="times 1.23",
        check=energy_quotient.below,
        defect={
            "bound": times(
                lower.energy_distance, "orbits", 1.23, lambda options: options["share"] == 0.5
            )
        },
    ),
    Row(
        statement=ENERGY,
        term="lower bound, orbits of two",
        change="times 1.01",
        because="the proof lets all images of a row be at the least distance at once, and drops "
        "the Gaussian kernels that are wide",
    ),
    Row(
        statement=ENERGY,
        term="lower bound, radius",
        change="times 0.99",
        check=energy_quotient.below,
        defect={"bound": with_option(lower.energy_distance, "radius", 0.99)},
    ),
    *of_term(
        ENERGY,
        "elements",
        energy_quotient.above,
        group_invariant.energy_distance,
        least=0.999,
        label="upper bound, elements",
    ),
    Row(
        statement=ENERGY,
        term="upper bound, moves",
        change="times 1.001",
        check=energy_quotient.above,
        defect={"bound": with_option(group_invariant.energy_distance, "moves", 1.001)},
    ),
    Row(
        statement=ENERGY,
        term="upper bound of circles",
        change="times 0.62",
        check=energy_quotient.endless,
        defect={"bound": scaled(energy_quotient.of_circles, 0.62)},
    ),
    Row(
        statement=ENERGY,
        term="upper bound of circles",
        change="times 0.7",
        because="a chord stands for the sine, smaller by 2/pi for small turns",
    ),
]

TURNS = f"{G}.rotations"
ROTATIONS = [
    *of_term(
        TURNS,
        "turns",
        rotations.planes,
        group_invariant.kernel_change_turns,
        least=0.81,
        label="turns, at most twice the frequency",
        where=lambda options: options["n_turns"] <= 2 * options["frequency"],
    ),
    *of_term(
        TURNS,
        "turns",
        rotations.planes,
        group_invariant.kernel_change_turns,
        least=0.33,
        because="the slope of a distance is taken to swing from one end to the other between all "
        "zeros that a polynomial of this degree may have; half as often is the most that is known",
        label="turns, more",
        where=lambda options: options["n_turns"] > 2 * options["frequency"],
    ),
    *of_term(
        TURNS, "interpolation", rotations.planes, group_invariant.kernel_change_turns, least=0.999
    ),
    Row(
        statement=TURNS,
        term="moves",
        change="times 0.81",
        check=rotations.planes,
        defect={"bound": with_option(group_invariant.kernel_change_turns, "moves", 0.81)},
    ),
    Row(
        statement=TURNS,
        term="samples of turned functions",
        change="times 0.86",
        check=rotations.sampled,
        defect={"share": lambda values: 0.86 * (values[0] / values[-1] - 1)},
    ),
]

ROWS: list[Row] = [
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the deltas, 1/16",
        change="times 1.3",
        check=theorem_1_limit.vanish,
        defect={"rate": 1.3 / 16},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: the power d/2",
        change="times 1.1",
        check=theorem_1_limit.rate,
        defect={"power": 1.1},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: 1/(p sqrt(pi d))",
        change="times 0.51",
        check=theorem_1_limit.rate,
        defect={"factor": 0.51},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: 1/(p sqrt(pi d))",
        change="times 0.7",
        because="the proof compares d and d + 2 degrees of freedom, and d + 1 lies half way",
    ),
    Row(
        statement=f"{G}.theorem-1-positive",
        term="the sign of the distance",
        change="changed",
        check=theorem_1_positive.eigenvalues,
        defect={"kernels": (theorem_1.claimed("redraw", slope=-1.0),)},
    ),
    Row(
        statement=f"{G}.theorem-1-positive",
        term="least constant 4/pi",
        change="times 0.9999",
        check=theorem_1_positive.least_constant,
        defect={"factor": 0.9999},
    ),
    *of_term(f"{G}.lemma-7", "mean", lemma_7.tight, lemma_7.mean_bound, least=0.89),
    *of_term(f"{G}.lemma-7", "confidence", lemma_7.tight, lemma_7.mean_bound, least=0.84),
    *of_term(
        f"{G}.lemma-7",
        "mean",
        lemma_7.tight_moments,
        lemma_7.mean_bound,
        least=0.89,
        label="mean, the variance known",
    ),
    *of_term(
        f"{G}.theorem-5",
        "statistical",
        theorem_5.tight,
        theorem_5.class_bound,
        least=0.49,
        because="symmetrisation counts both signs of a deviation, labels by a coin one",
    ),
    *of_term(f"{G}.theorem-5", "confidence", theorem_5.tight, theorem_5.class_bound, least=0.96),
    Row(
        statement=f"{G}.ridge-gain",
        term="known lower bound",
        change="times 1.001",
        check=ridge_gain.published,
        defect={"bound": scaled(ridge_gain.of_kernel, 1.001)},
    ),
    *of_gain(ridge_gain.enumerated, group_invariant.ridge_excess_risk, ("bias", "variance")),
    *of_gain(
        ridge_gain.least_squares, group_invariant.least_squares_excess_risk, ("signal", "noise")
    ),
    Row(
        statement=f"{G}.ridge-gain",
        term="spectrum of whole orbits",
        change="times 0.999",
        check=ridge_gain.whole_orbits,
        defect={"gain": scaled(ridge_gain.split_spectrum, 0.999)},
    ),
    *ENERGIES,
    *ROTATIONS,
]
