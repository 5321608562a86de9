"""Appendix A: sigma^2(q) grows like 2 log q, not like log q."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mehler import exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from ._growth import LARGEST, lower_mean, mean, upper_mean

Rate = Callable[[float], float]
Moment = Callable[[int], float]

_POOLS = (2, 3, 4, 5, 8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)
_CLOSE = 0.02


def printed(context: Context, *, rate: Rate = math.log) -> Evidence:
    """Hold sigma^2 over log q at an enormous q against the limit 1."""
    return _limit(
        rate,
        form="printed",
        claim=r"$\sigma^2(q)/\log q \to 1$: proved bounds for the ratio at $q = 10^{300}$",
    )


def proved(context: Context, *, rate: Rate = lambda q: 2 * math.log(q)) -> Evidence:
    """Hold sigma^2 over 2 log q at an enormous q against the limit 1."""
    return _limit(
        rate,
        form="proved",
        claim=r"$\sigma^2(q)/(2\log q) \to 1$: proved bounds for the ratio at $q = 10^{300}$",
        plots=(_plot(),),
    )


def bounds(context: Context, *, moment: Moment = exact.sigma2) -> Evidence:
    """Hold sigma^2 against its bounds at every pool size of a list."""
    error = 1e-13  # relative, of the moment
    # Where 0 is the upper bound and 1 the lower one.
    places = []
    for q in _POOLS:
        low, high = _bounds(q)
        places.append(((high - moment(q)) / (high - low), error * moment(q), q))
    place, slack, q = max(places, key=lambda one: abs(one[0] - 0.5))
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$(\max_t\,t\,(1-\Phi(t)^q) - 2^{1-q}/\sqrt{2\pi})^2 \le \sigma^2(q) \le "
            r"1 + 2\log q$: place between the bounds, 0 at the upper one "
            f"(nearest to an end: $q = {q}$)"
        ),
        observed=place,
        interval=(place - slack, place + slack),
        lower=0.0,
        upper=1.0,
        method="quadrature with its error bound",
    )


def _bounds(q: float) -> tuple[float, float]:
    return max(lower_mean(q), 0.0) ** 2, 1 + upper_mean(q) ** 2


def _limit(rate: Rate, **texts: object) -> Evidence:
    low, high = (bound / rate(LARGEST) for bound in _bounds(LARGEST))
    return Evidence.exact_comparison(
        # The variance of the maximum, below 0.0012 there, is left out of what is shown.
        observed=mean(LARGEST) ** 2 / rate(LARGEST),
        exact=1.0,
        interval=(low, high),
        resolution=_CLOSE,
        method="bounds of the proof, evaluated",
        **texts,  # type: ignore[arg-type]  # values of one dict, of several types
    )


def _plot() -> Plot:
    q = np.unique(np.round(np.logspace(math.log10(2), 6, 40)))
    second = np.asarray([exact.sigma2(int(one)) for one in q])
    ends = np.log10(q[[0, -1]])
    return Plot(
        title="Second moment of the maximum over log q",
        x_label="log10 of the pool size",
        y_label="sigma^2 / log q",
        series=(
            Series(label="exact", x=np.log10(q), y=second / np.log(q)),
            Series(label="printed limit", x=ends, y=(1.0, 1.0)),
            Series(label="true limit", x=ends, y=(2.0, 2.0)),
        ),
        caption=(
            "From q = 4 on the ratio moves away from the printed limit, to 1.72 at a million and "
            "1.99 at 10^300."
        ),
    )


STATEMENT = Statement(
    id="maxout.sigma2-growth",
    source="Mroueh, Rennie, Goel (2015), Appendix A, after equation (6)",
    place="Appendix A, after equation (6); our copy, line 272",
    hypotheses=prose(r"""
        $q \to \infty$. The sign $\sim$ is read as equality up to a factor that tends to 1: so it is
        used of $h_1$ in Section 2.1, where the paper puts in the constant. As an order of growth
        with the constant left open the print stands.
        """),
    title="Growth of the second moment of the maximum",
    expected="refuted, repaired",
    ground=prose(r"""
        A proof, and its bounds evaluated at $q = 10^{300}$: the ratio to $\log q$ is at least 1.98.
        """),
    printed=r"\sigma^2(q) \sim \log q",
    printed_text=r"The second moment of the maximum of $q$ standard normals is about $\log q$.",
    proved=(
        r"\sigma^2(q) \sim 2\log q, \qquad h_1^2(q) \le \sigma^2(q) \le h_1^2(q) + 1 "
        r"\le 2\log q + 1"
    ),
    proved_text=r"It is about $2\log q$: the square of the mean, up to a variance of at most 1.",
    flaw=prose(r"""
        A factor of 2: the maximum concentrates at $\sqrt{2\log q}$, as the paper itself says of its
        mean. Only as an order of growth, constants left open, does the print stand.
        """),
    proof=prose(r"""
        $\sigma^2 = h_1^2 + \mathrm{Var}(M)$. The maximum is 1-Lipschitz, so $\mathrm{Var}(M) \le 1$
        by Poincaré's inequality, and $h_1^2 \le 2\log q$, $h_1 \sim \sqrt{2\log q}$ by
        maxout.h1-growth. The ratio to $\log q$ stays away from 1: with $t^2 = \frac85\log q$,
        $q\,\Phi(-t) \ge \frac{t}{(1+t^2)\sqrt{2\pi}}\,q^{1/5}$, which increases and exceeds 14 from
        $q = 10^{12}$ on; there $P(M > t) \ge 1 - e^{-14}$ and $\sigma^2 \ge E[M^2; M > t] \ge
        1.599\log q$.
        """),
    note=prose(r"""
        More precisely $\sigma^2 = 2\log q - \log(4\pi\log q) + 2\gamma + o(1)$, because the
        variance tends to 0 like $\pi^2/(12\log q)$. Values: 1, 1.55, 2.40, 3.41, 10.67 for $q = 2,
        4, 8, 16, 1024$.
        """),
    checks=(
        Check(form="printed", name="ratio to log q, by proved bounds", run=printed),
        Check(form="proved", name="ratio to 2 log q, by proved bounds", run=proved),
        Check(form="proved", name="finite pools", run=bounds),
    ),
)
