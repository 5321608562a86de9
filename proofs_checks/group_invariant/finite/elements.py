"""What sampled elements change in the kernel: of second order, and less for distinct ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from scipy import stats

from mehler.bounds import Bound, group_invariant
from mehler.statements import Check, Context, Evidence, Statement

from ..._dedent import prose
from ..._worlds import World, hold_worlds

Bounding = Callable[..., Bound]
# Of a line: Gaussian templates, E|t|/2.
_SLOPE = math.sqrt(1 / (2 * math.pi))
# Binomial and hypergeometric tails are right to this part of themselves.
_ROUNDING = 1e-7


def line(bound: Bounding) -> Iterator[World]:
    """Take one row of a line, and a group that acts by its two directions, equally often.

    With a share p of flips the kernel at (x, x) is off by kappa (2 p - 1)^2: p is binomial for
    independent elements, hypergeometric for distinct ones. The row is 1 from its orbit in the mean.
    """
    known: dict[str, Any] = {"n_inputs": 1, "templates": "gaussian", "spread": 1.0}
    for r, order in ((10**6, None), (30, 40), (30, 60), (59, 60), (7, 10**6)):
        left = 1.0 if order is None else (order - r) / (order - 1)
        mean = _SLOPE / r * left
        value = bound(r, group_order=order, **known).value
        yield World(f"mean, {r} of {order}", (mean * (1 - 1e-12), mean), value * (1 + 1e-12))
    for r, order, failure in (
        (4 * 10**6, None, 1e-250),
        (10**6, None, 1e-2),
        (10**5, 4 * 10**5, 1e-100),
        (3 * 10**5, 4 * 10**5, 1e-100),
    ):
        value = bound(r, group_order=order, delta=failure, **known).value
        far = math.sqrt(value / _SLOPE) / 2
        law = stats.binom(r, 0.5) if order is None else stats.hypergeom(order, order // 2, r)
        chance = 2 * float(law.sf(math.ceil(r * (0.5 + far)) - 1))
        ends = (chance * (1 - _ROUNDING), chance * (1 + _ROUNDING))
        yield World(f"{r} of {order}, failure {failure:g}", ends, failure)
    yield from long_rows(bound)


def long_rows(bound: Bounding) -> Iterator[World]:
    """Take rows of which the most part does not move: the errors are those of the rest."""
    for r, order, failure in (
        (10**5, 4 * 10**5, 1e-100),
        (3 * 10**5, 4 * 10**5, 1e-100),
    ):
        # One coordinate flips, by which a row is 1 from its orbit in the mean; the other is long.
        value = bound(
            r,
            group_order=order,
            delta=failure,
            n_inputs=2,
            templates="gaussian",
            spread=1.0,
            radius=100.0,
        ).value
        # N(0, 1/2) in either coordinate.
        far = math.sqrt(value / _SLOPE * math.sqrt(2)) / 2
        chance = 2 * float(stats.hypergeom(order, order // 2, r).sf(math.ceil(r * (0.5 + far)) - 1))
        ends = (chance * (1 - _ROUNDING), chance * (1 + _ROUNDING))
        yield World(f"long rows, {r} of {order}, failure {failure:g}", ends, failure)


def tight(context: Context, *, bound: Bounding = group_invariant.elements) -> Evidence:
    """Hold means and tails on the line."""
    return hold_worlds(list(line(bound)), form="printed", claim="error of the kernel by elements")


STATEMENT = Statement(
    id="group-invariant.elements",
    source="Ours, for Mroueh, Voinea, Poggio (2015), Theorem 2",
    place="Ours; the paper's term for elements is of first order",
    copy="none",
    hypotheses=prose(r"""
        Templates of a law that rotations keep; $r$ elements, the same for all templates,
        independent or distinct ones of a group of order $n$; rows of length at most $R$.
        """),
    title="What sampled elements add is of second order",
    expected="holds",
    ground=prose(r"""
        A line with its two directions, where the law of the error is binomial or hypergeometric:
        means are equalities, tails nearly so.
        """),
    printed=(
        r"\max_{i,j}\left|\mathbb{E}_t[\langle\Phi(x_i),\Phi(x_j)\rangle \mid g_1,\dots,g_r] - "
        r"K_s\right| \le \frac\kappa r\min\left\{2VD\log\frac{2N}\delta, "
        r"\left(\sqrt{wD} + \sqrt{2SR\log(N/\delta)}\right)^2\right\}"
    ),
    printed_text=prose(r"""
        With probability at least $1 - \delta$; $\kappa wD/r$ in the mean for each pair. $\kappa =
        \frac12E|t_1|$, $D = \max_iE|x_i - gx_i| \le \sqrt2R$. $V = w = S = 1$ for independent
        elements, and for distinct ones $V = \min\{1, \frac{n-r}r\}$, $w = \frac{n-r}{n-1}$ and $S$
        the smaller of $\frac{(n-r)^2}r \sum_{j=n-r}^{n-1}j^{-2}$ and $r\sum_{j=r}^{n-1}j^{-2}$.
        """),
    proof=prose(r"""
        The error at $x, z$ is the inner product of what sampled distribution functions of $x$ and
        of $z$ lack, as functions of template and threshold: the two cross terms vanish, since the
        law of templates is invariant. Each is a mean of $r$ vectors; its mean square is
        $\kappa wD/r$, and one element changes its norm by at most $2\sqrt{\kappa R}/r$. McDiarmid;
        for distinct elements exchange two, which changes the set only if the other one is not
        drawn later. Or: all these vectors have one length $m \le \sqrt{\kappa D}$, as the law of
        templates is invariant, and $\mathbb{E}\cosh(\lambda|s + X|) \le
        \cosh(\lambda|s|)\cosh(\lambda m)$ for a vector $X$ of length $m$ and mean 0; distinct ones
        have the smaller mean, by Hoeffding's reduction for convex functions.
        """),
    checks=(Check(form="printed", name="two directions of a line", run=tight),),
)
