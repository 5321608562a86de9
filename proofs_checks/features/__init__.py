"""Random features of any map: spectra of Gram matrices, ridge regression, lower bounds, margins.

One file a statement: what is claimed, its proof, the checks. Shared drawing and worlds are in the
files that begin with an underscore.
"""

from mehler.statements import Statement

from . import clipped_ridge, doubly_stochastic, gram_error, lower, margin, nearest, ridge, uniform

STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT
    for module in (
        gram_error,
        uniform,
        ridge,
        nearest,
        lower,
        doubly_stochastic,
        margin,
        clipped_ridge,
    )
)

__all__ = ["STATEMENTS"]
