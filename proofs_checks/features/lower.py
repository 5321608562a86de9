"""Lower bounds: the kernel's error, the approximation, the risk, the spectral error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from mehler import MaxoutFeatures, _arrays
from mehler.bounds import Bound
from mehler.bounds import lower as bounds
from mehler.statements import Check, Context, Evidence, Statement
from mehler.verify import intervals

from .._dedent import prose
from .._worlds import hold_worlds
from ._gram_draws import Draw
from .worlds import _lower as worlds

Bounding = Callable[..., Bound]
_CLAIM = "what is claimed over what happens"


def one_pair(context: Context, *, bound: Bounding = bounds.one_pair) -> Evidence:
    """Hold the bound of one pair for squares of normals, and for codes."""
    return hold_worlds(
        [*worlds.squares(bound), *worlds.codes(bound)],
        form="printed",
        claim=f"error at one pair, {_CLAIM}",
    )


def all_pairs(context: Context, *, bound: Bounding = bounds.all_pairs) -> Evidence:
    """Hold the bound of all pairs for orthonormal rows."""
    return hold_worlds(
        [*worlds.lengths(bound)],
        form="proved",
        claim=f"largest error of orthonormal rows, {_CLAIM}",
    )


def uniform(context: Context, *, bound: Bounding = bounds.uniform) -> Evidence:
    """Hold the bound of a set for a packing."""
    return hold_worlds(
        [*worlds.packing(bound)], form="proved", claim=f"largest error over a set, {_CLAIM}"
    )


def risk(context: Context, *, bound: Bounding = bounds.risk) -> Evidence:
    """Hold the bound of the risk against the best learner of two laws."""
    return hold_worlds(
        [*worlds.majority(bound)], form="proved", claim=f"mean excess risk, {_CLAIM}"
    )


def many_laws(context: Context, *, bound: Bounding = bounds.risk) -> Evidence:
    """Hold the bound of the risk against the best learner of two laws for each row."""
    return hold_worlds(
        [*worlds.majorities(bound)], form="proved", claim=f"mean excess risk, {_CLAIM}"
    )


def rows(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold the bound of the risk at the rows against the largest risk of good estimators."""
    return hold_worlds(
        [*worlds.normal_means(bound)],
        form="proved",
        claim=f"mean excess risk at the rows, {_CLAIM}",
    )


def rank(context: Context, *, bound: Bounding = bounds.gram_error) -> Evidence:
    """Hold the bound by rank where one row is missing."""
    return hold_worlds(
        [*worlds.distinct_rows(bound)], form="proved", claim=f"spectral error, {_CLAIM}"
    )


def direction(context: Context, *, bound: Bounding = bounds.gram_direction) -> Evidence:
    """Hold the bound by one direction where there is no other."""
    return hold_worlds(
        [*worlds.one_direction(bound)],
        form="proved",
        claim=f"spectral error, one row, {_CLAIM}",
    )


def rare(context: Context, *, bound: Bounding = bounds.gram_rare) -> Evidence:
    """Hold the bound by a rare draw for a row whose feature is seldom not 0."""
    return hold_worlds(
        [*worlds.rare_draws(bound)], form="proved", claim=f"spectral error, one row, {_CLAIM}"
    )


def grid(context: Context, *, bound: Bounding = bounds.gram_grid) -> Evidence:
    """Hold the bound on equally spaced rows for one frequency, whose errors are computed."""
    return hold_worlds(
        [*worlds.rare_frequencies(bound)],
        form="proved",
        claim=f"spectral error, rows of a line, {_CLAIM}",
    )


def nearest(
    context: Context, *, bound: Bounding = bounds.lemma_3, draw: Draw = MaxoutFeatures.draw
) -> Evidence:
    """Measure the nearest function in the world of the proof, where the bound is an equality."""
    context.ledger.spend(f"{STATEMENT.id}: nearest", context.false_alarm)
    q, m, n_draws = 4, 8, 4000 if context.quick else 40_000
    d = 2 * m
    seed = context.seed_for("nearest")
    phi = draw(d, m * n_draws, q, seed=seed, like=context.like())
    rows = np.asarray(_arrays.to_host(phi(context.asarray(np.eye(d)))), dtype=np.float64)
    parts = rows.reshape(d, n_draws, m).transpose(1, 0, 2)
    left = np.linalg.qr(parts)[0]
    missed = 1 - np.sum(left[:, 0, :] ** 2, axis=1)
    value = bound(m, pool_size=q, scale=1.0).value
    # The target is E|M - med M| at the first of d rows, 0 at the others.
    distance = _mean_distance(q) ** 2 / d * missed
    most = _mean_distance(q) ** 2 / d
    resolution = 0.2
    low, high = intervals.bounded(distance / value**2, 0.0, most / value**2, context.false_alarm)
    return Evidence(
        form="proved",
        status=_status(low, high, resolution),
        claim="mean square distance over the square of the bound is 1 in the world of the proof",
        observed=float(distance.mean() / value**2),
        exact=1.0,
        interval=(low, high),
        n_features=m * n_draws,
        false_alarm=context.false_alarm,
        resolution=resolution,
        detectable=high - low,
        method=f"empirical Bernstein interval of {n_draws} draws",
        assumptions=("draws are independent",),
    )


