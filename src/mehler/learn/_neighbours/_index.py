"""Locality-sensitive hashing by maxout codes, with the exact probability of a shared bucket."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from mehler import _arrays, exact
from mehler._arrays import Array, _codes
from mehler._validate import require_integer
from mehler.exact import require_rho
from mehler.features import MaxoutCodes, PackedCodes
from mehler.learn._arguments import require_rows
from mehler.learn._neighbours import _advice, _tuning
from mehler.learn._neighbours._advice import PoolAdvice
from mehler.learn._neighbours._hash_tables import Buckets

RANKS = ("codes", "cosine")
# Pairs ranked per block: 16 MiB of words for 1000 digits below 4.
_PAIRS = 1 << 16


class MaxoutIndex:
    r"""Approximate nearest neighbours by locality-sensitive hashing of maxout codes.

    .. math:: P(x, z \text{ share a bucket}) = 1 - \big(1 - \kappa_q(\rho)^k\big)^L

    There are L tables, each with a bucket for every value of k digits of the code; tables use
    disjoint digits. Rows that share a bucket with a query are ranked by all m digits, or by
    cosine.

    Parameters
    ----------
    phi : MaxoutCodes
        The map, with m units; at least ``n_digits * n_tables``.
    X : array, shape (n, n_inputs)
        Rows to search, where phi lives. Referenced, not copied; Dask arrays are computed.
    n_digits, n_tables : int, optional
        k and L. Sizes left as None are tuned to minimise query cost (expected candidates and
        table look-ups) subject to mean recall >= `recall` on 200 sampled queries.
    recall : float, optional
        Target fraction of neighbours among the candidates, in expectation over the draw of phi.
    n_neighbours : int, optional
        Number of neighbours that `recall` refers to.
    rank : {'codes', 'cosine'}, optional
        Rank candidates by the similarity of packed codes, or by the rows themselves, of which a
        normalised copy is then kept.

    Attributes
    ----------
    phi : MaxoutCodes
        The map.
    n_digits, n_tables : int
        k and L.
    codes : PackedCodes
        Codes of all rows.
    expected_recall, expected_candidates : float or None
        Expected fraction of neighbours, and number of rows, that share a bucket with a sampled
        query. None if both sizes were given.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range; if no sizes reach `recall`; if sizes are to
        be tuned but the units of phi are dependent, so that the probability is unknown.

    See Also
    --------
    nearest : Exact search by features or codes.
    mehler.MaxoutCodes : The codes.

    Notes
    -----
    Runs on the host. Memory: packed codes, and 8 bytes (12 if :math:`q^k > 2^{32}`) per row and
    table. A query costs L binary searches, one byte per row, and one comparison per candidate.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Remark 1; Indyk and Motwani (1998) for the tables.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> X = np.random.default_rng(0).standard_normal((500, 8))
    >>> phi = mehler.MaxoutCodes.draw(8, 400, 4, seed=0)
    >>> index = mehler.learn.MaxoutIndex(phi, X, n_digits=3, n_tables=20)
    >>> near, similarity = index.query(X[:2], n_neighbours=3)
    >>> near[:, 0].tolist(), similarity[:, 0].tolist()
    ([0, 1], [1.0, 1.0])
    >>> round(index.probability(0.5), 3), round(index.probability(0.0), 3)
    (0.871, 0.27)
    """

    def __init__(
        self,
        phi: MaxoutCodes,
        X: Array,
        *,
        n_digits: int | None = None,
        n_tables: int | None = None,
        recall: float = 0.9,
        n_neighbours: int = 10,
        rank: str = "codes",
    ) -> None:
        if not isinstance(phi, MaxoutCodes):
            raise TypeError(
                f"phi is {type(phi).__name__}; pass maxout codes, for instance "
                "mehler.MaxoutCodes.draw(n_inputs, 1000, 4, seed=0)"
            )
        X = _here(X, "X")
        if rank not in RANKS:
            raise ValueError(f"rank={rank!r} is not one of {', '.join(map(repr, RANKS))}")
        good = isinstance(recall, Real) and not isinstance(recall, bool)
        if not good or not 0 < recall < 1:
            raise ValueError(f"recall={recall!r} is not a number between 0 and 1")
        n_neighbours = require_integer("n_neighbours", n_neighbours)
        self.phi = phi
        # As Python's: the number of buckets is no narrow integer.
        n_digits = None if n_digits is None else require_integer("n_digits", n_digits)
        n_tables = None if n_tables is None else require_integer("n_tables", n_tables)
        self._require_sizes(n_digits, n_tables)
        self.expected_recall: float | None = None
        self.expected_candidates: float | None = None
        if n_digits is None or n_tables is None:
            self._require_known("choosing n_digits and n_tables")
            if X.shape[0] < 2:
                raise ValueError("X has 1 row, which has no neighbours; give n_digits and n_tables")
            sizes = (phi.pool_size, phi.n_features, n_digits, n_tables, float(recall), n_neighbours)
            choice = _tuning.choose(X, *sizes)
            n_digits, n_tables = choice.digits, choice.tables
            self.expected_recall, self.expected_candidates = choice.recall, choice.candidates
        self.n_digits, self.n_tables, self.rank = n_digits, n_tables, rank
        codes = _arrays.to_host(phi(X))
        self._X = X
        self._units = _tuning.unit_rows(_arrays.to_host(X)) if rank == "cosine" else None
        self._buckets = Buckets(codes, phi.pool_size, n_digits, n_tables)
        self.codes = PackedCodes.pack(codes, phi.pool_size)

    def _require_sizes(self, n_digits: int | None, n_tables: int | None) -> None:
        m, q = self.phi.n_features, self.phi.pool_size
        k, count = n_digits or 1, n_tables or 1
        if k * count > m:
            raise ValueError(
                f"n_digits={n_digits} and n_tables={n_tables} read {k * count} digits, but phi has "
                f"n_features={m}; draw it with more, since no digit may be read twice"
            )
        if q**k > 2**63:
            raise ValueError(
                f"n_digits={k} of pool_size={q} are more than 2^63 buckets; take fewer digits"
            )

    def _require_known(self, what: str) -> None:
        if not self.phi.independent_units:
            raise ValueError(
                f"{what} needs the probability of a bucket, which is known for independent units; "
                "draw phi with projections='gaussian', or give n_digits and n_tables"
            )

    @property
    def nbytes(self) -> int:
        """Bytes of tables, packed codes and, if ranked by cosine, normalised rows."""
        units = 0 if self._units is None else self._units.nbytes
        return int(self._buckets.nbytes + self.codes.nbytes + units)

    def probability(self, rho: Any) -> Any:
        r"""Compute the probability, over draws of phi, that rows at cosine rho share a bucket.

        Parameters
        ----------
        rho : float or array
            Cosines of angles between rows.

        Returns
        -------
        float or array
            :math:`1 - (1 - \kappa_q(\rho)^k)^L`, float64 on the host.

        Raises
        ------
        TypeError, ValueError
            If rho is no cosine; if the units of phi are dependent.

        Notes
        -----
        A relative error of about k times that of :func:`mehler.exact.collision_probability`.
        """
        self._require_known("this")
        scalar = not _arrays.is_array(rho)
        # Checked in its own dtype: cosines of float32 leave [-1, 1] by more.
        cosine = _arrays.to_host(require_rho(rho)).astype(np.float64)
        kappa = exact.collision_probability(cosine, self.phi.pool_size)
        values = _tuning.probability(kappa, self.n_digits, self.n_tables)
        return float(values) if scalar and values.ndim == 0 else values

    def exponent(self, near: float, far: float) -> float:
        r"""Compute the exponent of the hash: queries cost about n to this power.

        .. math:: \frac{\log\kappa_q(\rho_1)}{\log\kappa_q(\rho_2)} \to
                  \frac{(1 - \rho_1)(1 + \rho_2)}{(1 + \rho_1)(1 - \rho_2)} \quad (q \to \infty)

        With k = log(n)/log(1/kappa(far)) digits a table has one row of cosine `far` or less in a
        bucket, and n to the exponent many tables find a row of cosine `near`. The limit is that of
        cross-polytope hashing, and q = 2 is hashing by signs; a larger pool has a smaller exponent
        and more projections per digit.

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
            If they are no such cosines, the pool has one member, or units are dependent; if
            kappa(far) is below 1e-9.

        Notes
        -----
        Relative error 1e-5: kappa is known to 1e-13.

        References
        ----------
        Proof of the limit: :doc:`/theorems/remark-1-codes`. A. Andoni, P. Indyk, T. Laarhoven, I.
        Razenshteyn, L. Schmidt (2015), Theorem 1.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> X = np.random.default_rng(0).standard_normal((500, 8))
        >>> for q in (2, 16, 256):
        ...     phi = mehler.MaxoutCodes.draw(8, 40, q, seed=0)
        ...     index = mehler.learn.MaxoutIndex(phi, X, n_digits=2, n_tables=20)
        ...     print(q, round(index.exponent(0.75, 0.0), 3))
        2 0.377
        16 0.318
        256 0.273
        """
        self._require_known("this")
        if self.phi.pool_size == 1:
            raise ValueError("phi has pool_size=1, whose codes are all equal: draw it with more")
        return _advice.exponent(*_advice.rates(near, far, self.phi.pool_size))

    @staticmethod
    def advise(
        near: float,
        far: float,
        n_rows: int,
        *,
        pool_sizes: Sequence[int] = _advice.POOLS,
        recall: float = 0.9,
        projection_cost: float = 1.0,
    ) -> list[PoolAdvice]:
        r"""Advise a pool size, digits and tables before any code is drawn.

        .. math:: \min_{k, L}\; c\,q k L + 5 L + n \big(1 - (1 - \kappa_q(\rho_2)^k)^L\big)
                  \quad \text{where} \quad 1 - (1 - \kappa_q(\rho_1)^k)^L \ge \text{recall}

        The cost of a query in ranked candidates: projections, look-ups, and n rows at cosine
        `far`. The exponent falls with q, and so do the candidates, but a digit takes q projections:
        without them in the cost large pools win, with them small ones mostly do.

        Parameters
        ----------
        near, far : float
            Cosines of neighbours and of rows that are not: -1 < far < near <= 1.
        n_rows : int
            Number of rows at cosine `far` or less.
        pool_sizes : sequence of int, optional
            Candidates for q, at least 2 each.
        recall : float, optional
            Least probability that a row at cosine `near` shares a bucket.
        projection_cost : float, optional
            c, the cost of one projection. Ranked by cosine, a candidate is an inner product as a
            projection is, hence 1; 0 for queries whose codes are known.

        Returns
        -------
        list of PoolAdvice
            For each pool size the cheapest sizes, the cheapest pool first.

        Raises
        ------
        TypeError, ValueError
            If an argument is not of its kind or range; if kappa(far) is below 1e-9.

        See Also
        --------
        exponent : The exponent for codes at hand.

        Notes
        -----
        Of independent units. L is the least that reaches `recall`, and k at most 63/log2(q), so
        that buckets can be numbered. Every k that may be cheapest is tried: L grows with it.

        References
        ----------
        Indyk and Motwani (1998) for digits and tables; :doc:`/theorems/remark-1-codes` for the
        exponent.

        Examples
        --------
        >>> import mehler
        >>> for one in mehler.learn.MaxoutIndex.advise(0.9, 0.3, 10**6, pool_sizes=(2, 4, 16)):
        ...     print(one.pool_size, round(one.exponent, 3), one.n_digits, one.n_tables,
        ...           one.n_projections, round(one.expected_candidates), round(one.cost))
        4 0.286 11 54 2376 865 3511
        2 0.3 20 50 2000 1652 3902
        16 0.264 5 28 2240 1955 4335
        """
        return _advice.advise(near, far, n_rows, pool_sizes, recall, projection_cost)

    def candidates(self, Q: Array) -> list[Any]:
        """Return the rows that share a bucket with each query, in ascending order.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)
            Queries, where phi lives.

        Returns
        -------
        list of k int32 arrays
            Row numbers, on the host.
        """
        codes = self._encoded(Q)
        found: list[Any] = []
        for block in self._buckets.blocks(len(codes)):
            query, row = self._buckets.candidates(codes[block])
            ends = np.cumsum(np.bincount(query, minlength=block.stop - block.start))
            found += np.split(row.astype(np.int32), ends[:-1])
        return found

    def query(self, Q: Array, n_neighbours: int = 1) -> tuple[Array, Array]:
        """Find the most similar rows among those that share a bucket with a query.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)
            Queries, where phi lives.
        n_neighbours : int, optional
            Number of rows to return, at most n.

        Returns
        -------
        index : int32 array, shape (k, n_neighbours)
            Row numbers, most similar first; ties in the order of the rows. -1 if fewer rows
            share a bucket.
        similarity : array, shape (k, n_neighbours)
            Fraction of digits that agree, or cosine; NaN where index is -1. Both live where Q
            does; Dask arrays are computed, and give NumPy arrays.
        """
        wanted = self._require_wanted(n_neighbours)
        Q = self._queries(Q)
        codes = self._encoded(Q)
        units = None if self._units is None else _tuning.unit_rows(_arrays.to_host(Q))
        dtype = np.float64 if units is None else units.dtype
        index = np.full((len(codes), wanted), -1, dtype=np.int32)
        score = np.full((len(codes), wanted), np.nan, dtype=dtype)
        for block in self._buckets.blocks(len(codes)):
            query, row = self._buckets.candidates(codes[block])
            if units is None:
                values = self._agreements(codes[block], query, row) / self.phi.n_features
            else:
                values = self._cosines(units[block], query, row)
            ends = np.searchsorted(query, np.arange(1, block.stop - block.start + 1))
            start = 0
            for i, end in enumerate(ends, start=block.start):
                best = start + _best(values[start:end], wanted)
                index[i, : len(best)], score[i, : len(best)] = row[best], values[best]
                start = end
        place = _arrays.place_of(Q)
        wide = _arrays.widest_float(place.xp, place.device)
        narrow = _arrays.dtype_name(wide if dtype == np.float64 else dtype)
        return _arrays.from_host(index, place), _arrays.from_host(score.astype(narrow), place)

    def recall(self, Q: Array, n_neighbours: int = 10) -> float:
        """Measure the fraction of nearest rows by cosine that :meth:`query` finds, by brute force.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)
            Queries, where phi lives.
        n_neighbours : int, optional
            Number of nearest rows; rows tied with the last of them count too.

        Returns
        -------
        float
            Mean over queries.
        """
        wanted = self._require_wanted(n_neighbours)
        Q = self._queries(Q)
        found = _arrays.to_host(self.query(Q, wanted)[0])
        units = _tuning.unit_rows(_arrays.to_host(Q))
        hits = 0
        for block in self._buckets.blocks(len(units)):
            rho = _tuning.cosines(self._X, units[block])
            least = np.partition(rho, rho.shape[1] - wanted, axis=1)[:, rho.shape[1] - wanted]
            at = np.take_along_axis(rho, np.maximum(found[block], 0).astype(np.int64), axis=1)
            hits += int(((at >= least[:, None]) & (found[block] >= 0)).sum())
        return hits / found.size

    def _require_wanted(self, n_neighbours: int) -> int:
        return require_integer("n_neighbours", n_neighbours, most=self._buckets.n_rows)

    def _encoded(self, Q: Array) -> Any:
        return _arrays.to_host(self.phi(self._queries(Q)))

    def _queries(self, Q: Array) -> Array:
        Q = _here(Q, "Q")
        _arrays.require_matrix(Q, name="Q", n_columns=self.phi.n_inputs, finite=False)
        self.phi._require_here(Q, "Q")
        return Q

    def _agreements(self, codes: Any, query: Any, row: Any) -> Any:
        words = PackedCodes.pack(codes, self.phi.pool_size).words
        out = np.empty(len(row), dtype=np.int32)
        for part in _arrays.slices(len(row), _PAIRS):
            pairs = words[query[part]], self.codes.words[row[part]]
            out[part] = _codes.agreements_of_pairs(*pairs, self.phi.n_features)
        return out

    def _cosines(self, units: Any, query: Any, row: Any) -> Any:
        assert self._units is not None
        out = np.empty(len(row), dtype=units.dtype)
        for part in _arrays.slices(len(row), _PAIRS // 16):
            out[part] = np.einsum("ij,ij->i", units[query[part]], self._units[row[part]])
        return np.clip(out, -1.0, 1.0, out=out)

    def __repr__(self) -> str:
        return (
            f"MaxoutIndex of {self._buckets.n_rows} rows, {self.n_tables} tables of "
            f"{self.n_digits} digits below {self.phi.pool_size}, ranked by {self.rank}"
        )


def _here(x: Array, name: str) -> Array:
    """Validate rows; Dask arrays are computed, so that their values are checked too."""
    require_rows(x, name)
    if not _arrays.is_chunked(x):
        return x
    host = _arrays.to_host(x)
    require_rows(host, name)
    return host


def _best(values: Any, wanted: int) -> Any:
    """Return the positions of the `wanted` largest values, in descending order, ties first."""
    places = np.arange(len(values))
    if len(values) > wanted:
        least = np.partition(values, len(values) - wanted)[len(values) - wanted]
        places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:wanted]
