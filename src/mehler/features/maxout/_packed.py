"""Codes as bit planes: ceil(log2 q) bits a digit, compared 64 digits at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import bit_planes
from mehler._validate import require_integer
from mehler.features._recipes import CalledByName


class PackedCodes(metaclass=CalledByName):
    r"""Maxout codes stored as bit planes on the host.

    .. math:: \lceil \log_2 q \rceil \ \text{bits a digit}, \qquad
              \#\{\ell : c_\ell = d_\ell\} = m - \mathrm{ones}\Big(\bigvee_p
              \mathrm{plane}_p(c) \oplus \mathrm{plane}_p(d)\Big)

    Construct with :meth:`pack`. Words are NumPy arrays, whatever library the codes came from: no
    other one has a popcount everywhere. ``numpy.save`` keeps them, and ``PackedCodes(words, m, q)``
    reads them back.

    Attributes
    ----------
    words : uint64 array, shape (n, planes, ceil(m / 64))
        Bit l % 64 of word l // 64 of plane p is bit p of digit l; bits beyond m are 0.
    n_features : int
        Digits m of a code.
    pool_size : int
        Values q of a digit.

    See Also
    --------
    mehler.MaxoutCodes : The codes.
    """

    def __init__(self, words: Any, n_features: int, pool_size: int) -> None:
        self.n_features = require_integer("n_features", n_features)
        self.pool_size = require_integer("pool_size", pool_size, most=10**6)
        shape = (bit_planes.planes_of(self.pool_size), -(-self.n_features // bit_planes.WORD))
        if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.ndim != 3:
            raise TypeError("words must be a NumPy array of uint64 with 3 axes; use pack(codes, q)")
        if words.shape[1:] != shape or not len(words):
            raise ValueError(
                f"words have shape {words.shape}, but {n_features} digits below {pool_size} take "
                f"(rows, {shape[0]}, {shape[1]}) with at least one row; use pack(codes, q)"
            )
        self.words = words

    @classmethod
    def pack(cls, codes: _arrays.Array, pool_size: int) -> PackedCodes:
        """Pack codes of any library.

        Parameters
        ----------
        codes : integer array, shape (n, m)
            Digits from 0 to ``pool_size - 1``, such as ``phi(X)`` of :class:`MaxoutCodes`. Dask
            arrays are computed, each chunk packed by its worker.
        pool_size : int
            Values q of a digit.

        Returns
        -------
        PackedCodes

        Raises
        ------
        TypeError, ValueError
            If `codes` are not such a matrix.

        Examples
        --------
        >>> import numpy as np
        >>> from mehler.features import PackedCodes
        >>> packed = PackedCodes.pack(np.array([[0, 3, 1], [2, 3, 1]]), pool_size=4)
        >>> packed.agreements().tolist()
        [[3, 2], [2, 3]]
        """
        q = require_integer("pool_size", pool_size, most=10**6)
        xp = _arrays.array_namespace(codes, names=("codes",))
        if not xp.isdtype(codes.dtype, "integral"):
            raise TypeError(f"codes must be integers, not {codes.dtype}; pass phi(X)")
        if codes.ndim != 2 or 0 in codes.shape:
            raise ValueError(
                f"codes must have shape (rows, digits), not empty, but have {tuple(codes.shape)}"
            )
        m = codes.shape[1]
        if _arrays.is_lazy(codes) and not _arrays.is_chunked(codes):
            raise TypeError("codes are traced by jax.jit, but words live on the host; pack outside")
        if _arrays.is_chunked(codes):
            columns = bit_planes.planes_of(q) * -(-m // bit_planes.WORD)
            flat = _arrays.to_host(_arrays.map_rows(_FlatWords(q), codes, columns, "uint64"))
            words = flat.reshape(len(flat), bit_planes.planes_of(q), -1)
        else:
            host = _arrays.to_host(codes)
            _arrays.require_digits(host, q, "codes")
            words = bit_planes.pack(host.astype(_arrays.code_dtype(np, q), copy=False), q)
        return cls(words, m, q)

    def unpack(self, like: Any = None) -> _arrays.Array:
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
            NumPy; uint16 up to m = 65535, else uint32: 200 MB for 10^4 x 10^4 rows.

        Raises
        ------
        TypeError, ValueError
            If `other` holds codes of another kind.

        Notes
        -----
        Extra memory is half a MiB per thread. Threads: ``OMP_NUM_THREADS``, or the cores.
        """
        return self._compare(other, np.uint16 if self.n_features < 2**16 else np.uint32)

    def similarity(self, other: PackedCodes | None = None) -> Any:
        """Compute the fraction of digits that agree, as ``MaxoutCodes.similarity`` does.

        Parameters
        ----------
        other : PackedCodes, optional
            As in :meth:`agreements`.

        Returns
        -------
        array of float64, shape (n, k)
            NumPy.
        """
        return self._compare(other, np.float64)

    def _compare(self, other: PackedCodes | None, dtype: Any) -> Any:
        if other is not None:
            self._require_same(other)
        out = np.empty((len(self), len(self if other is None else other)), dtype=dtype)
        right = None if other is None else other.words
        return bit_planes.agreements(self.words, right, self.n_features, out)

    def _require_same(self, other: Any) -> None:
        if not isinstance(other, PackedCodes):
            raise TypeError(f"other is {type(other).__name__}; pass PackedCodes.pack(codes, q)")
        ours, theirs = ((one.n_features, one.pool_size) for one in (self, other))
        if ours != theirs:
            raise ValueError(
                f"other has {theirs[0]} digits below {theirs[1]}, these have {ours[0]} below "
                f"{ours[1]}; compare codes of one map"
            )

    def __getitem__(self, rows: Any) -> PackedCodes:
        """Return the codes of some rows: a number, a slice, a list of numbers or a mask."""
        chosen = np.arange(len(self))[rows]
        if chosen.ndim > 1 or not chosen.size:
            raise ValueError(
                f"rows={rows!r} must be numbers, a slice or a mask of some of the {len(self)} rows"
            )
        return PackedCodes(self.words[np.atleast_1d(chosen)], self.n_features, self.pool_size)

    def __len__(self) -> int:
        return int(self.words.shape[0])

    @property
    def nbytes(self) -> int:
        """Bytes of the words: 8 ceil(m / 64) ceil(log2 q) a row."""
        return int(self.words.nbytes)

    def __repr__(self) -> str:
        return (
            f"PackedCodes of {len(self)} rows, {self.n_features} digits below {self.pool_size}, "
            f"{self.nbytes} bytes"
        )


class _FlatWords:
    """Pack the rows of a chunk, the words of a row side by side."""

    def __init__(self, pool_size: int) -> None:
        self.pool_size = pool_size

    def __call__(self, xp: Any, codes: Any) -> Any:
        _arrays.require_digits(codes, self.pool_size, "codes")
        small = codes.astype(_arrays.code_dtype(np, self.pool_size), copy=False)
        return bit_planes.pack(small, self.pool_size).reshape(codes.shape[0], -1)
