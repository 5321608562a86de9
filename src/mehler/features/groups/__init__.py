"""Groups, and other lists of linear maps, for invariant features.

Elements act on templates, never on the data. Whole groups make features invariant up to
rounding; lists that are no groups (small shifts, interpolated rotations, warps) make them robust.
"""

from mehler.features.groups._group import Group, Subset, from_recipe
from mehler.features.groups._images import ImageShifts, QuarterTurns
from mehler.features.groups._kernels import energy_distance, haar_kernel, mean_distance
from mehler.features.groups._maps import LinearMaps
from mehler.features.groups._permutations import BlockPermutations
from mehler.features.groups._products import DirectProduct, DirectSum
from mehler.features.groups._rotations import ImageRotations
from mehler.features.groups._shifts import CyclicShifts, Dihedral
from mehler.features.groups._signs import SignFlips, Trivial
from mehler.features.groups._steerable import SteerableRotations
from mehler.features.groups._warps import PitchShifts, TimeWarps

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
    "Subset",
    "TimeWarps",
    "Trivial",
    "energy_distance",
    "from_recipe",
    "haar_kernel",
    "mean_distance",
]
