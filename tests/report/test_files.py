"""Files and objects of rows: what is read of each, or the words in which it is refused."""

import io
import struct
import subprocess
import sys
import unicodedata
import zipfile

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

from mehler import report
from mehler._text import printable
from mehler.report import load_rows
from tests.report import toys

ROWS = np.array([[0.5, -2.0, 3.25], [1.5, 4.0, -1.0], [2.5, 0.25, 8.0], [-1.0, 1.0, 2.0]])
FRAME = pd.DataFrame(ROWS, columns=["a", "b", "c"])
ESCAPE, OVERRIDE, CSI = "\x1b[31mred", "\u202etxt.exe", "\x9b2J"
PAIRS, ABC = [[1, 2], [3, 5]], ("a", "b", "c")


def raw(text):
    return lambda path: path.write_bytes(text.encode() if isinstance(text, str) else text)


def npy(header, body=b"", *, version=1, length=None):
    """Return a file of NumPy's format whose header claims a length."""
    text = header.encode() if isinstance(header, str) else header
    claimed = len(text) if length is None else length
    field = struct.pack("<H" if version == 1 else "<I", claimed)
    return b"\x93NUMPY" + bytes([version, 0]) + field + text + body


def header(shape="(4, 3)", descr="'<f8'"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


def archive(method=zipfile.ZIP_DEFLATED, **members):
    """Return what writes an archive of these members."""

    def make(path):
        with zipfile.ZipFile(path, "w", method, compresslevel=1) as file:
            for name, content in members.items():
                file.writestr(name.replace("__", "."), content)

    return make


def whole(array):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def table(*arrays, names=None, metadata=None, **columns):
    rows = pa.table(list(arrays), names=names) if arrays else pa.table(columns)
    if metadata is not None:
        rows = rows.replace_schema_metadata({b"pandas": metadata})
    return lambda path: parquet.write_table(rows, path)


def feathered(compression="zstd", **columns):
    return lambda path: feather.write_feather(
        pa.table(columns), str(path), compression=compression, chunksize=1 << 30
    )


def streamed(**columns):
    def make(path):
        rows = pa.table(columns)
        with pa.ipc.new_stream(str(path), rows.schema) as writer:
            writer.write_table(rows)

    return make


def cut(make):
    """Return what writes a file that lacks its middle."""

    def make_cut(path):
        make(path)
        path.write_bytes(path.read_bytes()[:100] + path.read_bytes()[150:])

    return make_cut


def zeros(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)


def mixed(**more):
    """Numbers beside all that is none."""
    others = {"who": ["bob", "eve", "ann", "joe"], "kind": pd.Categorical(["u", "v", "u", "v"])}
    others["when"] = pd.date_range("2024-01-01", periods=4)
    return FRAME.assign(**others, yes=[True, False, True, True], **more)


X = ("x0", "x1", "x2")
# What the file is, its name, how it is made, the columns and values that are read, and options.
READ = [
    ("byte order mark, CRLF, quoted names, blank lines", "a.csv",
     raw(b'\xef\xbb\xbf"a","b, too"\r\n1,2\r\n\r\n3,5\r\n\r\n'), ("a", "b, too"), PAIRS),
    ("an empty name", "a.csv", raw("a,,c\n1,2,3\n4,5,7\n"), ("a", "Unnamed: 1", "c"),
     [[1, 2, 3], [4, 5, 7]]),
    ("pandas' index in front", "a.csv", FRAME.to_csv, ABC, ROWS),
    ("tabs", "a.tsv", lambda p: FRAME.to_csv(p, index=False, sep="\t"), ABC, ROWS),
    ("numbers of fifty digits, of exponents and of signs", "a.csv",
     raw(f"a,b\n1{'0' * 50},1e3\n+2,-2.5E-3\n"), "ab", [[1e50, 1e3], [2, -2.5e-3]]),
    ("integers, and floats far below", "a.csv",
     lambda p: raw("a\n" + f"{1:023}\n" * 2**19 + "0.5\n")(p), "a",
     np.append(np.ones(2**19), 0.5)[:, None]),
    ("a cell of 200,000 characters in a column that is dropped", "a.csv",
     raw("a,b,c\n1,2," + "x" * 200_000 + "\n3,5,y\n"), "ab", PAIRS, {"drop": "c"}),
    ("text, categories, dates and gaps, with the options", "a.csv",
     lambda p: mixed(d=[1, np.nan, 2, np.inf]).to_csv(p, index=False), (*ABC, "d"),
     np.column_stack([ROWS, [1, 0, 2, 0]])[[0, 2]],
     {"drop": "who,when,kind", "target": "yes", "drop_missing": True}),
    ("names that escape", "a.csv", raw(f"{ESCAPE},{OVERRIDE},{CSI}\n1,2,3\n4,5,7\n"),
     (ESCAPE, OVERRIDE, CSI), [[1, 2, 3], [4, 5, 7]]),
    ("Parquet with pandas' index", "a.parquet",
     FRAME.set_index(pd.Index([7, 5, 3, 2])).to_parquet, ABC, ROWS),
    ("two levels of pandas' index", "a.parquet",
     FRAME.set_index(pd.MultiIndex.from_product([[1, 2], [3, 4]], names=list("ij"))).to_parquet,
     ABC, ROWS),
    ("Parquet with booleans and decimals", "a.parquet",
     table(a=[True, False], b=pa.array([1, 3]).cast(pa.decimal128(22, 2))), "ab",
     [[1, 1], [0, 3]]),
    ("Feather with pandas' index", "a.feather", lambda p: feather.write_feather(
        pa.Table.from_pandas(FRAME.set_index(pd.Index([7, 5, 3, 2]))), str(p)), ABC, ROWS),
    ("Feather with labels of text", "a.feather", feathered(a=[1, 3], b=[2, 5], y=["u", "v"]), "ab",
     PAIRS, {"target": "y"}),
    ("Feather without compression, with categories", "a.arrow",
     feathered("uncompressed", a=[1, 3], b=[2, 5], y=pa.array(["u", "v"]).dictionary_encode()),
     "ab", PAIRS, {"target": "y"}),
    ("bytes of the other order, columns first", "a.npy",
     lambda p: np.save(p, np.asfortranarray(ROWS.astype(">f4"))), X, ROWS),
    ("an array and labels of text", "a.npz", lambda p: np.savez(p, X=ROWS, y=list("uvuv")), X, ROWS,
     {"target": "y"}),
    ("one array of another name", "a.npz", lambda p: np.savez_compressed(p, rows=ROWS), X, ROWS),
]  # fmt: skip
UNREADABLE, SHAPE = "cannot be read (", "not (samples, columns)"
PANDAS = (
    "frame = pandas.read_csv('a.csv', sep=None, engine='python', comment='#', encoding='latin-1')"
)
NOISE = {"npy": b"\x93NUMPY", "npz": b"PK\x03\x04zip", "arrow": b"\xff\xfe\x00\x01 not data" * 9}
CHUNKS = da.from_array(ROWS, chunks=2)
# What it is, a file's ending and how it is made, or "" and an object, the words of the refusal,
# options, and what refuses it unless it is `load_rows`.
REFUSED = [
    ("semicolons and decimal commas", "csv", lambda p: FRAME.to_csv(p, sep=";", decimal=","),
     PANDAS),
    ("no names", "csv", raw("0.5,2\n1.5,3\n"),
     "numbers in its first line: frame = pandas.read_csv('a.csv', header=None); frame.to_parquet"),
    ("a comment above the header", "csv", raw("# of 1999\na,b\n1,2\n"), PANDAS),
    ("rows of other lengths", "csv", raw("a,b\n1,2\n3\n4,5,6\n"), "Expected 2 columns, got 1"),
    ("text, dates, categories", "csv", lambda p: mixed().to_csv(p, index=False),
     "3 columns without numbers, 'who' (string), 'kind' (string), 'when' (date32[day]): leave out "
     "with drop='who,kind,when', or frame = pandas.get_dummies(pandas.read_csv('a.csv').drop("
     "columns=['when']), columns=['who', 'kind']); frame.to_parquet('rows.parquet')"),
    ("semicolons", "csv", raw("a;b\n1;2\n3;4\n"), f"(one column alone, a;b): {PANDAS}"),
    ("text far below numbers", "csv", lambda p: raw("a,b\n" + "1,2\n" * 2**21 + "1,x\n")(p),
     "invalid value 'x'"),
    ("gaps", "csv", raw("a,b\n1,2\n3,5\n,\n,4\n"),
     "lacks finite values in 2 of 4 rows (nan at row 2 of 'a'): leave out with drop_missing=True "
     "or drop='a,b', or frame = pandas.read_csv('a.csv').pipe(lambda frame: frame.fillna("),
    ("a label that is missing", "csv", raw("a,y\n1,u\n3,\n"), "1 of 2 rows (in the target)",
     {"target": "y"}),
    ("infinity, beyond all floats", "csv", raw("a,b\n1e400,2\n3,4\n"), "inf at row 0 of 'a'"),
    ("near the largest float", "csv", raw("a\n1e308\n-1e308\n"), "has values above 1e+75: rescale"),
    ("columns of one name", "csv", raw("a,a\n1,2\n3,4\n"), "multiple columns named a"),
    ("one row", "csv", raw("a,b\n1,2\n"), "1 row that are not all zero: give at least two"),
    ("Latin-1 names", "csv", raw("größe,b\n1,2\n3,4\n".encode("latin-1")), PANDAS),
    ("UTF-16", "csv", raw("a,b\n1,2\n".encode("utf-16")), PANDAS),
    ("gzip", "gz", raw(b"\x1f\x8b"), "is of kind '.gz', not of .csv, .tsv, .parquet"),
    ("no bytes", "csv", raw(b""), "is empty"),
    ("an override among names", "csv", raw(f"{OVERRIDE},b\n1,2\n3,4\n"),
     r"it has \u202etxt.exe", {"columns": "c"}),
    ("a terabyte of zero bytes", "csv", zeros, "has a line of over 8 MiB"),
    ("a link to an endless device", "csv", lambda p: p.symlink_to("/dev/zero"), "is not a file"),
    ("no file", "npy", lambda p: None, "does not exist"),
    *((f"noise like {like}", ending, raw(noise), "data=")
      for ending in ("npy", "npz", "parquet", "csv", "arrow")
      for like, noise in NOISE.items()),
    ("a header longer than said", "npy", raw(npy(header(), length=900)), UNREADABLE),
    ("a shape of a petabyte", "npy", raw(npy(header("(9999999, 9999999)"))), UNREADABLE),
    ("the same, packed", "npz", archive(X__npy=npy(header("(9999999, 1000000)"))), UNREADABLE),
    ("a header that calls", "npy", raw(npy("__import__('os').abort()\n")), UNREADABLE),
    ("too few bytes", "npy", raw(npy(header(), ROWS.tobytes()[:-8])), UNREADABLE),
    ("objects", "npy", lambda p: np.save(p, np.array([[{}]]), allow_pickle=True), "Python objects"),
    ("a pickle", "npy", raw(b"\x80\x04cos\nsystem\n(S'true'\ntR."), UNREADABLE),
    *((what, "npy", lambda p, x=x: np.save(p, x), words) for what, x, words in (
        ("no rows", np.empty((0, 3)), SHAPE), ("no columns", np.empty((3, 0)), SHAPE),
        ("three axes", np.ones((4, 2, 2)), f"of shape (4, 2, 2), {SHAPE}"),
        ("complex numbers", ROWS * 1j, "not numbers"), ("text", ROWS.astype(str), "not numbers"),
        ("records", np.zeros((2, 2), "f8,f8"), "not numbers"),
        ("nothing but zeros", ROWS * 0, "0 rows that are not all zero"),
        ("beyond float64", ROWS * np.longdouble("1e4000"), "4 of 4 rows"))),
    ("several arrays", "npz", lambda p: np.savez(p, a=ROWS, b=ROWS),
     "holds a, b, and not one array X: numpy.save('rows.npy', numpy.load('a.npz')['NAME'])"),
    ("labels of other rows", "npz", lambda p: np.savez(p, X=ROWS, y=[0, 1]),
     "there are 4 rows: give one each", {"target": "y"}),
    ("bzip2", "npz", archive(zipfile.ZIP_BZIP2, X__npy=whole(ROWS)),
     "packed by bzip2 or lzma, which declare no size: save it with numpy.savez_compressed"),
    ("a member cut short", "npz", cut(lambda p: np.savez(p, X=ROWS)), UNREADABLE),
    ("a footer that lies", "parquet", raw(b"PAR1" + b"\xff" * 20 + b"PAR1"), UNREADABLE),
    ("bytes, dates", "parquet", table(a=[b"\x1b[2J"], b=pa.array([0], pa.date32())),
     "'a' (binary), 'b' (date32[day])"),
    ("no rows", "parquet", table(a=pa.array([], pa.float64())), "is empty"),
    ("metadata that are no JSON", "parquet", table(a=[1, 3], metadata=b"{no"), UNREADABLE),
    ("an Arrow stream", "arrow", streamed(a=ROWS[:, 0]), "Not an Arrow file"),
    *((f"columns {options}", "csv", raw("a,b,c\n1,2,3\n4,5,7\n"), words, options)
      for options, words in (
        ({"columns": "a,bb"}, "columns='bb' is not a column of data='a': it has a, b, c"),
        ({"drop": "z"}, "drop='z' is not a column"),
        ({"target": "z"}, "target='z' is not a column"),
        ({"columns": "a", "target": "a"}, "has no columns left"),
        ({"drop": "a,b,c"}, "has no columns left"))),
    ("a masked array", "", np.ma.masked_array(ROWS, ROWS > 3),
     "is a MaskedArray: give data.filled(numpy.nan)"),
    ("a dict", "", {"a": [1.0, 2.0]}, "is a dict, not an array of rows"),
    ("a sparse array", "", sparse.csr_array(ROWS), "is a csr_array, not an array of rows"),
    ("a sparse frame", "", FRAME.astype(pd.SparseDtype(float, 0.0)),
     "Sparse pandas data (column a) not supported"),
    ("names twice", "", FRAME.set_axis(["a", "a", "b"], axis=1), "Duplicate column names"),
    ("numbers and text", "", FRAME.assign(odd=[1, "x", 2, 3]), "column odd"),
    ("a complex column", "", FRAME.assign(z=1j), "column z with type complex128"),
    ("unknown chunks", "", CHUNKS[CHUNKS[:, 0] > 0], "compute_chunk"),
    ("60 GiB of chunks", "", da.zeros((10**9, 8), chunks=(10**6, -1)),
     "takes 59.6 GiB once read, above the limit of 1 GiB"),
    ("one axis", "", ROWS[0], "shape (3,), not (samples, columns)"),
    ("text in an array", "", np.array([["a", "b"]]), "not numbers"),
    ("ragged lists", "", [[1, 2], [3]], "give rows of one length"),
    *((f"options {options}", "", [toys.BROKEN], words, options, report.run) for options, words in (
        ({"level": "slow"}, "level='slow'"), ({"backend": "mlx"}, "backend='mlx'"),
        ({"seed": -1}, "seed=-1"), ({"false_alarm": 0}, "false_alarm=0 "),
        ({"false_alarm": 2.0}, "false_alarm=2.0"), ({"n_jobs": 0}, "n_jobs=0"))),
]  # fmt: skip


@pytest.mark.parametrize("case", READ, ids=lambda case: f"{case[0]} {case[1]}")
def test_files_are_read_as_meant(tmp_path, case):
    _, name, make, columns, values, *options = case
    path = tmp_path / name
    make(path)
    options = options[0] if options else {}
    rows = load_rows(path, **options)
    assert (rows.name, rows.columns) == (name, tuple(columns))
    np.testing.assert_array_equal(rows.values, values)
    np.testing.assert_array_equal(rows.lows, np.min(values, axis=0))
    np.testing.assert_array_equal(rows.highs, np.max(values, axis=0))
    assert rows.target_name == options.get("target")
    assert all(line == printable(line) for line in rows.lines())


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case[0]} {case[1]}")
def test_what_is_no_rows_is_refused_in_one_harmless_sentence(tmp_path, case):
    _, ending, data, words, options, call = (*case, *({}, load_rows)[len(case) - 4 :])
    path = tmp_path / f"a.{ending}"
    if ending:
        data(path)
    with pytest.raises(ValueError) as caught:
        call(path if ending else data, **options)
    message = str(caught.value).replace(repr(str(path)), "'a'")
    assert words in message
    assert all(unicodedata.category(c) not in ("Cc", "Cf") for c in message)
    assert len(message) <= 340
    assert ". " not in message


