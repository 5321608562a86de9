"""Random maxout features: Definition 1, optionally centred or with shared projections."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

from mehler import _arrays, exact
from mehler._validate import require_flag
from mehler.features import _correlation, _distributions
from mehler.features.maxout._local import LocallyLinear
from mehler.features.projections import SharedPool, named
from mehler.features.projections._base import ProjectionName


class MaxoutFeatures(LocallyLinear):
    r"""Random maxout features of Definition 1.

    .. math:: \Phi(x) = \frac1{\sqrt m}\left(\max_{j\le q}\langle w^\ell_j, x\rangle
              \right)_{\ell\le m}, \quad w^\ell_j \sim N(0, I_d)

    The expected kernel is :math:`|x||z|K_q(\rho)`, :math:`K_q(\rho) = h_1(q)^2 + \int_0^\rho
    \kappa_q` (not the printed :math:`\sigma^2\rho\kappa_q`; for that kernel see
    :class:`mehler.DecoupledMaxoutFeatures`).

    Parameters
    ----------
    n_inputs : int
        Dimension d of the rows.
    n_features : int
        Units m.
    pool_size : int
        Pool size q; q = 1 gives the linear kernel.
    seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.
    centred : bool, optional
        Subtract :math:`h_1(q)|x|` from each unit: the kernel becomes
        :math:`|x||z|\int_0^\rho\kappa_q`, linear times a localiser.
    n_projections : int, optional
        Share P projections among all units, each of which uses q distinct ones at random
        (Table 3 of the paper). The kernel is the same; units are no longer independent.
    projections : {'gaussian', 'orthogonal', 'hadamard', 'sobol', 'halton'}, optional
        How weights are drawn, see `mehler.features.projections`: q independent projections,
        so the kernel is the same for each. 'hadamard' is faster from d = 512 on.

    See Also
    --------
    mehler.DecoupledMaxoutFeatures : The map with the printed kernel.
    mehler.MaxoutCodes : The indices of the maxima.

    Notes
    -----
    Transforming n rows costs 2 n d q m operations, in blocks of rows, so that extra memory
    does not grow with n.

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
        like: Any = None,
        dtype: Any = None,
        centred: bool = False,
        n_projections: int | None = None,
        projections: ProjectionName = "gaussian",
        stored: bool = True,
    ) -> None:
        self.centred = require_flag("centred", centred)
        projection = named(projections)
        self.n_projections = n_projections
        if n_projections is not None:
            if not projection.independent:
                raise ValueError(
                    f"projections={projections!r} with n_projections={n_projections}: members of "
                    "one pool must be independent, so take projections='gaussian'"
                )
            projection = SharedPool(n_projections)
            self.n_projections = projection.n_projections
        super().__init__(
            n_inputs,
            n_features,
            pool_size,
            seed=seed,
            like=like,
            dtype=dtype,
            projection=projection,
            stored=stored,
        )

    def _parameters(self) -> dict[str, Any]:
        return {
            **super()._parameters(),
            "centred": self.centred,
            "n_projections": self.n_projections,
        }

    def _draw_common(self, dtype: str) -> tuple[Any, ...]:
        return self._projection.shared(self.seed, self.n_inputs, dtype)

    def _draw_units(self, dtype: str, units: slice) -> tuple[Any, ...]:
        return self._projection.draw_units(
            self.seed, self.pool_size, self.n_inputs, units, dtype, self._common(dtype)
        )

    def _block(self) -> Callable[..., _arrays.Array]:
        return functools.partial(_transform, self._projection.pieces, self._offset, self._gain)

    @property
    def _gain(self) -> float:
        return 1 / math.sqrt(self.n_features)

    @property
    def _offset(self) -> float:  # type: ignore[override]  # depends on the instance
        return exact.max_moment(1, self.pool_size) if self.centred else 0.0

    def _pools(
        self, xp: Any, rows: _arrays.Array, weights: tuple[Any, ...]
    ) -> Iterator[tuple[_arrays.Array, _arrays.Array]]:
        return ((piece, piece) for piece in self._projection.pieces(xp, rows, *weights))

    def _kernel_at(self, rho: _arrays.Array) -> _arrays.Array:
        kernel = exact.centred_kernel if self.centred else exact.maxout_kernel
        return kernel(rho, self.pool_size)

    def _variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        variance = exact.centred_variance if self.centred else exact.maxout_variance
        return variance(rho, self.pool_size)

    feature_cdf = _distributions.feature_cdf

    def _cdf_of(self, X: _arrays.Array, t: _arrays.Array) -> _arrays.Array:
        return _distributions.cdf(X, t, _distributions.maxout_cdf(self.pool_size, self._offset))

    def _kurtosis_at(self, rho: _arrays.Array) -> _arrays.Array:
        return _distributions.maxout_kurtosis(rho, self.pool_size, centred=self.centred)


def _transform(
    pieces: Callable[..., Iterator[_arrays.Array]],
    offset: float,
    scale: float,
    xp: Any,
    rows: _arrays.Array,
    *weights: Any,
) -> _arrays.Array:
    """Compute (max_j <w_j, x> - offset |x|) times scale.

    The unit is positively homogeneous, so the scale is applied to the d inputs, not the m outputs.
    """
    rows = rows * scale
    out = largest(xp, pieces(xp, rows, *weights))
    return out - offset * _correlation.lengths(xp, rows) if offset else out


def largest(xp: Any, pieces: Iterator[_arrays.Array]) -> _arrays.Array:
    """Compute maxima over the q pieces.

    One product per piece and a running maximum: the block of maxima stays in cache, and no array
    with all q m projections is formed. This is as fast as the products alone.
    """
    if isinstance(pieces, (_arrays.StackedProducts, _arrays.ReusedBuffer)):
        return pieces.largest(xp)
    out = next(pieces)
    for piece in pieces:
        out = _arrays.maximum(xp, out, piece)
    return out
