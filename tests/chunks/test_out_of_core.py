"""Dask arrays of rows: results as from rows in memory, and few chunks in memory at a time."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, doubling, learn


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunked_rows(n, d=4, size=500):
    """Return n normal rows that are drawn chunk by chunk, when they are computed."""

    def rows(block_info=None):
        start, stop = block_info[None]["array-location"][0]
        return np.random.default_rng(start).standard_normal((stop - start, d))

    sizes = (size,) * (n // size) + ((n % size,) if n % size else ())
    return da.map_blocks(rows, chunks=(sizes, (d,)), dtype=np.float64, meta=np.empty((0, 0)))


def peak(run):
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_results_as_long_as_the_rows_stay_lazy():
    def never(block_id):
        raise AssertionError("a chunk was computed")

    x = da.map_blocks(never, chunks=((50, 50), (4,)), dtype=np.float64, meta=np.empty((0, 0)))
    phi = mehler.MaxoutFeatures.draw(4, 20, 3, seed=0)
    codes = mehler.MaxoutCodes.draw(4, 20, 3, seed=0)
    y = np.random.default_rng(0).standard_normal((60, 4))
    fit = learn.ridge(phi, y, y[:, 0], lambdas=0.1)
    for result in (
        *(phi(x), phi.gram(x, x[:10]), phi.kernel(x, x[:10]), codes(x), codes.gram(x, x[:10])),
        fit.predict(x),
    ):
        assert _arrays.stays_lazy(result)
        assert result.chunks[0] == (50, 50)


def test_ridge_holds_few_chunks():
    # 60 chunks of 320 kB. Each takes 20 kB of graph besides, read off runs with 60 and 240 chunks.
    n, d = 60_000, 40
    x = chunked_rows(n, d, 1000)
    phi = mehler.MaxoutFeatures.draw(d, 30, 3, seed=0)
    whole = n * d * 8
    # The first call imports what it needs: 15 MB that are no rows.
    learn.ridge(phi, x[:1000], x[:1000, 0], lambdas=1e-3)
    assert peak(lambda: learn.ridge(phi, x, x[:, 0], lambdas=1e-3)) < whole / 3


@pytest.mark.parametrize(
    "run",
    [
        lambda phi, x: learn.ridge(phi, x, x[:, 0], lambdas=1e-3),
        lambda phi, x: doubling.doubling_dimension(x),
        lambda phi, x: doubling.diameter(x),
    ],
    ids=["ridge", "dimension", "diameter"],
)
def test_unknown_sizes_are_refused_before_anything_is_computed(run):
    x = chunked_rows(400, 3, 100)
    kept = x[x[:, 0] > 0]
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        run(mehler.MaxoutFeatures.draw(3, 500, 3, seed=0), kept)


@pytest.mark.parametrize("run", [doubling.diameter, doubling.doubling_dimension])
def test_comparisons_of_all_rows_refuse_rows_beyond_memory(run):
    x = da.zeros((10**9, 20), chunks=(10**6, -1))
    with pytest.raises(ValueError, match=r"X is a Dask array of 149.0 GiB"):
        run(x)


def test_sums_leave_the_configuration_of_dask_alone():
    """The defaults of distributed, which Dask imports when it looks for a client, must stay."""
    code = (
        "import dask, dask.array as da, mehler\n"
        "from mehler import learn\n"
        "phi = mehler.FourierFeatures.draw(2, 4, seed=0)\n"
        "x = da.ones((6, 2), chunks=(3, -1))\n"
        "for _ in range(2):\n"
        "    learn.RidgeSums(phi).add(x, x[:, 0])\n"
        "import distributed\n"
        "print(dask.config.get('distributed.comm.compression', 'gone'))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() != ["gone"]
