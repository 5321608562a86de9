"""Groups, and other lists of linear maps, for invariant features.

Elements act on templates, never on the data. Whole groups make features invariant up to
rounding; lists that are no groups (small shifts, interpolated rotations, warps) make them robust.
"""

from mehler.features.groups._families import (
    BlockPermutations,
    CyclicShifts,
    Dihedral,
    DirectProduct,
    DirectSum,
    ImageShifts,
    LinearMaps,
    QuarterTurns,
    SignFlips,
    Trivial,
)
from mehler.features.groups._group import Group, from_recipe

# What `Group.subset` and `Group.drawn` return, and no public name.
from mehler.features.groups._group import Subset as Subset
from mehler.features.groups._orbits import energy_distance, haar_kernel, mean_distance
from mehler.features.groups._turns import ImageRotations, PitchShifts, SteerableRotations, TimeWarps

__all__ = [
    "BlockPermutations",
    "CyclicShifts",
    "Dihedral",
    "DirectProduct",
    "DirectSum",
    "Group",
    "ImageRotations",
    "ImageShifts",
    "LinearMaps",
    "PitchShifts",
    "QuarterTurns",
    "SignFlips",
    "SteerableRotations",
    "TimeWarps",
    "Trivial",
    "energy_distance",
    "from_recipe",
    "haar_kernel",
    "mean_distance",
]
