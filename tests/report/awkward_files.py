"""Files as people have them, with what is read of each or how it is refused.

``docs/_reading.py`` makes the table of the page on reading from these.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet

ROWS = np.array([[0.5, -2.0, 3.25], [1.5, 4.0, -1.0], [2.5, 0.25, 8.0], [-1.0, 1.0, 2.0]])
FRAME = pd.DataFrame(ROWS, columns=["a", "b", "c"])


@dataclass(frozen=True)
class File:
    """How a file is made and read; `columns` are None where it is refused by `message`."""

    what: str
    make: Callable[[Path], object]
    columns: tuple[str, ...] | None = ("a", "b", "c")
    values: Any = field(default_factory=lambda: ROWS)
    says: str = ""
    message: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    name: str = "a.csv"


def refused(what: str, make: Callable[[Path], object], message: str, **more: Any) -> File:
    return File(what, make, None, message=message, **more)


def raw(text: str | bytes) -> Callable[[Path], object]:
    content = text.encode() if isinstance(text, str) else text
    return lambda path: path.write_bytes(content)


def mixed() -> pd.DataFrame:
    """Numbers beside all that is none."""
    frame = FRAME.copy()
    frame["who"] = ["bob", "eve", "ann", "joe"]
    frame["when"] = pd.date_range("2024-01-01", periods=4)
    frame["kind"] = pd.Categorical(["u", "v", "u", "v"])
    frame["yes"] = [True, False, True, True]
    return frame


def npz_with(change: Callable[[bytearray], object], **arrays: Any) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        stream = io.BytesIO()
        np.savez_compressed(stream, **arrays)
        content = bytearray(stream.getvalue())
        change(content)
        path.write_bytes(content)

    return make


def flip(content: bytearray) -> None:
    """Flip a bit of the data, behind the member's own header."""
    content[60] ^= 4


def encrypt(content: bytearray) -> None:
    """Set the flag in both headers of the member."""
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1


