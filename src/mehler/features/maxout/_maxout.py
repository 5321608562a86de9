"""Maxout features, and the base class of maps whose units take pools of q projections."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, exact
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer
from mehler.features import _correlation, _distributions
from mehler.features._base import FeatureMap
from mehler.features._block import Units
from mehler.features.projections import Projection, ProjectionName, SharedPool, named


class MaxoutBase(FeatureMap):
    """A map of units on pools of q Gaussian projections; subclasses state kernel and variance."""

    # Recipes from before `projections=` compare equal.
    _later = ("stored", "projections")
    # Units are positively homogeneous of this degree.
    _degree: ClassVar[int] = 1

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        pool_size: int,
        *,
        seed: int,
        like: object = None,
        dtype: object = None,
        projections: ProjectionName = "gaussian",
        stored: bool = True,
    ) -> None:
        self.pool_size = require_integer("pool_size", pool_size, most=10**6)
        self.projections = projections
        self._projection = self._projection_of(named(projections))
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    def _projection_of(self, projection: Projection) -> Projection:
        """Return how weights are drawn, or raise ValueError."""
        return projection

    @abstractmethod
    def _kernel_at(self, rho: Array) -> Array:
        """Compute the expected kernel of unit vectors with inner product rho."""

    @abstractmethod
    def _variance_at(self, rho: Array) -> Array:
        """Compute the variance of one feature product of unit vectors."""

    @abstractmethod
    def _kurtosis_at(self, rho: Array) -> Array:
        """Compute or bound the kurtosis of one feature product of unit vectors."""

    product_kurtosis = _distributions.product_kurtosis

    def _gram_variance_at(self, rho: Array) -> Array:
        """Compute m times the variance of the Gram for unit vectors, or a bound of it."""
        return self._variance_at(rho) * self._projection.variance_factor(*self._sizes())

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether the projection draws units independently."""
        return self._projection.independent

    def _sizes(self) -> tuple[int, int, int]:
        """Return pieces, inputs and units of the projection."""
        return self.pool_size, self.n_inputs, self.n_features

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        q, d, m = self._sizes()
        return self._projection.draw_units(self.seed, q, d, units, m, dtype)

    def _units(self) -> Units:
        self._projection.check(*self._sizes())
        block_rows = self._projection.block_rows_for_map(self.n_inputs)
        return Units(
            self._projection.n_weights(*self._sizes()),
            block=block_rows or _arrays.block_rows_for_max(self.n_inputs, self.n_features),
            # All products at once, and the largest.
            width=(self.pool_size + 1) * self.n_features,
        )

    @property
    def _slope(self) -> float:
        """The derivative of the kernel in rho at 0, if it is homogeneous."""
        return 1.0 / self.pool_size

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        value = self._at_pairs(x, y, self._kernel_at, 1)
        if not _arrays.differentiable(x, *(() if y is None else (y,))) or not self._slope:
            return value
        # At a row of zeros nothing but the linear part of the kernel has a derivative.
        xp = _arrays.array_namespace(value)
        nothing = xp.zeros_like(value)
        zero = _arrays.constant(self._at_pairs(x, y, xp.ones_like, 1)) == 0.0
        return value + self._slope * xp.where(zero, _correlation.products(x, y), nothing)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        return self._at_pairs(x, y, self._variance_at, 2)

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        return self._at_pairs(x, y, self._gram_variance_at, 2)

    def _kurtosis_of(self, x: Array, y: Array | None) -> Array:
        return self._at_pairs(x, y, self._kurtosis_at, 0)

    def _at_pairs(
        self, x: Array, y: Array | None, at: Callable[[Array], Array], power: int
    ) -> Array:
        """Compute a function of rho at all pairs of rows, times a power of both norms: (n, k)."""
        if x.shape[0] > _correlation.BLOCK and _arrays.may_be_written(x):
            of_block = functools.partial(self._at_pairs, at=at, power=power)
            return _correlation.over_blocks(of_block, x, y)
        x_length, y_length, rho = _correlation.pairs(x, y)
        scale, value = (x_length * y_length) ** (self._degree * power), at(rho)
        xp = _arrays.array_namespace(rho)
        if _arrays.may_be_read(scale) and bool(xp.all(xp.isfinite(scale))):
            return scale * value
        # Huge rows at right angles: 0 times infinity.
        nothing = (value == 0.0) & ~xp.isfinite(scale)
        return xp.where(nothing, xp.ones_like(scale), scale) * value