def _status(
    low: float, high: float, resolution: float
) -> Literal["holds", "refuted", "inconclusive"]:
    """Whether an interval has 1 in it, and is narrow."""
    if not low <= 1 <= high:
        return "refuted"
    return "holds" if high - low <= resolution else "inconclusive"


def _mean_distance(q: int) -> float:
    """E|M - med M| by a sum over the density of M."""
    t = np.linspace(-12, 12, 200_001)
    cdf = (np.array([math.erf(one / math.sqrt(2)) for one in t]) + 1) / 2
    power = cdf**q
    middle = np.interp(0.5, power, t)
    return float(np.sum(np.abs((t[1:] + t[:-1]) / 2 - middle) * np.diff(power)))


STATEMENT = Statement(
    id="features.lower",
    source="Ours; after Berry (1941) and Esseen (1942), Shevtsova (2011), Le Cam (1973), "
    "Assouad (1983), Pinsker (1980), Donoho, Liu, MacGibbon (1990)",
    place="Ours, and a known theorem with its constant as recalled",
    copy="none",
    hypotheses=prose(
        r"""
        Independent units. All pairs: orthonormal rows. A set: $2^k$ of them. The risk: any learner,
        a loss that is $L$-Lipschitz and bounded; or squared loss at the rows, with normal noise.
        The nearest function: any weights.
        """
    ),
    title="Lower bounds",
    expected="holds",
    ground=prose(
        r"""
        Linear units, where the laws of errors are in closed form; codes; the best learner of two
        laws, and of two for each row; estimators of normal means; the nearest
        function in draws; a missing row; one
        frequency on a line.
        """
    ),
    printed=(
        r"P\left(|\hat K - K| \ge \frac{\sigma}{\sqrt m}\Phi^{-1}\left(1 - \frac\delta2 - "
        r"\frac{0.4748\rho_3}{\sqrt m}\right)\right) \ge \delta"
    ),
    printed_text=prose(
        r"""
        One pair, by the theorem of Berry and Esseen. For maxout units also by large deviations.
        """
    ),
    proved=(
        r"t_N(\delta) = t_1\left(1 - (1-\delta)^{1/N}\right), \quad \left(\mathbb{E}\min_\alpha"
        r"\|\cdot\|^2\right)^{1/2} \ge \frac{C\,\mathbb{E}|M - \mathrm{med}M|}{2\sqrt m}, \quad "
        r"\mathbb{E}[\mathcal E - \inf\mathcal E] \ge \max_{k,\epsilon} 4\epsilon La_k\,"
        r"\mathbb{E}\,P\left(\mathrm{Bin} < \frac n2\right), \quad "
        r"\|\cdot\| \ge \frac{\mu_{m+1}}{\mu_{m+1} + \lambda}, \quad "
        r"\mathbb{E}\frac{|\hat f-f|^2}N \ge \frac{\sigma^2}N\sum_i r\left("
        r"\frac{\tau_i}\sigma\right)"
    ),
    proved_text=prose(
        r"""
        All pairs of $N$ rows and a packing of $N = 2^k$; the nearest function of $m$ units to the
        class of Lemma 3; the risk of any learner, at $k$ rows with values $\pm a_k$, and for
        squared loss at given rows; the spectral error of any map, by its rank and by one direction
        $v$ at any rank: $t_1(\delta)/(v^\top Kv + \lambda)$; that of plain Fourier features by the
        rarest frequency that is drawn.
        """
    ),
    proof=prose(
        r"""
        Features of orthonormal rows are independent. Large deviations: the law tilted by
        $e^{\theta F}$ has the mean $\mu_\theta$, and the event that the mean of $m$ products is
        between it and $z$ standard deviations beyond has there at least $\Phi(z) - 1/2$ less two
        errors of the normal limit. Of $m$ vectors with exchangeable coordinates in dimension $2m$
        the span holds half of each coordinate, in the mean. Two coins of bias $\epsilon$ are
        told apart no better than by their majority, and so are the coins of $k$ rows, each by its
        own samples. The kernel's ball on the rows has Pinsker's box within. A
        frequency that is drawn has its part of the mean, however little the kernel has of it.
        """
    ),
    checks=(
        Check(form="printed", name="one pair", run=one_pair),
        Check(form="proved", name="all pairs", run=all_pairs),
        Check(form="proved", name="a packing", run=uniform),
        Check(form="proved", name="the best learner of two laws", run=risk),
        Check(form="proved", name="the best learner of many laws", run=many_laws),
        Check(form="proved", name="estimators of normal means", run=rows),
        Check(form="proved", name="a missing row", run=rank),
        Check(form="proved", name="one direction", run=direction),
        Check(form="proved", name="a rare draw", run=rare),
        Check(form="proved", name="one frequency", run=grid),
        Check(form="proved", name="the nearest function", run=nearest),
    ),
)
