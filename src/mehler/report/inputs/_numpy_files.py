"""NumPy's files: a ``.npy`` is mapped, a ``.npz`` unpacked within a limit."""

from __future__ import annotations

import io
import lzma
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from mehler.report.inputs._out_of_core import ArraySource

_ENCRYPTED = 0x1
# NumPy's own limit, by which a header of text is evaluated.
_LONGEST_HEADER = 10_000
_DAMAGES = (
    *(ValueError, TypeError, SyntaxError, EOFError, KeyError, NotImplementedError),
    *(BadZipFile, zlib.error, lzma.LZMAError),
)
# Members of every file of scipy.sparse.save_npz.
_SPARSE = {"format", "shape", "data"}


def read_npy(path: Path, label: str) -> ArraySource:
    """Map a file of one array into memory."""
    with _undamaged(label):
        with path.open("rb") as stream:
            _read_header(stream, path.stat().st_size)
        try:
            # Mapping compares the header with the size of the file before anything is read.
            values = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError:  # an empty array cannot be mapped
            values = np.load(path, allow_pickle=False)
    return ArraySource(values, path.name, label, str(path))


def read_npz(
    path: Path, label: str, *, array: str | None, target: str | None, limit: float
) -> tuple[ArraySource, Any]:
    """Return the rows of an archive, and its array `target` if there is one.

    `limit` is in GiB, for both arrays unpacked.
    """
    with _undamaged(label):
        archive = ZipFile(path)
    with archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        if len(members) < len(archive.infolist()):
            raise ValueError(f"{label} holds two arrays of one name: save each under its own")
        if any(info.flag_bits & _ENCRYPTED for info in members.values()):
            raise ValueError(f"{label} is encrypted: save it without a password")
        with _undamaged(label):
            headers = {name: _header(archive, info) for name, info in members.items()}
        name = _choose_rows(headers, label, array)
        keys = [key for key in (name, target) if key is not None and key in headers]
        size = sum(_size(*headers[key]) for key in keys)
        if size > limit * 2**30:
            raise ValueError(
                f"{label} unpacks to {size / 2**30:.2g} GiB, above the limit of {limit:g} GiB: "
                f"save the rows as .npy, which is not unpacked, or raise --unpack-limit"
            )
        with _undamaged(label):
            arrays = {key: _unpack(archive, members[key]) for key in keys}
    source = ArraySource(arrays[name], path.name, label, str(path))
    others = [key for key, (shape, _) in headers.items() if len(shape) == 2 and key != name]
    source.choices = (f"array {name}" + (f", not {', '.join(others)} (--array)" if others else ""),)
    return source, arrays.get(target or "")


@contextmanager
def _undamaged(label: str) -> Iterator[None]:
    """Refuse what NumPy and zipfile cannot read, with a remedy."""
    try:
        yield
    except _DAMAGES as error:
        if "pickle" in str(error) or "Object arrays" in str(error):
            raise ValueError(
                f"{label} holds pickled objects, which are not read: save an array of numbers with "
                "numpy.save"
            ) from error
        text = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{label} is damaged ({text}): save it again with numpy.save") from error


def _header(archive: ZipFile, info: ZipInfo) -> tuple[tuple[int, ...], np.dtype]:
    """Read shape and type of an array without unpacking it."""
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
        raise ValueError(
            f"{label} holds a sparse matrix of SciPy: save its rows as .npy, by "
            "numpy.save('rows.npy', scipy.sparse.load_npz(FILE).toarray())"
        )
    if array is not None:
        if array not in headers:
            raise ValueError(f"{label} holds no array named {array!r} (it holds {contents})")
        return array
    matrices = [name for name, (shape, _) in headers.items() if len(shape) == 2]
    if "X" in headers or matrices:
        return "X" if "X" in headers else matrices[0]
    raise ValueError(
        f"{label} holds no array named X and none with two axes (it holds {contents}): save the "
        "rows as X"
    )


def _unpack(archive: ZipFile, info: ZipInfo) -> Any:
    with archive.open(info) as stream:
        values = np.lib.format.read_array(stream, allow_pickle=False)
        while stream.read(1 << 16):  # the checksum is compared at the end
            continue
    return values
