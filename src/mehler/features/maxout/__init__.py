"""Maxout features and codes: maxima and argmaxima of pools of projections."""
