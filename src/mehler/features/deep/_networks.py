"""Random networks of finite width as feature maps: their outputs, and their tangent features."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Literal

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_integers
from mehler.exact import collision_at, evaluate, kernel_at, pool_table
from mehler.exact.activations import ActivationLike
from mehler.features._base import FeatureMap
from mehler.features.deep import _recursion
from mehler.features.deep._kernel import DeepKernel
from mehler.features.deep._recursion import Elementwise, Layer, Maxout
from mehler.features.deep._width import FiniteWidth, of_rows
from mehler.features.projections._base import products

_NO_VARIANCE = (
    "the exact variance is known for one layer of maxout alone: take finite_width, to first order "
    "in 1/width, for maxout and units of degree 1, or estimate it from draws of several seeds"
)


class DeepFeatures(FeatureMap):
    r"""Features of a random deep network: the units of its last layer.

    .. math:: \Phi(x) = \big(\sigma_w\,a(z_L(x))/\sqrt{n_L},\ \sigma_b\big), \qquad
              z_{l+1} = W_{l+1}\,a(z_l) + b_{l+1}

    Given the units, inner products are the covariance of a linear read-out. They tend to
    :meth:`DeepKernel.nngp` as all widths grow; on average they are off by a multiple of 1/width,
    which :meth:`finite_width` gives. For maxout, and other units of degree 1, the mean square of a
    row is exact at any width.

    Parameters
    ----------
    widths : sequence of int
        Units of each hidden layer, :math:`n_1, \dots, n_L`.
    activation, pool_size, weight_variance, bias_variance
        As of :class:`mehler.DeepKernel`.
    n_inputs, seed, like, dtype
        As in :class:`mehler.features.FeatureMap`.

    Attributes
    ----------
    limit : DeepKernel
        The kernels at infinite width.

    See Also
    --------
    mehler.DeepKernel : The limit.
    mehler.MaxoutFeatures, mehler.KitchenSinks : One layer, with the exact kernel at any width.

    Notes
    -----
    :meth:`kernel` is the limit, which one layer has at any width; the exact variance is known for
    one layer of maxout alone. n_features is the last width, and one more with biases.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.DeepFeatures.draw(3, (500, 500), activation="maxout", pool_size=4, seed=0)
    >>> phi(np.eye(3)).shape
    (3, 500)
    >>> bool(np.all(np.abs(phi.gram(np.eye(3)) - phi.kernel(np.eye(3))) < 0.3))
    True
    """

    independent_units = False
    # Whether products estimate the tangent kernel.
    _tangent: ClassVar[bool] = False

    def __init__(
        self,
        n_inputs: int,
        widths: Any,
        *,
        activation: ActivationLike | Literal["maxout"],
        pool_size: int | None = None,
        weight_variance: float = 1.0,
        bias_variance: float = 0.0,
        seed: int,
        like: Any = None,
        dtype: object = None,
    ) -> None:
        self.widths = tuple(require_integers("widths", widths, least=1))
        if not self.widths:
            raise ValueError("widths is empty: give the units of each hidden layer")
        self.limit = DeepKernel(
            activation,
            len(self.widths),
            pool_size=pool_size,
            weight_variance=weight_variance,
            bias_variance=bias_variance,
        )
        self._fan_in = (n_inputs, *self.widths[:-1])
        super().__init__(n_inputs, self._n_columns(), seed=seed, like=like, dtype=dtype)

    def _n_columns(self) -> int:
        """Return the number of features; ValueError if the units cannot make them."""
        return self.widths[-1] + (self.limit.bias_variance > 0.0)

    def _arguments(self) -> dict[str, Any]:
        limit = self.limit
        return {
            "n_inputs": self.n_inputs,
            "widths": list(self.widths),
            "activation": limit.activation,
            "pool_size": limit.pool_size,
            "weight_variance": limit.weight_variance,
            "bias_variance": limit.bias_variance,
            "seed": self.seed,
        }

    # -- weights and features ----------------------------------------------------------------

    def _n_weights(self) -> int:
        inputs = (self.n_inputs, *self.widths[:-1])
        pairs = zip(inputs, self.widths, strict=True)
        return (self.limit.pool_size or 1) * sum((one + 1) * two for one, two in pairs)

    def _draw(self, dtype: str) -> tuple[Any, ...]:
        q, drawn = self.limit.pool_size or 1, []
        for layer, (fan_in, width) in enumerate(zip(self._fan_in, self.widths, strict=True)):
            stream = _random.LAYERS + 2 * layer
            parts = [_random.gaussian_weights(self.seed, stream, q, fan_in, width, dtype)]
            if self.limit.bias_variance > 0.0:
                parts.append(_random.gaussian_weights(self.seed, stream + 1, q, 1, width, dtype))
            drawn.append(np.concatenate(parts, axis=1))
        return tuple(drawn)

    def _block(self) -> Callable[..., Array]:
        limit = self.limit
        return functools.partial(
            _network, limit.layer, limit.weight_variance**0.5, limit.bias_variance**0.5
        )

    # -- moments -----------------------------------------------------------------------------

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return self.limit.nngp(x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute n_features times the variance of the Gram, of one layer."""
        layer, w = self._of_known_variance(), self.limit.weight_variance
        pairs = _recursion.first(x, y, w, self.limit.bias_variance)
        # A bias is a column that does not vary.
        share = self.n_features / self.widths[0]
        return share * w**2 * layer.variance(pairs)

    def _of_known_variance(self) -> Maxout:
        """Return the only layer, of maxout; AttributeError if there are others."""
        layer = self.limit.layer
        if len(self.widths) > 1 or not isinstance(layer, Maxout):
            raise AttributeError(_NO_VARIANCE)
        return layer

    # Checks ask for these, and take intervals without a variance where there is none.

    @property
    def variance(self) -> Any:
        """The exact variance of a feature product, of one layer of maxout; else AttributeError."""
        self._of_known_variance()
        return super().variance

    @property
    def gram_variance(self) -> Any:
        """The exact variance of the Gram, of one layer of maxout; else AttributeError."""
        self._of_known_variance()
        return super().gram_variance

    def finite_width(self, X: Array, Y: Array | None = None) -> FiniteWidth:
        r"""Compute bias and variance of the Gram to first order in 1/width.

        .. math:: E\langle\Phi(x), \Phi(z)\rangle = \Sigma_{L+1} + \mathrm{bias} + O(n^{-2})

        Parameters
        ----------
        X : array, shape (n, d)
            Rows, none of them zero without biases, whose fourth powers are floats.
        Y : array, shape (k, d), optional
            Rows; ``None`` stands for `X`.

        Returns
        -------
        FiniteWidth
            NumPy arrays of float64, (n, k).

        Notes
        -----
        The next terms are of order :math:`n^{-2}`, n the least width, at each pair of rows that are
        not parallel; they grow as the angle falls, and with depth: depth over width has to be
        small. Proof: :doc:`/theorems/depth-finite-width`. For maxout and units of degree 1, such as
        ReLU, in closed forms and tables on the host: about 1 microsecond a pair and layer, in
        blocks of rows that hold 30 MB.

        References
        ----------
        Expansions in 1/width: Yaida (2020); Hanin, Nica (2020) for ReLU's lengths.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.DeepFeatures.draw(2, (50, 50), activation="maxout", pool_size=4, seed=0)
        >>> found = phi.finite_width(np.eye(2))
        >>> bool(found.bias[0, 0] == 0.0), bool(found.bias[0, 1] < 0.0)
        (True, True)
        """
        return of_rows(self.limit, self.widths, X, Y, self.n_inputs, tangent=self._tangent)


