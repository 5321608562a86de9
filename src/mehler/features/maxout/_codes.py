"""Maxout codes: the index of the largest of q projections, for each unit; codes as bit planes."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _arrays, exact
from mehler._arrays import Array
from mehler._validate import require_instance, require_integer, require_real
from mehler.features._block import Units
from mehler.features.maxout import _bit_planes as bit_planes
from mehler.features.maxout._maxout import MaxoutBase

# Below, collision probabilities in float64 have fewer than four digits, and from 1e-13 on none.
_LEAST_COLLISION = 1e-9


class MaxoutCodes(MaxoutBase):
    r"""Locality-sensitive q-ary codes of Remark 1.

    .. math:: C(x) = \left(\arg\max_{j\le q}\langle w^\ell_j, x\rangle\right)_{\ell\le m}, \quad
              E\,\frac1m\#\{\ell: C_\ell(x) = C_\ell(z)\} = \kappa_q(\rho)

    ``phi(X)`` are the codes, counted from 0; ``phi.gram(X, Y)`` is the fraction of units on which
    they agree; ``phi.kernel`` is its expectation, the collision probability at cosine rho. Weights
    are those of :class:`mehler.MaxoutFeatures` of the same seed.

    Parameters
    ----------
    pool_size : int
        Pool size q: values of a digit.
    n_inputs, n_features, seed, like, dtype, projections, stored
        As of :class:`mehler.MaxoutFeatures`.

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

    def _units(self) -> Units:
        return super()._units()._replace(n_values=self.pool_size)

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        dtype = _arrays.code_dtype(xp, self.pool_size)
        return self._projection.pieces(xp, rows, *weights).winner(dtype)

    # Codes depend on directions only. For a zero row all projections tie: its kernel with anything
    # is taken as 1/q, that of rho = 0.
    _slope, _degree = 0.0, 0

    def _kernel_at(self, rho: Array) -> Array:
        return exact.collision_probability(rho, self.pool_size)

    def _variance_at(self, rho: Array) -> Array:
        kappa = self._kernel_at(rho)
        return kappa * (1 - kappa)

    def _kurtosis_at(self, rho: Array) -> Array:
        """Compute 1/v - 3, v the variance of an indicator; 1 where that is constant."""
        xp, v = _arrays.array_namespace(rho), self._variance_at(rho)
        ones = xp.ones_like(v)
        return xp.where(v > 0.0, 1.0 / xp.where(v > 0.0, v, ones) - 3.0, ones)

    def _unit_products(self, left: Array, right: Array) -> Array:
        place = _arrays.place_of(left)
        wide = _arrays.widest_float(place.xp, place.device)
        return place.xp.astype(left == right, wide)

    def gram(self, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
        """Compute the fraction of units on which codes agree, (n, k), in the widest float."""
        left = self(X, check_finite=check_finite)
        right = None if Y is None else self(Y, check_finite=check_finite)
        return self.similarity(left, right)

    def similarity(self, C: Array, D: Array | None = None) -> Array:
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

        Notes
        -----
        Counts are exact. NumPy compares bit planes, 64 digits at once, in ``OMP_NUM_THREADS``
        threads; other libraries multiply one-hot digits, with 4 KiB of extra memory a row. Dask
        arrays are compared chunk by chunk, lazily.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.MaxoutCodes.draw(2, 4, 3, seed=0)
        >>> codes = np.array([[0, 1, 2, 2], [0, 1, 2, 0]], dtype=np.uint8)
        >>> float(phi.similarity(codes)[0, 1])
        0.75
        """
        bit_planes.require_codes(C, "C", self.n_features)
        if D is not None:
            bit_planes.require_codes(D, "D", self.n_features)
            _arrays.array_namespace(C, D, names=("C", "D"))
        return bit_planes.hamming_similarity(C, D, self.pool_size)

    def exponent(self, near: float, far: float) -> float:
        r"""Compute the exponent of hashing by digits: queries cost about n to this power.

        .. math:: \frac{\log\kappa_q(\rho_1)}{\log\kappa_q(\rho_2)} \to
                  \frac{(1 - \rho_1)(1 + \rho_2)}{(1 + \rho_1)(1 - \rho_2)} \quad (q \to \infty)

        With k = log(n)/log(1/kappa(far)) digits of independent units a table has one row of cosine
        `far` or less in a bucket, and n to the exponent many tables find a row of cosine `near`.

        Parameters
        ----------
        near, far : float
            Cosines of neighbours and of rows that are not: -1 < far < near <= 1.

        Returns
        -------
        float
            In [0, 1), to a relative 1e-5; ValueError where kappa(far) is below 1e-9.

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
            both = f"near={near!r} and far={far!r}"
            raise ValueError(f"{both} are not cosines with -1 < far < near <= 1")
        q = self.pool_size
        if q == 1:
            raise ValueError("the map has pool_size=1, whose codes are all equal: draw with more")
        p, r = (float(exact.collision_probability(rho, q)) for rho in (near, far))
        if r < _LEAST_COLLISION:
            raise ValueError(
                f"far={far!r} shares a digit with probability {r:.1g} in pools of {q}, of which "
                "too few digits are known: give a larger one, or smaller pools"
            )
        return 0.0 if near == 1 else math.log(p) / math.log(r)


class PackedCodes:
    r"""Maxout codes stored as bit planes on the host.

    .. math:: \lceil \log_2 q \rceil \ \text{bits a digit}, \qquad
              \#\{\ell : c_\ell = d_\ell\} = m - \mathrm{ones}\Big(\bigvee_p
              \mathrm{plane}_p(c) \oplus \mathrm{plane}_p(d)\Big)

    Construct with :meth:`pack`. Words are NumPy arrays: ``numpy.save`` keeps them, and
    ``PackedCodes(words, m, q)`` reads them back.

    Attributes
    ----------
    words : uint64 array, shape (n, planes, ceil(m / 64))
        Bit l % 64 of word l // 64 of plane p is bit p of digit l; bits beyond m are 0.
    n_features : int
        Digits m of a code.
    pool_size : int
        Values q of a digit.
    """

    def __init__(self, words: Array, n_features: int, pool_size: int) -> None:
        self.n_features = require_integer("n_features", n_features)
        self.pool_size = require_integer("pool_size", pool_size, most=10**6)
        shape = (bit_planes.planes_of(self.pool_size), -(-self.n_features // bit_planes.WORD))
        if getattr(words, "dtype", None) != np.uint64 or words.ndim != 3:
            raise TypeError("words must be a NumPy array of uint64 with 3 axes; use pack(codes, q)")
        if words.shape[1:] != shape or not len(words):
            raise ValueError(
                f"words have shape {words.shape}, but {n_features} digits below {pool_size} take "
                f"(rows, {shape[0]}, {shape[1]}) with at least one row; use pack(codes, q)"
            )
        self.words = words

    @classmethod
    def pack(cls, codes: Array, pool_size: int) -> PackedCodes:
        """Pack codes of any library.

        Parameters
        ----------
        codes : integer array, shape (n, m)
            Digits below `pool_size`, as ``phi(X)`` of :class:`MaxoutCodes`; Dask's are computed.
        pool_size : int
            Values q of a digit.

        Returns
        -------
        PackedCodes

        Examples
        --------
        >>> import numpy as np
        >>> from mehler.features import PackedCodes
        >>> packed = PackedCodes.pack(np.array([[0, 3, 1], [2, 3, 1]]), pool_size=4)
        >>> packed.agreements().tolist()
        [[3, 2], [2, 3]]
        """
        q = require_integer("pool_size", pool_size, most=10**6)
        bit_planes.require_codes(codes, "codes")
        _arrays.require_values(codes, "codes")
        small = bit_planes.require_digits(_arrays.to_host(codes), q, "codes")
        return cls(bit_planes.pack(small, q), small.shape[1], q)

    def unpack(self, like: Any = None) -> Array:
        """Return the codes, exactly as they were packed.

        Parameters
        ----------
        like : array or array namespace, optional
            Where they are wanted; default NumPy.

        Returns
        -------
        integer array, shape (n, m)
            In the dtype that :class:`MaxoutCodes` gives: uint8 up to q = 256, int16, int32.
        """
        dtype = _arrays.code_dtype(np, self.pool_size)
        codes = bit_planes.unpack(self.words, self.n_features, dtype)
        return codes if like is None else _arrays.from_host(codes, _arrays.resolve_place(like))

    def agreements(self, other: PackedCodes | None = None) -> Any:
        """Count agreeing digits for all pairs of rows.

        Parameters
        ----------
        other : PackedCodes, optional
            Codes with as many digits of as many values; ``None`` stands for these rows, each
            pair of which is then compared once.

        Returns
        -------
        unsigned integer array, shape (n, k)
            NumPy; uint16 up to m = 65535, else uint32. Threads: ``OMP_NUM_THREADS``, or the cores.
            Pools of two are compared by faiss where the program has imported it.
        """
        if other is None or other is self:
            return bit_planes.agreements(self.words, None, self.n_features)
        require_instance("other", other, PackedCodes)
        sizes, others = (f"{c.n_features} digits below {c.pool_size}" for c in (self, other))
        if sizes != others:
            raise ValueError(f"other has {others}, these have {sizes}; compare codes of one map")
        return bit_planes.agreements(self.words, other.words, self.n_features)

    def similarity(self, other: PackedCodes | None = None) -> Any:
        """Compute the fraction of digits that agree: :meth:`agreements` over m, in float64."""
        return self.agreements(other) / self.n_features

    def __len__(self) -> int:
        return int(self.words.shape[0])

    @property
    def nbytes(self) -> int:
        """Bytes of the words: 8 ceil(m / 64) ceil(log2 q) a row."""
        return int(self.words.nbytes)

    def __repr__(self) -> str:
        sizes = f"{len(self)} rows, {self.n_features} digits below {self.pool_size}"
        return f"PackedCodes of {sizes}, {self.nbytes} bytes"
