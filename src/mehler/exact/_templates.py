"""Rotation-invariant laws of a template: a random vector t, whose <t, x> make features of x.

Joint probabilities of two such products follow from the integral T(h, theta) of
`TemplateLaw.wedge`. How it is computed, with proofs: :doc:`/theorems/certified-balls`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler._validate import require_choice, require_integer, require_positive, require_reals

Floats = NDArray[np.float64]
_FAR = 1e100  # nothing is longer, and squares stay finite
LAWS = ("sphere", "gaussian", "redraw", "zero")


def _at_least_zero(name: str, values: Any) -> Floats:
    """Return lengths of at least 0, longer ones cut at `_FAR`."""
    lengths = require_reals(name, values, finite=False)
    if not (lengths >= 0.0).all():  # NaN fails too
        raise ValueError(f"{name} must be at least 0")
    return np.minimum(lengths, _FAR)


def _angles(values: Any) -> Floats:
    theta = require_reals("theta", values)
    if (np.abs(theta) > 0.5 * np.pi * (1.0 + 1e-12)).any():
        raise ValueError("theta must lie in [-pi/2, pi/2]")
    return theta


def sphere_wedge(h: Floats, theta: Floats, n_inputs: int) -> Floats:
    """Compute T(h, theta) of `TemplateLaw.wedge` on the sphere, h >= 0, with error below 1e-14."""
    inside = h < 1.0
    h = np.where(inside, h, 0.5)
    arc = np.minimum(np.abs(theta), np.arccos(h))
    for integral in powers(h, arc, n_inputs):  # noqa: B007  # the last one
        pass
    return np.where(inside, np.sign(theta) * integral / (2.0 * np.pi), 0.0)


def powers(h: Floats, arc: Floats, n_inputs: int) -> Iterator[Floats]:
    """Yield J_p, the integral of (1 - (h/cos)^2)^p over the arc, p from 0 or -1/2 to (d - 2)/2."""
    sine, cosine = np.sin(arc), np.cos(arc)
    short = (1.0 - h) * (1.0 + h)
    # Both arcs below share one root: where it is small their errors cancel.
    root = np.sqrt(np.maximum((cosine - h) * (cosine + h), 0.0))
    scale = cosine * np.sqrt(short)
    z = np.minimum(h * sine / scale, 1.0)
    rest = np.minimum((root / scale) ** 2, 1.0)  # 1 - z^2
    if n_inputs % 2 == 0:
        p, total, inner, power = 1.0, arc, z, np.sqrt(short)
        side = z * rest
    else:
        p, inner, power = 0.5, np.arctan2(h * sine, root), np.ones_like(h)
        total = np.arctan2(sine, root)
        side = z * np.sqrt(rest)
    yield total
    for _ in range((n_inputs - 1) // 2):
        total = total - h * power * inner
        yield total
        inner = (2.0 * p * inner + side) / (2.0 * p + 1.0)
        side *= rest
        power = power * short
        p += 1.0


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
# Quadrature on [0, 1], clustered at 1 as sin(pi x/2) does: roots that vanish there become smooth.
UNIT_NODES = np.sin(0.25 * np.pi * (1.0 + _NODES))
UNIT_WEIGHTS = 0.25 * np.pi * _WEIGHTS * np.cos(0.25 * np.pi * (1.0 + _NODES))


def truncated_wedge(h: Floats, theta: Floats, n_inputs: int, reach: float) -> Floats:
    """Compute the same T for normal t of lengths below `reach`, with error below 1e-12."""
    from scipy.special import gammainc, gammaln, owens_t

    d, c = n_inputs, n_inputs * reach**2
    inside = h < reach
    h = np.where(inside, h, 0.5 * reach)
    arc = np.minimum(np.abs(theta), np.arccos(h / reach))
    total = 2.0 * np.pi * owens_t(h * math.sqrt(d), np.tan(arc))
    if d % 2:
        total = total - math.exp(-0.5 * c) * _rest(h, arc, d, c)
    for j, integral in enumerate(powers(h / reach, arc, d)):
        k = j - 0.5 * (d % 2)
        if k >= 0.0:
            weight = math.exp(k * math.log(0.5 * c) - 0.5 * c - gammaln(k + 1.0))
            total = total - weight * integral
    total = total / gammainc(0.5 * d, 0.5 * c)
    return np.where(inside, np.sign(theta) * total / (2.0 * np.pi), 0.0)


def _rest(h: Floats, arc: Floats, d: int, c: float) -> Floats:
    """Integrate e^x erfc(sqrt(x)), x = (c - dr^2)/2 and r = h / cos, over the arc."""
    from scipy.special import erfcx

    total = np.zeros_like(arc)
    for node, weight in zip(UNIT_NODES, UNIT_WEIGHTS):
        square = d * (h / np.cos(node * arc)) ** 2
        total += weight * erfcx(np.sqrt(0.5 * np.maximum(c - square, 0.0)))
    return arc * total


@dataclass(frozen=True)
class TemplateLaw:
    """Distribution of a random template t in d dimensions.

    Parameters
    ----------
    name : {'sphere', 'gaussian', 'redraw', 'zero'}
        Uniform on the unit sphere; N(0, I/d); N(0, I/d) given that the squared length is below
        1 + epsilon; the same where a rejected template has features of zero instead of another
        draw (probability 1 - `mass`).
    n_inputs : int
        Dimension d, at least 2; Gaussian templates also 1.
    epsilon : float
        Margin of the last two.

    Examples
    --------
    >>> law = TemplateLaw("sphere", 3)
    >>> round(law.slope, 12), law.reach  # half the mean size of a coordinate; the largest length
    (0.25, 1.0)
    """

    name: str
    n_inputs: int
    epsilon: float = 0.3

    def __post_init__(self) -> None:
        require_choice("templates", self.name, LAWS)
        least = 1 if self.name == "gaussian" else 2
        if require_integer("n_inputs", self.n_inputs) < least:
            raise ValueError(
                f"templates={self.name!r} need n_inputs of at least 2, not {self.n_inputs}; "
                "on a line use templates='gaussian'"
            )
        object.__setattr__(self, "epsilon", require_positive("epsilon", self.epsilon))

    @property
    def truncated(self) -> bool:
        """Whether long templates are rejected."""
        return self.name in ("redraw", "zero")

    @property
    def mass(self) -> float:
        """Probability that a template is not replaced by features of zero."""
        return self._within(0) if self.name == "zero" else 1.0

    @property
    def reach(self) -> float:
        """Largest length of a template: projections of unit rows stay below it."""
        if self.name == "gaussian":
            return math.inf
        return math.sqrt(1.0 + self.epsilon) if self.truncated else 1.0

    @property
    def mean_absolute(self) -> float:
        """Mean of abs<t, u> for a unit vector u, given that t is not rejected."""
        d = self.n_inputs
        if self.name == "sphere":
            return math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)
        ratio = self._within(1) / self._within(0) if self.truncated else 1.0
        return math.sqrt(2.0 / (math.pi * d)) * ratio

    @property
    def mean_square(self) -> float:
        """Mean of <t, u>^2 for a unit vector u, given that t is not rejected."""
        ratio = self._within(2) / self._within(0) if self.truncated else 1.0
        return ratio / self.n_inputs

    @property
    def slope(self) -> float:
        """Slope kappa of a kernel s - kappa distance: half of E abs<t, u>, 0 for rejected ones."""
        return 0.5 * self.mass * self.mean_absolute

    def tail(self, h: ArrayLike) -> Floats:
        """Compute P(<t, u> > h), h >= 0, for a unit vector u, given that t is not rejected."""
        from scipy.special import betainc, ndtr

        h = _at_least_zero("h", h)
        if self.name == "gaussian":
            return ndtr(-h * math.sqrt(self.n_inputs))
        if self.name == "sphere":
            inside = np.maximum(1.0 - np.minimum(h, 1.0) ** 2, 0.0)
            return 0.5 * betainc(0.5 * (self.n_inputs - 1), 0.5, inside)
        return 2.0 * self.wedge(h, np.full(h.shape, 0.5 * np.pi))

    def wedge(self, h: ArrayLike, theta: ArrayLike) -> Floats:
        r"""Evaluate the integral that gives all joint probabilities.

        .. math:: T(h, \theta) = \frac1{2\pi}\int_0^\theta P(\rho > h/\cos\phi)\,d\phi

        with rho the length of the projection of t on a plane, h >= 0 and theta in [-pi/2, pi/2];
        Owen's function for Gaussian templates.
        """
        h = _at_least_zero("h", h)
        theta = _angles(theta)
        if self.name == "sphere":
            return sphere_wedge(h, theta, self.n_inputs)
        if self.name == "gaussian":
            from scipy.special import owens_t

            return owens_t(h * math.sqrt(self.n_inputs), np.tan(theta))
        return truncated_wedge(h, theta, self.n_inputs, self.reach)

    def wedge_below(self, y: ArrayLike, theta: ArrayLike) -> Floats:
        r"""Integrate the wedge in its first argument.

        .. math:: \int_0^y T(h, \theta)\,dh = \frac1{2\pi}\int_0^\theta \cos\phi
                  \;E\min\Big(\rho, \frac y{\cos\phi}\Big) d\phi, \qquad y \ge 0
        """
        y = _at_least_zero("y", y)
        theta = _angles(theta)
        if self.name == "gaussian":
            return self._owen_below(y, theta)
        # Where y / cos exceeds the reach, the inner mean is that of rho: sines.
        arc = np.abs(theta)
        start = np.minimum(arc, np.arccos(np.minimum(y / self.reach, 1.0)))
        outer = self._mean_planar(math.inf) * (np.sin(arc) - np.sin(start))
        inner = np.zeros_like(start)
        for node, weight in zip(UNIT_NODES, UNIT_WEIGHTS):
            cosine = np.cos(node * start)
            inner += weight * cosine * self._mean_planar(y / cosine)
        return np.sign(theta) * (outer + start * inner) / (2.0 * np.pi)

    def excess_square(self, y: ArrayLike) -> Floats:
        """Compute E (abs<t, u> - y)_+^2 for a unit vector u: the mean square beyond a window."""
        y = _at_least_zero("y", y)
        far = min(self.reach, 1e3)
        width = np.maximum(far - y, 0.0)
        if self.name == "gaussian":  # negligible beyond 12 standard deviations
            width = np.minimum(width, 12.0 / math.sqrt(self.n_inputs))
        total = np.zeros_like(width)
        for node, weight in zip(UNIT_NODES, UNIT_WEIGHTS):
            total += weight * node * self.tail(y + node * width)
        # E (X - y)_+^2 = integral over v > 0 of 2 v P(X > y + v), and both signs.
        return 4.0 * width * width * total

    def _within(self, more: int) -> float:
        """Compute P(chi^2 with d + more degrees of freedom < d (1 + epsilon))."""
        from scipy.special import gammainc

        d = self.n_inputs
        return float(gammainc(0.5 * (d + more), 0.5 * d * (1.0 + self.epsilon)))

    def _planar_tail(self, r: Floats) -> Floats:
        """Compute P(rho > r) = e^{-dr^2/2} P(chi_d^2 < c - dr^2) / P(chi_d^2 < c), if truncated."""
        from scipy.special import gammainc

        d = self.n_inputs
        room = np.maximum(d * (self.reach**2 - r * r), 0.0)
        return np.exp(-0.5 * d * r * r) * gammainc(0.5 * d, 0.5 * room) / self._within(0)

    def _mean_planar(self, most: Any) -> Any:
        """Compute E min(rho, most)."""
        from scipy.special import beta, betainc

        if isinstance(most, float) and most == math.inf:
            return 0.5 * np.pi * self.mean_absolute
        d = self.n_inputs
        if self.name == "sphere":
            square = np.minimum(most, 1.0) ** 2
            return 0.5 * beta(0.5, 0.5 * d) * betainc(0.5, 0.5 * d, square)
        top = np.minimum(most, self.reach)
        total = np.zeros_like(top)
        for node, weight in zip(UNIT_NODES, UNIT_WEIGHTS):
            total += weight * self._planar_tail(node * top)
        return top * total

    def _owen_below(self, y: Floats, theta: Floats) -> Floats:
        """Integrate by parts: dT/dh = -phi(h) erf(h tan / sqrt 2) / 2 in units of 1/sqrt(d)."""
        from scipy.special import erf

        root = math.sqrt(self.n_inputs)
        u, slope = y * root, np.tan(theta)
        density = np.exp(-0.5 * u * u) / math.sqrt(2.0 * math.pi)
        value = (
            u * self.wedge(y, theta)
            - 0.5 * density * erf(u * slope / math.sqrt(2.0))
            + np.sin(theta) / math.sqrt(8.0 * math.pi) * erf(u / (np.cos(theta) * math.sqrt(2.0)))
        )
        return value / root
