"""Deep maxout networks on real data, and random features of their tangent kernel."""

from ._tangents import TangentFeatures

__all__ = ["TangentFeatures"]
