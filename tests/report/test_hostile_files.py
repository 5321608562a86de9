"""Files made to cost memory, to lie, or to command a terminal are read safely, or refused."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import re
import struct
import subprocess
import sys
import unicodedata
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

from mehler import report
from mehler._text import printable
from mehler.report import load_rows
from mehler.report.inputs import _data
from tests.report import toys
from tests.report.awkward_files import ROWS, raw

ESCAPE, OVERRIDE, CSI = "\x1b[31mred", "\u202etxt.exe", "\x9b2J"


def npy(header: str | bytes, body: bytes = b"", *, version: int = 1, length: int | None = None):
    """Return a file of NumPy's format whose header claims a length."""
    text = header.encode() if isinstance(header, str) else header
    claimed = len(text) if length is None else length
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", claimed)
        + text
        + body
    )


def described(shape: str = "(4, 3)", descr: str = "'<f8'", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def archive(**members: bytes):
    """Return what writes a compressed archive of these members."""

    def make(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for name, content in members.items():
                file.writestr(name.replace("__", "."), content)

    return make


def whole(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def table(**columns):
    return lambda path: parquet.write_table(pa.table(columns), path)


def stream(**columns):
    def make(path):
        rows = pa.table(columns)
        with pa.ipc.new_stream(str(path), rows.schema) as writer:
            writer.write_table(rows)

    return make


def cut(make):
    """Return what writes three quarters of a file."""

    def cut_short(path):
        make(path)
        content = path.read_bytes()
        path.write_bytes(content[: len(content) * 3 // 4])

    return cut_short


def twice(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("X.npy", whole(ROWS))
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("X.npy", whole(2 * ROWS))


def broken(method):
    """Return what writes an archive packed by a method, with a byte of the data changed."""

    def make(path):
        with zipfile.ZipFile(path, "w", method) as file:
            file.writestr("X.npy", whole(ROWS))
        content = bytearray(path.read_bytes())
        content[50] ^= 255
        path.write_bytes(content)

    return make


def misstated(offset, field, header=b"PK\x01\x02"):
    """Return what writes an archive whose directory says something else."""

    def make(path):
        np.savez_compressed(path, X=ROWS)
        content = bytearray(path.read_bytes())
        start = content.index(header) + offset
        content[start : start + len(field)] = field
        path.write_bytes(content)

    return make


def of_pandas(text):
    """A file whose schema says something else than pandas would."""
    rows = pa.table({"a": [1.0, 2.0]}).replace_schema_metadata({b"pandas": text})
    return lambda path: parquet.write_table(rows, path)


def sparse_file(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)


BODY = ROWS.tobytes()
DAMAGED, EMPTY, BIG = "is damaged", "is empty", "header claims 200000000 bytes, above 10000"
MISSING = "holds nothing but missing values"
NOISE = {
    "UTF-16": b"\xff\xfe\x00\x01 not data" * 9,
    "NumPy": b"\x93NUMPY",
    "an archive": b"PK\x03\x04zip",
}
# What the file is, its ending, how it is made, what is said (None: it is read), and options.
REFUSED = [
    ("a header of blanks", "npy", raw(npy(" " * 200, version=2, length=200_000_000)), BIG),
    ("the same, packed", "npz", archive(X__npy=npy(" " * 99, version=2, length=200_000_000)), BIG),
    ("the same, version 3", "npy", raw(npy("", version=3, length=200_000_000)), BIG),
    ("a header cut short", "npy", raw(npy(described(), length=900)), DAMAGED),
    ("a file of the magic alone", "npy", raw(b"\x93NUMPY"), DAMAGED),
    ("version 9", "npy", raw(npy(described(), BODY, version=9)), "version (9, 0) of NumPy's"),
    ("a shape of a petabyte", "npy", raw(npy(described("(9999999, 9999999)"), BODY)), "promises"),
    ("the same, packed", "npz", archive(X__npy=npy(described("(9999999, 1000000)"))), "promises"),
    ("a negative shape", "npy", raw(npy(described("(-1, 3)"), BODY)), "claims the shape (-1, 3)"),
    ("the same, packed", "npz", archive(X__npy=npy(described("(-4, 3)"), BODY)), "the shape (-4"),
    ("a shape that overflows", "npy", raw(npy(described("(2**62, 16)"), BODY)), DAMAGED),
    ("a header that calls", "npy", raw(npy("__import__('os').abort()\n")), DAMAGED),
    ("deep brackets", "npy", raw(npy("(" * 5000)), DAMAGED),
    ("a type that is none", "npy", raw(npy(described(descr="'evil'"), BODY)), DAMAGED),
    ("an escape in a header", "npy", raw(npy(f"{{'{ESCAPE}': 1}}\n")), DAMAGED),
    ("too few bytes", "npy", raw(npy(described(), BODY[:-8])), DAMAGED),
    ("strings of no width", "npy", raw(npy(described("(9, 2)", "'<U0'"))), "holds <U0"),
    ("no rows", "npy", lambda p: np.save(p, np.empty((0, 3))), EMPTY),
    ("no columns", "npy", lambda p: np.save(p, np.empty((3, 0))), EMPTY),
    ("complex numbers", "npy", lambda p: np.save(p, ROWS * 1j), "is complex"),
    ("dates", "npy", lambda p: np.save(p, np.zeros((2, 2), "M8[s]")), "not numbers"),
    ("records", "npy", lambda p: np.save(p, np.zeros((2, 2), "f8,f8")), "not numbers"),
    ("nothing but NaN", "npy", lambda p: np.save(p, ROWS * np.nan), MISSING),
    ("nothing but infinity", "npy", lambda p: np.save(p, ROWS * np.inf), "values"),
    ("nothing but zeros", "npy", lambda p: np.save(p, ROWS * 0), "0 rows that are not all zero"),
    ("a pickle", "npy", raw(b"\x80\x04cos\nsystem\n(S'true'\ntR."), DAMAGED),
    ("a pickle, packed", "npz", archive(X__npy=whole(np.array([[{}]]))), "pickled objects"),
    ("a member that is none", "npz", archive(X__npy=b"hello"), DAMAGED),
    ("no member", "npz", archive(), "holds nothing"),
    ("no array", "npz", archive(readme=b"hello"), "none with two axes (it holds readme): save the"),
    ("an archive cut short", "npz", raw(b"PK\x03\x04" + b"\0" * 50), DAMAGED),
    ("50 MB of zeros", "npz", archive(X__npy=npy(described("(625, 9999)"), bytes(8 * 6249375))),
     "above the limit of 0.01 GiB", {"unpack_limit": 0.01}),
    ("sparse rows", "npz", lambda p: sparse.save_npz(p, sparse.csr_array(ROWS)), ".toarray()"),
    ("sparse diagonals", "npz", lambda p: sparse.save_npz(p, sparse.dia_array(ROWS)), ".toarray()"),
    ("sparse triples", "npz", lambda p: sparse.save_npz(p, sparse.coo_array(ROWS)), ".toarray()"),
    ("names that escape", "npz", archive(**{f"{ESCAPE}.npy": whole(ROWS[0])}), r"\x1b[31mred"),
    *(("no bytes", ending, raw(b""), EMPTY) for ending in ("csv", "npy", "npz", "parquet")),
    ("no file", "npy", lambda p: None, "does not exist: check the path"),
    ("another ending", "txt", raw("1"), "kind '.txt': give one of .npy, .npz, .csv, .tsv, .parq"),
    ("a header alone", "csv", raw("a,b\n"), "is empty but for a header"),
    ("blank lines", "csv", raw("\n\n"), EMPTY),
    *((f"noise like {like}", ending, raw(noise), "DATA=")
      for ending in ("npy", "npz", "parquet", "csv", "arrow")
      for like, noise in NOISE.items()),
    ("Feather of version 1", "feather", raw(b"FEA1" + bytes(40)),
     "is a Feather file of version 1: write it again, with"),
    ("zero bytes", "csv", raw(b"a,b\n1,2\n\0\0,\0\n"), "zero bytes"),
    ("gzip", "csv", lambda p: p.write_bytes(gzip.compress(b"a,b\n1,2\n")), "is compressed"),
    ("Latin-1 names", "csv", raw("größe,b\n1,2\n3,4\n".encode("latin-1")), "--encoding latin-1"),
    ("Latin-1 far below", "csv", raw(b"n,b\n" + (b"%064d,2\n" % 1) * 16_000 + b"\xe9,3\n"),
     "--encoding latin-1"),
    ("nothing but nan", "csv", raw("a,b\nnan,nan\nnan,\n"), MISSING),
    ("a value missing in every row", "csv", raw("a,b\n1,\n,2\n"), "every row has a missing",
     {"drop_missing": True}),
    ("names that escape, beside text", "csv", raw(f"{ESCAPE},b\n1,x\n2,y\n"), "column 'b'"),
    ("an override where names are listed", "csv", raw(f"{OVERRIDE},b\n1,2\n3,4\n"),
     r"it has \u202etxt.exe", {"columns": "c"}),
    ("a cell that clears the screen", "csv", raw(f"a,b\n1,{CSI}\n2,3\n"), r"text ('\x9b2J')"),
    ("a name that clears the screen", "csv", raw(f"{CSI},b\nx,1\ny,2\n"), r"--drop '\x9b2J'"),
    ("a quote never closed", "csv", raw('a,b\n1,"2\n3,4\n'), r"text ('2\n3,4')"),
    ("text called Parquet", "parquet", raw("a,b\n1,2\n"), "is damaged"),
    ("a footer that lies", "parquet", raw(b"PAR1" + b"\xff" * 20 + b"PAR1"), "is damaged"),
    ("nulls alone", "parquet", table(a=pa.nulls(3), b=pa.nulls(3, pa.float64())), MISSING),
    ("lists", "parquet", table(a=[[1.0], [2.0]]), "no column is left"),
    ("structures and maps", "parquet",
     table(a=[{"b": 1}], c=pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8()))),
     "no column is left"),
    ("bytes, dates, durations", "parquet",
     table(a=[b"\x1b[2J"], b=pa.array([0], pa.date32()), c=pa.array([9], pa.duration("s"))),
     "column 'b' holds dates ('1970-01-01'), column 'c' holds durations"),
    ("names that are repeated", "parquet",
     lambda p: parquet.write_table(pa.table([[1.0], [2.0]], names=["a", "a"]), p),
     "has columns of the same name: rename them"),
    ("no columns", "parquet", table(), "has no columns"),
    ("no rows", "parquet", table(a=pa.array([], pa.float64())), EMPTY),
    ("cut short", "parquet", cut(table(a=ROWS[:, 0])), "is damaged"),
    ("text called Arrow", "arrow", raw("hello"), "is damaged"),
    ("cut short", "arrow", cut(stream(a=ROWS[:, 0])), "is damaged"),
    ("a line of 20 MB", "csv", raw(b"1" * 20_000_000), "a line is longer than 8 MiB"),
    ("many columns of one line", "csv", raw(b"1," * 10_000), MISSING),
    ("a terabyte of zero bytes", "csv", sparse_file, "zero bytes"),
    ("a terabyte of zero bytes", "npy", sparse_file, DAMAGED),
    ("a folder", "csv", lambda p: p.mkdir(), "is not a file"),
    ("a pipe", "csv", os.mkfifo, "is not a file"),
    ("a link to an endless device", "csv", lambda p: p.symlink_to("/dev/zero"), "is not a file"),
    ("a link to nothing", "csv", lambda p: p.symlink_to("gone"), "does not exist"),
    ("a link to itself", "csv", lambda p: p.symlink_to(p), "does not exist"),
    ("a name that escapes", f"{ESCAPE}", raw("1"), r"is of kind '.\x1b[31mred'"),
    ("a spreadsheet", "csv", archive(sheet=b"<xml/>"), "is compressed, or a spreadsheet"),
    ("two members of one name", "npz", twice, "two arrays of one name"),
    ("beyond float64", "npy", lambda p: np.save(p, ROWS * np.longdouble("1e4000")), MISSING),
    *(("metadata of pandas", "parquet", of_pandas(text), "do not name its index")
      for text in (b"{not json", b"[1]", b"{}", b'{"index_columns": null}', b"\xff", b"[" * 9999)),
    ("a union", "arrow", stream(a=pa.UnionArray.from_dense(pa.array([0], pa.int8()),
     pa.array([0], pa.int32()), [pa.array([1])])), "no column is left"),
    ("runs", "arrow", stream(a=pa.RunEndEncodedArray.from_arrays([2], [1.0])), "run_end_encoded"),
    ("names of several lines", "parquet", table(**{"a\nb\tc": ["x", "y"], "d": [1.0, 2.0]}),
     r"--drop 'a\nb\tc'"),
    ("a header that nests minus signs", "npy", raw(npy("-" * 8000 + "1")), DAMAGED),
    ("a packed header that nests them", "npz", archive(X__npy=npy("-" * 8000 + "1")), DAMAGED),
    ("broken LZMA", "npz", broken(zipfile.ZIP_LZMA), DAMAGED),
    ("broken bzip2", "npz", broken(zipfile.ZIP_BZIP2), "cannot be read"),
    ("an encoding of zero bytes", "csv", raw("a\n1\n"), "encoding='utf\\x00' is not known",
     {"encoding": "utf\0"}),
    ("an encoding that always fails", "csv", raw("a\n1\n"), "encoding='undefined' is not known",
     {"encoding": "undefined"}),
    ("a delimiter of zero", "csv", raw("a\n1\n"), "must be one character of ASCII, such as",
     {"delimiter": "\0"}),
    ("a delimiter of escape", "csv", raw("a\n1\n"), "must be one character of ASCII, such as",
     {"delimiter": "\x1b"}),
    ("a shape of floats", "npy", raw(npy(described("(2.0, 3)"), BODY)), DAMAGED),
    ("a shape of 5,000 digits", "npy", raw(npy(described(f"(1{'0' * 5000}, 3)"), BODY)), DAMAGED),
    ("a type of rows within rows", "npy",
     raw(npy(described("(2,)", "('<f8', (99999, 99999))"), BODY)), DAMAGED),
    ("strings of 8 GB", "npy", raw(npy(described("(1, 2)", "'<U2000000000'"))), DAMAGED),
    ("a member that is longer than said", "npz", misstated(24, b"\n\0\0\0"), DAMAGED),
    ("a member that begins beyond the end", "npz", misstated(42, b"\0\0\0\x7f"), DAMAGED),
    ("a version of zip that is not known", "npz", misstated(6, b"c\0"), DAMAGED),
    ("a directory beyond the end", "npz", misstated(12, b"\0\0\0\x7f", b"PK\x05\x06"), DAMAGED),
    ("a surrogate in UTF-8", "csv", raw(b"a\xed\xa0\x80,b\n1,2\n"), "is not text of UTF-8"),
    ("a cell of 200 kB", "csv", raw("a,b\n" + "x" * 200_000 + ",2\n"), "larger than field limit"),
    ("a header of nothing but quotes", "csv", raw('"""",""\n1,2\n3,5\n'), "it has \", Unnamed: 1",
     {"drop": "c"}),
]  # fmt: skip
READ = [
    ("names that escape", raw(f"{ESCAPE},{OVERRIDE},{CSI}\n1,2,3\n4,5,7\n")),
    ("names of markup", raw("<script>alert(1)</script>,[x](javascript:y),`c`\n1,2,3\n4,5,7\n")),
    ("names of formulas", raw('"=cmd|calc!A1",@x,+y\n1,2,3\n4,5,7\n')),
    ("a name of many marks", raw("a" + "\u0301" * 500 + ",b,c\n1,2,3\n4,5,7\n")),
]


def test_files_that_may_not_be_read_are_refused(tmp_path, monkeypatch):
    """The system's refusal is injected, since root may read everything."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,5\n")

    def refuse(*arguments):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(_data, "_open_file", refuse)
    with pytest.raises(ValueError, match=r"cannot be read .Permission denied"):
        load_rows(path)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case[0]} {case[1]}")
def test_hostile_files_are_refused_in_one_harmless_line(tmp_path, case):
    _, ending, make, message, *options = case
    path = tmp_path / f"a.{ending}"
    make(path)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        load_rows(path, **(options[0] if options else {}))
    assert all(unicodedata.category(c) not in ("Cc", "Cf") for c in str(caught.value))


@pytest.mark.parametrize("ending", [b"csv", b"parquet", b"arrow"])
def test_names_that_are_no_text_are_refused_by_name(tmp_path, ending):
    path = tmp_path / os.fsdecode(b"\xe9." + ending)
    path.write_bytes(b"a\n1\n2\n")
    with pytest.raises(ValueError, match="a name that is no UTF-8: rename it"):
        load_rows(path)


@pytest.mark.parametrize("case", READ, ids=lambda case: case[0])
def test_hostile_names_are_read_and_shown_escaped(tmp_path, case):
    path = tmp_path / "a.csv"
    case[1](path)
    rows = load_rows(path)
    np.testing.assert_array_equal(rows.values, [[1, 2, 3], [4, 5, 7]])
    assert list(rows.columns) == list(pd.read_csv(path).columns)
    assert all(line == printable(line) for line in rows.lines())


def test_pages_and_summaries_show_names_escaped(tmp_path):
    found = report.run([toys.TRUE], with_data=False)
    hostile = replace(found.statements[0], title=f"{ESCAPE} {OVERRIDE} {CSI}", expected="refuted")
    found = replace(found, statements=(hostile,))
    report.write_junit(found, tmp_path / "junit.xml")
    for path in (*report.write(found, tmp_path / "out"), tmp_path / "junit.xml"):
        text = path.read_text(encoding="utf-8")
        assert text == printable(text), path
    assert r"\x1b[31mred \u202etxt.exe \x9b2J" in (tmp_path / "out" / "report.html").read_text(
        "utf-8"
    )
    assert json.loads((tmp_path / "out" / "report.json").read_text("utf-8")) == found.to_dict()
    assert all(line == printable(line) for line in report.lines(found))


BOMB = """
import resource, sys
import pyarrow.dataset
from mehler.report import load_rows
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load_rows(sys.argv[1], unpack_limit=0.01)
except ValueError as error:
    assert sys.argv[2] in str(error), error
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
BOMBS = [
    # Blanks packed into 300 kB were read whole before they were refused.
    ("npz", archive(X__npy=npy(b" " * 64_000_000, version=2)), "header claims 64000000 bytes"),
    ("feather", lambda p: feather.write_feather(
        pa.table({"a": np.zeros(20_000_000)}), p, compression="zstd", chunksize=20_000_000
    ), "unpacks to 0.15 GiB, above the limit of 0.01 GiB"),
    ("csv", raw(b"1," * 32_000_000), "a line is longer than 8 MiB"),
]  # fmt: skip


@pytest.mark.parametrize("case", BOMBS, ids=lambda case: case[0])
@pytest.mark.sampled(2)
def test_bombs_take_no_memory(tmp_path, case):
    ending, make, message = case
    path = tmp_path / f"bomb.{ending}"
    make(path)
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(path), message], capture_output=True, text=True, check=True
    )
    unit = 1 if sys.platform == "darwin" else 1024
    # Other imports, the inflating window, and two blocks of text.
    assert int(done.stdout) * unit < 60e6


@pytest.mark.parametrize("name", ["", "report.html", "summary.md"])
def test_links_to_nothing_are_refused_before_the_work_or_followed(tmp_path, name):
    out = tmp_path / "out"
    if not name:
        out.symlink_to(tmp_path / "missing")
        with pytest.raises(ValueError, match="is a link to nothing; choose another"):
            report.require_writable(out)
        with pytest.raises(ValueError, match="is a link to nothing; choose another"):
            report.require_writable(out / "below")
        return
    out.mkdir()
    (out / name).symlink_to(tmp_path / "missing" / "page")
    report.require_writable(out)
    report.write(report.run([toys.TRUE], with_data=False), out)
    assert (tmp_path / "missing" / "page").is_file()
    (tmp_path / "wall").write_text("no folder")
    (out / name).unlink()
    (out / name).symlink_to(tmp_path / "wall" / "page")
    with pytest.raises(ValueError, match="not a directory"):
        report.require_writable(out)
