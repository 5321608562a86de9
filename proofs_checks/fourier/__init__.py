"""Random Fourier features (Rahimi, Recht 2007): the kernel, which form varies less, projections.

One file a statement: what is claimed, its proof, the checks. Shared measuring is in the files that
begin with an underscore.
"""

from mehler.statements import Statement

from . import kernel, orthogonal, pairs_variance, structured

STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT for module in (kernel, pairs_variance, orthogonal, structured)
)

__all__ = ["STATEMENTS"]
