"""Lemma 4: how near sums of m features with small weights come to a function f*, in L2.

In Mroueh, Voinea and Poggio (2015) features of a row x are distribution functions of <t, g x> over
r elements g of a group, for vectors t, *templates*, at the ends of n bins, or *cells*, of a window
[-s, s]. f* is a mean of features over all t and thresholds, with weights of at most C; sums over m
templates have weights of at most C/m. Distances of drawn sums from f* are compared with the paper's
bound, restored from its words, and ours. Instances pair an exact chance, or error, with ours.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler import GroupInvariantFeatures
from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import TemplateLaw
from mehler.features import groups
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import Bounding, Case, Instance, compare_instances, compare_with_bounds
from ..._plots import plot, quantile_points
from .. import _published
from .._shared import ENDLESS, EPSILON, PAPER, batches, unit_rows

# Shifts leave e = (1, ..., 1)/sqrt(d) alone. The weight C sign<t, e> has f*(x) = -C mu <e, x>,
# mu the mean size of a coordinate of the template t: a closed form of f*, the target.
_D, _POINTS, _DELTA, _BINS = 6, 8, 0.1, 10  # columns, rows, chance of failure, bins
_GROUP = groups.CyclicShifts(_D)
_AXIS = np.full((1, _D), _D**-0.5)
# Where half count by chance: so many, and failures at which the confidence term is nearly all.
COUNTED, RARE = 4 * 10**6, (0.3, 1e-3, 1e-250)
_ROUNDING = 1e-7  # of binomial tails, relative
# Templates and their window: the paper's, and those of the sphere, which need a smaller one.
LAWS: dict[str, dict[str, Any]] = {
    "redraw": PAPER,
    "sphere": {"templates": "sphere", "window": 1.0},
}


def target(rows: Any, templates: str) -> Any:
    """Compute f* for C = 1 and templates of a law."""
    return -TemplateLaw(templates, _D, EPSILON).mean_absolute * (rows @ _AXIS[0])


def approximations(
    context: Context,
    label: str,
    m: int,
    n_draws: int,
    *,
    n_elements: int | None = None,
    templates: str = "sphere",
) -> tuple[Any, Any]:
    """Return values at rows of drawn sums, C = 1 and weights sign<t_j, e>/m, and the rows."""
    rows = unit_rows(context, _POINTS, _D, f"rows {label}")
    options = {**LAWS[templates], "group": _GROUP, "n_bins": _BINS, "rule": "paper"}
    both = np.vstack([rows, _AXIS])
    if n_elements is not None:
        options |= {"n_elements": n_elements, "replacement": True}
    sums = []
    for seed, maps in batches(context, label, m, n_draws, shared=n_elements is not None):
        many = m * maps
        phi = GroupInvariantFeatures.draw(_D, n_templates=many, seed=seed, **options)
        psi = (phi(both) / math.sqrt(phi.bins.step / many)).reshape(len(both), many, -1)
        # <t, e> is the same for all shifts of t, and the middle threshold is 0. The column at -s
        # is 0, so that each cell has the column at its end.
        signs = 1.0 - 2.0 * psi[-1, :, _BINS]
        over_window = phi.bins.step * psi[:-1].sum(axis=2)
        sums.append((over_window * signs).reshape(_POINTS, maps, m).mean(axis=2).T)
    return np.concatenate(sums), rows


def errors(
    context: Context, label: str, m: int, n_draws: int, *, templates: str = "sphere", **options: Any
) -> Any:
    """Return L2 distances over the rows of drawn sums from f*, shape (n_draws,)."""
    values, rows = approximations(context, label, m, n_draws, templates=templates, **options)
    return np.sqrt(((values - target(rows, templates)) ** 2).mean(axis=1))


def _settings(context: Context) -> tuple[tuple[tuple[int, int | None], ...], int]:
    if context.quick:
        return ((20, None), (10, 4)), 250
    return ((20, None), (100, None), (10, 4), (50, 20)), 20_000


def _compare(context: Context, form: Any, claim: str, bound: Bounding) -> Evidence:
    settings, n_draws = _settings(context)
    restored = form == "restored"
    templates = "redraw" if restored else "sphere"
    cases = [
        Case(
            draws=errors(context, f"draw {m} {r}", m, n_draws, n_elements=r, templates=templates),
            bound=bound(
                m,
                n_bins=_BINS,
                window=LAWS[templates]["window"],
                scale=1.0,
                delta=_DELTA,
                n_elements=r,
            ),
            where={"m": m, "r": r or _GROUP.order, "n": _BINS, "d": _D},
        )
        for m, r in settings
    ]
    n_features = sum(n_draws * m * (2 * _BINS + 1) for m, _ in settings)
    plots = (_plot(context),) if form == "proved" else ()
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


@check("group-invariant.lemma-4", form="restored", name="distances", pays=True)
def restored(context: Context, *, bound: Bounding = _published.lemma_4) -> Evidence:
    """Count how often the distance exceeds the restored bound."""
    claim = "features with weights of at most $C/m$ come within the restored bound of $f^*$"
    return _compare(context, "restored", claim, bound)


@check("group-invariant.lemma-4", form="proved", name="distances, sharper", pays=True)
def proved(context: Context, *, bound: Bounding = bounds.approximation) -> Evidence:
    """Count how often the distance exceeds the sharper bound."""
    claim = r"the same with $\log\frac{1}{\delta}$ for the elements and $sC/n$ for the bins"
    return _compare(context, "proved", claim, bound)


def _plot(context: Context) -> Plot:
    sizes = (10, 30, 100) if context.quick else (10, 30, 100, 300, 1000)
    errors_by_size = [errors(context, f"plot {m}", m, 100) for m in sizes]
    promised = [
        bounds.approximation(m, n_bins=_BINS, window=1.0, scale=1.0, delta=_DELTA).value
        for m in sizes
    ]
    return plot(
        "Lemma 4: bound and observation at δ = 0.1, whole group",
        "number of templates",
        "L2 error",
        Series(label="bound", x=sizes, y=promised),
        quantile_points("observed, 90% quantile", sizes, errors_by_size, 1 - _DELTA),
        log="xy",
        caption="Both fall like one over the root of the number of templates.",
    )


def _less_than_half(value: float) -> tuple[float, float]:
    """Bound the probability that a fraction of 1/2 - value/2, or less, of fair ones counts."""
    most = math.ceil(COUNTED * (0.5 - value / 2)) - 1
    chance = float(stats.binom.cdf(most, COUNTED, 0.5))
    return chance * (1 - _ROUNDING), chance * (1 + _ROUNDING)


def falls_short(bound: Bounding, *, events: int, **options: Any) -> Iterator[Instance]:
    """Yield errors by templates at one row of a line, no group, where features are 0 or 1.

    Half of the templates have 1 on the whole window. With all weights C the largest f* is s C; sums
    are 2 s C times the fraction of 1, a binomial variable. The loss of Theorem 3 ends there.
    """
    for failure in RARE:
        value = bound(
            n_templates=COUNTED,
            n_bins=ENDLESS,
            window=1.0,
            scale=1.0,
            delta=failure / events,
            **options,
        ).value
        name = f"templates that count half, failure {failure:g}"
        yield Instance(name, _less_than_half(value), failure)


def half_of_elements(
    bound: Bounding, *, events: int, both: bool = False, **options: Any
) -> Iterator[Instance]:
    """Yield errors by elements, of which half flip the line, in the same way.

    With `both` the risk is on x and -x: one of them falls short, and counts half.
    """
    for failure in RARE:
        value = bound(
            n_templates=ENDLESS,
            n_bins=ENDLESS,
            window=1.0,
            scale=1.0,
            delta=failure / events,
            n_elements=COUNTED,
            **options,
        ).value
        sides = 2 if both else 1
        low, high = _less_than_half(sides * value)
        name = f"elements that count half, failure {failure:g}"
        yield Instance(name, (sides * low, sides * high), failure)


def same_cell(bound: Bounding, *, events: int, **options: Any) -> Instance:
    """Return the error by cells, of width h, at two rows of a line in one cell: equal features.

    Half of the templates have the one projection, half the other, and both stay in a cell.
    Functions f* differ by up to C h at the rows, so that one of them is C h/2 away from all equal
    values, in the mean over both rows and in L2; the loss of Theorem 3 with labels 1, -1 is as far.
    """
    n, failure = 10, 1e-3
    value = bound(
        n_templates=ENDLESS, n_bins=n, window=1.0, scale=1.0, delta=failure / events, **options
    ).value
    far = 1 / n / 2
    # The rows are nearly a cell apart.
    return Instance("two rows of a cell", (far * (1 - 1e-9), far), value)


@check("group-invariant.lemma-4", form="proved", name="extremal instances")
def tight(context: Context, *, bound: Bounding = bounds.approximation) -> Evidence:
    """Compare the sharper bound with an instance for each of its terms."""
    return compare_instances(
        "distance to weights of at most $C/m$",
        *falls_short(bound, events=1),
        *half_of_elements(bound, events=2),
        same_cell(bound, events=1),
    )
