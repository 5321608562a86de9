"""Read and validate the user's rows, with errors of one line."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from mehler.report.inputs._matrix import DataMatrix
from mehler.report.inputs._out_of_core import evenly_spaced, is_large, look_at_all

SUFFIXES = (".npy", ".npz", ".csv", ".parquet")


def load_rows(data: str | PathLike[str] | Any | None) -> DataMatrix:
    """Read and validate rows; None stands for scikit-learn's 8x8 digits.

    A `DataMatrix` is returned as it is. Accepts a ``.npy``, a ``.npz`` (its array ``X``, else its
    first with two axes), a ``.csv`` of numbers with or without a header, a ``.parquet`` of numeric
    columns, or an array. A ``.npy`` or Dask array of more than 1 GiB as float64 is read block by
    block, and 20,000 of its rows are held. Raises ValueError for anything but two finite nonzero
    rows or more of real numbers.
    """
    if isinstance(data, DataMatrix):
        return data
    if data is None:
        return _checked(_digits(), "scikit-learn digits (8×8)", "DATA", None)
    if isinstance(data, str | PathLike):
        path = Path(data)
        mapped = _mapped(path)
        if mapped is not None:
            return _sampled(mapped, path.name, f"DATA={str(path)!r}", str(path))
        return _checked(_read(path), path.name, f"DATA={str(path)!r}", str(path))
    from mehler import _arrays

    chunked = _arrays.is_array(data) and _arrays.is_chunked(data)
    if (chunked or isinstance(data, np.memmap)) and is_large(data):
        return _sampled(data, "array", "data", None)
    return _checked(_arrays.to_host(data), "array", "data", None)


def _digits() -> np.ndarray:
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ValueError(
            "DATA is not given, and scikit-learn, whose digits stand in for it, is not installed: "
            "give a file, or pip install 'mehler[report]'"
        ) from error
    return np.asarray(load_digits().data)


def _read(path: Path) -> np.ndarray:
    label = f"DATA={str(path)!r}"
    readers: dict[str, Callable[[Path, str], np.ndarray]] = {
        ".npy": _read_numpy,
        ".npz": _read_numpy,
        ".csv": _read_csv,
        ".parquet": _read_parquet,
    }
    if not path.exists():
        raise ValueError(f"{label} does not exist: check the path")
    if not path.is_file():
        raise ValueError(f"{label} is not a file: give one of {', '.join(SUFFIXES)}")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(
            f"{label} is of kind {path.suffix or 'unknown'!r}: give one of {', '.join(SUFFIXES)}"
        )
    try:
        if path.stat().st_size == 0:
            raise ValueError(f"{label} is empty: give a file with rows of numbers")
        return reader(path, label)
    except OSError as error:
        raise ValueError(f"{label} cannot be read ({error.strerror or error})") from error


def _read_numpy(path: Path, label: str) -> np.ndarray:
    from zipfile import BadZipFile

    try:
        # Open it here, since NumPy leaves a damaged archive's file open.
        with path.open("rb") as stream:
            found = np.load(stream, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return found
            with found as archive:
                names = list(archive.files)
                if "X" in names:
                    return np.asarray(archive["X"])
                for name in names:
                    array = np.asarray(archive[name])
                    if array.ndim == 2:
                        return array
    except (ValueError, EOFError, BadZipFile) as error:
        if "pickle" in str(error):
            raise ValueError(
                f"{label} holds pickled objects, which are not read, or is not a NumPy file: "
                "save an array of numbers with numpy.save"
            ) from error
        raise ValueError(f"{label} is damaged ({error}): save it again with numpy.save") from error
    raise ValueError(
        f"{label} holds no array named X and none with two axes (it holds "
        f"{', '.join(names) or 'nothing'}): save the rows as X"
    )


def _mapped(path: Path) -> Any:
    """Memory-map a ``.npy`` of rows that is too large to read; return None for any other file."""
    if path.suffix.lower() != ".npy" or not path.is_file() or path.stat().st_size == 0:
        return None
    try:
        with path.open("rb") as stream:
            if stream.read(6) != b"\x93NUMPY":
                return None
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None  # reading it raises the proper error
    # Anything but a matrix of numbers is refused when it is read, or here if too large.
    return values if isinstance(values, np.memmap) and is_large(values) else None


def _sampled(values: Any, name: str, label: str, path: str | None) -> DataMatrix:
    """Validate all rows in one pass, and hold some."""
    _check_kind(values, label)
    seen = look_at_all(values)
    if seen.bad is not None:
        row, column, value = seen.bad
        _refuse_value(label, value, row, column)
    held, index = evenly_spaced(values)
    keep = np.flatnonzero(np.any(held != 0, axis=1))
    if keep.size < 2:
        raise ValueError(
            f"{label} has {keep.size} rows that are not all zero among {index.size} evenly spaced "
            "ones: give at least two, or the rows that are not zero"
        )
    return DataMatrix(
        name=name,
        path=path,
        values=held[keep],
        index=index[keep],
        n_zero_rows=seen.n_zero_rows,
        n_not_held=seen.n_rows - seen.n_zero_rows - int(keep.size),
    )


def _read_csv(path: Path, label: str) -> np.ndarray:
    import csv

    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            records = [row for row in csv.reader(stream) if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{label} is not a text file of UTF-8 ({error}): save it as CSV"
        ) from error
    if not records:
        raise ValueError(f"{label} is empty: give a file with rows of numbers")
    header = not any(_is_number(cell) for cell in records[0])
    names = records[0] if header else [f"{i + 1}" for i in range(len(records[0]))]
    body = records[header:]
    for i, row in enumerate(body):
        if len(row) != len(names):
            raise ValueError(
                f"{label}: row {i} has {len(row)} cells and the first line {len(names)}; "
                "give every row as many, separated by commas"
            )
    columns = []
    for j, name in enumerate(names):
        try:
            columns.append([float(row[j]) if row[j].strip() else np.nan for row in body])
        except ValueError:
            bad = next(row[j] for row in body if row[j].strip() and not _is_number(row[j]))
            raise ValueError(
                f"{label}: column {name.strip()!r} holds text ({_short(bad)}): "
                "remove it or encode it as numbers"
            ) from None
    return np.array(columns, dtype=np.float64).T.reshape(len(body), len(names))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _short(text: str, limit: int = 30) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def _read_parquet(path: Path, label: str) -> np.ndarray:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ValueError(
            f"{label} needs pyarrow, which is not installed: pip install 'mehler[parquet]', "
            "or save the rows as .npy"
        ) from error
    try:
        table = parquet.read_table(path)
    except pa.ArrowException as error:
        first = str(error).splitlines()[0]
        raise ValueError(f"{label} is not a parquet file or is damaged ({first})") from error
    columns = []
    for name, column in zip(table.column_names, table.columns):
        kind = column.type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise ValueError(
                f"{label}: column {name!r} holds {kind}, not numbers: "
                "remove it or encode it as numbers"
            )
        columns.append(column.cast(pa.float64(), safe=False).to_numpy())
    if not columns:
        raise ValueError(f"{label} has no columns: give a file with rows of numbers")
    return np.column_stack(columns)


def _checked(values: Any, name: str, label: str, path: str | None) -> DataMatrix:
    array = np.asarray(values)
    _check_kind(array, label)
    array = array.astype(np.float64)
    finite = np.isfinite(array)
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        _refuse_value(label, array[row, column], row, column)
    # Scaling a row changes neither its direction nor the test; only a row of zeros has none.
    keep = np.flatnonzero(np.any(array != 0, axis=1))
    if keep.size < 2:
        raise ValueError(f"{label} has {keep.size} rows that are not all zero: give at least two")
    return DataMatrix(
        name=name,
        path=path,
        values=array[keep],
        index=keep,
        n_zero_rows=array.shape[0] - int(keep.size),
    )


def _refuse_value(label: str, value: float, row: int, column: int) -> NoReturn:
    raise ValueError(
        f"{label} holds {value} at row {row}, column {column} (counted from 0): "
        "remove or impute missing values"
    )


def _check_kind(array: Any, label: str) -> None:
    """Require two axes of real numbers, not empty."""
    if array.ndim != 2:
        raise ValueError(
            f"{label} has shape {array.shape}, not rows and columns: "
            "give two axes, one row an example"
        )
    if array.size == 0:
        raise ValueError(f"{label} is empty, of shape {array.shape}: give rows of numbers")
    if array.dtype.kind == "c":
        raise ValueError(f"{label} is complex ({array.dtype}): give real numbers")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{label} holds {array.dtype}, not numbers: give real numbers")
