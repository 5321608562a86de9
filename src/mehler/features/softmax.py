"""Random features of attention: positive, hyperbolic and trigonometric ones of exp(<x, y>)."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.features._base import FeatureMap
from mehler.features._block import Units
from mehler.features._correlation import products, squared_distances
from mehler.features.projections import named
from mehler.features.spectra import Gaussian

Form = Literal["positive", "hyperbolic", "trigonometric"]


class SoftmaxFeatures(FeatureMap):
    r"""Random features of the softmax kernel exp(<x, y>), or of the Gaussian kernel.

    .. math:: \frac{e^{-|x|^2/2}}{\sqrt m}\big(e^{\langle w_l, x\rangle}\big)_l, \qquad
              \frac{e^{-|x|^2/2}}{\sqrt m}\big(e^{\langle w_l, x\rangle},
              e^{-\langle w_l, x\rangle}\big)_l, \qquad
              e^{|x|^2/2}\sqrt{\tfrac2m}\,\big(\cos\langle w_l, x\rangle,
              \sin\langle w_l, x\rangle\big)_l

    for normal w_l, m = n_features: positive, hyperbolic and trigonometric, the last two in pairs.

    Parameters
    ----------
    form : {'hyperbolic', 'positive', 'trigonometric'}, optional
        At rows x and y hyperbolic features have less variance than trigonometric ones where
        <x, y> < 0, the same where it is 0, and more where it is positive; positive ones have more
        than hyperbolic ones everywhere (:doc:`/theorems/fourier-softmax-variance`).
    kernel : {'softmax', 'gaussian'}, optional
        exp(<x, y>) or exp(-|x - y|^2/2), both of rows times `scale`: features of the latter have
        another factor exp(-|x|^2/2).
    scale : float, optional
        Factor of the rows: d^(-1/4) is that of attention.
    tilted_at : float, optional
        Squared length t of x + y, in scaled rows, at which a factor exp(A |w|^2) of features, of
        rows times sqrt(1 - 4A), makes the variance of positive ones smallest, see Notes; 0: none.
    projections : {'gaussian', 'orthogonal'}, optional
        Independent w, or orthogonal directions, which have less variance for each form.
    n_inputs, n_features, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`; n_features is even but for positive ones.

    Notes
    -----
    With t = abs(x + y)^2, or abs(x - y)^2 for trigonometric features, the variance of a feature
    product over the squared kernel is e^t - 1 for positive features and
    (e^t - 1)(1 - e^-t) for the others. A tilt replaces e^t by
    :math:`((1 + v)^2/(4v))^{d/2}e^{t/v}` with v = 1 - 8A; its minimum over v is at
    :math:`2v = 1 + 2\varphi + \sqrt{(1 + 2\varphi)^2 + 8\varphi}`, :math:`\varphi = t/d`.
    Two orthogonal w have the covariance :math:`e^{-t}{}_1F_1(d; d/2; t/2) - 1 \le 0` over the
    squared kernel, since rising factorials have :math:`(d)_n \le 2^n(d/2)_n`, whatever the tilt.
    Features that overflow raise an error.

    References
    ----------
    Choromanski and others (2021), Rethinking attention with Performers, Lemmas 1 and 2;
    Likhosherstov and others (2022), Chefs' random tables, Theorem 3.2 (the tilt).

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.features.SoftmaxFeatures.draw(2, 10_000, seed=0)
    >>> x = np.array([[0.5, 0.0], [-0.5, 0.5]])
    >>> bool(np.all(np.abs(phi.gram(x) - phi.kernel(x)) <= 6 * phi.gram_variance(x) ** 0.5))
    True
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        form: Form = "hyperbolic",
        kernel: Literal["softmax", "gaussian"] = "softmax",
        scale: float = 1.0,
        tilted_at: float = 0.0,
        projections: Literal["gaussian", "orthogonal"] = "gaussian",
        seed: int,
        like: object = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.form = require_choice("form", form, ("positive", "hyperbolic", "trigonometric"))
        self._kernel = require_choice("kernel", kernel, ("softmax", "gaussian"))
        self._gaussian = kernel == "gaussian"
        self.scale = require_positive("scale", scale)
        self.tilted_at = require_not_negative("tilted_at", tilted_at)
        if form == "trigonometric" and self.tilted_at:
            raise ValueError("tilted_at is for positive and hyperbolic features: leave it out")
        self.projections, self._projection = projections, named(projections)
        require_choice("projections", self._projection.name, ("gaussian", "orthogonal"))
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether the w are independent draws."""
        return self._projection.independent

    @property
    def _tilt(self) -> float:
        """The v at which positive features have the least variance."""
        phi = self.tilted_at / self.n_inputs
        return 0.5 * (1.0 + 2.0 * phi + math.sqrt((1.0 + 2.0 * phi) ** 2 + 8.0 * phi))

    def _units(self) -> Units:
        columns = 1 if self.form == "positive" else 2
        if self.n_features % columns:
            raise ValueError(
                f"n_features={self.n_features} is odd, but form={self.form!r} has two features per "
                f"unit: take {self.n_features + 1}"
            )
        n_weights = self.n_inputs * self.n_features // columns
        return Units(n_weights, columns=(columns, 1), safe=0.0)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Draw w, and the logarithm of a tilt's factor, A |w|^2 + d/4 log(1 - 4A), v = 1 - 8A."""
        sizes = (1, self.n_inputs, units, self.n_units)
        (normals,) = self._projection.draw_units(self.seed, *sizes, dtype)
        if not self.tilted_at:
            return (normals,)
        v, squares = self._tilt, np.sum(normals[0].astype(np.float64) ** 2, axis=0)
        factor = 0.125 * (1.0 - v) * squares + 0.25 * self.n_inputs * math.log(0.5 * (1.0 + v))
        return normals, factor.astype(dtype)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        rows = rows * self.scale
        half = 0.5 * xp.sum(rows * rows, axis=1, keepdims=True)
        if self.form == "trigonometric":
            unit, gain = _arrays.angle_unit(rows), math.sqrt(2.0 / self.n_features)
            (angles,) = self._projection.pieces(xp, rows * unit, weights[0])
            waves = _arrays.cosine_and_sine(xp, angles, gain)
            return waves if self._gaussian else waves * xp.exp(half)
        less = half * (2.0 if self._gaussian else 1.0) + 0.5 * math.log(self.n_features)
        root = math.sqrt(0.5 * (1.0 + self._tilt))  # of 1 - 4A
        (projected,) = self._projection.pieces(xp, rows * root, weights[0])
        if self.tilted_at:
            less = less - weights[1]
        if self.form == "positive":
            return xp.exp(projected - less)
        return xp.concat([xp.exp(projected - less), xp.exp(-projected - less)], axis=1)

    def _log_kernel(self, x: Array, y: Array | None) -> Array:
        if self._gaussian:
            return -0.5 * squared_distances(x, y, self.scale)
        return products(x * self.scale, None if y is None else y * self.scale)

    def _square(self, x: Array, y: Array | None) -> Array:
        """Return |x + y|^2, or |x - y|^2 for trigonometric features, of scaled rows."""
        there = x if y is None else y
        return squared_distances(x, there if self.form == "trigonometric" else -there, self.scale)

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return _arrays.array_namespace(x).exp(self._log_kernel(x, y))

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        xp, v, d = _arrays.array_namespace(x), self._tilt, self.n_inputs
        t, twice = self._square(x, y), 2.0 * self._log_kernel(x, y)
        excess = d * math.log(0.5 * (1.0 + v)) - 0.5 * d * math.log(v) + t / v
        if self.form == "positive":
            left = -xp.expm1(-excess)
        elif self.tilted_at:
            left = xp.expm1(-t - t / v) - 2.0 * xp.expm1(-excess)
        else:
            left = xp.expm1(-t) ** 2
        return xp.exp(twice + excess) * left

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        variance = self._variance_of(x, y)
        near = self._projection.orthogonal_pairs(self.n_inputs, self.n_units)
        if near is None or not near.pairs:
            return variance
        xp, t = _arrays.array_namespace(x), self._square(x, y)
        twice, columns = 2.0 * self._log_kernel(x, y), self._unit.columns[0]
        if self.form == "trigonometric":
            covariance: Any = xp.exp(twice + t) * Gaussian(0.5).orthogonal_covariance(
                0.5 * t, self.n_inputs
            )
        else:
            covariance = xp.exp(twice) * _covariance(t, self.n_inputs)
        return variance + columns * near.pairs * covariance


def _covariance(t: Array, d: int) -> Array:
    """Return e^-t 1F1(d; d/2; t/2) - 1 by Kummer: e^(-t/2) 1F1(-d/2; d/2; -t/2), all positive."""
    from scipy.special import hyp1f1

    _arrays.require_no_gradient(t, what="the variance of orthogonal features")
    host = np.minimum(np.asarray(_arrays.to_host(t), dtype=np.float64), 1e3)
    value = np.exp(-0.5 * host) * hyp1f1(-0.5 * d, 0.5 * d, -0.5 * host) - 1.0
    return _arrays.from_host(np.minimum(value, 0.0), _arrays.place_of(t), t.dtype)
