"""Random kitchen sinks: any activation of a random projection, and the laws of its weights."""

from __future__ import annotations

import dataclasses
import functools
import math
from types import ModuleType
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.exact.activations import (
    Activation,
    ActivationLike,
    Pairs,
    Projected,
    activation_of,
    gaussian,
    on_sphere,
)
from mehler.features import _correlation, _distributions
from mehler.features._base import FeatureMap
from mehler.features._block import Angles, Units
from mehler.features.projections import ProjectionName, named

LawName: TypeAlias = Literal["gaussian", "sphere", "stumps"]

# A kurtosis whose moments err by more than this part of themselves is refused; sums of a few
# subnormal numbers err by less than the other.
_LOSS, _LEAST = 0.01, 1e-300


class KitchenSinks(FeatureMap):
    r"""Random kitchen sinks: an activation a of m random projections.

    .. math:: \Phi(x) = \frac1{\sqrt m}\big(a(\langle w_\ell, x\rangle + b_\ell)
              \big)_{\ell\le m}

    With Gaussian weights the expected kernel is :math:`E\,a(u)a(v)` for Gaussians u, v of the
    rows' norms and correlation: the arc-cosine kernels for step, relu and relu2, Williams'
    for erf, and Mehler's series for any other function.

    Parameters
    ----------
    activation : str, Activation or callable
        'step', 'relu', 'relu2' (arc-cosine orders 0, 1, 2), 'leaky_relu', 'gelu', 'sigmoid',
        'softplus', 'erf', 'tanh', 'cos', 'sin' (:func:`mehler.exact.activation_kernel`), or any
        elementwise function of one array that is finite and grows no faster than a polynomial. It
        is called with arrays of the rows' library, and with NumPy arrays for the kernel. A
        :class:`mehler.exact.Activation` can define closed forms and the distribution too.
    weight_scale : float, optional
        Standard deviation s of the weights.
    bias : float or 'uniform', optional
        Standard deviation of a Gaussian offset b (default none); 'uniform' is a phase in [0, 2 pi],
        for cos, sin, and others that define waves. Half the width of the thresholds of 'stumps'.
    law : {'gaussian', 'sphere', 'stumps'}, optional
        Distribution of w: :math:`N(0, s^2 I)`; uniform on the sphere of radius
        :math:`s\sqrt d`, for step, relu, relu2 and others that define a degree, without bias;
        or a random coordinate, with a threshold uniform in [-bias, bias], for step and others of
        degree 0. Any other law is for :class:`mehler.features.RandomFunctions`.
    projections : str, optional
        How Gaussian weights are arranged, see :mod:`mehler.features.projections`; the
        expected kernel is the same for all.
    n_inputs, n_features, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.

    Notes
    -----
    The kernel's accuracy is that of :func:`mehler.exact.activation_kernel`; :meth:`kernel_error`
    bounds it for given rows. A map drawn with functions instead of names has no recipe.

    References
    ----------
    Rahimi, Recht (2009), Weighted sums of random kitchen sinks; Cho, Saul (2009). Kernels:
    :doc:`/theorems/kitchen-sinks-kernel`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.KitchenSinks.draw(2, 1000, activation="relu", seed=0)
    >>> phi(np.eye(2)).shape, phi.kernel(np.eye(2)).round(4).tolist()
    ((2, 1000), [[0.5, 0.1592], [0.1592, 0.5]])
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        activation: ActivationLike,
        weight_scale: float = 1.0,
        bias: float | Literal["uniform"] = 0.0,
        law: LawName = "gaussian",
        projections: ProjectionName = "gaussian",
        seed: int,
        like: object = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.activation = activation
        self._activation: Activation = activation_of(activation)
        self._title = f"KitchenSinks of {self._activation.title}"
        self.weight_scale = require_positive("weight_scale", weight_scale)
        self.bias = _bias(bias, self._activation)
        self.law = law
        self.projections = projections
        self._projection = named(projections)
        self._law = LAWS[require_choice("law", law, LAWS)]
        self._law.check(self)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether the projections are independent draws."""
        return self._projection.independent

    # -- weights and features ----------------------------------------------------------------

    def _units(self) -> Units:
        angles = None
        if self._activation.waves:
            harmonic = max(abs(f) for f, _ in self._activation.waves)
            angles = Angles(self.weight_scale, harmonic, law=0 if self._stumps else None)
        # Functions of the user's may grow as they like.
        safe = 1e4 / max(1.0, self.weight_scale) if isinstance(self.activation, str) else 0.0
        sizes = (1, self.n_inputs, self.n_features)
        return Units(self._projection.n_weights(*sizes), angles=angles, safe=safe)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Draw weights by their law; then biases."""
        n = units.stop - units.start
        weights = self._law.weights(self, dtype, units)
        if self.bias == 0.0 or self._stumps:
            return weights
        if self.bias == "uniform":
            offset = math.tau * _random.uniforms(self.seed, _random.OFFSETS, n, units.start)
        else:
            offset = self.bias * _random.gaussian_weights(
                self.seed, _random.OFFSETS, 1, 1, n, "float64", first=units.start
            )
        offset = offset.reshape(1, n)
        if self._activation.waves:
            # A long offset would round the angle that it is added to.
            offset = np.where(np.abs(offset) > 2.0**10, np.fmod(offset, math.tau), offset)
        return (*weights, offset.astype(dtype))

    @property
    def _stumps(self) -> StumpWeights | None:
        """The stumps law, whose moments do not follow from those of Gaussian pairs; else None."""
        return self._law if isinstance(self._law, StumpWeights) else None

    def _gaussian(self, dtype: str, units: slice) -> tuple[Any, ...]:
        sizes = (1, self.n_inputs, units, self.n_features)
        return self._projection.draw_units(self.seed, *sizes, dtype)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        shifted = self.bias != 0.0
        vectors = weights[:-1] if shifted else weights
        (projected,) = self._projection.pieces(xp, rows * self.weight_scale, *vectors)
        if shifted:
            projected = projected + weights[-1]
        activated = self._activation(xp, projected)
        if tuple(activated.shape) != tuple(projected.shape):
            raise ValueError(
                f"the activation made shape {tuple(activated.shape)} from "
                f"{tuple(projected.shape)}; it must work element by element"
            )
        # Cast: activations may return booleans, or float64 for float32.
        activated = xp.astype(activated, projected.dtype, copy=False)
        return activated * (1.0 / math.sqrt(self.n_features))

    # -- moments -----------------------------------------------------------------------------

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        if self._stumps:
            return self._stumps.moment(self, x, y, 1)
        return self._moment(x, y, 1)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        moment = functools.partial(self._stumps.moment, self) if self._stumps else self._moment
        with np.errstate(over="ignore"):
            variance = moment(x, y, 2) - moment(x, y, 1) ** 2
        xp = _arrays.array_namespace(variance)
        return xp.maximum(variance, xp.zeros_like(variance))

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        """Bound m times the variance of the Gram's entries; exact for independent units."""
        factor = self._projection.variance_factor(1, self.n_inputs, self.n_features)
        return factor * self._variance_of(x, y)

    def _moment(self, x: Array, y: Array | None, power: int) -> Array:
        pairs = self._pairs(x, y)
        with np.errstate(over="ignore", invalid="ignore"):
            value, _ = self._activation.moment(pairs, power, uniform_phase=self.bias == "uniform")
            return self._law.length_factor(self._degree * power, self.n_inputs) * value

    def _pairs(self, x: Array, y: Array | None) -> Pairs:
        """Return scales and correlations of the projections, with biases, of all pairs of rows."""
        pairs = _correlation.gaussian_pairs(self._scales(x), None if y is None else self._scales(y))
        if self._activation.waves:
            # Waves see differences, and of rows far from the origin correlations see none.
            there = x if y is None else y
            apart = _correlation.squared_distances(x, there, self.weight_scale)
            bias = 0.0 if self.bias == "uniform" else float(self.bias)
            total = _correlation.squared_distances(x, -there, self.weight_scale) + 4.0 * bias * bias
            pairs = dataclasses.replace(pairs, squares=(apart, total))
        return pairs

    @property
    def _degree(self) -> int:
        return self._activation.degree or 0

    def _scales(self, x: Array) -> Array:
        """Append the bias as a coordinate, so that products of rows are covariances."""
        multiples = x * self.weight_scale
        if self.bias in (0.0, "uniform"):
            return multiples
        xp = _arrays.array_namespace(x)
        return xp.concat([multiples, float(self.bias) * xp.ones_like(x[:, :1])], axis=1)

    @property
    def kernel_source(self) -> str:
        """Origin of :meth:`kernel`: 'closed form' or 'series' (of Mehler)."""
        closed = self._stumps or self._activation.has_closed_form()
        return "closed form" if closed else "series"

    def kernel_error(self, X: Array, Y: Array | None = None) -> Array:
        """Bound the error of :meth:`kernel`, shape (n, k).

        Rounding for closed forms; for Mehler's series its proved tail and the estimated error of
        its quadrature. Rows, result and errors are as for :meth:`kernel`.
        """

        def of_moment(x: Array, y: Array | None) -> Array:
            uniform = self.bias == "uniform"
            _, error = self._activation.moment(self._pairs(x, y), 1, uniform_phase=uniform)
            return self._law.length_factor(self._degree, self.n_inputs) * error

        of_stumps = self._stumps and functools.partial(self._stumps.kernel_error, self)
        return self._of_rows(X, Y, of_stumps or of_moment)

    product_kurtosis = _distributions.product_kurtosis

    def _kurtosis_of(self, x: Array, y: Array | None) -> Array:
        if self._stumps:
            raise ValueError("law='stumps' has no known kurtosis: check the range of its products")
        pairs, uniform = self._pairs(x, y), self.bias == "uniform"
        x_zero, y_zero = pairs.x_scale == 0.0, pairs.y_scale == 0.0
        if self._activation.degree is not None:
            # A kurtosis does not depend on lengths, whose powers could overflow.
            scales = {"x_scale": 1.0 - 1.0 * x_zero, "y_scale": 1.0 - 1.0 * y_zero}
            pairs = dataclasses.replace(pairs, **scales, covariance=None)
        m, errors = [], []
        for p in (1, 2, 3, 4):
            value, error = self._activation.moment(pairs, p, uniform_phase=uniform)
            factor = self._law.length_factor(self._degree * p, self.n_inputs)
            m.append(factor * value)
            errors.append(factor * error)
        xp = pairs.xp
        variance = m[1] - m[0] ** 2
        central = m[3] - 4 * m[0] * m[2] + 6 * m[0] ** 2 * m[1] - 3 * m[0] ** 4
        still = variance <= 0.0
        if self._activation.degree is None:
            still = ((x_zero & y_zero) | ((x_zero | y_zero) & (m[1] == 0.0))) & (not uniform)
            self._require_digits(still, variance, central, m, errors)
        ones = xp.ones_like(variance)
        return xp.where(still, ones, central / xp.where(still, ones, variance) ** 2)

    def _require_digits(
        self, still: Array, variance: Array, central: Array, m: list[Any], errors: list[Any]
    ) -> None:
        """Raise ValueError where cancellation or underflow leaves a kurtosis no two digits."""
        xp = _arrays.array_namespace(variance)
        first, e = xp.abs(m[0]), errors
        loss = e[1] + 2 * first * e[0] + _LEAST
        lost = e[3] + 4 * (first * e[2] + xp.abs(m[2]) * e[0]) + 6 * first**2 * e[1] + _LEAST
        lost = lost + 12 * first * (m[1] + first**2) * e[0]
        clear = (loss <= _LOSS * variance) & (lost <= _LOSS * central)
        if not _arrays.is_lazy(variance) and not bool(xp.all(still | clear)):
            raise ValueError(
                "the kurtosis of products of X is lost: they vary by less than their rounding, or "
                "their powers overflow or underflow: scale the rows nearer to length 1"
            )

    feature_cdf = _distributions.feature_cdf

    def _cdf_of(self, X: Array, t: Array) -> Array:
        _arrays.require_matrix(X, name="X", n_columns=self.n_inputs)
        projected = self._law.projected(self.n_inputs)

        def at(rows: Any, values: Any) -> Any:
            if self.bias == "uniform":
                return self._activation.phase_cdf(values)
            scale = np.hypot(self.weight_scale * _correlation.lengths(np, rows), self.bias)
            return self._activation.cdf(values, scale, projected)

        return _distributions.on_host(X, t, at)


