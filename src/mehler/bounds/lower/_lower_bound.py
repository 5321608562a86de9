"""A bound from below: a value that no promise can be under."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds._bound import Assumption, Bound, Term

STATEMENT = "features.lower"


class LowerBound(Bound):
    """A quantity is at least the value, with at least the probability.

    Vacuous where the value is not above 0. Printed and in LaTeX as other bounds, the other way
    round.

    See Also
    --------
    mehler.bounds.Bound : The upper ones.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> print(lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]))
    features.lower (proved): spectral error of the Gram matrix >= 0.5
      rank         0.5
    """

    @property
    def value(self) -> Any:
        """The sum of the terms, or 0 where that is below: the quantities are not negative."""
        total = np.maximum(self.total, 0.0)
        return total if np.ndim(total) else float(total)

    @property
    def vacuous(self) -> Any:
        """Whether nothing is claimed."""
        found = np.less_equal(self.total, 0.0)
        return found if np.ndim(found) else bool(found)

    def latex(self) -> str:
        r"""Return the inequality in LaTeX, with ``\ge``."""
        return super().latex().replace("\\le ", "\\ge ", 1)

    def __str__(self) -> str:
        """Print the bound in a line, then its terms."""
        first, *rest = super().__str__().splitlines()
        kept = [line for line in rest if not line.startswith("  vacuous")]
        claimed = "  vacuous: it claims nothing"
        return "\n".join(
            [first.replace(" <= ", " >= ", 1), *kept, *([claimed] if np.any(self.vacuous) else [])]
        )


def below(
    name: str, value: float, formula: str, quantity: str, probability: float, *texts: str
) -> LowerBound:
    """Return the lower bound of one term."""
    return LowerBound(
        statement=STATEMENT,
        form="proved",
        quantity=quantity,
        terms=(Term(name, value, formula),),
        probability=probability,
        assumptions=tuple(Assumption(text) for text in texts),
    )
