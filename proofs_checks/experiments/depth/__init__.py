"""Deep networks at finite width: features of the tangent kernel, and an expansion in 1/width."""

from ._tangents import TangentFeatures
from ._width import FiniteWidth, finite_width

__all__ = ["FiniteWidth", "TangentFeatures", "finite_width"]
