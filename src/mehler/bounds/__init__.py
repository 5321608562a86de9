"""Evaluate the theorems' bounds, with named terms, and the doubling dimension they depend on."""

from mehler.bounds import (
    doubling,
    group_invariant,
    kernel_error,
    kitchen_sinks,
    leverage,
    lower,
    margin,
    maxout,
    ridge,
    spectral,
)
from mehler.bounds._bound import Assumption, Bound, Term

__all__ = [
    "Assumption",
    "Bound",
    "Term",
    "doubling",
    "group_invariant",
    "kernel_error",
    "kitchen_sinks",
    "leverage",
    "lower",
    "margin",
    "maxout",
    "ridge",
    "spectral",
]
