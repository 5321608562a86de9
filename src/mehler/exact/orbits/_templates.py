"""Rotation-invariant distributions of a random template, determined by the radius."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._validate import require_integer, require_positive
from mehler.exact.orbits import _sphere, _truncated
from mehler.exact.orbits._truncated import AT, BY

LAWS = ("sphere", "gaussian", "redraw", "zero")


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

    See Also
    --------
    Bins : Thresholds of the features.
    mehler.GroupInvariantFeatures : Features of random templates.

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
        if not isinstance(self.name, str) or self.name not in LAWS:
            laws = ", ".join(LAWS)
            raise ValueError(f"templates={self.name!r} is not one of {laws}: the name of a law")
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
        """Slope kappa of K = s - kappa D: half of E abs<t, u>, rejected templates counting 0."""
        return 0.5 * self.mass * self.mean_absolute

    def tail(self, h: Any) -> Any:
        """Compute P(<t, u> > h) for a unit vector u, given that t is not rejected.

        Parameters
        ----------
        h : array
            At least 0.
        """
        from scipy.special import betainc, ndtr

        h = np.asarray(h, dtype=np.float64)
        if self.name == "gaussian":
            return ndtr(-h * math.sqrt(self.n_inputs))
        if self.name == "sphere":
            inside = np.maximum(1.0 - np.minimum(h, 1.0) ** 2, 0.0)
            return 0.5 * betainc(0.5 * (self.n_inputs - 1), 0.5, inside)
        return 2.0 * self.wedge(h, np.full(h.shape, 0.5 * np.pi))

    def wedge(self, h: Any, theta: Any) -> Any:
        r"""Evaluate the integral that gives all joint probabilities.

        .. math:: T(h, \theta) = \frac1{2\pi}\int_0^\theta P(\rho > h/\cos\phi)\,d\phi

        with rho the length of the projection of t on a plane; Owen's function for Gaussian
        templates.

        Parameters
        ----------
        h : array
            At least 0.
        theta : array
            Angles in [-pi/2, pi/2].
        """
        h, theta = np.asarray(h, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        if self.name == "sphere":
            return _sphere.wedge(h, theta, self.n_inputs)
        if self.name == "gaussian":
            from scipy.special import owens_t

            return owens_t(h * math.sqrt(self.n_inputs), np.tan(theta))
        return _truncated.wedge(h, theta, self.n_inputs, self.reach)

    def wedge_below(self, y: Any, theta: Any) -> Any:
        r"""Integrate the wedge in its first argument.

        .. math:: \int_0^y T(h, \theta)\,dh = \frac1{2\pi}\int_0^\theta \cos\phi
                  \;E\min\Big(\rho, \frac y{\cos\phi}\Big) d\phi

        Parameters
        ----------
        y : array
            Upper limit, at least 0.
        theta : array
            Angles in [-pi/2, pi/2].
        """
        y, theta = np.asarray(y, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        if self.name == "gaussian":
            return self._owen_below(y, theta)
        # Where y / cos exceeds the reach, the inner mean is that of rho: sines.
        arc = np.abs(theta)
        start = np.minimum(arc, np.arccos(np.minimum(y / self.reach, 1.0)))
        outer = self._mean_planar(math.inf) * (np.sin(arc) - np.sin(start))
        inner = np.zeros_like(start)
        for at, by in zip(AT, BY):
            cosine = np.cos(at * start)
            inner += by * cosine * self._mean_planar(y / cosine)
        return np.sign(theta) * (outer + start * inner) / (2.0 * np.pi)

    def excess_square(self, y: Any) -> Any:
        """Compute E (abs<t, u> - y)_+^2 for a unit vector u: the mean square beyond a window.

        Parameters
        ----------
        y : array or float
            The window.
        """
        y = np.asarray(y, dtype=np.float64)
        far = min(self.reach, 1e3)
        width = np.maximum(far - y, 0.0)
        if self.name == "gaussian":  # negligible beyond 12 standard deviations
            width = np.minimum(width, 12.0 / math.sqrt(self.n_inputs))
        total = np.zeros_like(width)
        for at, by in zip(AT, BY):
            total += by * at * self.tail(y + at * width)
        # E (X - y)_+^2 = integral over v > 0 of 2 v P(X > y + v), and both signs.
        return 4.0 * width * width * total

    def _within(self, more: int) -> float:
        """Compute P(chi^2 with d + more degrees of freedom < d (1 + epsilon))."""
        from scipy.special import gammainc

        d = self.n_inputs
        return float(gammainc(0.5 * (d + more), 0.5 * d * (1.0 + self.epsilon)))

    def _planar_tail(self, r: Any) -> Any:
        """Compute P(rho > r) of truncated templates.

        Equal to e^{-dr^2/2} P(chi_d^2 < c - dr^2) / P(chi_d^2 < c).
        """
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
        for at, by in zip(AT, BY):
            total += by * self._planar_tail(at * top)
        return top * total

    def _owen_below(self, y: Any, theta: Any) -> Any:
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
