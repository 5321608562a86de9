"""Open what holds the rows, by the kind of file or of object."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mehler import _arrays
from mehler._text import install_command
from mehler.report.inputs._numpy_files import array_source, read_npy, read_npz
from mehler.report.inputs._out_of_core import is_large
from mehler.report.inputs._source import ArraySource, Source
from mehler.report.inputs._tables import FrameSource, is_frame

SUFFIXES = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".feather", ".arrow")
_TEXT = (".csv", ".tsv")


def opened(
    data: Any, target: Any, header: bool | None, array: str | None, limit: float
) -> tuple[Source, str, Any]:
    """Return the source, how messages call it, and labels that are not among its columns."""
    labels = None if target is None or isinstance(target, str) else target
    if data is None:
        return ArraySource(_digits(), "scikit-learn digits (8×8)"), "DATA", labels
    if isinstance(data, str | PathLike):
        path = Path(data)
        label = f"DATA={str(path)!r}"
        try:
            return _file(path, label, target, header, array, limit)
        except OSError as error:
            raise ValueError(f"{label} cannot be read ({error.strerror or error})") from error
    if is_frame(data):
        return FrameSource(data), "data", labels
    if sparse.issparse(data):
        raise ValueError("data is a sparse matrix of SciPy: give data.toarray()")
    values = data
    chunked = _arrays.is_array(data) and _arrays.is_chunked(data)
    if not ((chunked or isinstance(data, np.memmap)) and is_large(data)):
        values = np.asarray(_arrays.to_host(data))
    return array_source(values, "array", "data", None), "data", labels


def _file(
    path: Path, label: str, target: Any, header: bool | None, array: str | None, limit: float
) -> tuple[Source, str, Any]:
    if not path.exists():
        raise ValueError(f"{label} does not exist: check the path")
    if not path.is_file():
        raise ValueError(f"{label} is not a file: give one of {', '.join(SUFFIXES)}")
    labels = None if isinstance(target, str) else target
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise ValueError(
            f"{label} is of kind {kind or 'unknown'!r}: give one of {', '.join(SUFFIXES)}"
        )
    if path.stat().st_size == 0:
        raise ValueError(f"{label} is empty: give a file with rows of numbers")
    if header is not None and kind not in _TEXT:
        raise ValueError(f"{label} is no text file: leave out --header and --no-header")
    if array is not None and kind != ".npz":
        raise ValueError(f"{label} is no .npz of several arrays: leave out --array")
    if kind == ".npy":
        return array_source(read_npy(path, label), path.name, label, str(path)), label, labels
    if kind == ".npz":
        name = target if isinstance(target, str) else None
        values, other, said = read_npz(path, label, array=array, target=name, limit=limit)
        source = array_source(values, path.name, label, str(path))
        source.choices = (said,)
        return source, label, labels if other is None else other
    if kind in _TEXT:
        from mehler.report.inputs._text import TextSource

        return TextSource(path, label, header), label, labels
    from mehler.report.inputs._arrow_files import ArrowSource, ParquetSource

    return (ParquetSource if kind == ".parquet" else ArrowSource)(path, label), label, labels


def _digits() -> np.ndarray:
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise ValueError(
            "DATA is not given, and scikit-learn, whose digits stand in for it, is not installed: "
            f"give a file, or {install_command('report')}"
        ) from error
    return np.asarray(load_digits().data)