REMEDIES = [
    ("text", "csv", lambda p: FRAME.assign(who=list("uvuv")).to_csv(p, index=False)),
    ("text", "parquet", lambda p: FRAME.assign(who=list("uvuv")).to_parquet(p)),
    ("gaps", "csv", raw("a,b\n1,2\n3,5\n,\n,4\n")),
    ("no names", "csv", raw("0.5,2\n1.5,3\n")),
    ("semicolons", "csv", lambda p: FRAME.to_csv(p, sep=";")),
    ("Latin-1", "csv", raw("größe,b\n1,2\n3,4\n".encode("latin-1"))),
]


@pytest.mark.filterwarnings("ignore::pandas.errors.ParserWarning")
@pytest.mark.parametrize("case", REMEDIES, ids=lambda case: f"{case[0]} {case[1]}")
def test_the_two_lines_of_pandas_settle_it(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    case[2](tmp_path / f"a.{case[1]}")
    with pytest.raises(ValueError, match="frame = ") as caught:
        load_rows(f"a.{case[1]}")
    lines = "frame = " + str(caught.value).partition("frame = ")[2]
    exec(lines, {"pandas": pd, "numpy": np})
    assert np.isfinite(load_rows("rows.parquet").values).all()


def test_missing_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r'pip install "\.\[parquet\]"'):
        load_rows(tmp_path / "a.parquet")


