"""Reading rows from memory: what is taken, and what is refused with a remedy."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

from mehler.report.inputs._data import load_rows

ROWS = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5], [2.0, 2.0, 2.0]])


def test_arrays_of_any_backend_are_taken():
    np.testing.assert_array_equal(load_rows(da.from_array(ROWS)).values, ROWS)
    np.testing.assert_array_equal(load_rows(ROWS.tolist()).values, ROWS)


def test_digits_stand_in_and_are_named():
    rows = load_rows(None)
    assert rows.values.shape == (1797, 64)
    assert "scikit-learn digits" in rows.name
    assert rows.path is None


def test_rows_of_zeros_are_left_out_and_counted():
    rows = load_rows(np.vstack([np.zeros(3), ROWS, np.zeros(3)]))
    assert rows.n_zero_rows == 2
    np.testing.assert_array_equal(rows.index, [1, 2, 3])


def with_at(row: int, column: int, value: float) -> np.ndarray:
    out = ROWS.copy()
    out[row, column] = value
    return out


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (with_at(2, 1, np.nan), "holds nan at row 2, column 1"),
        (with_at(0, 2, -np.inf), "holds -inf at row 0, column 2"),
        (ROWS[0], r"shape \(3,\), not rows and columns"),
        (ROWS[:0], r"is empty, of shape \(0, 3\)"),
        (ROWS + 1j, "is complex"),
        (np.array([["a", "b"]]), "not numbers"),
        (ROWS[:1], "has 1 row that is not all zero: give at least two"),
        (np.zeros((4, 2)), "has 0 rows that are not all zero"),
    ],
)
def test_bad_rows_are_refused(tmp_path, values, message):
    with pytest.raises(ValueError, match=rf"data .*{message}|data {message}"):
        load_rows(values)
    np.save(tmp_path / "a.npy", values)
    with pytest.raises(ValueError, match=rf"DATA='.*a.npy' .*{message}"):
        load_rows(tmp_path / "a.npy")


def test_missing_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r'pip install "\.\[parquet\]"'):
        load_rows(tmp_path / "a.parquet")
