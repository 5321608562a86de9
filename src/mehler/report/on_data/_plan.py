"""Features needed for a uniform error on all pairs of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mehler.report.model._report import PlanRow
from mehler.report.on_data._maps import MapUnderTest
from mehler.report.on_data._pairs import Correlations
from mehler.report.render._format import count
from mehler.verify import features_needed

ERRORS = (0.1, 0.05, 0.02, 0.01)
CONFIDENCE = 0.99
_GRID = 400


def plan(maps: Sequence[MapUnderTest], seen: Correlations, n_rows: int) -> tuple[PlanRow, ...]:
    r"""Return the features that keep the Gram matrix's error below eps on all pairs at once.

    .. math:: m = z^2 V / \epsilon^2, \quad z = \Phi^{-1}(1 - \delta / 2), \quad
              \delta = 0.01 / \tbinom{n}{2}

    with V the exact variance of a feature product over k(x,x) k(y,y), maximised over the observed
    correlations. ``n_features`` uses the normal quantile, for the plain mean that a Gram matrix is;
    ``n_features_robust`` Catoni's bound, which needs no limit theorem, for the midpoint of
    `mehler.verify.intervals.known_variance` in place of the mean.
    """
    from scipy.special import ndtri

    share = (1 - CONFIDENCE) / (n_rows * (n_rows - 1) // 2)
    quantile = -float(ndtri(share / 2))
    # Rows that were not surveyed may have any correlation.
    low, high = (seen.low, seen.high) if seen.complete else (-1.0, 1.0)
    rho = np.linspace(low, high, _GRID)
    rows = []
    for one in maps:
        variance = float(np.max(one.relative_variance(rho)))
        for error in ERRORS:
            # Half each for the interval missing the truth and for its being too wide.
            robust = features_needed(variance, 2 * error, share / 2, share / 2) if variance else 1
            rows.append(
                PlanRow(
                    map=one.name,
                    pool_size=one.pool_size,
                    error=error,
                    n_features=max(1, math.ceil(variance * (quantile / error) ** 2)),
                    n_features_robust=robust,
                )
            )
    return tuple(rows)


def method(seen: Correlations, n_rows: int) -> str:
    """Describe in a sentence how the counts were computed."""
    pairs = n_rows * (n_rows - 1) // 2
    where = (
        f"the correlations that occur ({seen.low:.3f} to {seen.high:.3f})"
        if seen.complete
        else "all correlations from -1 to 1, as not every pair was looked at"
    )
    return (
        f"Errors are relative to the square root of k(x,x) k(y,y), hold for all {count(pairs)} "
        f"pairs of rows at once with probability {CONFIDENCE:.0%} (union bound), and use the exact "
        f"variance at its largest over {where}. Plain mean: normal quantile, so right in the limit "
        "of many features. Catoni: proved at every size, for Catoni's estimate in the mean's place."
    )
