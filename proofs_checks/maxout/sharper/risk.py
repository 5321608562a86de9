"""Theorem 2 with the variance of a unit, and with the norms of the sample's features."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

from mehler import exact
from mehler.bounds import Bound, maxout
from mehler.statements import Check, Context, Evidence, Statement

from ..._dedent import prose
from ..._worlds import World, hold_worlds
from ..risk import _tight_worlds as worlds

Bounding = Callable[..., Bound]


def _signs(bound: Bounding) -> Iterator[World]:
    """Take independent signs for weights: C^2 V/m is the mean square, for every pool."""
    for q in (1, 4, 1024):
        value = bound(n_features=7, pool_size=q, scale=0.5, centred=True).value
        variance = exact.sigma2(q) - exact.max_moment(1, q) ** 2
        truth = 0.5 * math.sqrt(variance / 7)
        # V cancels: sigma^2 and h_1^2 are good to 1e-14 of themselves, up to 30 V here.
        yield World(f"random signs, q = {q}", (truth * (1 - 1e-11), truth * (1 - 1e-12)), value)


def nearest(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Hold Lemma 3 for centred units, in mean square and where the box falls short."""

    def centred(**options: Any) -> Bound:
        return bound(**options, centred=True)

    return hold_worlds(
        [*_signs(bound), *worlds.nearest_falls_short(centred, worlds.FREE[3])],
        form="printed",
        claim="distance from the box of centred units",
    )


def risk(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the bound by the variance; linear units are centred as they are."""

    def centred(**options: Any) -> Bound:
        return bound(**options, centred=True)

    shape = worlds.FREE[2]
    return hold_worlds(
        [
            *worlds.wrong_sign(centred, shape),
            worlds.learnt_by_heart(centred, shape),
            *worlds.falls_short(centred, shape),
            worlds.learnt_by_heart_mean(centred),
            worlds.falls_short_mean(centred, n_samples=worlds.ENDLESS**2),
        ],
        form="printed",
        claim="excess risk with centred units",
    )


def of_the_sample(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Hold the bound by the sample's norms in the same worlds.

    Endless units of one input have the mean size R E|g|; of orthogonal inputs, each seen at most a
    tenth more often than its share, at most R sqrt(1.1).
    """
    shape = dataclasses.replace(worlds.FREE[2], events=2)

    def one_input(**options: Any) -> Bound:
        return bound(**options, mean_norm=worlds.MEAN * options.get("radius", 1.0))

    def orthogonal(**options: Any) -> Bound:
        return bound(**options, mean_norm=options.get("radius", 1.0) * math.sqrt(1.1))

    return hold_worlds(
        [
            *worlds.wrong_sign(one_input, shape),
            worlds.learnt_by_heart(orthogonal, shape),
            *worlds.falls_short(one_input, shape),
        ],
        form="proved",
        claim="excess risk by the norms of the sample's features",
    )


STATEMENT = Statement(
    id="maxout.sharper-risk",
    source="Ours, after Mroueh, Rennie, Goel (2015), Theorem 2; Bartlett, Mendelson (2002)",
    place="Ours; the empirical complexity is a known step, as recalled",
    copy="none",
    hypotheses=prose(r"""
        As in Theorem 2 in its dimension-free shape. Centred units are $\phi(x, W) - h_1(q)|x|$; the
        classes are those of these units.
        """),
    title="Theorem 2, sharper: centred units, and the sample's own norms",
    expected="holds",
    ground=prose(r"""
        The worlds of Theorem 2, for linear units, which are centred; random signs for pools of 4
        and 1024, where the mean square is an equality with $V(q)$.
        """),
    printed=(
        r"\mathcal E_V(\hat f_N) - \inf_{\mathcal F}\mathcal E_V \le \frac{2LCR}{\sqrt N}"
        r"\left(\sqrt{V(q)} + \frac u{\sqrt m}\right) + \frac{Bu}{\sqrt N} + \frac{LCR}{\sqrt m}"
        r"\left(\sqrt{V(q)} + u\right), \quad u = \sqrt{2\log(1/\delta)}"
    ),
    printed_text=prose(r"""
        For centred units, with probability at least $1 - 3\delta$; in expectation without $u$. $V$
        is the variance of the largest of $q$ standard normals, at most 1, and falls like
        $\pi^2/(12\log q)$.
        """),
    proved=(
        r"\mathcal E_V(\hat f_N) - \inf_{\mathcal F}\mathcal E_V \le \frac{2LC}{\sqrt N}\,"
        r"\frac1m\sum_\ell\left(\frac1N\sum_i\phi(x_i, W^\ell)^2\right)^{1/2} + \frac{2Bu}"
        r"{\sqrt N} + \frac{LCR}{\sqrt m}(\sigma + u)"
    ),
    proved_text=prose(r"""
        For units of either kind, with probability at least $1 - 2\delta$: the first term is
        computed from the sample and the units that were drawn.
        """),
    proof=prose(r"""
        Subtracting $h_1(q)|x|$ changes neither the Lipschitz constant of a unit in its weights nor
        the independence of units; only $E\phi^2 = \sigma^2|x|^2$ enters beside them, and becomes
        $V|x|^2$. For the second bound take McDiarmid's inequality for the largest gap less twice
        the empirical complexity: one sample changes it by at most $4B/N$, and its mean is at most
        0. Contraction, and the inequality of Cauchy and Schwarz over signs.
        """),
    checks=(
        Check(form="printed", name="Lemma 3 of centred units", run=nearest),
        Check(form="printed", name="the risk with centred units", run=risk),
        Check(form="proved", name="by the sample's norms", run=of_the_sample),
    ),
)
