"""The thirty-digit reference values, and how far a correct number may be from them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

REFERENCE = json.loads((Path(__file__).parent / "data" / "maxout_reference.json").read_text())["q"]
POOLS = tuple(int(q) for q in REFERENCE)


def printed(text: str, agreed: float | None = None) -> tuple[Fraction, Fraction]:
    """A printed value and its uncertainty: half a last digit, and what two routes left open."""
    value = Fraction(text)
    decimals = len(text.partition(".")[2])
    # A bare "0" stands for a value that is 0 exactly.
    slack = Fraction(1, 2 * 10**decimals) if decimals else Fraction(0)
    if agreed is not None:
        slack += abs(value) * Fraction(10) ** -int(agreed)
    return value, slack


def kernel_values(name: str, q: int, rhos: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """(rho, value, uncertainty) of ``kappa`` or ``K``."""
    table = REFERENCE[str(q)][name]
    return [(rho, *printed(*table[rho])) for rho in rhos]
