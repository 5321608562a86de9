"""Risk of a linear classifier on features, by its margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound, Term
from mehler.bounds import margin as bounds
from mehler.statements import Check, Context, Evidence, Statement

from .._dedent import prose
from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from .worlds import _margin as worlds

Bounding = Callable[..., Bound]
_DELTA = 0.1


def drawn(context: Context, *, bound: Bounding = bounds.risk) -> Evidence:
    """Count how often the risk of learnt weights exceeds its bound."""
    context.ledger.spend(f"{STATEMENT.id}: drawn", context.false_alarm)
    n_draws = 1000 if context.quick else 20_000
    settings = ((2, 100, 0.0), (10, 60, 0.0), (3, 100, 0.2))
    cases = [
        Case(drawn=_ratios(context, bound, n_draws, *case), bound=_ONE, where={"setting": case})
        for case in settings
    ]
    return hold_bounds(
        cases,
        form="printed",
        claim=f"risk over its bound exceeds 1 with probability at most {_DELTA:g}",
        false_alarm=context.false_alarm,
        n_features=sum(d for d, _, _ in settings),
    )


_ONE = Bound(
    statement="features.margin",
    form="proved",
    quantity="risk over its bound",
    terms=(Term("ratio", 1.0),),
    probability=1 - _DELTA,
)


def _ratios(context: Context, bound: Bounding, n_draws: int, d: int, n: int, flipped: float) -> Any:
    """Return risks over bounds for the mean of the rows times their labels.

    Normal features, labels by the first of them and flipped with a chance: the risk is that chance,
    and the angle between the weights and the first axis.
    """
    rng = context.rng(f"drawn/{d}/{n}")
    found = np.empty(n_draws)
    for k in range(n_draws):
        rows = rng.standard_normal((n, d))
        y = np.sign(rows[:, 0]) * np.where(rng.random(n) < flipped, -1, 1)
        w = y @ rows
        t = y * (rows @ w) / (np.linalg.norm(w) * np.linalg.norm(rows, axis=1))
        angle = np.arccos(np.clip(w[0] / np.linalg.norm(w), -1, 1))
        risk = flipped + (1 - 2 * flipped) * angle / np.pi
        # Any length may be chosen by a look at the rows.
        scale = 1.5 / np.quantile(np.abs(t), 0.2)
        found[k] = risk / bound(t, delta=_DELTA, scale=scale, thresholds=(0.5,)).total
    return found


def tight(context: Context, *, bound: Bounding = bounds.separated) -> Evidence:
    """Hold margin, weights and threshold where rows are learnt by heart."""
    return hold_worlds(
        [*worlds.learnt_by_heart(bound)], form="printed", claim="probability of a wrong class"
    )


def confident(context: Context, *, bound: Bounding = bounds.separated) -> Evidence:
    """Hold the confidence where errors are those of a coin."""
    return hold_worlds(
        [*worlds.coin(bound)], form="printed", claim="chance that the risk exceeds its bound"
    )


STATEMENT = Statement(
    id="features.margin",
    source="Langford, Shawe-Taylor (2002) and Maurer (2004), as recalled, with a threshold (ours)",
    place="A known result, as recalled, and ours; we have no copy of the papers",
    copy="none",
    hypotheses=prose(
        r"""
        Independent rows of one law; features and thresholds chosen without them. Weights by any
        learner, from the same rows; features of any size and number.
        """
    ),
    title="Risk by margins",
    expected="holds",
    ground=prose(
        r"""
        Rows that are learnt by heart, where margin, weights and threshold are needed; labels of a
        coin, where the chance of failure is a binomial tail; and weights learnt in draws.
        """
    ),
    printed=(
        r"P\left(y\langle w, \phi(x)\rangle \le 0\right) \le \frac1{\Phi(\theta)}\,"
        r"\mathrm{kl}^{-1}\left(\frac1N\sum_{i=1}^N\Phi(\theta - \mu t_i),\; "
        r"\frac{\mu^2/2 + \log(K\xi_N/\delta)}N\right)"
    ),
    printed_text=prose(
        r"""
        With probability at least $1 - \delta$ for all $w$, all $\mu > 0$ and $K$ thresholds
        $\theta$ at once; $t_i = y_i\langle w, \phi(x_i)\rangle/(|w||\phi(x_i)|)$, $\xi_N \le
        \sqrt{\pi N/2}\,e^{1/(12N)} + \frac23$, and $\mathrm{kl}^{-1}(e, c)$ is the largest $p$ with
        $\mathrm{kl}(e, p) \le c$. If all margins are at least $t$, the rate is
        $\frac{\log N}{t^2N}$.
        """
    ),
    proof=prose(
        r"""
        Weights $u \sim N(\mu w/|w|, I)$ err, with the threshold $\theta$, at a row of margin $t$
        with the chance $\Phi(\theta - \mu t)$, at least $\Phi(\theta)$ where the class is wrong.
        For one $u$ the mean of $e^{N\mathrm{kl}}$ is at most $\xi_N$. Change of measure from
        $N(0, I)$ costs $\mu^2/2$, Markov's inequality $\log\frac1\delta$, and $\mathrm{kl}$ is
        convex.
        """
    ),
    checks=(
        Check(form="printed", name="weights learnt in draws", run=drawn),
        Check(form="printed", name="rows learnt by heart", run=tight),
        Check(form="printed", name="labels of a coin", run=confident),
    ),
)