def _bias(value: Any, activation: Activation) -> float | str:
    """Return a non-negative finite number, or 'uniform' for periodic activations."""
    if isinstance(value, str) and value == "uniform":
        if not activation.waves:
            waves = "activations that declare waves, such as cos and sin"
            raise ValueError(f"bias='uniform' is a phase, for {waves}, not for {activation.title}")
        return "uniform"
    if isinstance(value, str):
        raise TypeError(f"bias={value!r} must be a number of at least 0 or 'uniform'")
    return require_not_negative("bias", value)


class WeightLaw:
    """Distribution of a weight vector w over `weight_scale`: N(0, I), as projections draw it."""

    name: ClassVar[str] = "gaussian"

    def check(self, phi: KitchenSinks) -> None:
        """Raise ValueError for arguments incompatible with this law."""

    def weights(self, phi: KitchenSinks, dtype: str, units: slice) -> tuple[Any, ...]:
        """Return weights of some units."""
        return phi._gaussian(dtype, units)

    def length_factor(self, degree: int, n_inputs: int) -> float:
        """Compute E |w|^(2 degree) over that of Gaussian weights."""
        return 1.0

    def projected(self, n_inputs: int) -> Projected:
        """Return the distribution function of one projection of a row."""
        return gaussian


class SphereWeights(WeightLaw):
    """Uniform on the sphere of radius sqrt(d): Gaussian directions, for homogeneous activations."""

    name = "sphere"

    def check(self, phi: KitchenSinks) -> None:
        activation, projection = phi._activation, phi._projection
        if activation.degree is None or phi.bias != 0.0:
            without = " with a bias" if activation.degree is not None else ""
            raise ValueError(
                "law='sphere' has an exact kernel for activations with a degree, such as "
                f"step, relu and relu2, without bias, not for {activation.title}{without}; use "
                "law='gaussian'"
            )
        if not projection.dense:
            raise ValueError(
                f"law='sphere' needs the weights themselves, which projections={projection.name!r} "
                "does not keep; use 'gaussian' or 'orthogonal'"
            )

    def weights(self, phi: KitchenSinks, dtype: str, units: slice) -> tuple[Any, ...]:
        n = units.stop - units.start
        exactly = phi._gaussian("float64", units)[0]
        # NumPy sums a single column in a different order from each of many.
        squares = np.repeat(exactly**2, 2 if n == 1 else 1, axis=2)
        length = np.sqrt(np.sum(squares, axis=1, keepdims=True) / phi.n_inputs)
        return ((exactly / length[:, :, :n]).astype(dtype),)

    def length_factor(self, degree: int, n_inputs: int) -> float:
        return math.prod(n_inputs / (n_inputs + 2 * i) for i in range(degree))

    def projected(self, n_inputs: int) -> Projected:
        return on_sphere(n_inputs)


