"""NumPy's files: a ``.npy`` is mapped where it is large, a ``.npz`` unpacked within a limit."""

from __future__ import annotations

import io
import lzma
import math
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from mehler._arrays import Array
from mehler.report.inputs._out_of_core import ArraySource, is_large

_ENCRYPTED = 0x1
# NumPy's own limit, by which a header of text is evaluated.
_LONGEST_HEADER = 10_000
_UNPACKING = (BadZipFile, zlib.error, lzma.LZMAError)
# Members of every file of scipy.sparse.save_npz.
_SPARSE = {"format", "shape", "data"}


def read_npy(path: Path, label: str) -> Any:
    """Read a file of one array, or map it into memory if it is large."""
    try:
        with path.open("rb") as stream:
            _read_header(stream, path.stat().st_size)
        try:
            # Mapping compares the header with the size of the file before anything is read.
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
            if is_large(mapped):
                return mapped
        except ValueError:  # an empty array cannot be mapped
            pass
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError) as error:
        raise _refusal(label, error) from error


def read_npz(
    path: Path, label: str, *, array: str | None, target: str | None, limit: float
) -> tuple[Any, Any, str]:
    """Return the rows of an archive, its array `target` if there is one, and a note of the choice.

    `limit` is in GiB, for both arrays unpacked.
    """
    try:
        with ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) < len(archive.infolist()):
                raise _Refused(f"{label} holds two arrays of one name: save each under its own")
            headers = {name: _header(archive, info, label) for name, info in members.items()}
            name = _choose_rows(headers, label, array)
            keys = [key for key in (name, target) if key is not None and key in headers]
            size = sum(_size(*headers[key]) for key in keys)
            if size > limit * 2**30:
                raise _Refused(
                    f"{label} unpacks to {size / 2**30:.2g} GiB, above the limit of {limit:g} GiB: "
                    f"save the rows as .npy, which is not unpacked, or raise --unpack-limit"
                )
            arrays = {key: _unpack(archive, members[key]) for key in keys}
    except _Refused:
        raise
    except (ValueError, EOFError, KeyError, NotImplementedError, *_UNPACKING) as error:
        raise _refusal(label, error) from error
    others = [key for key, (shape, _) in headers.items() if len(shape) == 2 and key != name]
    choice = f"array {name}" + (f", not {', '.join(others)} (--array)" if others else "")
    return arrays[name], arrays.get(target or ""), choice


class _Refused(ValueError):
    """A refusal with its own remedy, which is not taken for a damaged file."""


def _header(archive: ZipFile, info: ZipInfo, label: str) -> tuple[tuple[int, ...], np.dtype]:
    """Read shape and type of an array without unpacking it."""
    if info.flag_bits & _ENCRYPTED:
        raise _Refused(f"{label} is encrypted: save it without a password")
    if not info.filename.endswith(".npy"):
        return (), np.dtype(object)
    with archive.open(info) as stream:
        return _read_header(stream, info.file_size)


def _read_header(stream: IO[bytes], n_bytes: int) -> tuple[tuple[int, ...], np.dtype]:
    """Read shape and type from the beginning of a file of one array, of `n_bytes` in all.

    NumPy reads a header of any length before it refuses it; here the length is read first.
    """
    major, minor = np.lib.format.read_magic(stream)
    if (major, minor) not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"version {(major, minor)} of NumPy's format is not known")
    field = stream.read(2 if major == 1 else 4)
    length = int.from_bytes(field, "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header claims {length} bytes, above {_LONGEST_HEADER}")
    formats = np.lib.format
    read = formats.read_array_header_1_0 if major == 1 else formats.read_array_header_2_0
    try:
        shape, _, dtype = read(io.BytesIO(field + stream.read(length)))
    except (ValueError, SyntaxError, TypeError, TokenError, RecursionError, MemoryError) as error:
        raise ValueError("its header describes no array") from error
    if any(n < 0 for n in shape):
        raise ValueError(f"its header claims the shape {shape}")
    # Until 2.0 NumPy counts the bytes of a string modulo 2^32, with a sign.
    if dtype.itemsize < 0 or (not dtype.hasobject and _size(shape, dtype) > n_bytes):
        raise ValueError("its header promises more than there is")
    return shape, dtype


def _size(shape: tuple[int, ...], dtype: np.dtype) -> int:
    return math.prod(shape) * dtype.itemsize


def _choose_rows(
    headers: dict[str, tuple[tuple[int, ...], np.dtype]], label: str, array: str | None
) -> str:
    """Return the name of the rows: `array`, else X, else the first array with two axes."""
    contents = ", ".join(headers) or "nothing"
    if array is None and "X" not in headers and _SPARSE <= headers.keys():
        raise _Refused(
            f"{label} holds a sparse matrix of SciPy: save its rows as .npy, by "
            "numpy.save('rows.npy', scipy.sparse.load_npz(FILE).toarray())"
        )
    if array is not None:
        if array not in headers:
            raise _Refused(f"{label} holds no array named {array!r} (it holds {contents})")
        return array
    matrices = [name for name, (shape, _) in headers.items() if len(shape) == 2]
    if "X" in headers or matrices:
        return "X" if "X" in headers else matrices[0]
    raise _Refused(
        f"{label} holds no array named X and none with two axes (it holds {contents}): save the "
        "rows as X"
    )


def _unpack(archive: ZipFile, info: ZipInfo) -> Any:
    with archive.open(info) as stream:
        values = np.lib.format.read_array(stream, allow_pickle=False)
        while stream.read(1 << 16):  # the checksum is compared at the end
            continue
    return values


def _refusal(label: str, error: Exception) -> ValueError:
    if "pickle" in str(error) or "Object arrays" in str(error):
        return ValueError(
            f"{label} holds pickled objects, which are not read: save an array of numbers with "
            "numpy.save"
        )
    text = " ".join(str(error).split()) or type(error).__name__
    return ValueError(f"{label} is damaged ({text}): save it again with numpy.save")


def array_source(values: Array, name: str, label: str, path: str | None) -> ArraySource:
    """Return the source of an array; require two axes of real numbers, not empty."""
    if values.ndim != 2:
        raise ValueError(
            f"{label} has shape {values.shape}, not rows and columns: "
            "give two axes, one row an example"
        )
    if 0 in values.shape:
        raise ValueError(f"{label} is empty, of shape {values.shape}: give rows of numbers")
    if values.dtype.kind == "c":
        raise ValueError(f"{label} is complex ({values.dtype}): give real numbers")
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{label} holds {values.dtype}, not numbers: give real numbers")
    return ArraySource(values, name, path)
