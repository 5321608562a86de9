"""Texts of check_same: claim, assumptions, and verdicts that need no samples."""

from __future__ import annotations

import math

import numpy as np

from mehler._plural import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import FLOOR, Status, Verdict
from mehler.verify.checks.same._differences import Differences
from mehler.verify.checks.same._pilot import Pilot, Side
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.undeclared._verdict import KERNEL_UNIT, Words
from mehler.verify.undeclared._watch import Watched

_REMEDY = (
    "draw larger maps of either version, take rows of smaller norms, or, if both versions are one "
    "algorithm, claim law=True, which needs nothing of the tails"
)


def claim_at(n_pairs: int) -> str:
    """Return the claim."""
    return f"E<phi_b(x), phi_b(y)> - E<phi_a(x), phi_a(y)> = 0 at {counted(n_pairs, 'pair')}"


def words(stream: Differences, pairs: Pairs, law: bool) -> Words:
    """Return the texts of the verdict on these samples."""
    seeds = "seeds common to both maps" if stream.paired else "seeds of their own"
    return Words(
        claim=claim_at(pairs.n) + (", clipped, as their laws are one" if law else ""),
        source=("independent units" if stream.per_draw > 1 else "independent draws") + f", {seeds}",
        independence="draws from different seeds are independent"
        + (", and the units of a draw independent and alike" if stream.per_draw > 1 else ""),
        unit=pairs.unit,
        unit_name=KERNEL_UNIT,
        remedy=_REMEDY,
        symmetry="the estimates of both maps have one law, up to a shift of their mean: then "
        "their differences are symmetric",
    )


def ratio(stream: Differences, watched: Watched, pairs: Pairs) -> str:
    """Return a remark that one map is a multiple of the other, if it is at every pair."""
    look, (a, b) = watched.look, stream.means
    if not look.refuted.any() or not np.isfinite(a @ b) or not a @ a > 0.0:
        return ""
    factor = float(a @ b / (a @ a))
    # The residual is within the intervals, and a small part of the deviation.
    left = np.abs(b - factor * a) / max(1, watched.n_draws)
    some = pairs.n > 1 and factor > 0.0 and left.max() <= 0.2 * np.abs(look.off).max()
    if not some or not (left <= look.half).all():
        return ""
    return f"At every pair draw_b gives about {factor:.4g} times what draw_a does."


def equal_seeds(asked: CheckOptions, sides: tuple[Side, Side], seen: Pilot, seed: int) -> Verdict:
    """Return the verdict that both maps agree for equal seeds."""
    n = seen.n_draws
    what = "features" if seen.same_features else "products"
    size = float(seen.pairs.unit.max())
    share = -math.expm1(math.log(asked.false_alarm) / n)
    return asked.verdict(
        status="holds",
        claim=claim_at(seen.pairs.n),
        observed=0.0,
        exact=0.0,
        interval=(-seen.largest * size, seen.largest * size),
        n_features=n * sum(side.m for side in sides),
        n_draws=n,
        n_intervals=1,
        detectable=math.inf,
        method=f"equal {what} for equal seeds",
        assumptions=(
            f"what the maps do alike for {counted(n, 'seed')} they do for others: had they "
            f"differed at more "
            f"than {100 * share:.2g} % of all seeds, that would have been seen except with "
            f"probability {asked.false_alarm:.3g}",
        ),
        scale=size,
        where={"largest_difference": seen.largest},
        seeds={"seed": seed},
        reason=f"For each of {counted(n, 'seed')} both maps gave "
        + ("the same features, to rounding." if seen.same_features else "the same products: ")
        + (
            ""
            if seen.same_features
            else f"no two differ by more than {seen.largest:.2g} of sqrt(k(x,x) k(y,y)), below "
            f"{FLOOR:.3g} of the resolution."
        ),
    )


def not_finite(asked: CheckOptions, sides: tuple[Side, Side], seen: Pilot, seed: int) -> Verdict:
    """Return the verdict that a map gave non-finite features."""
    bad = np.argwhere(~np.isfinite(seen.products))[0]
    side = sides[int(bad[0])]
    status: Status = "refuted"
    return asked.verdict(
        status=status,
        claim=claim_at(seen.pairs.n),
        observed=math.nan,
        exact=0.0,
        interval=(math.nan, math.nan),
        n_features=seen.n_draws * sum(each.m for each in sides),
        n_draws=seen.n_draws,
        n_intervals=1,
        detectable=math.inf,
        method="finite features",
        where=seen.pairs.place(int(bad[2])),
        seeds={"seed": seed},
        reason=f"{side.name} returned features that are not finite.",
    )