class LocallyLinear(MaxoutBase):
    """A maxout map whose units are linear near each row, less `_offset` times the row's norm."""

    _offset: float = 0.0

    @abstractmethod
    def _pools(
        self, xp: ModuleType, rows: Array, weights: tuple[Any, ...]
    ) -> Iterator[tuple[Array, Array]]:
        """Yield for each j <= q the projections that compete, and those that are taken."""

    @property
    @abstractmethod
    def _gain(self) -> float:
        """Factor of the features."""

    def local_coefficients(self, X: Array, weights: Array | None = None) -> Array:
        r"""Return the coefficients of the linear functions that the features are near each row.

        .. math:: \Phi(x) = A(x)\,x, \qquad
                  \langle\alpha, \Phi(x)\rangle = \langle A(x)^\top\alpha, x\rangle

        A is constant within a cell of winners, and is the derivative of the features there.

        Parameters
        ----------
        X : array, shape (n, n_inputs)
            Rows on the map's library and device.
        weights : array, shape (n_features,) or (n_features, t), optional
            Coefficients :math:`\alpha` of a linear model on the features, or of t of them.

        Returns
        -------
        array, shape (n, n_features, n_inputs), (n, n_inputs) or (n, n_inputs, t)
            A(x) of each row; with `weights` :math:`A(x)^\top\alpha`. In the namespace, device and
            float dtype of `X`, or in the dtype that the map was drawn with.

        Notes
        -----
        Equation (4) of the paper holds for the decoupled map; for the plain one the mean is the
        gradient of the kernel (:doc:`/theorems/theorem-1-kernel`). A row of zeros has the
        coefficients of a neighbour. Cost: q products of n x m by m x d.

        References
        ----------
        Mroueh, Rennie, Goel (2015), equations (4) and (5).

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.DecoupledMaxoutFeatures.draw(3, 200, 4, seed=0)
        >>> x, alpha = np.array([[1.0, 2.0, -1.0]]), np.ones(200)
        >>> w = phi.local_coefficients(x, alpha)
        >>> bool(np.allclose((w * x).sum(axis=1), phi(x) @ alpha))
        True
        """
        largest = _arrays.require_matrix(X, n_columns=self.n_inputs)
        _arrays.require_same_place(X, self.place, name="X", owner="phi")
        dtype, name = self._dtype_for(X)
        place = _arrays.place_of(X)
        xp, alpha = place.xp, None
        if weights is not None:
            alpha = xp.astype(self._checked(weights, X), dtype, copy=False)
        rows, arrays = xp.astype(X, dtype, copy=False), self._weights(name)
        identity = xp.eye(self.n_inputs, dtype=dtype, device=place.device)
        self._require_range(X, name, largest, arrays)
        with np.errstate(over="ignore", invalid="ignore"), _arrays.full_precision(X):
            deciding = (values for values, _ in self._pools(xp, rows, arrays))
            winner = _arrays.Pieces(xp, deciding).winner(xp.int32)
        total: Any = 0.0
        with _arrays.full_precision(X):
            for j, (_, directions) in enumerate(self._pools(xp, identity, arrays)):
                wins, directions = xp.astype(winner == j, dtype), xp.matrix_transpose(directions)
                if alpha is None:
                    total = total + wins[:, :, None] * directions[None, :, :]
                else:
                    won = wins[:, None, :] * xp.matrix_transpose(alpha)[None, :, :]
                    total = total + xp.matrix_transpose(xp.matmul(won, directions))
        if self._offset:
            # The gradient of the norm.
            unit = _correlation.directions(xp, rows, _correlation.lengths(xp, rows))
            if alpha is None:
                radial = unit[:, None, :]
            else:
                radial = unit[:, :, None] * xp.sum(alpha, axis=0)[None, None, :]
            total = total - self._offset * radial
        out = total * self._gain
        return out[..., 0] if weights is not None and weights.ndim == 1 else out

    def _checked(self, weights: Array, X: Array) -> Array:
        """Return weights of shape (m, t)."""
        _arrays.array_namespace(X, weights, names=("X", "weights"))
        if weights.ndim not in (1, 2) or weights.shape[0] != self.n_features:
            raise ValueError(
                f"weights has shape {tuple(weights.shape)}, not one coefficient per feature: pass "
                f"({self.n_features},) or ({self.n_features}, t)"
            )
        column = weights if weights.ndim == 2 else weights[:, None]
        _arrays.require_matrix(column, name="weights", n_columns=column.shape[1])
        return column


