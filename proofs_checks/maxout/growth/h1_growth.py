"""Section 2.1: h_1(q) grows like sqrt(2 log q), and the slope of kappa at 0 like 2 log q / q."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mehler import exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from ._growth import LARGEST, RATED, expansion, in_next_order, lower_mean, mean, upper_mean

Moment = Callable[[int], float]
Rate = Callable[[float], float]

_POOLS = (2, 3, 4, 5, 8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)
# How close to the limit the bounds must have come at q = 10^300 for a limit to be confirmed.
_CLOSE = 0.02


def _first_moment(q: int) -> float:
    return float(exact.max_moment(1, q))


def limit(context: Context, *, rate: Rate = upper_mean) -> Evidence:
    """Hold the ratio of h_1 to sqrt(2 log q) at an enormous q against its limit 1."""
    return Evidence.exact_comparison(
        form="printed",
        claim=r"$h_1(q)/\sqrt{2\log q} \to 1$: proved bounds for the ratio at $q = 10^{300}$",
        observed=mean(LARGEST) / rate(LARGEST),
        exact=1.0,
        interval=(lower_mean(LARGEST) / rate(LARGEST), upper_mean(LARGEST) / rate(LARGEST)),
        resolution=_CLOSE,
        method="bounds of the proof, evaluated",
        plots=(_plot(),),
    )


def slope(
    context: Context, *, rate: Rate = lambda q: 2 * math.log(q) / q, at: float = LARGEST
) -> Evidence:
    """Hold a_1 over 2 log q / q at an enormous q against its limit 1."""
    low, high = (bound(at) ** 2 / (at - 1) / rate(at) for bound in (lower_mean, upper_mean))
    return Evidence.exact_comparison(
        form="printed",
        claim=(
            r"$a_1(q) = \frac{2\log q}{q}(1 + \varepsilon(q))$ with $\varepsilon \to 0$: proved "
            r"bounds for the ratio at $q = 10^{300}$"
        ),
        observed=mean(at) ** 2 / (at - 1) / rate(at),
        exact=1.0,
        interval=(low, high),
        resolution=_CLOSE,
        method="bounds of the proof, evaluated",
        plots=(_slope_plot(),),
    )


def bounds(context: Context, *, moment: Moment = _first_moment) -> Evidence:
    """Hold h_1 against the proved bounds at every pool size of a list."""
    error = 1e-13  # relative, of the moment
    # Where 0 is the upper bound and 1 the lower one.
    places = [
        ((upper_mean(q) - moment(q)) / (upper_mean(q) - lower_mean(q)), error * moment(q), q)
        for q in _POOLS
    ]
    place, slack, q = max(places, key=lambda one: abs(one[0] - 0.5))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$\max_t\,t\,(1-\Phi(t)^q) - 2^{1-q}/\sqrt{2\pi} \le h_1(q) \le \sqrt{2\log q}$: "
            f"place between the bounds, 0 at the upper one (nearest to an end: $q = {q}$)"
        ),
        observed=place,
        interval=(place - slack, place + slack),
        lower=0.0,
        upper=1.0,
        method="quadrature with its error bound",
    )


def _plot() -> Plot:
    q = 10.0 ** np.concatenate([np.linspace(0.31, 6, 40), np.linspace(7, 300, 60)])
    first = np.asarray([mean(one) for one in q])
    twice = 2 * np.log(q)
    corrected = twice - np.log(2 * np.pi * twice) + 2 * np.euler_gamma
    positive = corrected > 0
    return Plot(
        title="Mean of the maximum over sqrt(2 log q)",
        x_label="log10 of the pool size",
        y_label="ratio",
        series=(
            Series(label="h_1 / sqrt(2 log q)", x=np.log10(q), y=first / np.sqrt(twice)),
            Series(
                label="with the finite-pool correction",
                x=np.log10(q[positive]),
                y=first[positive] / np.sqrt(corrected[positive]),
            ),
        ),
        caption=(
            "The limit 1 is true and out of reach: 0.93 at a million, 0.997 at 10^300. Two "
            "correction terms are within one per cent from q = 3 on."
        ),
    )


def _slope_plot() -> Plot:
    q = np.unique(np.round(np.logspace(math.log10(2), 6, 40)))
    first = np.asarray([mean(one) for one in q])
    return Plot(
        title="Slope of the collision probability at correlation 0",
        x_label="log10 of the pool size",
        y_label="slope times q / (2 log q)",
        series=(
            Series(label="exact", x=np.log10(q), y=first**2 * q / (q - 1) / (2 * np.log(q))),
            Series(label="printed limit", x=np.log10(q[[0, -1]]), y=(1.0, 1.0)),
        ),
        caption=(
            "At pool sizes in use the slope is about half of the printed rate: 0.46 at q = 2, "
            "0.56 at q = 8."
        ),
    )


def next_terms(context: Context, *, terms: Rate = expansion) -> Evidence:
    """Hold the expansion of h_1^2 against its own next order, up to an enormous q."""
    worst, q = max((in_next_order(mean(q) ** 2 - terms(q), q), q) for q in RATED)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$h_1^2 = 2\log q - \log(4\pi\log q) + 2\gamma + o(1)$: the error in units of "
            rf"$\log\log q/\log q$, up to $q = 10^{{300}}$ (largest at $q = {q:g}$)"
        ),
        observed=worst,
        interval=(worst - 1e-6, worst + 1e-6),
        upper=0.4,
        method="quadrature with its error bound",
    )


STATEMENT = Statement(
    id="maxout.h1-growth",
    source="Mroueh, Rennie, Goel (2015), Section 2.1",
    place="Section 2.1; our copy, lines 91 to 97",
    hypotheses=prose(r"""
        $q \to \infty$. The slope is printed with a factor $1 + \varepsilon(q)$, $\varepsilon \to
        0$, and then without it; it is read as the same limit.
        """),
    title="Growth of the mean of the maximum, and of the slope at 0",
    expected="holds",
    ground=prose("""
        A proof, and its bounds evaluated at $q = 10^{300}$, where they are within two per cent of
        the limit.
        """),
    printed=(
        r"h_1(q) \sim \sqrt{2\log q}, \qquad "
        r"a_1(q) = \frac{2\log q}{q}\left(1 + \varepsilon(q)\right), \quad \varepsilon(q) \to 0"
    ),
    printed_text=prose(r"""
        The mean of the maximum of $q$ standard normals is asymptotically $\sqrt{2\log q}$, so that
        near correlation 0 the collision probability is linear with a slope of asymptotically $2\log
        q/q$.
        """),
    proved=(
        r"\max_{t>0}\,t\left(1-\Phi(t)^q\right) - \frac{2^{1-q}}{\sqrt{2\pi}} \le h_1(q) \le "
        r"\sqrt{2\log q}, \qquad h_1^2(q) = 2\log q - \log(4\pi\log q) + 2\gamma + o(1), \qquad "
        r"a_1(q) = \frac{h_1^2(q)}{q-1}"
    ),
    proved_text=prose(r"""
        Bounds at every $q \ge 2$, and the two terms by which the limit is missed; $\gamma$ is
        Euler's constant.
        """),
    proof=prose(r"""
        Upper bound: $e^{th_1} \le E e^{tM} \le q e^{t^2/2}$ for $t > 0$; take $t = \sqrt{2\log q}$.
        Lower bound: $EM \ge t\,P(M > t) - E\max(-M, 0)$, where $P(M > t) = 1 - \Phi(t)^q$ and
        $E\max(-M,0) = \int_0^\infty\Phi(-s)^q ds \le 2^{1-q}\int_0^\infty\Phi(-s)ds =
        2^{1-q}/\sqrt{2\pi}$. With $t = \sqrt{2(1-\epsilon)\log q}$, $q\,\Phi(-t) \ge
        q\frac{t}{1+t^2}\varphi(t)$ grows like $q^{\epsilon}$ up to logarithms, hence $\Phi(t)^q \le
        e^{-q\Phi(-t)} \to 0$ and $\liminf h_1/\sqrt{2\log q} \ge \sqrt{1-\epsilon}$ for every
        $\epsilon$. The slope is $a_1 = h_1^2/(q-1)$ (maxout.theorem-1-series). Correction: $a_q(M -
        b_q)$ tends to a Gumbel variable, of mean $\gamma$, with $a_q = \sqrt{2\log q}$ and $b_q =
        a_q - \log(4\pi\log q)/(2a_q)$, and the moments converge too (Pickands 1968); square $h_1 =
        b_q + \gamma/a_q + o(1/a_q)$.
        """),
    note=prose(r"""
        True as limits, and far from them at any pool in use: $h_1/\sqrt{2\log q}$ is 0.48 at $q =
        2$, 0.70 at $q = 8$, 0.93 at $q = 10^6$, and the slope is 0.46 to 0.56 of $2\log q/q$ for $q
        \le 8$. Use $h_1^2/(q-1)$.
        """),
    checks=(
        Check(form="printed", name="the limit, by proved bounds", run=limit),
        Check(form="printed", name="the slope at 0, by proved bounds", run=slope),
        Check(form="proved", name="finite pools", run=bounds),
        Check(form="proved", name="the expansion", run=next_terms),
    ),
)
