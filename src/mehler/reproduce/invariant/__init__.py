"""Experiments of the group-invariant paper, on substitutes for data that are unavailable."""
