"""Tables are built once, whoever asks at the same time, and all threads get the same one."""

from __future__ import annotations

import contextlib
import functools
import threading
import time

import numpy as np
import pytest

from mehler import exact
from mehler.exact import _table
from mehler.exact.activations import _series

THREADS = 8


def race(monkeypatch, module, build, ask):
    """Let threads ask a module for its table, which nobody has built: how often, and what they got.

    Building takes a while, as it does, so that every thread comes before the first one is done.
    """
    builds = []

    def counted(*key):
        builds.append(key)
        time.sleep(0.05)
        return original(*key)

    original = getattr(module, build).__wrapped__
    monkeypatch.setattr(module, build, functools.cache(counted))
    start, results, failed = threading.Barrier(THREADS), [], []

    def run():
        try:
            start.wait()
            results.append(ask())
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    return builds, results


TABLES = {
    "pool": (_table, "_build", lambda: _table.pool_table(7)),
    "wedge": (_table, "_build_grid", _table.wedge_grid),
    "activation": (_series, "_build", lambda: _series.table(8, 64)),
}


@pytest.mark.parametrize("name", TABLES)
def test_one_build_for_all_threads(monkeypatch, name):
    builds, results = race(monkeypatch, *TABLES[name])
    assert len(builds) == 1
    assert len(results) == THREADS
    assert all(table is results[0] for table in results)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sampled(1)
def test_without_its_lock_a_table_is_built_twice(monkeypatch, name):
    module, build, ask = TABLES[name]
    lock = build.replace("_build", "") + "_lock"
    monkeypatch.setattr(module, lock, contextlib.nullcontext())
    builds, _ = race(monkeypatch, module, build, ask)
    assert len(builds) > 1


def test_values_of_threads_are_those_of_one(monkeypatch):
    rho = np.linspace(-1, 1, 1001)
    expected = exact.maxout_kernel(rho, 9)
    _, results = race(monkeypatch, _table, "_build", lambda: exact.maxout_kernel(rho, 9))
    assert all(np.array_equal(values, expected) for values in results)