class MaxoutFeatures(LocallyLinear):
    r"""Random maxout features of Definition 1.

    .. math:: \Phi(x) = \frac1{\sqrt m}\left(\max_{j\le q}\langle w^\ell_j, x\rangle
              \right)_{\ell\le m}, \quad w^\ell_j \sim N(0, I_d)

    The expected kernel is :math:`|x||z|K_q(\rho)`, :math:`K_q(\rho) = h_1(q)^2 + \int_0^\rho
    \kappa_q`, with :math:`h_1(q)` the mean of the largest of q normal numbers and
    :math:`\kappa_q(\rho)` the probability that both rows have the same j as maximum (not the
    printed :math:`\sigma^2\rho\kappa_q`, see :class:`mehler.DecoupledMaxoutFeatures`).

    Parameters
    ----------
    pool_size : int
        Pool size q; q = 1 gives the linear kernel.
    n_inputs, n_features, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.
    centred : bool, optional
        Subtract :math:`h_1(q)|x|` from each unit: the kernel becomes
        :math:`|x||z|\int_0^\rho\kappa_q`, linear times a localiser.
    n_projections : int, optional
        Share P projections among all units, each of which uses q distinct ones at random
        (Table 3 of the paper). The kernel is the same; units are no longer independent.
    projections : {'gaussian', 'orthogonal', 'hadamard', 'sobol'}, optional
        How weights are drawn, see `mehler.features.projections`: q independent projections,
        so the kernel is the same for each. 'hadamard' is faster from d = 512 on.

    Notes
    -----
    Transforming n rows costs 2 n d q m operations; extra memory does not grow with n.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Definition 1 and Table 3.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.MaxoutFeatures.draw(3, 1000, 4, seed=0)
    >>> x = np.eye(3)
    >>> phi(x).shape
    (3, 1000)
    >>> bool(np.all(np.abs(phi.gram(x) - phi.kernel(x)) < 6 * phi.gram_variance(x) ** 0.5))
    True
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        pool_size: int,
        *,
        seed: int,
        like: object = None,
        dtype: object = None,
        centred: bool = False,
        n_projections: int | None = None,
        projections: ProjectionName = "gaussian",
        stored: bool = True,
    ) -> None:
        self.centred = require_flag("centred", centred)
        self.n_projections = n_projections
        options: Any = {"like": like, "dtype": dtype, "projections": projections, "stored": stored}
        super().__init__(n_inputs, n_features, pool_size, seed=seed, **options)

    def _projection_of(self, projection: Projection) -> Projection:
        # Kept as a number: torch.compile traces no cached function.
        self._offset = exact.max_moment(1, self.pool_size) if self.centred else 0.0
        if self.n_projections is None:
            return projection
        if not projection.independent:
            both = f"projections={projection.name!r} with n_projections={self.n_projections}"
            remedy = "members of one pool must be independent, so take projections='gaussian'"
            raise ValueError(f"{both}: {remedy}")
        pool = SharedPool(self.n_projections)
        self.n_projections = pool.n_projections
        return pool

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        # Units are positively homogeneous: scale the d inputs, not the m outputs.
        rows = rows * self._gain
        out = self._projection.pieces(xp, rows, *weights).largest()
        offset = self._offset
        return out - offset * _correlation.lengths(xp, rows) if offset else out

    @property
    def _gain(self) -> float:
        return 1 / math.sqrt(self.n_features)

    def _pools(
        self, xp: ModuleType, rows: Array, weights: tuple[Any, ...]
    ) -> Iterator[tuple[Array, Array]]:
        return ((piece, piece) for piece in self._projection.pieces(xp, rows, *weights))

    def _kernel_at(self, rho: Array) -> Array:
        # Correlations are within [-1, 1] already.
        kernel = exact.centred_kernel if self.centred else exact.kernel_at
        return kernel(rho, self.pool_size)

    def _variance_at(self, rho: Array) -> Array:
        variance = exact.centred_variance if self.centred else exact.maxout_variance
        return variance(rho, self.pool_size)

    feature_cdf = _distributions.feature_cdf

    def _cdf_of(self, X: Array, t: Array) -> Array:
        from scipy.special import log_ndtr

        q, offset = self.pool_size, self._offset
        return _distributions.cdf(X, t, lambda at: np.exp(q * log_ndtr(at + offset)))

    def _kurtosis_at(self, rho: Array) -> Array:
        return maxout_kurtosis(rho, self.pool_size, centred=self.centred)


def maxout_kurtosis(rho: Array, q: int, *, centred: bool) -> Array:
    """Bound the kurtosis of M M', or of (M - h_1)(M' - h_1); exact at rho = 0.

    M, M' are the maxima of q normal pairs of correlation rho, K = E M M'. With a = M - h_1 and
    b = M' - h_1, (M M' - K)^4 = sum C_ij a^i b^j. (a^i) and (b^j) have the covariance G(rho), a sum
    of rho^n times positive semidefinite parts (Mehler), so 0 <= G(rho) <= rho G(1) for rho >= 0,
    -|rho| G(1) <= G(rho) <= rho^2 G(1) else. With G(1) = L L', L' C L bounds tr(C G(rho)).
    """
    _arrays.require_no_gradient(rho, what="the kurtosis of maxout features")
    place = _arrays.place_of(rho)
    r = np.asarray(_arrays.to_host(rho), dtype=np.float64)
    flat = r.ravel()
    offset = 0.0 if centred else exact.max_moment(1, q)
    product = np.full((flat.size, 2, 2), offset)
    product[:, 0, 0] = -exact.centred_kernel(flat, q)
    product[:, 1, 1] = 1.0
    square = _multiplied(product, product)
    fourth = _multiplied(square, square)

    moments = np.array([1.0, 0.0] + [exact.centred_moment(k, q) for k in range(2, 9)])
    joint = moments[np.add.outer(np.arange(5), np.arange(5))]
    root = np.linalg.cholesky((joint - np.outer(moments[:5], moments[:5]))[1:, 1:])
    independent = np.einsum("nij,i,j->n", fourth, moments[:5], moments[:5])
    values = np.linalg.eigvalsh(root.T @ fourth[:, 1:, 1:] @ root)
    above, below = np.maximum(values, 0.0).sum(axis=1), np.maximum(-values, 0.0).sum(axis=1)
    covariance = np.where(flat >= 0.0, flat * above, flat**2 * above - flat * below)
    variance = (exact.centred_variance if centred else exact.maxout_variance)(flat, q)
    bound = ((independent + covariance) / variance**2).reshape(r.shape)
    return _arrays.from_host(bound, place, rho.dtype)


def _multiplied(left: Array, right: Array) -> Any:
    """Multiply polynomials in a and b, coefficients in the last two axes."""
    n = left.shape[1] + right.shape[1] - 1
    out = np.zeros((left.shape[0], n, n))
    for i in range(left.shape[1]):
        for j in range(left.shape[2]):
            piece = out[:, i : i + right.shape[1], j : j + right.shape[2]]
            piece += left[:, i, j, None, None] * right
    return out
