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
from mehler.exact.activations import _panels

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
    start, found, failed = threading.Barrier(THREADS), [], []

    def run():
        try:
            start.wait()
            found.append(ask())
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    return builds, found


ASKED = {
    "pool": (_table, "_build", lambda: _table.pool_table(7)),
    "wedge": (_table, "_build_grid", _table.wedge_grid),
    "activation": (_panels, "_build", lambda: _panels.table(8, 64)),
}


@pytest.mark.parametrize("name", ASKED)
def test_one_build_for_all_threads(monkeypatch, name):
    builds, found = race(monkeypatch, *ASKED[name])
    assert len(builds) == 1
    assert len(found) == THREADS
    assert all(one is found[0] for one in found)


@pytest.mark.parametrize("name", ASKED)
def test_planted_without_its_lock(monkeypatch, name):
    module, build, ask = ASKED[name]
    lock = build.replace("_build", "") + "_lock"
    monkeypatch.setattr(module, lock, contextlib.nullcontext())
    builds, _ = race(monkeypatch, module, build, ask)
    assert len(builds) > 1


def test_values_of_threads_are_those_of_one(monkeypatch):
    rho = np.linspace(-1, 1, 1001)
    expected = exact.maxout_kernel(rho, 9)
    _, found = race(monkeypatch, _table, "_build", lambda: exact.maxout_kernel(rho, 9))
    assert all(np.array_equal(one, expected) for one in found)
