"""Closed forms of E a(u) a(v), u and v normal, for a of one-sided powers or waves, erf and gelu."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Normal u and v of deviations `x_scale`, `y_scale` and correlation `rho`; shapes broadcast.

    `near`, `far`: 1 - rho and 1 + rho, whose digits a rounded correlation has lost. `covariance`:
    where correlations have no derivative, at rows of zeros, those of it are taken. `squares`:
    variances of u - v and u + v, where correlations lack the digits for them.
    """

    rho: Array
    near: Array
    far: Array
    x_scale: Array
    y_scale: Array
    covariance: Array | None = None
    squares: tuple[Array, Array] | None = None

    @property
    def differentiable(self) -> bool:
        """Whether a derivative may be asked for."""
        return _arrays.differentiable(self.rho, self.x_scale, self.y_scale)

    @property
    def product(self) -> Array:
        """The covariance with its derivatives; it may overflow."""
        if self.covariance is not None:
            return self.covariance
        return self.rho * self.x_scale * self.y_scale

    @property
    def parts(self) -> tuple[Array, ...]:
        """Correlations, gaps and scales."""
        return self.rho, self.near, self.far, self.x_scale, self.y_scale

    @property
    def xp(self) -> Any:
        return _arrays.array_namespace(self.rho)

    @property
    def eps(self) -> float:
        """Machine epsilon of the dtype of the correlations, in which closed forms are computed."""
        return float(self.xp.finfo(self.rho.dtype).eps)

    def square(self, f: int, g: int) -> Array:
        """Compute the variance of f u + g v as a sum of non-negative terms."""
        if self.squares is not None and abs(f) == abs(g):
            return self.squares[0 if f * g < 0 else 1] * float(f * f)
        a, b = abs(f) * self.x_scale, abs(g) * self.y_scale
        between = self.near if f * g < 0 else self.far
        # Roots first: the product of huge scales times a gap of 0 would be NaN.
        root = (2.0 * between) ** 0.5 * a**0.5 * b**0.5
        # Clip where exp(-square) is 0 anyway, so that the square stays finite.
        most = float(self.xp.finfo(self.rho.dtype).max) ** 0.25
        parts = (self.xp.clip(part, -most, most) for part in (a - b, root))
        value = sum(part**2 for part in parts)
        if not self.differentiable:
            return value
        plain = (f * self.x_scale) ** 2 + (g * self.y_scale) ** 2 + 2 * f * g * self.product
        return _arrays.graft(value, plain)


def pairs_of(rho: Array, x_scale: Array, y_scale: Array) -> Pairs:
    """Build pairs from correlations that are exact, such as a caller's own numbers."""
    return Pairs(rho, 1.0 - rho, 1.0 + rho, x_scale, y_scale)


# projected(t, scale): P(T <= t) for a projection T of symmetric law with that scale, on the host.
Projected = Callable[[Any, Any], Any]


def gaussian(t: Floats, scale: Floats) -> Any:
    """Compute P(scale g <= t) for a standard normal g."""
    from scipy.special import ndtr

    return np.where(scale > 0.0, ndtr(t / np.where(scale > 0.0, scale, 1.0)), t >= 0.0)


def on_sphere(d: int) -> Projected:
    """Return t -> P(scale sqrt(d) u_1 <= t), u on the sphere: u_1^2 is Beta(1/2, (d-1)/2)."""

    def distribution(t: Any, scale: Any) -> Any:
        from scipy.special import betainc

        at = t / (np.where(scale > 0.0, scale, 1.0) * math.sqrt(d))
        if d == 1:
            tail = np.where(np.abs(at) >= 1.0, 1.0, 0.0)
        else:
            tail = betainc(0.5, (d - 1) / 2, np.minimum(at * at, 1.0))
        return np.where(scale > 0.0, 0.5 + 0.5 * np.sign(at) * tail, t >= 0.0)

    return distribution


LARGEST_ORDER = 16  # of one product: moments of more exceed 10^17, and a series serves as well


def arc_cosine(rho: Array, near: Array, far: Array, order: int) -> Array:
    r"""Compute E g_+^n g'_+^n for standard normals of correlation rho; n = 0 counts g > 0.

    .. math:: A_n = \frac{(\pi-\theta)P_n(\cos\theta) + \sin\theta\,Q_n(\cos\theta)}{2\pi}

    `near` and `far` are 1 - rho and 1 + rho, rho = cos theta. To 1e-14 of the value at rho = 1.
    """
    return _arrays.with_derivative(
        functools.partial(_value, order), functools.partial(_derivative, order), rho, near, far
    )


