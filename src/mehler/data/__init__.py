"""Real data sets that installable packages ship: found, checked, never fetched unasked.

A loader reads a file inside an installed package without importing the package, holds it to its
sha256, and returns a :class:`Dataset` of NumPy arrays. If the package is missing, the error says
the one command that brings it. :func:`sources` lists them all, with their licences.
"""

from mehler.data._dataset import Dataset
from mehler.data._faces import orl_faces, rotating
from mehler.data._fetch import fetch_mnist
from mehler.data._images import digits, fashion_mnist, mnist, mnist_5k
from mehler.data._source import DamagedDataError, MissingDataError, Source
from mehler.data._spoken import spoken_digits
from mehler.data._tables import adult, diamonds, house_sales, letter, magic


def sources() -> dict[str, Source]:
    """List the data sets: what carries them, what brings them, their licences.

    Returns
    -------
    dict of str to Source
        By the name of the loader.

    Examples
    --------
    >>> from mehler import data
    >>> data.sources()["mnist"].command
    'mehler data fetch mnist FOLDER'
    """
    from mehler.data._sources import SOURCES

    return dict(SOURCES)


__all__ = [
    "DamagedDataError",
    "Dataset",
    "MissingDataError",
    "Source",
    "adult",
    "diamonds",
    "digits",
    "fashion_mnist",
    "fetch_mnist",
    "house_sales",
    "letter",
    "magic",
    "mnist",
    "mnist_5k",
    "orl_faces",
    "rotating",
    "sources",
    "spoken_digits",
]