TABLE = pa.table({"a": ROWS[:, 0], "b": ROWS[:, 1], "c": ROWS[:, 2]})


@pytest.mark.parametrize(
    "rows",
    [
        *(ROWS, ROWS.tolist(), da.from_array(ROWS), da.from_array(ROWS, chunks=2), FRAME, TABLE),
        TABLE.to_batches()[0],
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_objects_are_read(rows):
    np.testing.assert_array_equal(load_rows(rows).values, ROWS)


def test_a_stream_of_batches_is_read_once():
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=2))
    np.testing.assert_array_equal(load_rows(reader, target="c").values, ROWS[:, :2])


BOMB = """
import resource, sys
import pyarrow.compute, pyarrow.csv, pyarrow.ipc, pyarrow.parquet
from mehler.report import _tables, load_rows
_tables.LIMIT >>= 5
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
words, options = sys.argv[2], eval(sys.argv[3])
try:
    load_rows(sys.argv[1], **options)
    assert not words
except ValueError as error:
    assert words and words in str(error), error
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
NUMBERS = {"a": np.arange(1000.0), "b": np.ones(1000)}
LONG = pa.DictionaryArray.from_arrays(np.zeros(1000, dtype="i4"), pa.array(["x" * 8_000_000]))


def long_text(path):
    """A column of text, which is a dictionary in the file alone."""
    parquet.write_table(pa.table({**NUMBERS, "s": LONG}), path, store_schema=False)


# Files of some kB, made from much by their test alone: what is said, or nothing, and options.
BOMBS = [
    ("a dictionary string of 8 MB in 1,000 rows", "parquet", long_text, "'s' (string)", {}),
    ("the same, dropped", "parquet", long_text, "", {"drop": "s"}),
    ("the same as target", "parquet", long_text, "label of over 1000 bytes", {"target": "s"}),
    ("list cells", "parquet", lambda p: table(a=[1.0, 2.0], b=[np.zeros(10_000_000)] * 2)(p),
     "'b' (list<element: double>)", {}),
    ("a batch of zstd", "feather", lambda p: feathered(a=np.zeros(20_000_000))(p),
     "takes 0.149 GiB once read", {}),
    ("columns of zstd", "parquet", lambda p: parquet.write_table(
        pa.table({"a": np.zeros(20_000_000)}), p, compression="zstd"), "takes 0.149 GiB", {}),
    ("a member of bzip2", "npz",
     lambda p: archive(zipfile.ZIP_BZIP2, X__npy=bytes(150_000_000))(p), "bzip2", {}),
    ("a header of blanks", "npz",
     lambda p: archive(X__npy=npy(b" " * 33_000_000, version=2))(p), UNREADABLE, {}),
    ("a line of 64 MB", "csv", lambda p: raw(b"a" * 64_000_000)(p), "over 8 MiB", {}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", BOMBS, ids=lambda case: f"{case[0]} {case[1]}")
@pytest.mark.sampled(4)
def test_small_files_take_little_memory(tmp_path, case):
    """100 MB: two blocks of text, a label or two of 8 MB, and what pyarrow imports."""
    _, ending, make, words, options = case
    path = tmp_path / f"bomb.{ending}"
    make(path)
    arguments = [sys.executable, "-c", BOMB, str(path), words, repr(options)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert int(done.stdout) * (1 if sys.platform == "darwin" else 1024) < 100e6
