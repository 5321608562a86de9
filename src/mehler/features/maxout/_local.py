"""Local coefficients of maxout features: each feature is linear in its cell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from mehler import _arrays
from mehler.features import _correlation
from mehler.features.maxout._base import MaxoutBase


class LocallyLinear(MaxoutBase):
    """A maxout map whose features are inner products with weights that depend on the row.

    Subclasses define `_pools` and `_gain`, and `_offset` if they subtract a multiple of the norm.
    """

    _offset: float = 0.0

    @abstractmethod
    def _pools(
        self, xp: Any, rows: _arrays.Array, weights: tuple[Any, ...]
    ) -> Iterator[tuple[_arrays.Array, _arrays.Array]]:
        """Yield for each j <= q the projections that compete, and those that are taken."""

    @property
    @abstractmethod
    def _gain(self) -> float:
        """Factor of the features."""

    def local_coefficients(
        self, X: _arrays.Array, weights: _arrays.Array | None = None
    ) -> _arrays.Array:
        r"""Return the coefficients of the linear functions that the features are near each row.

        .. math:: \Phi(x) = A(x)\,x, \qquad
                  \langle\alpha, \Phi(x)\rangle = \langle A(x)^\top\alpha, x\rangle

        A is constant within a cell of winners, and is the derivative of the features there. For a
        linear model :math:`\alpha`, :math:`A(x)^\top\alpha` says how much each input contributes
        at x: multiplied by x, it sums to the prediction.

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

        Raises
        ------
        TypeError, ValueError
            If `X` or `weights` is not such an array, or lives elsewhere.

        Notes
        -----
        With the features of another row z for :math:`\alpha` the mean over draws is, for the
        decoupled map, :math:`\sigma^2(q)\,\kappa_q(x, z)\,z`: this is equation (4) of the paper.
        For the plain map it is the gradient of the kernel in x,
        :math:`\kappa_q z + |z|(K_q - \rho\kappa_q)\,x/|x|`, so that (4) does not hold
        (:doc:`/theorems/theorem-1-kernel`). A row of zeros has no cell: its coefficients are those
        of a neighbour. Cost: q products of n x m by m x d.

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
        dtype, _ = self._checked(X)
        xp, device = self._xp_and_device(X)
        alpha = None
        if weights is not None:
            alpha = self._checked_weights(weights, xp.astype(X, dtype, copy=False))
        rows = xp.astype(X, dtype, copy=False)
        drawn = self._weights(_arrays.dtype_name(dtype))
        identity = xp.eye(self.n_inputs, dtype=dtype, device=device)
        winner = _winners(xp, (values for values, _ in self._pools(xp, rows, drawn)))
        total: Any = 0.0
        for j, (_, directions) in enumerate(self._pools(xp, identity, drawn)):
            wins = xp.astype(winner == j, dtype)
            if alpha is None:
                total = total + wins[:, :, None] * xp.matrix_transpose(directions)[None]
            else:
                total = total + _summed(xp, wins, alpha, xp.matrix_transpose(directions))
        if self._offset:
            total = total - self._offset * self._radial(xp, rows, alpha)
        out = total * self._gain
        return out[..., 0] if weights is not None and weights.ndim == 1 else out

    def _checked_weights(self, weights: _arrays.Array, rows: _arrays.Array) -> _arrays.Array:
        """Return weights of shape (m, t) in the dtype of the rows."""
        xp = _arrays.array_namespace(rows, weights, names=("X", "weights"))
        if weights.ndim not in (1, 2) or weights.shape[0] != self.n_features:
            raise ValueError(
                f"weights has shape {tuple(weights.shape)} but must be one coefficient a feature, "
                f"({self.n_features},) or ({self.n_features}, t)"
            )
        column = weights if weights.ndim == 2 else weights[:, None]
        _arrays.require_matrix(column, name="weights", n_columns=column.shape[1])
        return xp.astype(column, rows.dtype, copy=False)

    def _radial(self, xp: Any, rows: _arrays.Array, alpha: _arrays.Array | None) -> _arrays.Array:
        """Return the gradient of the norm, for each feature or summed with `alpha`."""
        unit = _correlation.directions(xp, rows, _correlation.lengths(xp, rows))
        if alpha is None:
            return unit[:, None, :] * xp.ones_like(unit[:1, :1])
        return unit[:, :, None] * xp.sum(alpha, axis=0)[None, None, :]


def _winners(xp: Any, pieces: Iterator[_arrays.Array]) -> _arrays.Array:
    """Return the number of the largest projection of each unit; ties go to the first."""
    best = next(pieces)
    winner = xp.zeros_like(best)
    for j, piece in enumerate(pieces, start=1):
        better = piece > best
        winner = xp.where(better, j * xp.ones_like(winner), winner)
        best = xp.where(better, piece, best)
    return winner


def _summed(
    xp: Any, wins: _arrays.Array, alpha: _arrays.Array, directions: _arrays.Array
) -> _arrays.Array:
    """Sum the won directions with coefficients `alpha`: shape (n, d, t)."""
    parts = [xp.matmul(wins * alpha[:, t], directions) for t in range(alpha.shape[1])]
    return xp.stack(parts, axis=2)
