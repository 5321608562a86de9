"""Experiments of the paper on group-invariant features, and the warps of signals in them."""
