"""Experiments on deep kernels."""
