"""Cost of ridge regression on a cluster: operations, bytes and memory, computed in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mehler.bounds._bound import require_count, require_positive


@dataclass(frozen=True, kw_only=True)
class RidgeCost:
    """Counts of one pass of :class:`mehler.learn.RidgeSums` over chunks of rows.

    Made by :func:`ridge_cost`.

    Parameters
    ----------
    n_chunks : int
        Number of chunks of rows.
    n_workers : int
        Number of workers, of one thread each.
    operations : float
        Multiplications and additions for one chunk: projections and sums.
    chunk_bytes : int
        Bytes of one chunk of rows.
    sums_bytes : int
        Bytes of the sums of a chunk when sent: half of the symmetric m x m matrix, in float64.
    least_moved, most_moved : int
        Total bytes of sums sent between workers: each worker but one sends its own once; or every
        addition but the last moves one of its two terms.
    memory_bytes : int
        Memory of a worker of one thread besides its program: a chunk, and seven sets of full sums.

    See Also
    --------
    ridge_cost : Computes the counts.
    """

    n_chunks: int
    n_workers: int
    operations: float
    chunk_bytes: int
    sums_bytes: int
    least_moved: int
    most_moved: int
    memory_bytes: int

    def seconds(
        self, *, operations_per_second: float, bytes_per_second: float, overhead: float = 0.002
    ) -> float:
        """Estimate the seconds of the pass, at the largest traffic; an extrapolation.

        Parameters
        ----------
        operations_per_second : float
            Speed of one worker, as measured on one chunk.
        bytes_per_second : float
            Network bandwidth of a worker.
        overhead : float, optional
            Seconds per chunk besides its work, in the worker and the scheduler.

        Returns
        -------
        float
            Seconds.
        """
        require_positive(
            operations_per_second=operations_per_second,
            bytes_per_second=bytes_per_second,
            overhead=overhead,
        )
        chunks = math.ceil(self.n_chunks / self.n_workers)
        work = chunks * (self.operations / operations_per_second + overhead)
        return work + self.most_moved / self.n_workers / bytes_per_second


def ridge_cost(
    *,
    n_rows: int,
    n_inputs: int,
    n_features: int,
    n_targets: int = 1,
    n_projections: int | None = None,
    chunk_rows: int,
    n_workers: int,
    itemsize: int = 4,
) -> RidgeCost:
    r"""Count operations and traffic of ridge regression on a cluster, for N rows in n chunks of b.

    .. math:: S = 8\left(\tfrac{m(m+1)}2 + m t + m + 2 t\right), \qquad
              (W - 1)\, S \le \text{bytes moved} \le (n - 1)\, S, \qquad
              \text{operations a chunk} = b\,(2 d p + m^2 + 2 m t)

    Parameters
    ----------
    n_rows, n_inputs, n_features, n_targets : int
        The sizes N, d, m and t.
    n_projections : int, optional
        Inner products per row p: q m for maxout, m/2 for Fourier pairs; default m.
    chunk_rows : int
        Rows per chunk b.
    n_workers : int
        Number of workers W, of one thread each.
    itemsize : int, optional
        Bytes of a number in the rows.

    Returns
    -------
    RidgeCost
        The counts.

    See Also
    --------
    plan : The number of features for an accuracy.
    mehler.learn.RidgeSums : The sums counted here.

    Notes
    -----
    The map is sent as its recipe and rows stay where they are loaded, so only sums are moved; with
    targets loaded apart from rows, up to 8 N t bytes more. The upper bound assumes that an
    addition is done where one of its terms is, as by Dask; work stealing may move both. The last
    sums go to the client.

    Examples
    --------
    >>> cost = ridge_cost(n_rows=10**9, n_inputs=784, n_features=1000, n_projections=4000,
    ...                   n_targets=10, chunk_rows=100_000, n_workers=100)
    >>> cost.n_chunks, round(cost.sums_bytes / 1e6, 1), round(cost.most_moved / 1e9 / 100, 2)
    (10000, 4.1, 0.41)
    """
    n_rows, n_inputs, n_features, n_targets, chunk_rows, n_workers, itemsize = require_count(
        n_rows=n_rows,
        n_inputs=n_inputs,
        n_features=n_features,
        n_targets=n_targets,
        chunk_rows=chunk_rows,
        n_workers=n_workers,
        itemsize=itemsize,
    )
    p = n_features if n_projections is None else n_projections
    (p,) = require_count(n_projections=p)
    m, t, b = n_features, n_targets, min(chunk_rows, n_rows)
    n_chunks = -(-n_rows // b)
    sums = 8 * (m * (m + 1) // 2 + m * t + m + 2 * t)
    chunk = b * n_inputs * itemsize
    return RidgeCost(
        n_chunks=n_chunks,
        n_workers=n_workers,
        operations=float(b) * (2 * n_inputs * p + m * m + 2 * m * t),
        chunk_bytes=chunk,
        sums_bytes=sums,
        least_moved=(min(n_workers, n_chunks) - 1) * sums,
        most_moved=(n_chunks - 1) * sums,
        memory_bytes=chunk + 7 * 8 * (m * m + m * t),
    )
