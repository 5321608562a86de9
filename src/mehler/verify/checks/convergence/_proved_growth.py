"""Confirm with a guarantee that n_features * variance grows, once a pilot suggests it."""

from __future__ import annotations

from typing import Any

from mehler.verify._zero_failures import CheckOptions
from mehler.verify.checks.convergence._variance_at_size import VarianceAtSize
from mehler.verify.pairwise._measurement import FLOOR
from mehler.verify.sampling._draw_groups import DrawGroups
from mehler.verify.undeclared._ratio import Ratio, ratios

# Most pairs of draws of either size; then a suspicion is left open.
_MOST = 20_000


def proved_growth(
    asked: CheckOptions, sides: list[VarianceAtSize], weights: Any, max_draws: int | None
) -> Ratio | None:
    """Return a ratio whose guaranteed lower bound exceeds 1, or None."""
    # Groups of two draws decide with fewer draws than larger ones.
    kept = [DrawGroups(side.draw, side.seed, 2, stream=side.stream) for side in sides]

    def more(start: int, stop: int) -> tuple[Any, Any]:
        a, b = (
            side.spread(side.estimates(bundles, start, stop), weights)
            for side, bundles in zip(sides, kept)
        )
        return a, b

    most = _MOST if max_draws is None else min(_MOST, max_draws // 2)
    for ratio in ratios(more, asked.false_alarm, of=2, most=most):
        if ratio.low > 1.0 and ratio.observed - 1.0 >= FLOOR * asked.resolution:
            return ratio
    return None
