"""Random networks of finite width as feature maps: features are the units of the last layer."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

import numpy as np

from mehler import _random
from mehler._arrays import Array
from mehler._validate import require_integer, require_iterable
from mehler.exact.activations import ActivationLike
from mehler.features._base import FeatureMap
from mehler.features._block import Units
from mehler.features.deep import _recursion
from mehler.features.deep._kernel import DeepKernel
from mehler.features.deep._recursion import Maxout

_NO_VARIANCE = (
    "the exact variance is known for one layer of maxout alone: estimate it from draws of several "
    "seeds"
)


class DeepFeatures(FeatureMap):
    r"""Features of a random deep network: the units of its last layer.

    .. math:: \Phi(x) = \big(\sigma_w\,a(z_L(x))/\sqrt{n_L},\ \sigma_b\big), \qquad
              z_{l+1} = W_{l+1}\,a(z_l) + b_{l+1}

    Given the units, inner products are the covariance of a linear read-out. They tend to
    :meth:`DeepKernel.nngp` as all widths grow; on average they are off by a multiple of 1/width,
    :doc:`/theorems/depth-finite-width`. For maxout, and other units of degree 1, the mean square
    of a row is exact at any width.

    Parameters
    ----------
    widths : sequence of int
        Units of each hidden layer, :math:`n_1, \dots, n_L`.
    activation, pool_size, weight_variance, bias_variance
        The function a, q, and the squares of the two sigmas: as of :class:`mehler.DeepKernel`.
    n_inputs, seed, like, dtype
        As in :class:`mehler.features.FeatureMap`.

    Notes
    -----
    :meth:`kernel` is that of `limit`, a :class:`mehler.DeepKernel`, which one layer has at any
    width; the exact variance is known for one layer of maxout alone. n_features is the last
    width, and one more with biases.

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
        like: object = None,
        dtype: object = None,
    ) -> None:
        numbers = enumerate(require_iterable("widths", widths))
        self.widths = tuple(require_integer(f"widths[{i}]", n) for i, n in numbers)
        if not self.widths:
            raise ValueError("widths is empty: give the units of each hidden layer")
        self.limit = DeepKernel(
            activation,
            len(self.widths),
            pool_size=pool_size,
            weight_variance=weight_variance,
            bias_variance=bias_variance,
        )
        names = "activation", "pool_size", "weight_variance", "bias_variance"
        self.__dict__.update({name: getattr(self.limit, name) for name in names})
        self._fan_in = (n_inputs, *self.widths[:-1])
        super().__init__(n_inputs, self._n_columns(), seed=seed, like=like, dtype=dtype)

    def _n_columns(self) -> int:
        return self.widths[-1] + (self.limit.bias_variance > 0.0)

    def _units(self) -> Units:
        sizes = zip(self._fan_in, self.widths, strict=True)
        return Units((self.limit.pool_size or 1) * sum((fan_in + 1) * n for fan_in, n in sizes))

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        self._require_all(units)
        q, layers = self.limit.pool_size or 1, []
        for layer, (fan_in, width) in enumerate(zip(self._fan_in, self.widths, strict=True)):
            stream = _random.LAYERS + 2 * layer
            parts = [_random.gaussian_weights(self.seed, stream, q, fan_in, width, dtype)]
            if self.limit.bias_variance > 0.0:
                parts.append(_random.gaussian_weights(self.seed, stream + 1, q, 1, width, dtype))
            layers.append(np.concatenate(parts, axis=1))
        return tuple(layers)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        roots = self.limit.weight_variance**0.5, self.limit.bias_variance**0.5
        for layer in weights:
            rows = self.limit.layer.units(xp, inputs_of(xp, rows, *roots), layer)
        return inputs_of(xp, rows, *roots)

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return self.limit.nngp(x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute n_features times the variance of the Gram, of one layer."""
        layer, w = self._of_known_variance(), self.limit.weight_variance
        pairs = _recursion.first_pairs(x, y, w, self.limit.bias_variance)
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


def inputs_of(xp: ModuleType, rows: Array, weight: float, bias: float) -> Array:
    """Return rows over the root of the fan-in, and the bias as a column."""
    rows = rows * (weight / rows.shape[1] ** 0.5)
    return rows if bias == 0.0 else xp.concat([rows, bias * xp.ones_like(rows[:, :1])], axis=1)
