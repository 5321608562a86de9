"""Random features whose inner products estimate the neural tangent kernel of a deep network.

That kernel (Jacot and others 2018) of two rows is the inner product of the gradients, over all
weights, of an infinitely wide network's output. Random projections sketch them layer by layer.
"""

from types import ModuleType
from typing import Any

from mehler import DeepFeatures, _arrays, _random
from mehler._arrays import Array
from mehler.exact import collision_at, evaluate, kernel_at, pool_table
from mehler.features import Units
from mehler.features.deep import Elementwise, Layer, first_pairs, inputs_of


class TangentFeatures(DeepFeatures):
    r"""Features whose inner products estimate the tangent kernel of a deep network.

    .. math:: \Psi_1 = h_1, \qquad
              \Psi_{l+1} = \big(h_{l+1},\ \sigma_w\,t_l/\sqrt{n_l}\big), \qquad
              t_{l,i}(x) = a'(z_{l,i})\,\langle g_{l,i}, \Psi_l(x)\rangle

    with the features h of :class:`mehler.DeepFeatures` (:math:`h_1` is the row), an activation
    a(z), without jumps, of projections z, :math:`n_l` units in layer l, weights of variance
    :math:`\sigma_w^2`, normal directions g; a maxout unit has one per projection, and takes that of
    the largest. :meth:`kernel` is ``DeepKernel.ntk``: :doc:`/theorems/depth-tangent-features`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.proofs_checks.experiments.depth import TangentFeatures
    >>> phi = TangentFeatures.draw(3, (900,), activation="maxout", pool_size=4, seed=0)
    >>> bool(np.all(np.abs(phi.gram(np.eye(3)) - phi.kernel(np.eye(3))) < 0.3))
    True
    """

    def _n_columns(self) -> int:
        if isinstance(self.limit.layer, Elementwise):
            _ = self.limit.layer.activation.slope  # which refuses jumps
        return super()._n_columns() + self.widths[-1]

    def _lengths(self) -> tuple[int, ...]:
        bias = int(self.limit.bias_variance > 0.0)
        return (self.n_inputs + bias, *(2 * width + bias for width in self.widths[:-1]))

    def _units(self) -> Units:
        units, pool = super()._units(), self.limit.pool_size or 1
        pairs = zip(self._lengths(), self.widths, strict=True)
        directions = pool * sum(fan_in * fan_out for fan_in, fan_out in pairs)
        return units._replace(n_weights=units.n_weights + directions, width=2 * self.n_features)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        q = self.limit.pool_size or 1
        directions = tuple(
            _random.gaussian_weights(self.seed, _random.TANGENTS + layer, q, n, width, dtype)
            for layer, (n, width) in enumerate(zip(self._lengths(), self.widths, strict=True))
        )
        return (*super()._draw(dtype, units), *directions)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        roots = self.limit.weight_variance**0.5, self.limit.bias_variance**0.5
        return _tangents(self.limit.layer, *roots, xp, rows, *weights)

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return self.limit.ntk(x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute n_features times the variance of the Gram, of one layer."""
        layer, w = self._of_known_variance(), self.limit.weight_variance
        pairs = first_pairs(x, y, w, self.limit.bias_variance)
        rho, q = pairs.rho, layer.q
        kernel, slope = kernel_at(rho, q), collision_at(rho, q)
        # E[M M'; D = D'], D the place of the maximum M: tangents of equal places have the mean rho.
        same = rho if q == 1 else 0.25 * evaluate(pool_table(q).second_slope, rho)
        square = rho * rho
        single = 1.0 + 2.0 * slope * square - (slope * rho) ** 2
        both = 2.0 * rho * (same - kernel * slope)
        scale = (pairs.x_scale * pairs.y_scale) ** 2
        share = self.n_features / self.widths[0]
        return share * w**2 * (layer.variance(pairs) + scale * (single + both))


def _tangents(
    layer: Layer, weight: float, bias: float, xp: ModuleType, rows: Array, *weights: Any
) -> Array:
    half = len(weights) // 2
    inputs = tangents = inputs_of(xp, rows, weight, bias)
    for layer_weights, directions in zip(weights[:half], weights[half:], strict=True):
        units, passed = _layer(layer, xp, inputs, layer_weights, tangents, directions)
        inputs = inputs_of(xp, units, weight, bias)
        passed = passed * (weight / passed.shape[1] ** 0.5)
        tangents = xp.concat([inputs, passed], axis=1)
    return tangents


def _layer(
    layer: Layer, xp: ModuleType, inputs: Array, weights: Array, tangents: Array, g: Any
) -> tuple[Array, Array]:
    """Return a(z), and a'(z) <g, tangents>: of maxout the largest z, and its <g, tangents>."""
    deciding, offers = (_arrays.products(xp, *of) for of in ((inputs, weights), (tangents, g)))
    if isinstance(layer, Elementwise):
        best, passed = next(deciding), next(offers)
        slope = layer.activation.slope(xp, best)
        return layer.activation(xp, best), slope * passed
    best, passed = next(deciding), next(offers)
    for value, offered in zip(deciding, offers, strict=True):
        passed = xp.where(value > best, offered, passed)
        best = xp.maximum(best, value)
    return best, passed
