"""The recursion of kernels through layers, its duals, and variances that keep signals alive."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from mehler import _arrays
from mehler._validate import require_integer
from mehler.exact import LARGEST_POOL, sigma2
from mehler.exact.activations import Activation, Pairs, Sides, Waves, erf_kernel, polynomials
from mehler.features import _correlation
from mehler.features.deep._layers import Elementwise, Layer, Maxout


class Dual(Protocol):
    """E a(u) a(v), and of gradients, from variances p and r, the covariance c, and its sign.

    The sign is 1 or -1 where the correlation is known to be that, else 0.
    """

    def sign_after(self, sign: int) -> int:
        """Return the sign of parallel rows after the layer, without biases; 0 if not parallel."""

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute E a(u) a(v)."""

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute E a'(u) a'(v)."""


def _correlation_of(numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
    if numbers.is_zero(p) or numbers.is_zero(r):
        return numbers.number(Fraction(0))
    return numbers.number(Fraction(sign)) if sign else c / numbers.sqrt(p * r)


@dataclass(frozen=True)
class MaxoutDual:
    """K_q and kappa_q."""

    q: int

    def sign_after(self, sign: int) -> int:
        """Opposite rows have other winners, unless there is one."""
        return sign if self.q == 1 else max(sign, 0)

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute s_x s_z K_q(rho)."""
        rho = _correlation_of(numbers, p, r, c, sign)
        if self.q == 1:
            return c
        if self.q == 2:
            return 2 * numbers.sqrt(p * r) * _arc(numbers, 1, rho, bool(sign))
        kernel = numbers.increasing(lambda at: numbers.maxout_kernel(at, self.q), rho, bool(sign))
        return numbers.sqrt(p * r) * kernel

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute kappa_q(rho)."""
        if self.q == 1:
            return numbers.number(Fraction(1))
        rho = _correlation_of(numbers, p, r, c, sign)
        if self.q == 2:
            return 2 * _arc(numbers, 0, rho, bool(sign))
        return numbers.increasing(
            lambda at: numbers.collision_probability(at, self.q), rho, bool(sign)
        )


@dataclass(frozen=True)
class HomogeneousDual:
    """Arc-cosine kernels."""

    sides: Sides
    derivative: Sides | None

    def sign_after(self, sign: int) -> int:
        """Opposite rows stay parallel for even and odd functions."""
        if sign >= 0 or abs(self.sides.right) != abs(self.sides.left):
            return max(sign, 0)
        return 1 if self.sides.right == self.sides.left else -1

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute the kernel of both sides."""
        return _of_sides(self.sides, numbers, p, r, c, sign)

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute that of the derivative."""
        if self.derivative is None:
            raise ValueError("the derivative of a function that jumps has no kernel")
        return _of_sides(self.derivative, numbers, p, r, c, sign)


def _of_sides(sides: Sides, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
    right, left, centre = (Fraction(x) for x in (sides.right, sides.left, sides.centre))
    zeros = numbers.is_zero(p) + numbers.is_zero(r)
    if zeros:
        at_zero = centre**zeros * ((right + left) / 2) ** (2 - zeros)
        return numbers.number(at_zero if sides.degree == 0 else Fraction(0))
    rho = _correlation_of(numbers, p, r, c, sign)
    total = numbers.number(right**2 + left**2) * _arc(numbers, sides.degree, rho, bool(sign))
    if right * left:
        total = total + numbers.number(2 * right * left) * _arc(
            numbers, sides.degree, -rho, bool(sign)
        )
    return total * numbers.sqrt(p * r) ** sides.degree


def _arc(numbers: Any, order: int, rho: Any, exact: bool) -> Any:
    """Compute A_n, which increases with the correlation."""
    one, (p, q) = numbers.number(Fraction(1)), polynomials(order)

    def at(rho: Any) -> Any:
        # pi - theta
        angle = 2 * numbers.asin(numbers.sqrt((one + rho) / 2))
        sine = numbers.sqrt((one - rho) * (one + rho))
        parts = [sum((k * rho**i for i, k in enumerate(each)), 0 * rho) for each in (p, q)]
        return (angle * parts[0] + sine * parts[1]) / (2 * numbers.pi)

    return numbers.increasing(at, rho, exact)


@dataclass(frozen=True)
class ErfDual:
    """Williams' kernel, without correlations."""

    def sign_after(self, sign: int) -> int:
        """Lengths change the angle."""
        return 0

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute the arcsine."""
        return 2 * numbers.asin(2 * c / numbers.sqrt((1 + 2 * p) * (1 + 2 * r))) / numbers.pi

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute its derivative in the covariance."""
        return 4 / (numbers.pi * numbers.sqrt((1 + 2 * p) * (1 + 2 * r) - 4 * c * c))


