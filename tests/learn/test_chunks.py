"""Sums over chunks: every chunk once and in order, few parts at a time, no task spoils another."""

import pickle
import subprocess
import sys
import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

import mehler
from mehler import _arrays, learn


class Part:
    """Row numbers of some chunks, which knows how many of its kind are alive."""

    alive = most = 0

    def __init__(self, rows) -> None:
        self.rows = list(rows)
        Part.alive += 1
        Part.most = max(Part.most, Part.alive)

    def __del__(self) -> None:
        Part.alive -= 1

    def __add__(self, other):
        return Part(self.rows + other.rows)


def numbered(n_chunks, size=3):
    rows = da.arange(n_chunks * size, chunks=size)
    return rows[:, None] + da.zeros((1, 2), chunks=-1, dtype=np.int64)


@pytest.mark.parametrize("n_chunks", [1, 2, 15, 16, 17, 33, 100])
def test_every_chunk_is_added_once_and_in_order(n_chunks):
    with dask.config.set(scheduler="synchronous"):
        x = numbered(n_chunks)
        total = _arrays.sum_over_chunks(lambda a, b: Part(a[:, 0] + b), x, 0 * x[:, 0])
    assert total.rows == list(range(3 * n_chunks))


def test_parts_at_a_time_do_not_grow_with_chunks():
    most = {}
    for n_chunks in (64, 512):
        Part.alive = Part.most = 0
        with dask.config.set(scheduler="synchronous"):
            _arrays.sum_over_chunks(lambda a: Part([len(a)]), numbered(n_chunks))
        most[n_chunks] = Part.most
    assert most[512] == most[64] <= 8


def test_a_part_added_to_is_left_as_it_was():
    # A cluster may run any task again, on what other tasks gave: a sum in place would count twice.
    rng = np.random.default_rng(0)
    x = rng.standard_normal((90, 3))
    phi = mehler.MaxoutFeatures.draw(3, 20, 3, seed=0)
    one, other = (learn.RidgeSums(phi).add(x[rows], x[rows]) for rows in (slice(50), slice(50, 90)))
    before = pickle.dumps(one), pickle.dumps(other)
    first, second = one + other, one + other
    assert (pickle.dumps(one), pickle.dumps(other)) == before
    np.testing.assert_array_equal(first.gram, second.gram)
    first.add(x, x)
    assert (pickle.dumps(one), pickle.dumps(other)) == before


def test_sums_travel_as_half_of_the_gram_and_say_their_size():
    m, t = 150, 2
    x = np.random.default_rng(0).standard_normal((400, 3))
    phi = mehler.MaxoutFeatures.draw(3, m, 3, seed=0)
    sums = learn.RidgeSums(phi).add(x, x[:, :t])
    assert pickle.loads(pickle.dumps(learn.RidgeSums(phi))).n_rows == 0
    sent = pickle.dumps(sums)
    assert 0 <= len(sent) - 8 * (m * (m + 1) / 2 + m * t + m + t) < 2000
    assert sys.getsizeof(sums) > 8 * (m * m + m * t)
    back = pickle.loads(sent)
    np.testing.assert_array_equal(back.gram, sums.gram)
    np.testing.assert_array_equal(back.solve(1e-3)[0].weights, sums.solve(1e-3)[0].weights)


def test_what_is_too_large_to_hold_is_refused_with_a_part_that_is_not():
    x = da.zeros((10**9, 20), chunks=(10**6, -1))
    with pytest.raises(ValueError, match=r"X is a Dask array of 149.0 GiB, but .*X\[:: 150\]"):
        _arrays.require_small(x, name="X", reason="of that")
    _arrays.require_small(x[::150], name="X", reason="of that")
    _arrays.require_small(np.zeros(3), name="X", reason="of that")


def peak(run):
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_ridge_holds_few_chunks():
    # 60 chunks of 320 kB. Each takes 20 kB of graph besides, read off runs with 60 and 240 chunks.
    n, d = 60_000, 40

    def rows(block_info=None):
        start, stop = block_info[None]["array-location"][0]
        return np.random.default_rng(start).standard_normal((stop - start, d))

    sizes = ((1000,) * (n // 1000), (d,))
    x = da.map_blocks(rows, chunks=sizes, dtype=np.float64, meta=np.empty((0, 0)))
    phi = mehler.MaxoutFeatures.draw(d, 30, 3, seed=0)
    with dask.config.set(scheduler="synchronous"):
        # The first call imports what it needs: 15 MB that are no rows.
        learn.ridge(phi, x[:1000], x[:1000, 0], lambdas=1e-3)
        assert peak(lambda: learn.ridge(phi, x, x[:, 0], lambdas=1e-3)) < n * d * 8 / 3


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
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() != ["gone"]
