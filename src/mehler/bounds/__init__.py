"""Evaluate the theorems' bounds, with named terms.

One function per theorem, named by its quantity; :func:`by_statement` finds it by its statement, and
:func:`solve` inverts it. The papers' own formulas are next to the statements that quote them.
"""

from mehler.bounds import (
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
from mehler.bounds._bound import Assumption, Bound, Term, by_statement
from mehler.bounds._solve import solve

__all__ = [
    "Assumption",
    "Bound",
    "Term",
    "by_statement",
    "group_invariant",
    "kernel_error",
    "kitchen_sinks",
    "leverage",
    "lower",
    "margin",
    "maxout",
    "ridge",
    "solve",
    "spectral",
]

# What is public in a namespace: its files import more.
_SMALL = (kitchen_sinks, leverage, lower, margin, maxout, ridge, spectral)
for _namespace in (*_SMALL, group_invariant, kernel_error):
    vars(_namespace)["__dir__"] = lambda names=_namespace.__all__: names