@dataclass(frozen=True)
class WavesDual:
    """Sums of waves."""

    waves: Waves
    derivative: Waves

    def sign_after(self, sign: int) -> int:
        """Lengths change the angle."""
        return 0

    def moment(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Sum over pairs of frequencies."""
        return _of_waves(self.waves, numbers, p, r, c)

    def slope(self, numbers: Any, p: Any, r: Any, c: Any, sign: int) -> Any:
        """Compute that of the derivative."""
        return _of_waves(self.derivative, numbers, p, r, c)


def _of_waves(waves: Waves, numbers: Any, p: Any, r: Any, c: Any) -> Any:
    total = 0 * c
    for f, a in waves:
        for g, b in waves:
            weight = Fraction((complex(a) * complex(b)).real)
            if weight:
                square = f * f * p + g * g * r + 2 * f * g * c
                total = total + numbers.number(weight) * numbers.exp(-square / 2)
    return total


def dual_of(layer: Layer) -> Dual:
    """Return the closed forms of a layer; ValueError if it has none."""
    if isinstance(layer, Maxout):
        return MaxoutDual(layer.q)
    assert isinstance(layer, Elementwise)
    a: Activation = layer.activation
    if a.waves:
        return WavesDual(a.checked_waves(), a.slope.waves)
    if a.degree is not None:
        sides = a.sides()
        return HomogeneousDual(sides, a.slope.sides() if a.degree else None)
    if a.kernel is erf_kernel:
        return ErfDual()
    raise ValueError(
        f"{a.title} has no closed form for dps= and bits=, as maxout, erf and activations that "
        "carry a degree or waves have: leave them out"
    )


@dataclass(frozen=True, eq=False)
class Step:
    """What a layer makes of its pairs: covariances, and products of gradients.

    With the errors of its formulas, at exact inputs.
    """

    covariance: _arrays.Array
    covariance_error: _arrays.Array
    slope: _arrays.Array | None
    slope_error: _arrays.Array | None


@dataclass(frozen=True, eq=False)
class Following:
    """The pairs of the next layer, and the relative errors of the formulas of their scales."""

    pairs: Pairs
    x_error: _arrays.Array
    y_error: _arrays.Array


def first(x: _arrays.Array, y: _arrays.Array | None, weight: float, bias: float) -> Pairs:
    """Return the pairs of the first layer, whose fan-in is the number of columns."""
    other = None if y is None else scaled(y, weight, bias)
    return _correlation.gaussian_pairs(scaled(x, weight, bias), other)


def scaled(rows: _arrays.Array, weight: float, bias: float) -> _arrays.Array:
    """Scale rows, and append the bias, so that products of rows are covariances."""
    rows = rows * (weight / rows.shape[1]) ** 0.5
    if bias == 0.0:
        return rows
    xp = _arrays.array_namespace(rows)
    return xp.concat([rows, bias**0.5 * xp.ones_like(rows[:, :1])], axis=1)


def step(layer: Layer, pairs: Pairs, weight: float, bias: float, *, tangent: bool) -> Step:
    """Go from the pre-activations of one layer to the covariances of the next."""
    value, error = layer.moment(pairs)
    slope, slope_error = layer.slope(pairs) if tangent else (None, None)
    return Step(weight * value + bias, weight * error, slope, slope_error)


def following(
    layer: Layer, pairs: Pairs, covariance: _arrays.Array, weight: float, bias: float
) -> Following:
    """Return the pairs of the next layer from those of this one and their covariances."""
    if layer.second is not None:
        x, y, near, far = _of_degree_one(layer, pairs, weight, bias)
        # Scales: the root of a sum of squares.
        x_error = y_error = 4.0 * pairs.eps + 0.0 * pairs.x_scale[:1, :1]
    else:
        (x, x_error), (y, y_error) = (
            _scale(layer, pairs, s, weight, bias) for s in (pairs.x_scale, pairs.y_scale)
        )
        near, far = _gaps(pairs, covariance, x, y)
    return Following(_with_derivative(gap_pairs(near, far, x, y), covariance), x_error, y_error)


def gap_error(
    layer: Layer, pairs: Pairs, at: Step, after: Following, weight: float
) -> _arrays.Array:
    """Bound the error of the formula of the next 1 - rho, at exact inputs."""
    near = after.pairs.near
    if layer.second is not None:
        # Gaps: products, and the unit's own.
        size = weight * layer.second * divisor(pairs.x_scale * pairs.y_scale)
        return (at.covariance_error / size + 16.0 * pairs.eps) * near
    own = at.covariance_error / divisor(after.pairs.x_scale * after.pairs.y_scale)
    error = own + after.x_error + after.y_error + 4.0 * pairs.eps
    return pairs.xp.where(near == 0.0, pairs.xp.zeros_like(near), error)


def _of_degree_one(layer: Layer, pairs: Pairs, weight: float, bias: float) -> Any:
    """Return scales and gaps of the next layer for units of degree 1."""
    near, far = layer.gaps(pairs)
    factor = (weight * (layer.second or 0.0)) ** 0.5
    x, y = factor * pairs.x_scale, factor * pairs.y_scale
    if bias == 0.0:
        return x, y, near, far
    x_all, y_all = (pairs.xp.hypot(s, bias**0.5 * pairs.xp.ones_like(s)) for s in (x, y))
    # Cosines and sines of the angles between the bias and the whole.
    u, v, a, b = x / x_all, y / y_all, bias**0.5 / x_all, bias**0.5 / y_all
    near = u * v * near + (u * b - v * a) ** 2 / (1.0 + u * v + a * b)
    far = u * v * far + (a + b) ** 2 / (1.0 + u * v + a * b)
    return x_all, y_all, near, far


def _scale(layer: Layer, pairs: Pairs, scale: _arrays.Array, weight: float, bias: float) -> Any:
    """Return the standard deviations of rows in the next layer, and their relative error."""
    one = pairs.xp.ones_like(scale)
    value, error = layer.moment(Pairs(one, 0.0 * one, 2.0 * one, scale, scale))
    variance = weight * value + bias
    positive = variance > 0.0
    root = pairs.xp.where(positive, variance, one) ** 0.5
    relative = 0.5 * weight * error / pairs.xp.where(positive, variance, one)
    return pairs.xp.where(positive, root, pairs.xp.zeros_like(root)), relative + 4.0 * pairs.eps


def _gaps(pairs: Pairs, covariance: _arrays.Array, x: _arrays.Array, y: _arrays.Array) -> Any:
    """Return 1 - rho and 1 + rho by subtraction; equal rows stay equal."""
    xp = pairs.xp
    rho = xp.clip(covariance / divisor(x * y), -1.0, 1.0)
    same = (pairs.near == 0.0) & (pairs.x_scale == pairs.y_scale) & (x * y > 0.0)
    near = xp.where(same, xp.zeros_like(rho), 1.0 - rho)
    return near, xp.where(same, 2.0 * xp.ones_like(rho), 1.0 + rho)


def _with_derivative(pairs: Pairs, covariance: _arrays.Array) -> Pairs:
    """Return pairs with the derivatives of their covariance."""
    if not _arrays.differentiable(covariance, pairs.x_scale, pairs.y_scale):
        return dataclasses.replace(pairs, covariance=covariance)
    plain = covariance / divisor(pairs.x_scale * pairs.y_scale)
    rho, near, far = (
        _arrays.graft(_arrays.constant(value), on)
        for value, on in ((pairs.rho, plain), (pairs.near, -plain), (pairs.far, plain))
    )
    return Pairs(rho, near, far, pairs.x_scale, pairs.y_scale, covariance=covariance)


def gap_pairs(near: _arrays.Array, far: _arrays.Array, x: _arrays.Array, y: _arrays.Array) -> Pairs:
    """Return pairs of these gaps: the smaller one has the digits."""
    xp = _arrays.array_namespace(near)
    rho = xp.clip(xp.where(near < far, 1.0 - near, far - 1.0), -1.0, 1.0)
    return Pairs(rho, near, far, x, y)


def divisor(x: _arrays.Array) -> _arrays.Array:
    """Return x, and 1 instead of 0."""
    xp = _arrays.array_namespace(x)
    return xp.where(x > 0.0, x, xp.ones_like(x))


def critical_weight_variance(pool_size: int, *, dps: int | None = None) -> Any:
    r"""Compute the weight variance that keeps the mean square of signals in a maxout network.

    .. math:: \sigma_w^2 = 1/\sigma^2(q), \qquad \sigma^2(q) = E\,(\max_{j\le q}g_j)^2

    With weights :math:`N(0, \sigma_w^2/\text{fan-in})` and no biases the mean square of a layer's
    units is the same in every layer, on average over weights exactly and at any width. It is a
    property of maxout alone: ReLU's is 2.

    Parameters
    ----------
    pool_size : int
        Pool size q, 1 to 10^6 in float64.
    dps : int, optional
        Decimal digits; then the result is an mpmath number.

    Returns
    -------
    float or mpmath.mpf
        Relative error at most 1e-13 in float64.

    See Also
    --------
    mehler.exact.sigma2 : Its inverse.
    mehler.DeepKernel : The kernels of such networks.

    Notes
    -----
    Gradients shrink by :math:`\sigma_w^2` a layer in mean square, so that for q > 2 no variance
    keeps both: :doc:`/depth`, with the proofs and a table up to q = 64.

    References
    ----------
    He and others (2015) for ReLU; Tseran, Montufar (2023) for maxout.

    Examples
    --------
    >>> from mehler.features.deep import critical_weight_variance
    >>> round(critical_weight_variance(4), 10)
    0.6446086339
    """
    most = LARGEST_POOL if dps is None else None
    return 1 / sigma2(require_integer("pool_size", pool_size, most=most), dps=dps)
