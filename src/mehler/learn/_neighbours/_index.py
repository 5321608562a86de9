"""Nearest neighbours through buckets of maxout codes, with the exact probability of a bucket."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from mehler import _arrays, exact
from mehler._arrays import Array
from mehler._arrays.routines import _bit_planes
from mehler._validate import integer
from mehler.exact._validate import check_rho
from mehler.features import MaxoutCodes, PackedCodes
from mehler.learn._arguments import check_rows
from mehler.learn._neighbours import _tuning
from mehler.learn._neighbours._hash_tables import Buckets

RANKS = ("codes", "cosine")
# Pairs that are ranked at a time: of 1000 digits below 4 these are 16 MiB of words.
_PAIRS = 1 << 16


class MaxoutIndex:
    r"""Locality-sensitive hashing by maxout codes.

    .. math:: P(x, z \text{ share a bucket}) = 1 - \big(1 - \kappa_q(\rho)^k\big)^L

    L tables, each a bucket for every value of k digits of the code; no two tables read the same
    digit. Rows that share a bucket with a query are ranked by all m digits, or by cosine.

    Parameters
    ----------
    phi : MaxoutCodes
        With m units; at least ``n_digits * n_tables``.
    X : array, shape (n, n_inputs)
        Rows among which neighbours are sought, where phi lives. Kept, not copied; Dask arrays are
        computed.
    n_digits, n_tables : int, optional
        k and L. What is not given is chosen: the fewest expected candidates, and looks into
        tables, with which the nearest rows of a sample of 200 are found with probability `recall`
        on the mean.
    recall : float, optional
        The share of neighbours that should be candidates, in expectation over the draw of phi.
    n_neighbours : int, optional
        How many neighbours that share is of.
    rank : {'codes', 'cosine'}, optional
        By what candidates are ranked: similarity of packed codes, or the rows themselves, which
        then are held once more at length 1.

    Attributes
    ----------
    phi : MaxoutCodes
    n_digits, n_tables : int
        k and L.
    codes : PackedCodes
        Of all rows.
    expected_recall, expected_candidates : float or None
        What the choice expects of the sample: the share of neighbours, and the number of rows,
        that share a bucket. None if both sizes were given.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range; if no choice reaches `recall`; if the units of
        phi are dependent, so that the probability is not known, and a size is left to choose.

    Notes
    -----
    On the host. Memory: packed codes, and 8 bytes (above :math:`q^k = 2^{32}` 12) a row and table.
    A query costs L binary searches, one byte a row, and one comparison a candidate.

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
        if not good or not 0 < float(recall) < 1:
            raise ValueError(f"recall={recall!r} is not a number between 0 and 1")
        n_neighbours = integer("n_neighbours", n_neighbours)
        self.phi = phi
        self._check_sizes(n_digits, n_tables)
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

    def _check_sizes(self, n_digits: int | None, n_tables: int | None) -> None:
        m, q = self.phi.n_features, self.phi.pool_size
        k = 1 if n_digits is None else integer("n_digits", n_digits)
        count = 1 if n_tables is None else integer("n_tables", n_tables)
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
        """Bytes of tables, packed codes and, if ranked by cosine, rows of length 1."""
        units = 0 if self._units is None else self._units.nbytes
        return int(self._buckets.nbytes + self.codes.nbytes + units)

    def probability(self, rho: Any) -> Any:
        r"""Exact probability, over draws of phi, that rows at cosine rho share a bucket.

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
        cosine = _arrays.to_host(check_rho(rho)).astype(np.float64)
        kappa = exact.collision_probability(cosine, self.phi.pool_size)
        values = _tuning.probability(kappa, self.n_digits, self.n_tables)
        return float(values) if scalar and values.ndim == 0 else values

    def candidates(self, Q: Array) -> list[Any]:
        """For each query the numbers of the rows that share a bucket with it, ascending.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)

        Returns
        -------
        list of k int32 arrays
            On the host.
        """
        codes = self._encoded(Q)
        found: list[Any] = []
        for block in self._buckets.blocks(len(codes)):
            query, row = self._buckets.candidates(codes[block])
            ends = np.cumsum(np.bincount(query, minlength=block.stop - block.start))
            found += np.split(row.astype(np.int32), ends[:-1])
        return found

    def query(self, Q: Array, n_neighbours: int = 1) -> tuple[Array, Array]:
        """The most similar rows among those that share a bucket with a query.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)
            Queries, where phi lives.
        n_neighbours : int, optional
            At most n.

        Returns
        -------
        index : int32 array, shape (k, n_neighbours)
            Row numbers, the most similar first; of equally similar rows the first. -1 where
            fewer rows share a bucket.
        similarity : array, shape (k, n_neighbours)
            Share of digits that agree, or cosine; NaN where index is -1. Both where Q is; Dask
            arrays are computed, and give NumPy's.

        Raises
        ------
        TypeError, ValueError
            If an argument is not of its kind or range.
        """
        wanted = self._check_wanted(n_neighbours)
        Q = _here(Q, "Q")
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
        """Share of the nearest rows by cosine that :meth:`query` finds, by brute force.

        Parameters
        ----------
        Q : array, shape (k, n_inputs)
        n_neighbours : int, optional
            How many rows are the nearest; one that is as near as the last of them counts.

        Returns
        -------
        float
        """
        wanted = self._check_wanted(n_neighbours)
        Q = _here(Q, "Q")
        found = _arrays.to_host(self.query(Q, wanted)[0])
        units = _tuning.unit_rows(_arrays.to_host(Q))
        hits = 0
        for block in self._buckets.blocks(len(units)):
            rho = _tuning.cosines(self._X, units[block])
            least = np.partition(rho, rho.shape[1] - wanted, axis=1)[:, rho.shape[1] - wanted]
            at = np.take_along_axis(rho, np.maximum(found[block], 0).astype(np.int64), axis=1)
            hits += int(((at >= least[:, None]) & (found[block] >= 0)).sum())
        return hits / found.size

    def _check_wanted(self, n_neighbours: int) -> int:
        return integer("n_neighbours", n_neighbours, most=self._buckets.n_rows)

    def _encoded(self, Q: Array) -> Any:
        return _arrays.to_host(self.phi(_here(Q, "Q")))

    def _agreements(self, codes: Any, query: Any, row: Any) -> Any:
        words = PackedCodes.pack(codes, self.phi.pool_size).words
        out = np.empty(len(row), dtype=np.int32)
        for part in _arrays.slices(len(row), _PAIRS):
            pairs = words[query[part]], self.codes.words[row[part]]
            out[part] = _bit_planes.agreements_of_pairs(*pairs, self.phi.n_features)
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
    """Checked rows; of Dask computed ones, so that their values are checked too."""
    check_rows(x, name)
    if not _arrays.is_chunked(x):
        return x
    host = _arrays.to_host(x)
    check_rows(host, name)
    return host


def _best(values: Any, wanted: int) -> Any:
    """Where the `wanted` largest values stand, largest first; of equal ones the first."""
    places = np.arange(len(values))
    if len(values) > wanted:
        least = np.partition(values, len(values) - wanted)[len(values) - wanted]
        places = np.flatnonzero(values >= least)
    return places[np.argsort(-values[places], kind="stable")][:wanted]
