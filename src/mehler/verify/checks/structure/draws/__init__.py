"""Check that draws of different seeds, and the columns of one draw, differ as they should."""

from mehler.verify.checks.structure.draws._columns import check_columns
from mehler.verify.checks.structure.draws._one_number import check_one_number
from mehler.verify.checks.structure.draws._other_seeds import check_other_seeds

__all__ = ["check_columns", "check_one_number", "check_other_seeds"]
