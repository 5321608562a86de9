"""Check how h_1(q), the mean of the largest of q normals, grows with q: like sqrt(2 log q).

The maxout paper (Mroueh, Rennie, Goel 2015), Section 2.1, states this limit, and the rate 2 log q/q
of a_1(q), the slope at correlation 0 of the chance kappa_q that one projection of q is the largest
at both of two rows. Both are compared with proved bounds at an enormous q, and h_1 at other q.
"""

import math
from collections.abc import Callable

import numpy as np

from mehler import exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._plots import plot
from ._growth import LARGEST, RATED, expansion, in_next_order, lower_mean, mean, upper_mean

Moment = Callable[[int], float]
Rate = Callable[[float], float]

_POOLS = (2, 3, 4, 5, 8, 16, 64, 256, 1024, 10**4, 10**5, 10**6)
_CLOSE = 0.02  # the largest distance of the bounds at q = 10^300 that confirms a limit


def _first_moment(q: int) -> float:
    return float(exact.max_moment(1, q))


@check("maxout.h1-growth", form="printed", name="the limit, by proved bounds")
def limit(context: Context, *, rate: Rate = upper_mean) -> Evidence:
    """Compare the ratio of h_1 to sqrt(2 log q) at an enormous q with its limit 1."""
    return Evidence.from_interval(
        claim=r"$h_1(q)/\sqrt{2\log q} \to 1$: proved bounds for the ratio at $q = 10^{300}$",
        observed=mean(LARGEST) / rate(LARGEST),
        exact=1.0,
        interval=(lower_mean(LARGEST) / rate(LARGEST), upper_mean(LARGEST) / rate(LARGEST)),
        resolution=_CLOSE,
        method="bounds of the proof, evaluated",
        plots=(_plot(),),
    )


@check("maxout.h1-growth", form="printed", name="the slope at 0, by proved bounds")
def slope(
    context: Context, *, rate: Rate = lambda q: 2 * math.log(q) / q, at: float = LARGEST
) -> Evidence:
    """Compare the ratio of a_1 to 2 log q/q at an enormous q with its limit 1."""
    low, high = (bound(at) ** 2 / (at - 1) / rate(at) for bound in (lower_mean, upper_mean))
    return Evidence.from_interval(
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


@check("maxout.h1-growth", form="proved", name="finite pools")
def bounds(context: Context, *, moment: Moment = _first_moment) -> Evidence:
    """Compare h_1 with the proved bounds at the pool sizes of a list."""
    error = 1e-13  # relative, of the moment
    # The place of h_1 between the bounds: 0 is the upper bound and 1 the lower one.
    places = [
        ((upper_mean(q) - moment(q)) / (upper_mean(q) - lower_mean(q)), error * moment(q), q)
        for q in _POOLS
    ]
    place, slack, q = max(places, key=lambda row: abs(row[0] - 0.5))
    claim = (
        r"$\max_t\,t\,(1-\Phi(t)^q) - 2^{1-q}/\sqrt{2\pi} \le h_1(q) \le \sqrt{2\log q}$: "
        f"place between the bounds, 0 at the upper one (nearest to an end: $q = {q}$)"
    )
    return compute(
        claim, place, slack, lower=0.0, upper=1.0, method="quadrature with its error bound"
    )


def _plot() -> Plot:
    q = 10.0 ** np.concatenate([np.linspace(0.31, 6, 40), np.linspace(7, 100, 60)])
    first = np.asarray([mean(size) for size in q])
    twice = 2 * np.log(q)
    corrected = twice - np.log(2 * np.pi * twice) + 2 * np.euler_gamma
    positive = corrected > 0
    return plot(
        "Mean of the maximum over √(2 log q)",
        "pool size",
        "ratio",
        Series(label="without correction", x=q, y=first / np.sqrt(twice)),
        Series(
            label="with the finite-pool correction",
            x=q[positive],
            y=first[positive] / np.sqrt(corrected[positive]),
        ),
        log="x",
        caption="The limit 1 is true and out of reach: 0.93 at a million, 0.99 at 10¹⁰⁰. Two "
        "correction terms are within one per cent from q = 3 on.",
    )


def _slope_plot() -> Plot:
    q = np.unique(np.round(np.logspace(math.log10(2), 6, 40)))
    first = np.asarray([mean(size) for size in q])
    return plot(
        "Slope of the collision probability at correlation 0",
        "pool size",
        "slope times q / (2 log q)",
        Series(label="exact", x=q, y=first**2 * q / (q - 1) / (2 * np.log(q))),
        Series(label="printed limit", x=q[[0, -1]], y=(1.0, 1.0)),
        log="x",
        caption="At pool sizes in use the slope is about half of the printed rate: 0.46 at q = 2, "
        "0.56 at q = 8.",
    )


@check("maxout.h1-growth", form="proved", name="the expansion")
def next_terms(context: Context, *, terms: Rate = expansion) -> Evidence:
    """Compare the error of the expansion of h_1^2 with its next order, up to an enormous q."""
    worst, q = max((in_next_order(mean(q) ** 2 - terms(q), q), q) for q in RATED)
    claim = (
        r"$h_1^2 = 2\log q - \log(4\pi\log q) + 2\gamma + o(1)$: the error in units of "
        rf"$\log\log q/\log q$, up to $q = 10^{{300}}$ (largest at $q = {q:g}$)"
    )
    return compute(claim, worst, 1e-6, upper=0.4, method="quadrature with its error bound")