class StumpWeights(WeightLaw):
    """Stumps look at one coordinate: w = e_j, j uniform, and an offset uniform in [-bias, bias].

    An activation of degree 0 sees the sign of its projection alone. Of two rows, clipped to the
    thresholds, the share that one threshold separates is their distance in the sum norm over
    2 d bias: kernel and variance are functions of it and of the sums of the rows.
    """

    name = "stumps"

    def check(self, phi: KitchenSinks) -> None:
        if not isinstance(phi.bias, float) or phi.bias == 0.0:
            raise ValueError(
                f"law='stumps' has thresholds uniform between -bias and bias: bias={phi.bias!r} "
                "must be a number above 0"
            )
        if not phi._projection.independent:
            raise ValueError("law='stumps' draws coordinates: leave projections out")

    def weights(self, phi: KitchenSinks, dtype: str, units: slice) -> tuple[Any, ...]:
        n, size = units.stop - units.start, _random.UNITS_PER_BLOCK
        weight, offset = np.zeros((phi.n_inputs, n)), np.empty((1, n))
        for rng, here, there in _random.generators(phi.seed, _random.LAW, units.start, n):
            inputs = rng.integers(phi.n_inputs, size=size)
            offset[0, here] = float(phi.bias) * (2.0 * rng.random(size) - 1.0)[there]
            weight[inputs[there], np.arange(n)[here]] = 1.0
        return weight.astype(dtype)[None], offset.astype(dtype)

    def projected(self, n_inputs: int) -> Projected:
        raise ValueError(
            "law='stumps' has no distribution function here: a stump has two values, and its mean "
            "gives their probabilities"
        )

    def moment(self, phi: KitchenSinks, x: Array, y: Array | None, power: int) -> Any:
        """Compute the mean of a power of a product."""
        if phi._activation.degree != 0:
            raise ValueError(
                f"law='stumps' has a closed form for activations of degree 0, such as "
                f"step, not for {phi._activation.title}; estimate the kernel by "
                "gram(X) of many features"
            )
        xp, y = _arrays.array_namespace(x), x if y is None else y
        a, d = float(phi.bias), x.shape[1]
        left, right = (xp.clip(rows * phi.weight_scale, -a, a) / (2.0 * a * d) for rows in (x, y))
        apart: Any = 0.0
        for j in range(d):
            apart = apart + xp.abs(left[:, j][:, None] - right[:, j][None, :])
        middle = 0.5 * (xp.sum(left, axis=1)[:, None] + xp.sum(right, axis=1)[None, :])
        below, above = (value**power for value in _sides(phi))
        both_above, both_below = 0.5 + middle - 0.5 * apart, 0.5 - middle - 0.5 * apart
        return above**2 * both_above + below**2 * both_below + above * below * apart

    def kernel_error(self, phi: KitchenSinks, x: Array, y: Array | None) -> Array:
        """Bound the rounding of the kernel: of sums of d terms, each at most the bias."""
        error = 4.0 * x.shape[1] * float(np.finfo(np.float64).eps) * max(map(abs, _sides(phi))) ** 2
        xp = _arrays.array_namespace(x)
        return error * xp.ones_like(_correlation.products(x, y))


def _sides(phi: KitchenSinks) -> tuple[float, float]:
    below, above = phi._activation.on_host(np.array([-1.0, 1.0]))
    return float(below), float(above)


LAWS: dict[str, WeightLaw] = {
    law.name: law for law in (WeightLaw(), SphereWeights(), StumpWeights())
}
