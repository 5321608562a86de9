"""Rows that do not fit into memory: checked to the last, held in part, and reported as such."""

from __future__ import annotations

import tracemalloc

import dask
import dask.array as da
import numpy as np
import pytest

from mehler import planning
from mehler.audit._rows import data_rows
from mehler.report import _survey
from mehler.report._maps import maps_under_test
from mehler.report.inputs import _out_of_core
from mehler.report.inputs._data import load_rows
from mehler.report.render._format import count
from tests.report import toys
from tests.report.test_data_section import context

N, D = 3000, 8


def values(n=N):
    rows = np.random.default_rng(0).standard_normal((n, D))
    rows[7] = rows[2999] = 0.0
    return rows


@pytest.fixture(params=[".npy", "mapped", "dask"])
def source(request, tmp_path, monkeypatch):
    """Something to read, too large by a limit that is made small."""
    monkeypatch.setattr(_out_of_core, "LARGE", 100 * 8 * D)
    monkeypatch.setattr(_out_of_core, "_BLOCK", 64 * 8 * D)

    def make(rows):
        if request.param == "dask":
            return da.from_array(rows, chunks=(250, -1))
        np.save(tmp_path / "a.npy", rows)
        if request.param == "mapped":
            return np.load(tmp_path / "a.npy", mmap_mode="r")
        return tmp_path / "a.npy"

    with dask.config.set(scheduler="synchronous"):
        yield make


def test_some_rows_are_held_and_all_counted(source):
    rows = values()
    found = load_rows(source(rows))
    # Row 2999, the last of the evenly spaced ones, is zero.
    assert found.values.shape == (99, D)
    assert (found.n_rows, found.n_zero_rows, found.n_not_held) == (N - 2, 2, N - 2 - 99)
    np.testing.assert_array_equal(found.values, rows[found.index])
    assert np.diff(found.index).min() >= 30


def test_the_last_row_is_checked_too(source):
    rows = values()
    rows[2998, 3] = np.nan
    with pytest.raises(ValueError, match="holds nan at row 2998, column 3"):
        load_rows(source(rows))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.ones((2000, D), dtype=complex), "is complex"),
        (np.zeros((2000, D)), "0 rows that are not all zero among 100 evenly spaced"),
        (np.full((2000, D), "1"), "not numbers"),
    ],
)
def test_what_is_no_data_is_refused_without_being_read(source, wrong, message):
    with pytest.raises(ValueError, match=message):
        load_rows(source(wrong))


def test_the_report_says_how_many_rows_it_uses(source, monkeypatch):
    monkeypatch.setattr(_survey, "maps_under_test", lambda seen: maps_under_test(seen)[:1])
    rows = source(values())
    found = toys.measure(load_rows(rows), context())
    assert found.n_rows == N - 2
    assert f"All {count(N - 2)} rows were read, and 99 of them, evenly spaced, held." in found.notes
    assert f"Statistics use {count(99)} rows chosen at random." in found.notes
    assert count((N - 2) * (N - 1) // 2) in found.plan_method
    assert {one.status for one in found.evidence} == {"holds"}
    _, words = data_rows(rows)
    assert words.endswith("20 of 2998 rows that are not zero, evenly spaced")


def test_a_file_is_never_held_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(_out_of_core, "LARGE", 1 << 20)
    monkeypatch.setattr(_out_of_core, "_BLOCK", 1 << 20)
    np.save(tmp_path / "a.npy", np.ones((200_000, 16), dtype=np.float32))
    tracemalloc.start()
    found = load_rows(tmp_path / "a.npy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_rows == 200_000
    assert peak < 200_000 * 16 * 4


def test_a_chunk_at_a_time_of_unknown_size_is_refused(source):
    x = da.from_array(values(), chunks=(250, -1))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        load_rows(x[x[:, 0] > 0])


def test_a_plan_wants_rows_that_can_be_held():
    with pytest.raises(ValueError, match=r"data is a Dask array of 59.6 GiB, but a plan .* pass"):
        planning.plan(da.zeros((10**9, 8), chunks=(10**6, -1)))
