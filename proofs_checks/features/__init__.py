"""Random features of any map: spectra of their Gram matrix, ridge regression, lower bounds.

One file a statement: what is claimed, its proof, the checks. Shared drawing and worlds are in the
files that begin with an underscore.
"""

from mehler.statements import Statement

from . import gram_error

STATEMENTS: tuple[Statement, ...] = (gram_error.STATEMENT,)

__all__ = ["STATEMENTS"]