def _network(
    layer: Layer, weight: float, bias: float, xp: ModuleType, rows: Array, *weights: Any
) -> Array:
    """Compute the units of the last layer, scaled as the inputs of a read-out."""
    for each in weights:
        rows = layer.units(xp, inputs_of(xp, rows, weight, bias), each)
    return inputs_of(xp, rows, weight, bias)


def inputs_of(xp: ModuleType, rows: Array, weight: float, bias: float) -> Array:
    """Return rows over the root of the fan-in, and the bias as a column."""
    rows = rows * (weight / rows.shape[1] ** 0.5)
    return rows if bias == 0.0 else xp.concat([rows, bias * xp.ones_like(rows[:, :1])], axis=1)


class TangentFeatures(DeepFeatures):
    r"""Features whose inner products estimate the tangent kernel of a deep network.

    .. math:: \Psi_1 = h_1, \qquad
              \Psi_{l+1} = \big(h_{l+1},\ \sigma_w\,t_l/\sqrt{n_l}\big), \qquad
              t_{l,i}(x) = a'(z_{l,i})\,\langle g_{l,i}, \Psi_l(x)\rangle

    with :math:`h_{l+1} = (\sigma_w\,a(z_l)/\sqrt{n_l}, \sigma_b)` the features of
    :class:`DeepFeatures`, :math:`h_1` the row in its place, and standard normal directions g of
    their own. They are a derivative of the network in a random direction, forward in time, with
    fresh weights for it in each layer: the recursion
    :math:`\Theta_{l+1} = \Sigma_{l+1} + \sigma_w^2\,E\,a'(u)a'(v)\,\Theta_l` in features, its
    product sketched by one Gaussian vector a unit. A maxout unit has a direction for each of its q
    projections, and takes the winner's.

    Parameters
    ----------
    n_inputs, widths, activation, pool_size, weight_variance, bias_variance, seed, like, dtype
        As of :class:`DeepFeatures`; activations without jumps, and with a derivative if of your
        own.

    Attributes
    ----------
    limit : DeepKernel
        The kernels at infinite width.

    See Also
    --------
    mehler.DeepKernel.ntk : The limit.
    mehler.DeepFeatures : The same for the covariance of the outputs.

    Notes
    -----
    :meth:`kernel` is :meth:`DeepKernel.ntk`: at one layer the exact mean at any width, at more the
    limit, off by a multiple of 1/width, :meth:`finite_width`. For maxout and other units of degree
    1 the mean square of a row is exact at any width and depth. The exact variance is known for one
    layer of maxout. n_features is twice the last width, and one more with biases; a pass costs
    three times that of the network.

    References
    ----------
    Zandieh and others (2021), Han and others (2022): the recursion in features with sketched
    products, arc-cosine features for ReLU. Proofs: :doc:`/theorems/depth-tangent-features`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.TangentFeatures.draw(3, (900,), activation="maxout", pool_size=4, seed=0)
    >>> phi(np.eye(3)).shape
    (3, 1800)
    >>> bool(np.all(np.abs(phi.gram(np.eye(3)) - phi.kernel(np.eye(3))) < 0.3))
    True
    """

    _tangent = True

    def _n_columns(self) -> int:
        layer = self.limit.layer
        if isinstance(layer, Elementwise):
            # Refuses jumps, and functions without a derivative.
            _ = layer.activation.slope
        return super()._n_columns() + self.widths[-1]

    # -- weights and features ----------------------------------------------------------------

    def _lengths(self) -> tuple[int, ...]:
        """Return how many tangent features enter each layer."""
        bias = int(self.limit.bias_variance > 0.0)
        return (self.n_inputs + bias, *(2 * width + bias for width in self.widths[:-1]))

    def _n_weights(self) -> int:
        pairs = zip(self._lengths(), self.widths, strict=True)
        pool = self.limit.pool_size or 1
        return super()._n_weights() + pool * sum(one * two for one, two in pairs)

    def _draw(self, dtype: str) -> tuple[Any, ...]:
        q = self.limit.pool_size or 1
        directions = tuple(
            _random.gaussian_weights(self.seed, _random.TANGENTS + layer, q, n, width, dtype)
            for layer, (n, width) in enumerate(zip(self._lengths(), self.widths, strict=True))
        )
        return (*super()._draw(dtype), *directions)

    def _numbers_per_row(self) -> int:
        return 2 * self.n_features

    def _block(self) -> Callable[..., Array]:
        limit = self.limit
        return functools.partial(
            _tangents, limit.layer, limit.weight_variance**0.5, limit.bias_variance**0.5
        )

    # -- moments -----------------------------------------------------------------------------

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return self.limit.ntk(x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute n_features times the variance of the Gram, of one layer."""
        layer, w = self._of_known_variance(), self.limit.weight_variance
        pairs = _recursion.first(x, y, w, self.limit.bias_variance)
        rho, q = pairs.rho, layer.q
        kernel, slope = kernel_at(rho, q), collision_at(rho, q)
        # E[M M'; D = D']: tangents at equal winners have the mean product rho, at others 0.
        same = rho if q == 1 else 0.25 * evaluate(pool_table(q).second_slope, rho)
        square = rho * rho
        own = 1.0 + 2.0 * slope * square - (slope * rho) ** 2
        both = 2.0 * rho * (same - kernel * slope)
        scale = (pairs.x_scale * pairs.y_scale) ** 2
        share = self.n_features / self.widths[0]
        return share * w**2 * (layer.variance(pairs) + scale * (own + both))


def _tangents(
    layer: Layer, weight: float, bias: float, xp: ModuleType, rows: Array, *weights: Any
) -> Array:
    """Compute the tangent features of the read-out's inputs."""
    half = len(weights) // 2
    inputs = tangents = inputs_of(xp, rows, weight, bias)
    for each, directions in zip(weights[:half], weights[half:], strict=True):
        units, passed = _layer(layer, xp, inputs, each, tangents, directions)
        inputs = inputs_of(xp, units, weight, bias)
        passed = passed * (weight / passed.shape[1] ** 0.5)
        tangents = xp.concat([inputs, passed], axis=1)
    return tangents


def _layer(
    layer: Layer, xp: ModuleType, inputs: Array, weights: Array, tangents: Array, to: Any
) -> tuple[Array, Array]:
    """Return the units, and the projections of tangents by their derivatives."""
    deciding, offers = products(xp, inputs, weights), products(xp, tangents, to)
    if isinstance(layer, Elementwise):
        best, passed = next(deciding), next(offers)
        slope = layer.activation.slope(xp, best)
        return layer.activation(xp, best), slope * passed
    if isinstance(deciding, _arrays.StackedProducts) and isinstance(
        offers, _arrays.StackedProducts
    ):
        return deciding.largest(xp), offers.chosen(xp, deciding.winner(xp))
    best, passed = next(deciding), next(offers)
    for value, offered in zip(deciding, offers, strict=True):
        best, passed = _arrays.running_argmax(xp, best, passed, value, offered)
    return best, passed