FILES = (
    File(
        "pandas' header of numbers",
        lambda p: pd.DataFrame(ROWS).to_csv(p, index=False),
        ("0", "1", "2"),
        says="header of numbers (--no-header if it is a row)",
    ),
    File(
        "the same, where it is a row",
        raw("0,1,2\n0.5,1,4\n"),
        ("x0", "x1", "x2"),
        [[0, 1, 2], [0.5, 1, 4]],
        options={"header": False},
    ),
    File(
        "no header",
        lambda p: FRAME.to_csv(p, index=False, header=False),
        ("x0", "x1", "x2"),
        says="no header: the first line is a row",
    ),
    File(
        "pandas' index in front", lambda p: FRAME.to_csv(p), says="index column Unnamed: 0 left out"
    ),
    File(
        "R's row names, one name fewer than columns",
        raw('"a","b"\n"r1",1,2\n"r2",3,5\n'),
        ("a", "b"),
        [[1, 2], [3, 5]],
        says="index column Unnamed: 0 left out",
    ),
    refused(
        "semicolons and decimal commas",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        "its first lines are split evenly by semicolons: give --delimiter ';', or",
    ),
    File(
        "the same with its options",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        says="separated by semicolons; the first line is the header; decimal commas",
        options={"delimiter": ";", "decimal": ","},
    ),
    refused(
        "the same with one of them",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        "column 'a' holds text ('0,5'; --decimal , if commas are decimal)",
        options={"delimiter": ";"},
    ),
    refused(
        "the same with the other",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        "cannot be both delimiter and decimal mark: give --delimiter too",
        options={"decimal": ","},
    ),
    refused(
        "commas that may separate thousands",
        raw("a;b\n1,500;2,250\n3;4,500\n"),
        "column 'a' holds text ('1,500'; --decimal , if commas are decimal)",
        options={"delimiter": ";"},
    ),
    refused(
        "points and commas",
        raw("a;b\n1.234,5;2\n3;4\n"),
        "column 'a' holds text ('1.234,5'): remove with --drop a, or encode as numbers",
        options={"delimiter": ";", "decimal": ","},
    ),
    File(
        "tabs",
        lambda p: FRAME.to_csv(p, index=False, sep="\t"),
        says="separated by tabs",
        name="a.tsv",
    ),
    refused(
        "spaces, as numpy.savetxt writes",
        lambda p: np.savetxt(p, ROWS),
        "its first lines are split evenly by spaces: give --delimiter ' '",
    ),
    File(
        "the same with its option",
        lambda p: np.savetxt(p, ROWS),
        ("x0", "x1", "x2"),
        says="separated by spaces",
        options={"delimiter": " "},
    ),
    File("a header of numpy.savetxt", lambda p: np.savetxt(p, ROWS, delimiter=",", header="a,b,c")),
    File(
        "byte order mark, CRLF, quoted names, blank lines",
        raw(b'\xef\xbb\xbf"a","b, too"\r\n1,2\r\n\r\n3,5\r\n\r\n'),
        ("a", "b, too"),
        [[1, 2], [3, 5]],
    ),
    refused(
        "lines of commas, as spreadsheets leave them",
        raw("a,b\n1,2\n3,5\n,\n,\n"),
        "2 of 4 rows have missing or infinite values (rows 2, 3) in 'a' (2), 'b' (2): "
        "leave the rows out with --drop-missing",
    ),
    File(
        "the same with its option",
        raw("a,b\n1,2\n3,5\n,\n,\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        says="2 rows with missing values left out",
        options={"drop_missing": True},
    ),
    refused(
        "bars",
        lambda p: FRAME.to_csv(p, index=False, sep="|"),
        "its first lines are split evenly by bars: give --delimiter '|'",
    ),
    refused(
        "tabs in .csv",
        lambda p: FRAME.to_csv(p, index=False, sep="\t"),
        "its first lines are split evenly by tabs: give --delimiter $'\\t'",
    ),
    refused(
        "commas in .tsv",
        lambda p: FRAME.to_csv(p, index=False),
        "its first lines are split evenly by commas: give --delimiter ','",
        name="a.tsv",
    ),
    refused(
        "a semicolon in each of the quoted names, with the option that settles it",
        raw('"a;1","b"\n"1",";"\n"2",";"\n'),
        "column 'b' holds text (';')",
        options={"delimiter": ","},
    ),
    File(
        "names of several words",
        raw("net weight,gross weight\n1,2\n3,5\n"),
        ("net weight", "gross weight"),
        [[1, 2], [3, 5]],
    ),
    File("spaces around cells", raw("a , b\n 1, 2\n3 ,5 \n"), ("a", "b"), [[1, 2], [3, 5]]),
    File("quotes across lines", raw('"a\nb",c\n1,2\n3,5\n'), ("a\nb", "c"), [[1, 2], [3, 5]]),
    File(
        "columns of the same name",
        raw("a,a,a.1\n1,2,3\n4,5,7\n"),
        ("a", "a.1", "a.1.1"),
        [[1, 2, 3], [4, 5, 7]],
    ),
    refused(
        "two lines of words above the header",
        raw("Measured by Bob\nin 2024\na,b\n1,2\n3,5\n"),
        "row 1 has 2 cells and the first line 1): give every row as many cells",
    ),
    File(
        "the same with its option",
        raw("Measured by Bob\nin 2024\na,b\n1,2\n3,5\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"skip_lines": 2},
    ),
    refused(
        "comments among the rows",
        raw("a,b\n1,2\n# recalibrated\n3,5\n"),
        "row 1 has 1 cell and the first line 2",
    ),
    refused(
        "thousands, quoted", raw('a,b\n"1,500",2\n"2,250",3\n'), "column 'a' holds text ('1,500'"
    ),
    refused(
        "a delimiter at the end of each row",
        raw("a,b\n1,2,\n3,5,\n"),
        "row 0 has 3 cells and the first line 2",
    ),
    refused("digits of another script", raw("a,b\n١,2\n3,5\n"), "text ('١')"),
    File(
        "labels beyond 64 bits",
        raw(f"a,b,y\n1,2,1{'0' * 30}\n3,5,2\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"target": "y"},
    ),
    refused("percent", raw("a,b\n1%,2\n3%,5\n"), "holds text ('1%')"),
    File(
        "numbers of fifty digits, of exponents and of signs",
        raw(f"a,b,c\n1{'0' * 50},1e3,+1\n2,-2.5E-3,-0\n"),
        values=[[1e50, 1e3, 1], [2, -2.5e-3, 0]],
    ),
    File(
        "words for missing",
        raw("a,b\nNA,1\nnull,2\n3,#N/A\n4,5\n5,7\n"),
        ("a", "b"),
        [[4, 5], [5, 7]],
        says="3 rows with missing values left out",
        options={"drop_missing": True},
    ),
    refused("words for infinity", raw("a,b\ninf,1\n2,3\n"), "holds inf at row 0"),
    File(
        "Latin-1 with its option",
        raw("größe,b\n1,2\n3,5\n".encode("latin-1")),
        ("größe", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "latin-1"},
    ),
    File("one column", raw("a\n1\n3\n"), ("a",), [[1], [3]]),
    refused("one row", raw("a,b\n1,2\n"), "1 row that is not all zero: give at least two"),
    File("no end of the last line", raw("a,b\n1,2\n3,5"), ("a", "b"), [[1, 2], [3, 5]]),
    File("ends of old Macs", raw("a,b\r1,2\r3,5\r"), ("a", "b"), [[1, 2], [3, 5]]),
    refused(
        "underscores in numbers",
        raw("a,b\n1_000,2\n3,4\n"),
        "column 'a' holds text ('1_000'): remove with --drop a",
    ),
    refused(
        "text far below numbers",
        raw("a,b\n" + "1,2\n" * 2**21 + "1,x\n"),
        "column 'b' holds text ('x'): remove with --drop b",
    ),
    refused(
        "rows of other lengths",
        raw("a,b\n1,2\n3\n4,5,6\n"),
        "row 1 has 1 cell and the first line 2): give every row as many cells",
    ),
    refused(
        "a header of text and years",
        raw("name,2019,2020\nbob,1,2\neve,3,5\n"),
        "may be a header or a row: say --header or --no-header",
    ),
    refused(
        "UTF-16",
        raw("a,b\n1,2\n3,5\n".encode("utf-16")),
        "is a text file of UTF-16, not of UTF-8: give --encoding utf-16",
    ),
    File(
        "the same with its option",
        raw("a,b\n1,2\n3,5\n".encode("utf-16")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "utf-16"},
    ),
    refused(
        "text, dates, a column and cells that are missing",
        lambda p: mixed().assign(void=np.nan, d=[1, np.nan, 2, np.inf]).to_csv(p, index=False),
        "column 'who' holds text ('bob'), column 'when' holds dates ('2024-01-01'), "
        "column 'kind' holds text ('u'), column 'void' holds nothing but missing values: remove "
        "with --drop who,when,kind,void, or encode as numbers; holds nan at row 1, column 4 ('d', "
        "from 0); 2 of 4 rows have missing or infinite values (rows 1, 3) in 'd' (2): leave the "
        "rows out with --drop-missing, the columns with --drop d, or remove or impute missing "
        "values",
    ),
    File(
        "the same with its remedies",
        lambda p: mixed().assign(d=[1, np.nan, 2, np.inf]).to_csv(p, index=False),
        ("a", "b", "c", "d"),
        np.column_stack([ROWS, [1, 0, 2, 0]])[[0, 2]],
        says="2 rows with missing values left out",
        options={"drop": "who,when,kind", "target": "yes", "drop_missing": True},
    ),
    File(
        "Parquet with pandas' index",
        lambda p: FRAME.set_index(pd.Index([7, 5, 3, 2])).to_parquet(p),
        says="index column __index_level_0__ left out",
        name="a.parquet",
    ),
    refused(
        "Parquet with text, dates, categories",
        lambda p: mixed().to_parquet(p),
        "column 'who' holds text ('bob'), column 'when' holds times ('2024-01-01 "
        "00:00:00'), column 'kind' holds categories ('u'): remove with --drop who,when,kind",
        name="a.parquet",
    ),
    File(
        "Parquet with booleans and decimals",
        lambda p: parquet.write_table(
            pa.table({"yes": [True, False], "d": pa.array([1, 3]).cast(pa.decimal128(22, 2))}), p
        ),
        ("yes", "d"),
        [[1, 1], [0, 3]],
        name="a.parquet",
    ),
    File(
        "Feather with pandas' index",
        lambda p: feather.write_feather(
            pa.Table.from_pandas(FRAME.set_index(pd.Index([7, 5, 3, 2]))), str(p)
        ),
        says="index column __index_level_0__ left out",
        name="a.feather",
    ),
    File("an Arrow stream", lambda p: _stream(p), name="a.arrow"),
    refused(
        "an array of objects",
        lambda p: np.save(p, np.array([[1, {}]], dtype=object), allow_pickle=True),
        "holds pickled objects, which are not read",
        name="a.npy",
    ),
    File("booleans", lambda p: np.save(p, ROWS > 0), ("x0", "x1", "x2"), ROWS > 0, name="a.npy"),
    File("an ending in capitals", lambda p: _save(p, ROWS), ("x0", "x1", "x2"), name="a.NPY"),
    File(
        "bytes of the other order, columns first",
        lambda p: np.save(p, np.asfortranarray(ROWS.astype(">f4"))),
        ("x0", "x1", "x2"),
        name="a.npy",
    ),
    File(
        "integers beyond 2^53",
        lambda p: np.save(p, np.array([[2**63 - 1, 1], [-(2**63), 2]])),
        ("x0", "x1"),
        [[2.0**63, 1], [-(2.0**63), 2]],
        name="a.npy",
    ),
    refused(
        "three axes",
        lambda p: np.save(p, np.ones((4, 2, 2))),
        "has shape (4, 2, 2), not rows and columns",
        name="a.npy",
    ),
    refused(
        "structured columns",
        lambda p: np.save(p, np.ones(3, [("a", "f8"), ("b", "f8")])),
        "has shape (3,), not rows and columns",
        name="a.npy",
    ),
    File(
        "Parquet with unsigned and half-size numbers",
        lambda p: parquet.write_table(
            pa.table({"u": pa.array([2**64 - 1, 1], pa.uint64()), "h": np.float16([0.5, 1])}), p
        ),
        ("u", "h"),
        [[2.0**64, 0.5], [1, 1]],
        name="a.parquet",
    ),
    File(
        "several arrays, one of labels",
        lambda p: np.savez(p, y=[0, 1, 1, 0], rows=ROWS, other=ROWS + 1),
        ("x0", "x1", "x2"),
        says="array rows, not other (--array)",
        options={"target": "y"},
        name="a.npz",
    ),
    File(
        "the second of several arrays",
        lambda p: np.savez(p, rows=ROWS, other=ROWS + 1),
        ("x0", "x1", "x2"),
        ROWS + 1,
        says="array other, not rows (--array)",
        options={"array": "other"},
        name="a.npz",
    ),
    refused("a flipped bit", npz_with(flip, X=ROWS), "is damaged", name="a.npz"),
    refused("encrypted", npz_with(encrypt, X=ROWS), "is encrypted", name="a.npz"),
    refused(
        "64 MB of zeros in 64 kB, where 10 MiB may be unpacked",
        lambda p: np.savez_compressed(p, X=np.zeros((1000, 8000))),
        "unpacks to 0.06 GiB, above the limit of 0.01 GiB",
        options={"unpack_limit": 0.01},
        name="a.npz",
    ),
    File("a mark before a quoted name", raw(b'\xef\xbb\xbf"a"\n1\n2\n'), ("a",), [[1], [2]]),
    refused("thousands by spaces", raw("a,b\n1 234,2\n"), "text ('1 234')"),
    refused("apostrophes", raw("a,b\n1'234,2\n"), """text ("1'234")"""),
    refused("hexadecimals", raw("a,b\n0x10,2\n"), "text ('0x10')"),
    refused("exponents of Fortran", raw("a,b\n1D3,2\n"), "text ('1D3')"),
    refused("Unicode's minus", raw("a,b\n\u22121,2\n"), "text ('\u22121')"),
    refused("question marks", raw("a,b\n?,2\n3,4\n"), "text ('?')"),
    refused("times of day", raw("a,b\n12:30:00,2\n"), "times ('12:30:00')"),
    refused("beyond all floats", raw("a,b\n1e400,2\n3,4\n"), "holds inf at row 0"),
    File("near the largest", raw("a\n1e308\n-1e308\n"), ("a",), [[1e308], [-1e308]]),
    File("signs of plus", raw("a,b\n+1,+2\n+3,4\n"), ("a", "b"), [[1, 2], [3, 4]]),
    refused("Excel's first line", raw("sep=;\na;b\n1;2\n"), "by semicolons: give"),
    refused("control-Z at the end", raw("a,b\n1,2\n\x1a"), "row 1 has 1 cell"),
    refused("a comment above", raw("# of 1999\na,b\n1,2\n"), "row 0 has 2 cells"),
    refused("a packed file", raw(b"\x1f\x8b"), "is compressed: unpack it", name="a.csv.gz"),
    refused("UTF-32", raw("a\n1\n2\n".encode("utf-32")), "give --encoding utf-32"),
    File("Fortran's order", lambda p: np.save(p, ROWS.copy("F")), ("x0", "x1", "x2"), name="a.npy"),
    refused("one axis", lambda p: np.save(p, ROWS[0]), "not rows and columns", name="a.npy"),
    refused("text", lambda p: np.save(p, ROWS.astype(str)), "not numbers", name="a.npy"),
    refused(
        "three axes beside two",
        lambda p: np.savez(p, X=np.zeros((2, 3, 4)), rows=ROWS),
        "not rows and columns",
        name="a.npz",
    ),
    refused(
        "labels for other rows",
        lambda p: np.savez(p, X=ROWS, y=[0, 1]),
        "there are 4 rows: give one each",
        options={"target": "y"},
        name="a.npz",
    ),
    File(
        "line separators of Unicode in a name",
        raw("a\u2028b,c\n1,2\n3,5\n"),
        ("a\u2028b", "c"),
        [[1, 2], [3, 5]],
    ),
    File("a form feed in a name", raw("a\x0cb,c\n1,2\n3,5\n"), ("a\x0cb", "c"), [[1, 2], [3, 5]]),
    File(
        "line ends of three kinds",
        raw("a,b\r\n1,2\n3,4\r5,6\n"),
        ("a", "b"),
        [[1, 2], [3, 4], [5, 6]],
    ),
    File(
        "blank lines above the header", raw("\n  \n\na,b\n1,2\n3,5\n"), ("a", "b"), [[1, 2], [3, 5]]
    ),
    File("truths in capitals", raw("a,b\nTRUE,1\nFALSE,2\n"), ("a", "b"), [[1, 1], [0, 2]]),
    File(
        "quotes within a quoted name",
        raw('"a ""x""",b\n1,2\n3,5\n'),
        ('a "x"', "b"),
        [[1, 2], [3, 5]],
    ),
    File(
        "an empty name",
        raw("a,,c\n1,2,3\n4,5,7\n"),
        ("a", "Unnamed: 1", "c"),
        [[1, 2, 3], [4, 5, 7]],
    ),
    refused("a total below the rows", raw("a,b\n1,2\n3,5\nTotal,7\n"), "text ('Total')"),
    refused("amounts of money", raw("a,b\n$1,2\n3,5\n"), "text ('$1')"),
    refused("complex numbers", raw("a,b\n1+2j,2\n3,5\n"), "text ('1+2j')"),
    refused(
        "bars around the cells",
        raw("|a|b|\n|1|2|\n|3|5|\n"),
        "'Unnamed: 3' holds nothing but missing values",
        options={"delimiter": "|"},
    ),
    refused("UTF-16 without a mark", raw("a,b\n1,2\n".encode("utf-16-le")), "holds zero bytes"),
    File(
        "the same with its option",
        raw("a,b\n1,2\n3,5\n".encode("utf-16-le")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "utf-16-le"},
    ),
    File(
        "EBCDIC with its option",
        raw("a,b\n1,2\n3,5\n".encode("cp500")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "cp500"},
    ),
    File(
        "two levels of pandas' index",
        lambda p: FRAME.set_index(
            pd.MultiIndex.from_product([[1, 2], [3, 4]], names=["i", "j"])
        ).to_parquet(p),
        says="index column i left out; index column j left out",
        name="a.parquet",
    ),
    File(
        "points in names",
        lambda p: parquet.write_table(pa.table({"a.b": [1.0, 3.0], "a": [2.0, 5.0]}), p),
        ("a.b", "a"),
        [[1, 2], [3, 5]],
        name="a.parquet",
    ),
    File(
        "half-size floats",
        lambda p: np.save(p, ROWS.astype("f2")),
        ("x0", "x1", "x2"),
        name="a.npy",
    ),
    File(
        "an array in front of another",
        lambda p: _save(p, ROWS, ROWS + 1),
        ("x0", "x1", "x2"),
        name="a.npy",
    ),
    File(
        "labels of text",
        lambda p: np.savez(p, X=ROWS, y=list("uvuv")),
        ("x0", "x1", "x2"),
        says="array X",
        options={"target": "y"},
        name="a.npz",
    ),
    File("batches of no rows", lambda p: _batches(p), name="a.arrow"),
    refused(
        "numbers as categories",
        lambda p: feather.write_feather(pa.table({"a": pa.array([1, 2]).dictionary_encode()}), p),
        "column 'a' holds categories ('1')",
        name="a.arrow",
    ),
)


def _save(path: Path, *arrays: np.ndarray) -> None:
    with path.open("wb") as file:
        for array in arrays:
            np.save(file, array)


def _batches(path: Path) -> None:
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table.slice(0, 0))
        writer.write_batch(table.to_batches()[0].slice(0, 0))
        writer.write_table(table)


def _stream(path: Path) -> None:
    table = pa.Table.from_pandas(FRAME)
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
