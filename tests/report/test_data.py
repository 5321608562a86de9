"""Reading rows: what is taken, and what is refused with a remedy."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mehler.report.inputs._data import load_rows

ROWS = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5], [2.0, 2.0, 2.0]])


def save(path, values) -> str:
    if path.suffix == ".npy":
        np.save(path, values)
    elif path.suffix == ".npz":
        np.savez(path, first=np.arange(3), X=values, other=ROWS + 1)
    elif path.suffix == ".csv":
        path.write_text("a,b,c\n" + "\n".join(",".join(map(str, row)) for row in values) + "\n")
    else:
        parquet.write_table(pa.table({f"c{i}": column for i, column in enumerate(values.T)}), path)
    return str(path)


@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv", ".parquet", ".NPY"])
def test_every_kind_is_read(tmp_path, kind):
    path = tmp_path / f"rows{kind.lower()}"
    save(path, ROWS)
    path = path.rename(tmp_path / f"rows{kind}")
    rows = load_rows(path)
    np.testing.assert_array_equal(rows.values, ROWS)
    assert rows.name == f"rows{kind}"
    assert rows.path == str(path)


def test_npz_without_x_gives_its_first_with_two_axes(tmp_path):
    np.savez(tmp_path / "a.npz", first=np.arange(3), second=ROWS, third=ROWS + 1)
    np.testing.assert_array_equal(load_rows(tmp_path / "a.npz").values, ROWS)


def test_csv_needs_no_header(tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3,4e1\n")
    np.testing.assert_array_equal(load_rows(tmp_path / "a.csv").values, [[1, 2], [3, 40]])


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


@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv", ".parquet", ".feather"])
def test_empty_and_missing_files_are_refused(tmp_path, kind):
    path = tmp_path / f"a{kind}"
    with pytest.raises(ValueError, match="does not exist: check the path"):
        load_rows(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="is empty: give a file with rows of numbers"):
        load_rows(path)


@pytest.mark.parametrize("kind", [".npy", ".npz", ".parquet", ".csv", ".arrow"])
@pytest.mark.parametrize(
    "noise", [b"\xff\xfe\x00\x01 not data" * 9, b"\x93NUMPY", b"PK\x03\x04zip"]
)
def test_damaged_files_are_refused_in_one_line(tmp_path, kind, noise):
    path = tmp_path / f"a{kind}"
    path.write_bytes(noise)
    with pytest.raises(ValueError, match="DATA=") as caught:
        load_rows(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_pickles_are_never_read(tmp_path, kind):
    values = np.array([[{}, {}]], dtype=object)
    path = tmp_path / f"a{kind}"
    if kind == ".npy":
        np.save(path, values, allow_pickle=True)
    else:
        np.savez(path, X=values)
    with pytest.raises(ValueError, match="pickled objects, which are not read"):
        load_rows(path)


def test_unknown_kind_and_directory_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("1")
    with pytest.raises(
        ValueError, match=r"kind '.txt': give one of .npy, .npz, .csv, .tsv, .parquet"
    ):
        load_rows(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="is not a file"):
        load_rows(tmp_path)


def test_npz_without_rows_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", y=np.arange(3))
    with pytest.raises(ValueError, match=r"no array named X .* \(it holds y\): save the rows as X"):
        load_rows(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,name\n1,bob\n2,eve\n", r"column 'name' holds text \('bob'\): remove with --drop name"),
        ("1,2\n3\n", "row 1 has 1 cell and the first line 2"),
        ("a,b\n", "is empty"),
        ("a,b\n1,\n2,3\n", "holds nan at row 0, column 1"),
        ("\n\n", "is empty"),
    ],
)
def test_bad_csv_is_refused(tmp_path, text, message):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_rows(tmp_path / "a.csv")


def test_text_column_of_parquet_is_named(tmp_path):
    parquet.write_table(pa.table({"a": [1.0, 2.0], "name": ["x", "y"]}), tmp_path / "a.parquet")
    with pytest.raises(
        ValueError, match=r"column 'name' holds text \('x'\): remove with --drop name"
    ):
        load_rows(tmp_path / "a.parquet")


def test_missing_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r'pip install "\.\[parquet\]"'):
        load_rows(tmp_path / "a.parquet")
