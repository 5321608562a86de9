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
    name: str
    make: Callable[[Path], object]
    columns: tuple[str, ...] | None = ("a", "b", "c")
    values: Any = field(default_factory=lambda: ROWS)
    says: str = ""
    message: str = ""
    options: dict[str, Any] = field(default_factory=dict)


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
        "a.csv",
        lambda p: pd.DataFrame(ROWS).to_csv(p, index=False),
        ("0", "1", "2"),
        says="header of numbers (--no-header if it is a row)",
    ),
    File(
        "the same, where it is a row",
        "a.csv",
        raw("0,1,2\n0.5,1,4\n"),
        ("x0", "x1", "x2"),
        [[0, 1, 2], [0.5, 1, 4]],
        options={"header": False},
    ),
    File(
        "no header",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, header=False),
        ("x0", "x1", "x2"),
        says="no header: the first line is a row",
    ),
    File(
        "pandas' index in front",
        "a.csv",
        lambda p: FRAME.to_csv(p),
        says="index column Unnamed: 0 left out",
    ),
    File(
        "R's row names, one name fewer than columns",
        "a.csv",
        raw('"a","b"\n"r1",1,2\n"r2",3,5\n'),
        ("a", "b"),
        [[1, 2], [3, 5]],
        says="index column Unnamed: 0 left out",
    ),
    File(
        "semicolons and decimal commas",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        None,
        message="its first lines are split evenly by semicolons: give --delimiter ';', or",
    ),
    File(
        "the same with its options",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        says="separated by semicolons; the first line is the header; decimal commas",
        options={"delimiter": ";", "decimal": ","},
    ),
    File(
        "the same with one of them",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        None,
        message="column 'a' holds text ('0,5'; --decimal , if commas are decimal)",
        options={"delimiter": ";"},
    ),
    File(
        "the same with the other",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep=";", decimal=","),
        None,
        message="cannot be both delimiter and decimal mark: give --delimiter too",
        options={"decimal": ","},
    ),
    File(
        "commas that may separate thousands",
        "a.csv",
        raw("a;b\n1,500;2,250\n3;4,500\n"),
        None,
        message="column 'a' holds text ('1,500'; --decimal , if commas are decimal)",
        options={"delimiter": ";"},
    ),
    File(
        "points and commas",
        "a.csv",
        raw("a;b\n1.234,5;2\n3;4\n"),
        None,
        message="column 'a' holds text ('1.234,5'): remove with --drop a, or encode as numbers",
        options={"delimiter": ";", "decimal": ","},
    ),
    File(
        "tabs",
        "a.tsv",
        lambda p: FRAME.to_csv(p, index=False, sep="\t"),
        says="separated by tabs",
    ),
    File(
        "spaces, as numpy.savetxt writes",
        "a.csv",
        lambda p: np.savetxt(p, ROWS),
        None,
        message="its first lines are split evenly by spaces: give --delimiter ' '",
    ),
    File(
        "the same with its option",
        "a.csv",
        lambda p: np.savetxt(p, ROWS),
        ("x0", "x1", "x2"),
        says="separated by spaces",
        options={"delimiter": " "},
    ),
    File(
        "a header of numpy.savetxt",
        "a.csv",
        lambda p: np.savetxt(p, ROWS, delimiter=",", header="a,b,c"),
    ),
    File(
        "byte order mark, CRLF, quoted names, blank lines",
        "a.csv",
        raw(b'\xef\xbb\xbf"a","b, too"\r\n1,2\r\n\r\n3,5\r\n\r\n'),
        ("a", "b, too"),
        [[1, 2], [3, 5]],
    ),
    File(
        "lines of commas, as spreadsheets leave them",
        "a.csv",
        raw("a,b\n1,2\n3,5\n,\n,\n"),
        None,
        message="2 of 4 rows have missing or infinite values (rows 2, 3) in 'a' (2), 'b' (2): "
        "leave the rows out with --drop-missing",
    ),
    File(
        "the same with its option",
        "a.csv",
        raw("a,b\n1,2\n3,5\n,\n,\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        says="2 rows with missing values left out",
        options={"drop_missing": True},
    ),
    File(
        "bars",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep="|"),
        None,
        message="its first lines are split evenly by bars: give --delimiter '|'",
    ),
    File(
        "tabs in .csv",
        "a.csv",
        lambda p: FRAME.to_csv(p, index=False, sep="\t"),
        None,
        message="its first lines are split evenly by tabs: give --delimiter $'\\t'",
    ),
    File(
        "commas in .tsv",
        "a.tsv",
        lambda p: FRAME.to_csv(p, index=False),
        None,
        message="its first lines are split evenly by commas: give --delimiter ','",
    ),
    File(
        "a semicolon in each of the quoted names, with the option that settles it",
        "a.csv",
        raw('"a;1","b"\n"1",";"\n"2",";"\n'),
        None,
        message="column 'b' holds text (';')",
        options={"delimiter": ","},
    ),
    File(
        "names of several words",
        "a.csv",
        raw("net weight,gross weight\n1,2\n3,5\n"),
        ("net weight", "gross weight"),
        [[1, 2], [3, 5]],
    ),
    File(
        "spaces around cells", "a.csv", raw("a , b\n 1, 2\n3 ,5 \n"), ("a", "b"), [[1, 2], [3, 5]]
    ),
    File(
        "quotes across lines",
        "a.csv",
        raw('"a\nb",c\n1,2\n3,5\n'),
        ("a\nb", "c"),
        [[1, 2], [3, 5]],
    ),
    File(
        "columns of the same name",
        "a.csv",
        raw("a,a,a.1\n1,2,3\n4,5,7\n"),
        ("a", "a.1", "a.1.1"),
        [[1, 2, 3], [4, 5, 7]],
    ),
    File(
        "two lines of words above the header",
        "a.csv",
        raw("Measured by Bob\nin 2024\na,b\n1,2\n3,5\n"),
        None,
        message="row 1 has 2 cells and the first line 1): give every row as many cells",
    ),
    File(
        "the same with its option",
        "a.csv",
        raw("Measured by Bob\nin 2024\na,b\n1,2\n3,5\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"skip_lines": 2},
    ),
    File(
        "comments among the rows",
        "a.csv",
        raw("a,b\n1,2\n# recalibrated\n3,5\n"),
        None,
        message="row 1 has 1 cell and the first line 2",
    ),
    File(
        "thousands, quoted",
        "a.csv",
        raw('a,b\n"1,500",2\n"2,250",3\n'),
        None,
        message="column 'a' holds text ('1,500'",
    ),
    File(
        "a delimiter at the end of each row",
        "a.csv",
        raw("a,b\n1,2,\n3,5,\n"),
        None,
        message="row 0 has 3 cells and the first line 2",
    ),
    File("digits of another script", "a.csv", raw("a,b\n١,2\n3,5\n"), None, message="text ('١')"),
    File(
        "labels beyond 64 bits",
        "a.csv",
        raw(f"a,b,y\n1,2,1{'0' * 30}\n3,5,2\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"target": "y"},
    ),
    File("percent", "a.csv", raw("a,b\n1%,2\n3%,5\n"), None, message="holds text ('1%')"),
    File(
        "numbers of fifty digits, of exponents and of signs",
        "a.csv",
        raw(f"a,b,c\n1{'0' * 50},1e3,+1\n2,-2.5E-3,-0\n"),
        values=[[1e50, 1e3, 1], [2, -2.5e-3, 0]],
    ),
    File(
        "words for missing",
        "a.csv",
        raw("a,b\nNA,1\nnull,2\n3,#N/A\n4,5\n5,7\n"),
        ("a", "b"),
        [[4, 5], [5, 7]],
        says="3 rows with missing values left out",
        options={"drop_missing": True},
    ),
    File(
        "words for infinity", "a.csv", raw("a,b\ninf,1\n2,3\n"), None, message="holds inf at row 0"
    ),
    File(
        "Latin-1 with its option",
        "a.csv",
        raw("größe,b\n1,2\n3,5\n".encode("latin-1")),
        ("größe", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "latin-1"},
    ),
    File("one column", "a.csv", raw("a\n1\n3\n"), ("a",), [[1], [3]]),
    File("one row", "a.csv", raw("a,b\n1,2\n"), None, message="1 row that is not all zero"),
    File("no end of the last line", "a.csv", raw("a,b\n1,2\n3,5"), ("a", "b"), [[1, 2], [3, 5]]),
    File("ends of old Macs", "a.csv", raw("a,b\r1,2\r3,5\r"), ("a", "b"), [[1, 2], [3, 5]]),
    File(
        "underscores in numbers",
        "a.csv",
        raw("a,b\n1_000,2\n3,4\n"),
        None,
        message="column 'a' holds text ('1_000'): remove with --drop a",
    ),
    File(
        "text far below numbers",
        "a.csv",
        raw("a,b\n" + "1,2\n" * 2**21 + "1,x\n"),
        None,
        message="column 'b' holds text ('x'): remove with --drop b",
    ),
    File(
        "rows of other lengths",
        "a.csv",
        raw("a,b\n1,2\n3\n4,5,6\n"),
        None,
        message="row 1 has 1 cell and the first line 2): give every row as many cells",
    ),
    File(
        "a header of text and years",
        "a.csv",
        raw("name,2019,2020\nbob,1,2\neve,3,5\n"),
        None,
        message="may be a header or a row: say --header or --no-header",
    ),
    File(
        "UTF-16",
        "a.csv",
        raw("a,b\n1,2\n3,5\n".encode("utf-16")),
        None,
        message="is a text file of UTF-16, not of UTF-8: give --encoding utf-16",
    ),
    File(
        "the same with its option",
        "a.csv",
        raw("a,b\n1,2\n3,5\n".encode("utf-16")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "utf-16"},
    ),
    File(
        "text, dates, a column and cells that are missing",
        "a.csv",
        lambda p: mixed().assign(void=np.nan, d=[1, np.nan, 2, np.inf]).to_csv(p, index=False),
        None,
        message="column 'who' holds text ('bob'), column 'when' holds dates ('2024-01-01'), "
        "column 'kind' holds text ('u'), column 'void' holds nothing but missing values: remove "
        "with --drop who,when,kind,void, or encode as numbers; holds nan at row 1, column 4 ('d', "
        "from 0); 2 of 4 rows have missing or infinite values (rows 1, 3) in 'd' (2): leave the "
        "rows out with --drop-missing, the columns with --drop d, or remove or impute missing "
        "values",
    ),
    File(
        "the same with its remedies",
        "a.csv",
        lambda p: mixed().assign(d=[1, np.nan, 2, np.inf]).to_csv(p, index=False),
        ("a", "b", "c", "d"),
        np.column_stack([ROWS, [1, 0, 2, 0]])[[0, 2]],
        says="2 rows with missing values left out",
        options={"drop": "who,when,kind", "target": "yes", "drop_missing": True},
    ),
    File(
        "Parquet with pandas' index",
        "a.parquet",
        lambda p: FRAME.set_index(pd.Index([7, 5, 3, 2])).to_parquet(p),
        says="index column __index_level_0__ left out",
    ),
    File(
        "Parquet with text, dates, categories",
        "a.parquet",
        lambda p: mixed().to_parquet(p),
        None,
        message="column 'who' holds text ('bob'), column 'when' holds times ('2024-01-01 "
        "00:00:00'), column 'kind' holds categories ('u'): remove with --drop who,when,kind",
    ),
    File(
        "Parquet with booleans and decimals",
        "a.parquet",
        lambda p: parquet.write_table(
            pa.table({"yes": [True, False], "d": pa.array([1, 3]).cast(pa.decimal128(22, 2))}), p
        ),
        ("yes", "d"),
        [[1, 1], [0, 3]],
    ),
    File(
        "Feather with pandas' index",
        "a.feather",
        lambda p: feather.write_feather(
            pa.Table.from_pandas(FRAME.set_index(pd.Index([7, 5, 3, 2]))), str(p)
        ),
        says="index column __index_level_0__ left out",
    ),
    File("an Arrow stream", "a.arrow", lambda p: _stream(p)),
    File(
        "an array of objects",
        "a.npy",
        lambda p: np.save(p, np.array([[1, {}]], dtype=object), allow_pickle=True),
        None,
        message="holds pickled objects, which are not read",
    ),
    File("booleans", "a.npy", lambda p: np.save(p, ROWS > 0), ("x0", "x1", "x2"), ROWS > 0),
    File(
        "bytes of the other order, columns first",
        "a.npy",
        lambda p: np.save(p, np.asfortranarray(ROWS.astype(">f4"))),
        ("x0", "x1", "x2"),
    ),
    File(
        "integers beyond 2^53",
        "a.npy",
        lambda p: np.save(p, np.array([[2**63 - 1, 1], [-(2**63), 2]])),
        ("x0", "x1"),
        [[2.0**63, 1], [-(2.0**63), 2]],
    ),
    File(
        "three axes",
        "a.npy",
        lambda p: np.save(p, np.ones((4, 2, 2))),
        None,
        message="has shape (4, 2, 2), not rows and columns",
    ),
    File(
        "structured columns",
        "a.npy",
        lambda p: np.save(p, np.ones(3, [("a", "f8"), ("b", "f8")])),
        None,
        message="has shape (3,), not rows and columns",
    ),
    File(
        "Parquet with unsigned and half-size numbers",
        "a.parquet",
        lambda p: parquet.write_table(
            pa.table({"u": pa.array([2**64 - 1, 1], pa.uint64()), "h": np.float16([0.5, 1])}), p
        ),
        ("u", "h"),
        [[2.0**64, 0.5], [1, 1]],
    ),
    File(
        "several arrays, one of labels",
        "a.npz",
        lambda p: np.savez(p, rows=ROWS, other=ROWS + 1, y=[0, 1, 1, 0]),
        ("x0", "x1", "x2"),
        says="array rows, not other (--array)",
        options={"target": "y"},
    ),
    File(
        "the second of several arrays",
        "a.npz",
        lambda p: np.savez(p, rows=ROWS, other=ROWS + 1),
        ("x0", "x1", "x2"),
        ROWS + 1,
        says="array other, not rows (--array)",
        options={"array": "other"},
    ),
    File("a flipped bit", "a.npz", npz_with(flip, X=ROWS), None, message="is damaged"),
    File("encrypted", "a.npz", npz_with(encrypt, X=ROWS), None, message="is encrypted"),
    File(
        "64 MB of zeros in 64 kB, where 10 MiB may be unpacked",
        "a.npz",
        lambda p: np.savez_compressed(p, X=np.zeros((1000, 8000))),
        None,
        message="unpacks to 0.06 GiB, above the limit of 0.01 GiB",
        options={"unpack_limit": 0.01},
    ),
    File(
        "a mark before a quoted name", "a.csv", raw(b'\xef\xbb\xbf"a"\n1\n2\n'), ("a",), [[1], [2]]
    ),
    File("thousands by commas", "a.csv", raw('a,b\n"1,234",2\n'), None, message="text ('1,234'"),
    File("thousands by spaces", "a.csv", raw("a,b\n1 234,2\n"), None, message="text ('1 234')"),
    File("apostrophes", "a.csv", raw("a,b\n1'234,2\n"), None, message="""text ("1'234")"""),
    File("underscores", "a.csv", raw("a,b\n1_234,2\n"), None, message="text ('1_234')"),
    File("percent", "a.csv", raw("a,b\n10%,2\n"), None, message="text ('10%')"),
    File("hexadecimals", "a.csv", raw("a,b\n0x10,2\n"), None, message="text ('0x10')"),
    File("exponents of Fortran", "a.csv", raw("a,b\n1D3,2\n"), None, message="text ('1D3')"),
    File("Unicode's minus", "a.csv", raw("a,b\n\u22121,2\n"), None, message="text ('\u22121')"),
    File("Arabic digits", "a.csv", raw("a,b\n\u0661,2\n"), None, message="text ('\u0661')"),
    File("question marks", "a.csv", raw("a,b\n?,2\n3,4\n"), None, message="text ('?')"),
    File("times of day", "a.csv", raw("a,b\n12:30:00,2\n"), None, message="times ('12:30:00')"),
    File(
        "beyond all floats", "a.csv", raw("a,b\n1e400,2\n3,4\n"), None, message="holds inf at row 0"
    ),
    File("near the largest", "a.csv", raw("a\n1e308\n-1e308\n"), ("a",), [[1e308], [-1e308]]),
    File("signs of plus", "a.csv", raw("a,b\n+1,+2\n+3,4\n"), ("a", "b"), [[1, 2], [3, 4]]),
    File("one row", "a.csv", raw("a,b\n1,2\n"), None, message="give at least two"),
    File("old line ends", "a.csv", raw("a,b\r1,2\r3,4\r"), ("a", "b"), [[1, 2], [3, 4]]),
    File(
        "Excel's first line", "a.csv", raw("sep=;\na;b\n1;2\n"), None, message="by semicolons: give"
    ),
    File("control-Z at the end", "a.csv", raw("a,b\n1,2\n\x1a"), None, message="row 1 has 1 cell"),
    File(
        "a comment above", "a.csv", raw("# of 1999\na,b\n1,2\n"), None, message="row 0 has 2 cells"
    ),
    File("a packed file", "a.csv.gz", raw(b"\x1f\x8b"), None, message="is compressed: unpack it"),
    File(
        "UTF-32", "a.csv", raw("a\n1\n2\n".encode("utf-32")), None, message="give --encoding utf-32"
    ),
    File("Fortran's order", "a.npy", lambda p: np.save(p, ROWS.copy("F")), ("x0", "x1", "x2")),
    File("bytes reversed", "a.npy", lambda p: np.save(p, ROWS.astype(">f4")), ("x0", "x1", "x2")),
    File("one axis", "a.npy", lambda p: np.save(p, ROWS[0]), None, message="not rows and columns"),
    File("text", "a.npy", lambda p: np.save(p, ROWS.astype(str)), None, message="not numbers"),
    File(
        "three axes beside two",
        "a.npz",
        lambda p: np.savez(p, X=np.zeros((2, 3, 4)), rows=ROWS),
        None,
        message="not rows and columns",
    ),
    File(
        "labels for other rows",
        "a.npz",
        lambda p: np.savez(p, X=ROWS, y=[0, 1]),
        None,
        message="there are 4 rows: give one each",
        options={"target": "y"},
    ),
    File(
        "line separators of Unicode in a name",
        "a.csv",
        raw("a\u2028b,c\n1,2\n3,5\n"),
        ("a\u2028b", "c"),
        [[1, 2], [3, 5]],
    ),
    File(
        "a form feed in a name",
        "a.csv",
        raw("a\x0cb,c\n1,2\n3,5\n"),
        ("a\x0cb", "c"),
        [[1, 2], [3, 5]],
    ),
    File(
        "line ends of three kinds",
        "a.csv",
        raw("a,b\r\n1,2\n3,4\r5,6\n"),
        ("a", "b"),
        [[1, 2], [3, 4], [5, 6]],
    ),
    File(
        "blank lines above the header",
        "a.csv",
        raw("\n  \n\na,b\n1,2\n3,5\n"),
        ("a", "b"),
        [[1, 2], [3, 5]],
    ),
    File(
        "truths in capitals", "a.csv", raw("a,b\nTRUE,1\nFALSE,2\n"), ("a", "b"), [[1, 1], [0, 2]]
    ),
    File(
        "quotes within a quoted name",
        "a.csv",
        raw('"a ""x""",b\n1,2\n3,5\n'),
        ('a "x"', "b"),
        [[1, 2], [3, 5]],
    ),
    File(
        "an empty name",
        "a.csv",
        raw("a,,c\n1,2,3\n4,5,7\n"),
        ("a", "Unnamed: 1", "c"),
        [[1, 2, 3], [4, 5, 7]],
    ),
    File(
        "a total below the rows",
        "a.csv",
        raw("a,b\n1,2\n3,5\nTotal,7\n"),
        None,
        message="text ('Total')",
    ),
    File("amounts of money", "a.csv", raw("a,b\n$1,2\n3,5\n"), None, message="text ('$1')"),
    File("complex numbers", "a.csv", raw("a,b\n1+2j,2\n3,5\n"), None, message="text ('1+2j')"),
    File(
        "bars around the cells",
        "a.csv",
        raw("|a|b|\n|1|2|\n|3|5|\n"),
        None,
        message="'Unnamed: 3' holds nothing but missing values",
        options={"delimiter": "|"},
    ),
    File(
        "UTF-16 without a mark",
        "a.csv",
        raw("a,b\n1,2\n".encode("utf-16-le")),
        None,
        message="holds zero bytes",
    ),
    File(
        "the same with its option",
        "a.csv",
        raw("a,b\n1,2\n3,5\n".encode("utf-16-le")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "utf-16-le"},
    ),
    File(
        "EBCDIC with its option",
        "a.csv",
        raw("a,b\n1,2\n3,5\n".encode("cp500")),
        ("a", "b"),
        [[1, 2], [3, 5]],
        options={"encoding": "cp500"},
    ),
    File(
        "two levels of pandas' index",
        "a.parquet",
        lambda p: FRAME.set_index(
            pd.MultiIndex.from_product([[1, 2], [3, 4]], names=["i", "j"])
        ).to_parquet(p),
        says="index column i left out; index column j left out",
    ),
    File(
        "points in names",
        "a.parquet",
        lambda p: parquet.write_table(pa.table({"a.b": [1.0, 3.0], "a": [2.0, 5.0]}), p),
        ("a.b", "a"),
        [[1, 2], [3, 5]],
    ),
    File("half-size floats", "a.npy", lambda p: np.save(p, ROWS.astype("f2")), ("x0", "x1", "x2")),
    File("an array in front of another", "a.npy", lambda p: _two_arrays(p), ("x0", "x1", "x2")),
    File(
        "labels of text",
        "a.npz",
        lambda p: np.savez(p, X=ROWS, y=list("uvuv")),
        ("x0", "x1", "x2"),
        says="array X",
        options={"target": "y"},
    ),
    File("batches of no rows", "a.arrow", lambda p: _batches(p)),
    File(
        "numbers as categories",
        "a.arrow",
        lambda p: feather.write_feather(pa.table({"a": pa.array([1, 2]).dictionary_encode()}), p),
        None,
        message="column 'a' holds categories ('1')",
    ),
)


def _two_arrays(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, ROWS)
        np.save(file, ROWS + 1)


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
