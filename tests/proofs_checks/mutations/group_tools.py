"""Terms of Theorem 1's parts and of the tools of the group-invariant paper."""

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

from mehler.bounds import Bound
from tests.proofs_checks.mutations._row import Check, Row, blind, of_term, red, scaled

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
    red(ENERGY, "lower bound, fixed points", "times 1.001", energy_quotient.below,
        bound=scaled(energy_quotient.least_energy, 1.001, "orbits")),
    red(ENERGY, "lower bound, orbits of two", "times 1.23", energy_quotient.below,
        bound=scaled(energy_quotient.least_energy, 1.23, "orbits",
        lambda options: options["share"] == 0.5)),
    blind(ENERGY, "lower bound, orbits of two", "times 1.01",
        "the proof lets all images of a row be at the least distance at once, and drops "
        "the Gaussian kernels that are wide"),
    red(ENERGY, "lower bound, radius", "times 0.99", energy_quotient.below,
        bound=with_option(energy_quotient.least_energy, "radius", 0.99)),
    *of_term(ENERGY, "elements", energy_quotient.above, energy_quotient.largest_energy,
        least=0.999, label="upper bound, elements"),
    red(ENERGY, "upper bound, moves", "times 1.001", energy_quotient.above,
        bound=with_option(energy_quotient.largest_energy, "moves", 1.001)),
    red(ENERGY, "upper bound of circles", "times 0.62", energy_quotient.endless,
        bound=scaled(energy_quotient.of_circles, 0.62)),
    blind(ENERGY, "upper bound of circles", "times 0.7",
        "a chord stands for the sine, smaller by 2/pi for small turns"),
]  # fmt: skip

TURNS = f"{G}.rotations"
ROTATIONS = [
    *of_term(TURNS, "turns", rotations.planes, rotations.kernel_change_turns, least=0.81,
        label="turns, at most twice the frequency",
        where=lambda options: options["n_turns"] <= 2 * options["frequency"]),
    *of_term(TURNS, "turns", rotations.planes, rotations.kernel_change_turns, least=0.33,
        because="the slope of a distance is taken to swing from one end to the other between all "
        "zeros that a polynomial of this degree may have; half as often is the most that is known",
        label="turns, more", where=lambda options: options["n_turns"] > 2 * options["frequency"]),
    *of_term(TURNS, "interpolation", rotations.planes, rotations.kernel_change_turns,
        least=0.999),
    red(TURNS, "moves", "times 0.81", rotations.planes,
        bound=with_option(rotations.kernel_change_turns, "moves", 0.81)),
    red(TURNS, "samples of turned functions", "times 0.86", rotations.sampled,
        share=lambda values: 0.86 * (values[0] / values[-1] - 1)),
]  # fmt: skip

ROWS: list[Row] = [
    red(f"{G}.theorem-1-limit", "rate of the deltas, 1/16", "times 1.3", theorem_1_limit.vanish,
        rate=1.3 / 16),
    red(f"{G}.theorem-1-limit", "rate of the gap: the power d/2", "times 1.1", theorem_1_limit.rate,
        power=1.1),
    red(f"{G}.theorem-1-limit", "rate of the gap: 1/(p sqrt(pi d))", "times 0.51",
        theorem_1_limit.rate, factor=0.51),
    blind(f"{G}.theorem-1-limit", "rate of the gap: 1/(p sqrt(pi d))", "times 0.7",
        "the proof compares d and d + 2 degrees of freedom, and d + 1 lies half way"),
    red(f"{G}.theorem-1-positive", "the sign of the distance", "changed",
        theorem_1_positive.eigenvalues, kernels=(theorem_1.claimed("redraw", slope=-1.0),)),
    red(f"{G}.theorem-1-positive", "least constant 4/pi", "times 0.9999",
        theorem_1_positive.least_constant, factor=0.9999),
    *of_term(f"{G}.lemma-7", "mean", lemma_7.tight, lemma_7.mean_bound, least=0.89),
    *of_term(f"{G}.lemma-7", "confidence", lemma_7.tight, lemma_7.mean_bound, least=0.84),
    *of_term(f"{G}.lemma-7", "mean", lemma_7.tight_moments, lemma_7.mean_bound, least=0.89,
        label="mean, the variance known"),
    *of_term(f"{G}.theorem-5", "statistical", theorem_5.tight, theorem_5.class_bound, least=0.49,
        because="symmetrisation counts both signs of a deviation, labels by a coin one"),
    *of_term(f"{G}.theorem-5", "confidence", theorem_5.tight, theorem_5.class_bound, least=0.96),
    red(f"{G}.ridge-gain", "known lower bound", "times 1.001", ridge_gain.published,
        bound=scaled(ridge_gain.of_kernel, 1.001)),
    *of_gain(ridge_gain.enumerated, ridge_gain.ridge_risk, ("bias", "variance")),
    *of_gain(ridge_gain.least_squares, ridge_gain.least_squares_risk,
        ("signal", "noise")),
    red(f"{G}.ridge-gain", "spectrum of whole orbits", "times 0.999", ridge_gain.whole_orbits,
        gain=scaled(ridge_gain.split_spectrum, 0.999)),
    *ENERGIES,
    *ROTATIONS,
]  # fmt: skip
