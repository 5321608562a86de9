"""Exact kernels of deep networks at infinite width: of outputs (NNGP), of gradients (NTK)."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer, require_not_negative, require_positive
from mehler.exact import LARGEST_POOL
from mehler.exact.activations import ActivationLike, Cache, Pairs, activation_of
from mehler.features.deep import _recursion
from mehler.features.deep._recursion import Elementwise, Layer, Maxout

_DEEPEST = 10_000  # layers


class DeepKernel:
    r"""Kernels of a deep network at infinite width: of its outputs, and of its gradients.

    .. math:: z_1 = W_1x + b_1, \qquad z_{l+1} = W_{l+1}\,a(z_l) + b_{l+1}

    with weights :math:`N(0, \sigma_w^2/\text{fan-in})`, biases :math:`N(0, \sigma_b^2)`, `depth`
    layers of units and a linear read-out. As all widths grow, outputs become a Gaussian process of
    covariance :math:`\Sigma_{L+1}` (:meth:`nngp`), and gradient descent follows the kernel
    :math:`\Theta_{L+1}` (:meth:`ntk`):

    .. math:: \Sigma_1 = \sigma_w^2\langle x, z\rangle/d + \sigma_b^2, \qquad
              \Sigma_{l+1} = \sigma_w^2\,E\,a(u)a(v) + \sigma_b^2

    .. math:: \Theta_1 = \Sigma_1, \qquad
              \Theta_{l+1} = \Sigma_{l+1} + \sigma_w^2\,E\,a'(u)a'(v)\,\Theta_l

    for Gaussians u, v of covariance :math:`\Sigma_l`. A maxout unit takes the largest of q
    projections with weights and biases of their own: there :math:`E\,a(u)a(v)` is the mean product
    :math:`s_xs_zK_q(\rho)` of two maxima, of deviations s and correlation :math:`\rho`; the
    probability :math:`\kappa_q(\rho)` of equal argmaxes stands for :math:`E\,a'(u)a'(v)`.

    Parameters
    ----------
    activation : str, Activation or callable
        'maxout', or what :class:`mehler.KitchenSinks` takes: 'relu', 'relu2', 'erf', 'tanh',
        'cos', 'sin', 'step' or a function of polynomial growth.
    depth : int
        Hidden layers L, 1 to 10,000.
    pool_size : int, optional
        Pool size q of maxout, 1 to 10^6; for no other activation.
    weight_variance : float
        :math:`\sigma_w^2 > 0`.
    bias_variance : float
        :math:`\sigma_b^2 \ge 0`.

    Notes
    -----
    Closed forms and tables for maxout, rectified powers, erf, cos and sin; Mehler's series on the
    host for others, whose tangent kernel needs the derivative that a
    :class:`mehler.exact.Activation` carries. Maxout and units of degree 1 keep 1 - rho to
    relative accuracy through all layers. Cost a pair: three evaluations a layer.

    References
    ----------
    Neal (1996); Lee and others (2018); Jacot, Gabriel, Hongler (2018). :doc:`/depth`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> kernel = mehler.DeepKernel("maxout", 3, pool_size=4, weight_variance=0.6446)
    >>> kernel.nngp(X).round(4).tolist()
    [[0.3223, 0.2983], [0.2983, 0.3223]]
    >>> kernel.ntk(X).round(4).tolist()
    [[0.7503, 0.4594], [0.4594, 0.7503]]
    """

    def __init__(
        self,
        activation: ActivationLike | Literal["maxout"],
        depth: int,
        *,
        pool_size: int | None = None,
        weight_variance: float = 1.0,
        bias_variance: float = 0.0,
    ) -> None:
        self.layer = layer_of(activation, pool_size)
        self.activation = activation
        self.depth = require_integer("depth", depth, most=_DEEPEST)
        self.pool_size = None if pool_size is None else int(pool_size)
        self.weight_variance = require_positive("weight_variance", weight_variance)
        self.bias_variance = require_not_negative("bias_variance", bias_variance)

    def __repr__(self) -> str:
        pool = "" if self.pool_size is None else f"pool_size={self.pool_size}, "
        return (
            f"DeepKernel({self.activation!r}, {self.depth}, {pool}"
            f"weight_variance={self.weight_variance!r}, bias_variance={self.bias_variance!r})"
        )

    def nngp(self, X: Array, Y: Array | None = None, *, return_error: bool = False) -> Any:
        """Compute the covariance of the outputs at infinite width, (n, k).

        Parameters
        ----------
        X : array, shape (..., n, d)
            Rows, of any library and device.
        Y : array, shape (..., k, d), optional
            Rows; ``None`` stands for `X`, and makes the result symmetric.
        return_error : bool
            Return a pair: values, and a bound of their error, carried through the layers to first
            order, in six times the time.

        Returns
        -------
        array, shape (..., n, k)
            In the namespace and float dtype of `X`, computed in the widest float of its device;
            differentiable where the activation has a closed form, :doc:`/gradients`.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> K, error = mehler.DeepKernel("relu", 8).nngp(np.eye(3), return_error=True)
        >>> bool(error.max() < 1e-14)
        True
        """
        error = require_flag("return_error", return_error)
        return self._of_rows(X, Y, tangent=False, error=error)

    def ntk(self, X: Array, Y: Array | None = None, *, return_error: bool = False) -> Any:
        """Compute the neural tangent kernel at infinite width, (n, k), all layers trained.

        Weights are standard normals times their standard deviation (the NTK parametrisation),
        and biases too. ValueError for activations that jump, such as 'step': their tangent kernel
        is infinite at equal rows.

        Arguments and result are those of :meth:`nngp`.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> mehler.DeepKernel("maxout", 2, pool_size=1).ntk(np.ones((1, 5))).tolist()  # linear
        [[3.0]]
        """
        error = require_flag("return_error", return_error)
        return self._of_rows(X, Y, tangent=True, error=error)

    def _of_rows(self, x: Array, y: Array | None, *, tangent: bool, error: bool) -> Any:
        """Validate both matrices, compute in the widest float, and cast to the dtype of `x`."""
        parts: Any = _arrays.pairs_of_batches
        if not (batched := _arrays.is_batched(x) or _arrays.is_batched(y)):
            _arrays.require_matrices(x, y)
            parts = functools.partial(_arrays.pairs_of_chunks, dtype=_arrays.real_dtype(x))
        if batched or _arrays.stays_lazy(x):
            of_rows = functools.partial(self._of_rows, tangent=tangent, error=error)
            if not error:
                return parts(of_rows, x, y)
            values, errors = (lambda a, b: of_rows(a, b)[0]), (lambda a, b: of_rows(a, b)[1])
            return tuple(parts(function, x, y) for function in (values, errors))
        place = _arrays.place_of(x)
        xp, dtype = place.xp, _arrays.real_dtype(x)
        wide = _arrays.widest_float(xp, place.device)
        weight, bias, columns = self.weight_variance, self.bias_variance, int(x.shape[1]) + 1
        layer = self.layer
        if isinstance(layer, Elementwise):
            # Blocks of rows share the series of a scale.
            layer = dataclasses.replace(layer, caches=(Cache(), Cache()))

        def layers(pairs: Pairs) -> list[Array]:
            return self._layers(layer, pairs, columns, tangent=tangent, error=error)

        # Variances that overflow are refused by the layer that they reach.
        with np.errstate(over="ignore", invalid="ignore"):
            left, right = (
                None if rows is None else _recursion.inputs(xp.astype(rows, wide), weight, bias)
                for rows in (x, y)
            )
            matrices = _recursion.over_pairs(layers, left, right)
        if error and dtype != wide:
            matrices[1] = matrices[1] + float(xp.finfo(dtype).eps) * xp.abs(matrices[0])
        if dtype != wide and not _arrays.is_lazy(matrices[0]):
            most = float(xp.finfo(dtype).max)
            if not _arrays.all_true(lambda values: xp.abs(values) <= most, matrices[0]):
                raise ValueError(
                    f"the kernel of X overflows {_arrays.dtype_name(dtype)}: scale the "
                    "rows, or convert them to float64"
                )
        matrices = [xp.astype(matrix, dtype, copy=False) for matrix in matrices]
        return tuple(matrices) if error else matrices[0]

    def _layers(
        self, layer: Layer, pairs: Pairs, columns: int, *, tangent: bool, error: bool
    ) -> list[Array]:
        """Go through the layers; return the kernel, and its error if that is wanted."""
        w, b = self.weight_variance, self.bias_variance
        kernel = theta = pairs.product if tangent else None
        errors = off = theta_off = None
        if error:
            errors = _recursion.first_errors(pairs, columns)
            off = theta_off = _recursion.product_error(pairs, errors)
        for number in range(1, self.depth + 1):
            _require_finite(pairs, layer.growth, number)
            at = _recursion.step(layer, pairs, w, b, tangent=tangent)
            kernel, slope = at.covariance, at.slope
            if errors is not None:
                errors, off, slope_off = _recursion.errors_after(layer, pairs, errors, at, w, b)
            if slope is not None:
                if error:
                    passed = slope_off * pairs.xp.abs(theta) + (slope + slope_off) * theta_off
                    theta_off = off + w * passed
                theta = kernel + w * slope * theta
            if number < self.depth:
                pairs = _recursion.following(layer, pairs, kernel, w, b).pairs
        value, off = (theta, theta_off) if tangent else (kernel, off)
        return [value, off + 4.0 * pairs.eps * pairs.xp.abs(value)] if error else [value]


def _require_finite(pairs: Pairs, growth: int, number: int) -> None:
    """Raise where squares of scales leave the range of floats, which would make NaN of them."""
    most = float(pairs.xp.finfo(pairs.rho.dtype).max) ** (0.5 / growth) / 8.0
    for scale in (pairs.x_scale, pairs.y_scale):
        if not _arrays.is_lazy(scale) and not _arrays.all_true(lambda s: s <= most, scale):
            reached = f"X reaches a standard deviation above {most:.0e} in layer {number}"
            raise ValueError(
                f"{reached}: scale the rows, or take a smaller weight_variance or depth"
            )


def layer_of(activation: Any, pool_size: int | None) -> Layer:
    """Return the layer of a name or an object; maxout alone has a pool size."""
    if isinstance(activation, str) and activation == "maxout":
        if pool_size is None:
            raise ValueError("activation='maxout' needs pool_size, how many projections a unit has")
        return Maxout(require_integer("pool_size", pool_size, most=LARGEST_POOL))
    if pool_size is not None:
        raise ValueError(f"pool_size={pool_size!r} is for activation='maxout' alone: leave it out")
    return Elementwise(activation_of(activation))
