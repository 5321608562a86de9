"""Deep maxout networks: what depth does to rows, weight variances, spectra.

One file a statement: what is claimed, its proof, the checks. Quantities that checks compare are in
the files that begin with an underscore.
"""

from mehler.statements import Statement

from . import alike, critical_variance, positive_definite, spectrum

STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT for module in (alike, critical_variance, positive_definite, spectrum)
)

__all__ = ["STATEMENTS"]
