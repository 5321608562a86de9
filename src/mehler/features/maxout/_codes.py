"""Maxout codes: the index of the winning projection of each unit, and their similarity."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

from mehler import _arrays, exact
from mehler._validate import require_real
from mehler.features import _distributions, _rows
from mehler.features.maxout._base import MaxoutBase
from mehler.features.projections import named
from mehler.features.projections._base import ProjectionName

# Below, collision probabilities in float64 have fewer than four digits, and from 1e-13 on none.
_LEAST_COLLISION = 1e-9


class MaxoutCodes(MaxoutBase):
    r"""Locality-sensitive q-ary codes of Remark 1.

    .. math:: C(x) = \left(\arg\max_{j\le q}\langle w^\ell_j, x\rangle\right)_{\ell\le m}, \quad
              E\,\frac1m\#\{\ell: C_\ell(x) = C_\ell(z)\} = \kappa_q(\rho)

    ``phi(X)`` are the codes, counted from 0; ``phi.gram(X, Y)`` is the fraction of units on which
    they agree; ``phi.kernel`` is its expectation, the collision probability. The weights are those
    of :class:`mehler.MaxoutFeatures` of the same seed.

    Parameters
    ----------
    n_inputs : int
        Dimension d of the rows.
    n_features : int
        Units m: digits of the code.
    pool_size : int
        Pool size q: values of a digit.
    seed, like, dtype
        As in :class:`mehler.features.FeatureMap`.
    projections : {'gaussian', 'orthogonal', 'hadamard', 'sobol', 'halton'}, optional
        How weights are drawn, see `mehler.features.projections`; the kernel is the same.

    See Also
    --------
    mehler.features.PackedCodes : The same codes as bit planes.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Remark 1.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.MaxoutCodes.draw(2, 1000, 4, seed=0)
    >>> codes = phi(np.array([[1.0, 0.0], [-1.0, 0.0]]))
    >>> codes.dtype, phi.similarity(codes)[0, 1]
    (dtype('uint8'), np.float64(0.0))
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
        projections: ProjectionName = "gaussian",
    ) -> None:
        super().__init__(
            n_inputs,
            n_features,
            pool_size,
            seed=seed,
            like=like,
            dtype=dtype,
            projection=named(projections),
        )

    def _block(self) -> Callable[..., _arrays.Array]:
        return functools.partial(_encode, self._projection.pieces, self.pool_size)

    def _out_dtype(self, dtype: Any) -> Any:
        return _arrays.code_dtype(self.place.xp, self.pool_size)

    # Codes depend on directions only, and a row of zeros has none.
    _slope = 0.0

    def _kernel_at(self, rho: _arrays.Array) -> _arrays.Array:
        return exact.collision_probability(rho, self.pool_size)

    def _variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        kappa = self._kernel_at(rho)
        return kappa * (1 - kappa)

    def _kurtosis_at(self, rho: _arrays.Array) -> _arrays.Array:
        return _distributions.indicator_kurtosis(self._kernel_at(rho))

    def _scale(self, product_of_lengths: _arrays.Array, power: int) -> _arrays.Array:
        # Codes depend on directions only. For a zero row all projections tie; its kernel with
        # anything is taken as 1/q, that of rho = 0.
        return product_of_lengths**0

    def _unit_products(self, left: _arrays.Array, right: _arrays.Array) -> _arrays.Array:
        place = _arrays.place_of(left)
        wide = _arrays.widest_float(place.xp, place.device)
        return place.xp.astype(left == right, wide)

    def gram(
        self, X: _arrays.Array, Y: _arrays.Array | None = None, *, check_finite: bool = True
    ) -> _arrays.Array:
        """Compute the fraction of units on which the codes of rows agree, shape (n, k).

        Parameters
        ----------
        X, Y, check_finite
            As for :meth:`kernel`.

        Returns
        -------
        array, shape (n, k)
            In the widest float of the device.
        """
        codes = _rows.features_of(self, check_finite)
        left = codes(X)
        return self.similarity(left, None if Y is None else codes(Y))

    def similarity(self, C: _arrays.Array, D: _arrays.Array | None = None) -> _arrays.Array:
        r"""Compute the Hamming similarity of codes: the fraction of digits that agree.

        .. math:: s(c, d) = \frac1m \#\{\ell : c_\ell = d_\ell\}, \quad E\,s = \kappa_q(\rho)

        Parameters
        ----------
        C : integer array, shape (n, n_features)
            Codes.
        D : integer array, shape (k, n_features), optional
            Codes; ``None`` stands for `C`.

        Returns
        -------
        array, shape (n, k)
            In the widest float of the device.

        Raises
        ------
        TypeError, ValueError
            If `C` or `D` are not codes of this map.

        Notes
        -----
        Counts are exact. NumPy compares bit planes, 64 digits at once (as :class:`PackedCodes`,
        which stores them packed), in ``OMP_NUM_THREADS`` threads; other libraries multiply
        one-hot digits, with 4 KiB of extra memory a row. With ``D=None`` each pair is counted
        once. Dask arrays are compared chunk by chunk, lazily.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.MaxoutCodes.draw(2, 4, 3, seed=0)
        >>> codes = np.array([[0, 1, 2, 2], [0, 1, 2, 0]], dtype=np.uint8)
        >>> float(phi.similarity(codes)[0, 1])
        0.75
        """
        self._require_codes(C, "C")
        if D is not None:
            self._require_codes(D, "D")
            _arrays.array_namespace(C, D, names=("C", "D"))
        return _arrays.hamming_similarity(C, D, self.pool_size)

    def exponent(self, near: float, far: float) -> float:
        r"""Compute the exponent of hashing by digits: queries cost about n to this power.

        .. math:: \frac{\log\kappa_q(\rho_1)}{\log\kappa_q(\rho_2)} \to
                  \frac{(1 - \rho_1)(1 + \rho_2)}{(1 + \rho_1)(1 - \rho_2)} \quad (q \to \infty)

        With k = log(n)/log(1/kappa(far)) digits a table has one row of cosine `far` or less in a
        bucket, and n to the exponent many tables find a row of cosine `near`: for digits of
        independent units, which Gaussian projections have. The limit is that of cross-polytope
        hashing, and q = 2 is hashing by signs; a larger pool has a smaller exponent and more
        projections per digit.

        Parameters
        ----------
        near, far : float
            Cosines of neighbours and of rows that are not: -1 < far < near <= 1.

        Returns
        -------
        float
            In [0, 1).

        Raises
        ------
        TypeError, ValueError
            If they are no such cosines, the pool has one member, or kappa(far) is below 1e-9.

        Notes
        -----
        Relative error 1e-5: kappa is known to 1e-13.

        References
        ----------
        Proof of the limit: :doc:`/theorems/remark-1-codes`. A. Andoni, P. Indyk, T. Laarhoven, I.
        Razenshteyn, L. Schmidt (2015), Theorem 1.

        Examples
        --------
        >>> import mehler
        >>> for q in (2, 16, 256):
        ...     print(q, round(mehler.MaxoutCodes.draw(8, 40, q, seed=0).exponent(0.75, 0.0), 3))
        2 0.377
        16 0.318
        256 0.273
        """
        near, far = require_real("near", near), require_real("far", far)
        if not -1 < far < near <= 1:
            raise ValueError(
                f"near={near!r} and far={far!r} are not cosines with -1 < far < near <= 1"
            )
        q = self.pool_size
        if q == 1:
            raise ValueError(
                "the map has pool_size=1, whose codes are all equal: draw it with more"
            )
        p, r = (float(exact.collision_probability(rho, q)) for rho in (near, far))
        if r < _LEAST_COLLISION:
            raise ValueError(
                f"far={far!r} shares a digit with probability {r:.1g} in pools of {q}, of which "
                "too few digits are known: give a larger one, or smaller pools"
            )
        return 0.0 if near == 1 else math.log(p) / math.log(r)

    def _require_codes(self, codes: _arrays.Array, name: str) -> None:
        xp = _arrays.array_namespace(codes, names=(name,))
        if not xp.isdtype(codes.dtype, "integral"):
            raise TypeError(f"{name} must hold integer codes, not {codes.dtype}; pass phi(X)")
        if codes.ndim != 2 or codes.shape[1] != self.n_features:
            raise ValueError(
                f"{name} must have shape (rows, {self.n_features}), not {tuple(codes.shape)}; "
                "pass phi(X)"
            )
        _arrays.require_digits(codes, self.pool_size, name)


def _encode(
    pieces: Callable[..., Iterator[_arrays.Array]],
    n_values: int,
    xp: Any,
    rows: _arrays.Array,
    *weights: Any,
) -> _arrays.Array:
    """Compute codes by a running argmax.

    Reductions over a short last axis cost three times as much.
    """
    dtype = _arrays.code_dtype(xp, n_values)
    projected = pieces(xp, rows, *weights)
    if isinstance(projected, (_arrays.StackedProducts, _arrays.ReusedBuffer)):
        return xp.astype(projected.winner(xp), dtype)
    best = next(projected)
    code = xp.zeros(best.shape, dtype=dtype, device=_arrays.place_of(rows).device)
    for j, piece in enumerate(projected, start=1):
        # j increases, so a strict maximum keeps the smaller index on ties.
        code = _arrays.maximum(xp, code, xp.astype(piece > best, dtype) * j)
        best = _arrays.maximum(xp, best, piece)
    return code
