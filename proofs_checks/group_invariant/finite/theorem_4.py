"""Theorem 4: the error of a distribution function that r random group elements estimate.

The features of Mroueh, Voinea and Poggio (2015) are distribution functions of <g t, x> over a
group's elements g, for a row x and a random vector t. Their largest error is compared with the
bound of Dvoretzky, Kiefer and Wolfowitz, in draws and by its exact law, Kolmogorov's.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler.bounds import group_invariant as bounds
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Case, Instance, compare_instances, compare_with_bounds
from .._shared import unit_rows

_GROUP = groups.BlockPermutations(10, 5)
_DELTA = 0.05


def largest_errors(context: Context, r: int, n_draws: int) -> Any:
    """Return, by draw, the largest error over tau in the fraction of g with <g t, x> <= tau."""
    x, t = unit_rows(context, 2, 10)
    # Where each element's projection stands among all; no two are equal in general position.
    place = np.argsort(np.argsort(_GROUP.apply(t[None])[:, 0] @ x))
    places = place[context.rng(f"elements {r}").integers(_GROUP.order, size=(n_draws, r))]
    counts = np.zeros((n_draws, _GROUP.order))
    np.add.at(counts, (np.repeat(np.arange(n_draws), r), places.ravel()), 1.0)
    steps = np.cumsum(counts, axis=1) / r
    exact = np.arange(1, _GROUP.order + 1) / _GROUP.order
    return np.abs(steps - exact).max(axis=1)


@check(
    "group-invariant.theorem-4",
    form="restored",
    name="largest error of a distribution function",
    pays=True,
)
def errors(context: Context, *, bound: Bounding = bounds.cdf_error) -> Evidence:
    """Count how often the largest error exceeds the bound of Dvoretzky, Kiefer and Wolfowitz."""
    n_draws = 30_000 if context.quick else 100_000
    sizes = (5, 50) if context.quick else (1, 2, 5, 20, 50, 200)
    claim = (
        r"$\sup_\tau|\hat\psi - \psi|$ exceeds $\sqrt{\log(2/\delta)/(2r)}$ with probability "
        r"at most $\delta$ (120 permutations)"
    )
    cases = [
        Case(
            draws=largest_errors(context, r, n_draws),
            bound=bound(r, delta=_DELTA),
            where={"r": r, "order": _GROUP.order},
        )
        for r in sizes
    ]
    return compare_with_bounds(claim, cases, context.false_alarm, n_features=n_draws)


def kolmogorov(bound: Bounding) -> Iterator[Instance]:
    """Yield the exact chance of an error above the bound, without ties, and the promised one."""
    for failure in (0.5, 0.05, 1e-6):
        for r in (1, 10, 10_000):
            chance = float(stats.kstwo.sf(bound(r, delta=failure).value, r))
            ends = (chance * (1 - 1e-9), chance * (1 + 1e-9))
            yield Instance(f"{r} elements, failure {failure:g}", ends, failure)


@check("group-invariant.theorem-4", form="restored", name="extremal instances")
def tight(context: Context, *, bound: Bounding = bounds.cdf_error) -> Evidence:
    """Compare the bound with the distribution of Kolmogorov's statistic."""
    claim = "largest error of a distribution function"
    return compare_instances(claim, *kolmogorov(bound))
