"""Check the variances of three forms of random features for the kernel K = exp(<x, y>).

With a normal w, positive features are exp(<w, x>), hyperbolic ones exp(<w, x>) and exp(-<w, x>),
trigonometric ones the cosine and sine of <w, x>, each times a factor of |x| (Choromanski and others
2021). Formulas are compared with integrals over w, and the forms with each other.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, check

from .._comparisons import compute

_FORMS = {"positive": (np.exp, 1), "hyperbolic": (np.cosh, 2), "trigonometric": (np.cos, 2)}
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(100)
# Relative error of a rule of a hundred nodes, which is exact to degree 199.
_ROUNDING = 1e-9


def claimed_variance(form: str, t: float, z: float) -> float:
    """Return the claimed variance over K^2 at t = |x + y|^2 and z = |x - y|^2."""
    if form == "positive":
        return float(np.expm1(t))
    return float(4.0 * np.sinh(0.5 * (t if form == "hyperbolic" else z)) ** 2)


def _integrated(form: str, t: float, z: float) -> float:
    """Integrate the same over a normal variable; the last two forms have two columns for each w."""
    (function, columns), waves = _FORMS[form], form == "trigonometric"
    square = z if waves else t
    products = function(_NODES * square**0.5) * np.exp((0.5 if waves else -0.5) * square)
    return columns * float(_WEIGHTS @ (products - 1.0) ** 2) / float(_WEIGHTS.sum())


def _pairs() -> Any:
    """Return (t, z, <x, y>) for rows of several lengths and angles, neither opposite nor equal."""
    grid = np.meshgrid((0.3, 0.7, 1.0), (0.4, 0.9), (-0.95, -0.5, -0.1, 0.1, 0.4, 0.95))
    x, y, cosine = (part.ravel() for part in grid)
    inner, squares = x * y * cosine, x * x + y * y
    return zip(squares + 2.0 * inner, squares - 2.0 * inner, inner, strict=True)


@check("fourier.softmax-variance", form="printed", name="variances of the three forms")
def variances(context: Context, *, claimed: Callable[..., float] = claimed_variance) -> Evidence:
    """Compare each form's variance with its integral."""
    places = [(form, t, z) for form in _FORMS for t, z, _ in _pairs()]
    ratios = [(_integrated(*place) / claimed(*place), place[0]) for place in places]
    ratio, form = max(ratios, key=lambda row: abs(row[0] - 1.0))
    claim = (
        f"variances over $K^2$: integral over formula, farthest of {len(ratios)} from 1 ({form})"
    )
    return compute(claim, ratio, _ROUNDING, exact=1.0, method="Gauss and Hermite's rule")


@check("fourier.softmax-variance", form="printed", name="the form that varies least")
def order(context: Context, *, edge: float = 0.0, positive: bool = True) -> Evidence:
    """Check that hyperbolic forms vary less than positive ones, and the third where <x, y> < 0."""
    gains = []
    for t, z, inner in _pairs():
        plain, paired, waves = (_integrated(form, t, z) for form in _FORMS)
        gains += [(waves - paired) * np.sign(edge - inner), (plain - paired) * (2 * positive - 1)]
    claim = (
        r"hyperbolic features vary less than positive ones, and than trigonometric ones exactly "
        rf"where $\langle x, y\rangle < {edge:g}$: least difference over $K^2$ of {len(gains)}"
    )
    return compute(claim, float(min(gains)), _ROUNDING, lower=0.0, method="computed interval")
