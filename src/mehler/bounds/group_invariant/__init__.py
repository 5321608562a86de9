"""Bounds for group-invariant features: kernel error, approximation, risk."""

from mehler.bounds.group_invariant._elements import elements
from mehler.bounds.group_invariant._energy import energy_distance
from mehler.bounds.group_invariant._least_squares import least_squares_risk
from mehler.bounds.group_invariant._lemma_4 import lemma_4
from mehler.bounds.group_invariant._ridge import ridge_risk
from mehler.bounds.group_invariant._rotations import rotations
from mehler.bounds.group_invariant._theorem_1 import theorem_1
from mehler.bounds.group_invariant._theorem_2 import theorem_2
from mehler.bounds.group_invariant._theorem_2_sizes import (
    Sizes,
    theorem_2_sizes,
    theorem_2_templates,
)
from mehler.bounds.group_invariant._theorem_3 import theorem_3
from mehler.bounds.group_invariant._theorem_4 import theorem_4

__all__ = [
    "Sizes",
    "elements",
    "energy_distance",
    "least_squares_risk",
    "lemma_4",
    "ridge_risk",
    "rotations",
    "theorem_1",
    "theorem_2",
    "theorem_2_sizes",
    "theorem_2_templates",
    "theorem_3",
    "theorem_4",
]
