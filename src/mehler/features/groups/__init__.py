"""Groups, and other lists of linear maps, for invariant features.

Elements act on templates, never on the data. Whole groups make features invariant up to
rounding; lists that are no groups (small shifts, interpolated maps) make them robust.
"""

from mehler.features.groups._actions import Action as Action
from mehler.features.groups._families import (
    BlockPermutations,
    CyclicShifts,
    Dihedral,
    DirectProduct,
    ImageShifts,
    LinearMaps,
    QuarterTurns,
    SignFlips,
    Trivial,
)
from mehler.features.groups._group import Group, from_recipe

# What `Group.subset` and `Group.drawn` return, and what other groups are made of: no public names.
from mehler.features.groups._group import Subset as Subset
from mehler.features.groups._orbits import energy_distance, haar_kernel, mean_distance

__all__ = [
    "BlockPermutations",
    "CyclicShifts",
    "Dihedral",
    "DirectProduct",
    "Group",
    "ImageShifts",
    "LinearMaps",
    "QuarterTurns",
    "SignFlips",
    "Trivial",
    "energy_distance",
    "from_recipe",
    "haar_kernel",
    "mean_distance",
]
