"""Maxout features and codes: maxima and argmaxima of pools of projections."""

from mehler.features.maxout._maxout import MaxoutBase as MaxoutBase