def _derivative(order: int, rho: Array, near: Array, far: Array) -> Array:
    """Compute dA_n/dc = n^2 A_(n-1); that of A_0 is infinite at the ends, and given as 0 there."""
    if order > 0:
        return float(order**2) * arc_cosine(rho, near, far, order - 1)
    xp = _arrays.array_namespace(rho)
    square = near * far
    inside = square > 0.0
    root = xp.where(inside, square, xp.ones_like(square)) ** 0.5
    return xp.where(inside, 0.5 / (math.pi * root), xp.zeros_like(root))


def _value(order: int, rho: Array, near: Array, far: Array) -> Array:
    xp = _arrays.array_namespace(rho)
    # pi - theta and sin theta from both gaps: exact where the angle itself rounds.
    near, far = near**0.5, far**0.5
    p, q = ([k / (2.0 * math.pi) for k in factor] for factor in polynomials(order))
    value = xp.atan2(far, near) * _horner(rho, [2.0 * k for k in p])
    if order > 0:
        value = value + near * far * _horner(rho, q)
    return xp.maximum(value, xp.zeros_like(rho))


@functools.cache
def polynomials(order: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the coefficients of P_n and Q_n, constant first."""
    if order == 0:
        return (1,), (0,)
    n = order
    before, r = polynomials(n - 1)
    p = [Fraction(0)] + [Fraction(n * n * value, k) for k, value in enumerate(before, start=1)]
    r_at = dict(enumerate(r))
    q: dict[int, Fraction] = {}
    for k in range(n, 0, -2):
        right = n * n * (r_at.get(k, 0) - r_at.get(k - 2, 0)) - p[k]
        q[k - 1] = ((k + 1) * q.get(k + 1, Fraction(0)) - right) / k
    if n % 2 == 0:
        p[0] = n * n * r_at[0] - q[1]
    top = max(q) + 1
    return tuple(map(int, p)), tuple(int(q.get(k, 0)) for k in range(top))


def half_moment(order: int) -> float:
    """Compute E g_+^n for one standard normal."""
    return 2.0 ** (order / 2 - 1) * math.gamma((order + 1) / 2) / math.sqrt(math.pi)


def _horner(x: Array, coefficients: list[float]) -> Any:
    total: Any = coefficients[-1]
    for value in reversed(coefficients[:-1]):
        total = total * x + value if value else total * x
    return total


@dataclass(frozen=True)
class Sides:
    """A homogeneous activation a: its degree, and its values at 1, -1 and, for degree 0, at 0."""

    degree: int
    right: float
    left: float
    centre: float

    def power(self, power: int) -> Sides:
        values = (value**power for value in (self.right, self.left, self.centre))
        return Sides(self.degree * power, *values)

    def moment(self, pairs: Pairs) -> tuple[Array, Array]:
        """Compute E a(u) a(v), and the scale of its rounding error: the value at equal rows."""
        xp, order = pairs.xp, self.degree
        same, opposite = self.right**2 + self.left**2, 2.0 * self.right * self.left
        value = same * arc_cosine(pairs.rho, pairs.near, pairs.far, order)
        if opposite != 0.0:
            value = value + opposite * arc_cosine(-pairs.rho, pairs.far, pairs.near, order)
        ones = xp.ones_like(value)
        size = (abs(self.right) + abs(self.left)) ** 2 * half_moment(2 * order)
        if order == 0:
            return self._at_zero(pairs, value), (size + self.centre**2) * ones
        factor = (pairs.x_scale * pairs.y_scale) ** order
        # Huge rows at right or opposite angles: 0 times infinity.
        product = xp.where(value == 0.0, value, factor * value)
        if order == 1 and pairs.differentiable:
            # At a row of zeros nothing but the linear part has a derivative.
            zero = _arrays.constant(factor) == 0.0
            linear = xp.where(zero, pairs.product, xp.zeros_like(value))
            product = product + 0.25 * (self.right - self.left) ** 2 * linear
        return product, factor * size

    def _at_zero(self, pairs: Pairs, value: Array) -> Array:
        """Correct pairs with a zero row, for which every unit is a(0)."""
        xp = pairs.xp
        mean = (self.right + self.left) * half_moment(0)
        ones = xp.ones_like(value)
        ones = ones * xp.ones_like(pairs.x_scale) * xp.ones_like(pairs.y_scale)
        x_zero, y_zero = ones * pairs.x_scale == 0.0, ones * pairs.y_scale == 0.0
        value = xp.where(x_zero | y_zero, self.centre * mean * ones, value * ones)
        return xp.where(x_zero & y_zero, self.centre**2 * ones, value)

    def cdf(self, t: Floats, scale: Floats, projected: Projected) -> Any:
        """Compute P(a(p) <= t) for a projection of symmetric law without an atom at 0."""
        total: Any = 0.0 * scale
        for at_one in (self.right, self.left):
            if self.degree == 0 or at_one == 0.0:
                total = total + np.where(at_one <= t, 0.5, 0.0)
                continue
            end = np.maximum(t / at_one, 0.0) ** (1.0 / self.degree)
            if at_one > 0.0:
                total = total + np.where(t < 0.0, 0.0, projected(end, scale) - 0.5)
            else:  # P(p >= end) by symmetry
                total = total + np.where(t < 0.0, projected(-end, scale), 0.5)
        return total


Waves = tuple[tuple[int, complex], ...]  # pairs (f, c) of a(t) = sum of c e^(i f t)

_REACH = 14.0  # standard deviations beyond which a Gaussian has no mass in float64
_WIDE = 10.0  # deviation of angles that are uniform around the circle, to exp(-10^2/2)


def power_of(waves: Waves, power: int) -> dict[int, complex]:
    """Return frequencies and coefficients of a power of a Fourier sum."""
    total: dict[int, complex] = {0: 1.0}
    for _ in range(power):
        longer: dict[int, complex] = defaultdict(complex)
        for f, c in total.items():
            for g, b in waves:
                longer[f + g] += c * b
        total = longer
    return {f: c for f, c in total.items() if c != 0}


def waves_moment(
    waves: Waves, power: int, pairs: Pairs, *, uniform_phase: bool
) -> tuple[Array, float]:
    """Compute E a(u)^p a(v)^p, and the sum of absolute weights that scales its rounding.

    It is the sum of c_f c_g exp(-Var(fu + gv)/2), with a uniform phase that of f + g = 0 alone.
    """
    terms = power_of(waves, power)
    # A pair (f, g) and its opposite share the exponent.
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for f, c in terms.items():
        for g, b in terms.items():
            if not uniform_phase or f + g == 0:
                key = (f, g) if (f, g) >= (-f, -g) else (-f, -g)
                weights[key] += (c * b).real
    total: Any = pairs.rho * 0.0
    for (f, g), weight in weights.items():
        if weight != 0.0:
            total = total + weight * pairs.xp.exp(-0.5 * pairs.square(f, g))
    return total, sum(abs(c) for c in terms.values()) ** 2


Wave = tuple[int, float, float, float]


def single_wave(waves: Waves) -> Wave | None:
    """Return frequency, shift, amplitude and constant of a real wave of one frequency."""
    terms = {f: complex(c) for f, c in power_of(waves, 1).items()}
    constant = terms.pop(0, 0j)
    frequency = max(terms, default=0)
    if set(terms) != {frequency, -frequency}:
        return None
    c = terms[frequency]
    return frequency, math.atan2(c.imag, c.real), 2.0 * abs(c), constant.real


def wave_cdf(wave: Wave, t: Floats, scale: Floats, projected: Projected) -> Any:
    """Compute P(a(p) <= t) for a wave A cos(f p + shift) + c, by a sum over its periods."""
    frequency, shift, _, _ = wave
    around = phase_cdf(wave, t)
    narrow = np.minimum(scale, _WIDE / frequency)
    periods = math.ceil(_REACH * frequency * float(np.max(narrow, initial=0.0)) / math.tau) + 2
    low = math.pi * (1.0 - around)
    total = np.zeros(np.broadcast_shapes(t.shape, scale.shape))
    for k in range(-periods, periods + 1):
        first, last = low - shift + math.tau * k, math.tau - low - shift + math.tau * k
        total += projected(last / frequency, narrow) - projected(first / frequency, narrow)
    # Exactly 0 or 1 beyond the amplitude, where sums would round.
    total = np.where((around <= 0.0) | (around >= 1.0), around, total)
    return np.where(frequency * scale < _WIDE, total, around)


def phase_cdf(wave: Wave, t: Floats) -> Any:
    """Compute P(a(p) <= t) with a uniform phase added to p: the arcsine law."""
    _, _, amplitude, constant = wave
    return 1.0 - np.arccos(np.clip((t - constant) / amplitude, -1.0, 1.0)) / math.pi


def _first_power(value: Callable[..., Array]) -> Callable[[Pairs, int], Any]:
    """Return a kernel, of power 1 alone, that rounds as its value at equal rows does."""

    def kernel(pairs: Pairs, power: int) -> tuple[Array, Array] | None:
        if power != 1:
            return None
        ones = pairs.xp.ones_like(pairs.rho)
        size = value(pairs, ones, 0.0 * ones, 2.0 * ones)
        return value(pairs, pairs.rho, pairs.near, pairs.far), 64.0 * pairs.eps * size

    return kernel


@_first_power
def erf_kernel(pairs: Pairs, *correlations: Array) -> Array:
    """Compute Williams' kernel, E erf(u) erf(v)."""
    r, _, _, _, root = _orthant(pairs, *correlations, stretch=2.0)
    return (2.0 / math.pi) * pairs.xp.atan2(r, root)


@_first_power
def erf_slope_kernel(pairs: Pairs, *correlations: Array) -> Array:
    """Compute the kernel of the derivative of erf."""
    _, _, rest, _, root = _orthant(pairs, *correlations, stretch=2.0)
    return (4.0 / math.pi) * rest / root


@_first_power
def gelu_kernel(pairs: Pairs, *correlations: Array) -> Array:
    """Compute the kernel of t Phi(t), Phi the normal cdf."""
    r, angle, rest, _, root = _orthant(pairs, *correlations)
    lengths = pairs.x_scale * pairs.y_scale
    covariance = correlations[0] * lengths
    if pairs.differentiable:
        covariance = _arrays.graft(covariance, pairs.product)
    fractions = [_fractions(pairs.xp, scale)[0] for scale in (pairs.x_scale, pairs.y_scale)]
    edge = lengths * fractions[0] * fractions[1] * root + rest * r**2 / root
    return (covariance * angle + edge) / (2.0 * math.pi)


@_first_power
def gelu_slope_kernel(pairs: Pairs, *correlations: Array) -> Array:
    """Compute the kernel of Phi(t) + t phi(t): that of t Phi(t), by d/dc, c the covariance."""
    r, angle, rest, square, root = _orthant(pairs, *correlations)
    # Of scales whose squares overflow the root is 0, as is what it divides.
    root = pairs.xp.where(root > 0.0, root, pairs.xp.ones_like(root))
    edge = square / root + (2.0 - r**2) * (rest / root) ** 2 / root
    return (angle + r * edge) / (2.0 * math.pi)


def _orthant(
    pairs: Pairs, rho: Array, near: Array, far: Array, *, stretch: float = 1.0
) -> tuple[Array, ...]:
    r"""Return r, pi/2 + arcsin r, 1/sqrt((1+a)(1+b)), (1+a+b) times its square, sqrt(1-r^2).

    For r = c/sqrt((1+a)(1+b)), with a, b and c the variances and the covariance times `stretch`.
    """
    xp = pairs.xp
    (x_fraction, x_rest), (y_fraction, y_rest) = (
        _fractions(xp, stretch**0.5 * scale) for scale in (pairs.x_scale, pairs.y_scale)
    )
    r = rho * x_fraction * y_fraction
    if pairs.differentiable:
        r = _arrays.graft(r, stretch * pairs.product * x_rest * y_rest)
    # 1 - r^2 from both gaps, a sum of what is not negative.
    square = (x_rest * y_rest) ** 2 + (x_fraction * y_rest) ** 2 + (y_fraction * x_rest) ** 2
    root = (square + (x_fraction * y_fraction) ** 2 * near * far) ** 0.5
    return r, 0.5 * math.pi + xp.atan2(r, root), x_rest * y_rest, square, root


def _fractions(xp: ModuleType, scale: Array) -> tuple[Array, Array]:
    """Return s/sqrt(1 + s^2) and 1/sqrt(1 + s^2), of scales of any size."""
    small = 1.0 / _arrays.constant(xp.maximum(scale, xp.ones_like(scale)))
    root = (small**2 + (scale * small) ** 2) ** 0.5
    return scale * small / root, small / root


def erf_slope(xp: ModuleType, t: Array) -> Array:
    """Compute the derivative of erf."""
    # Beyond, it is 0 in float64, and the square would overflow.
    t = xp.clip(t, -30.0, 30.0)
    return (2.0 / math.pi**0.5) * xp.exp(-t * t)


def slope_of_waves(waves: Waves) -> tuple[Waves, Callable[..., Any]]:
    """Differentiate a Fourier sum: its waves, and the function."""
    slope = tuple((f, 1j * f * complex(c)) for f, c in waves if f != 0)

    def function(xp: ModuleType, t: Array) -> Any:
        total: Any = 0.0 * t
        for f, c in slope:
            total = total + c.real * xp.cos(f * t) - c.imag * xp.sin(f * t)
        return total

    return slope, function


def slope_of_sides(sides: Sides) -> Callable[..., Any]:
    """Differentiate a homogeneous function of degree at least 1; the value at 0 is 0."""
    power = sides.degree - 1

    def function(xp: ModuleType, t: Array) -> Any:
        size = float(sides.degree) * xp.abs(t) ** power
        nothing = xp.zeros_like(t)
        below = xp.where(t < 0.0, -sides.left * size, nothing)
        return xp.where(t > 0.0, sides.right * size, below)

    return function
