"""Real data sets shipped by installable packages, verified by hash, never fetched implicitly.

A loader reads a file inside an installed package without importing the package, verifies its
sha256, and returns a :class:`Dataset` of NumPy arrays. If the package is missing, the error names
the command that installs it (MissingDataError); a file whose contents are others raises
DamagedDataError. :func:`sources` lists all data sets with their licences.
"""

from mehler.data._images import (
    digits,
    mnist,
    mnist_5k,
    orl_faces,
)
from mehler.data._sources import SOURCES, DamagedDataError, Dataset, MissingDataError, Source
from mehler.data._tables import (
    adult,
    diamonds,
    house_sales,
    letter,
    magic,
    spoken_digits,
    vowels,
)


def sources() -> dict[str, Source]:
    """List the data sets: the package that ships each, the command that installs it, its licences.

    Returns
    -------
    dict of str to Source
        Keyed by the name of the loader.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["mnist"].command
    'mehler data fetch mnist FOLDER'
    """
    return dict(SOURCES)


__all__ = [
    "DamagedDataError",
    "Dataset",
    "MissingDataError",
    "Source",
    "adult",
    "diamonds",
    "digits",
    "house_sales",
    "letter",
    "magic",
    "mnist",
    "mnist_5k",
    "orl_faces",
    "sources",
    "spoken_digits",
    "vowels",
]
