"""Means over draws: as text in a table, as points with bars in a plot."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.statements import Series


def spread(values: Any, digits: int = 2) -> str:
    """Mean ± standard deviation; of a single draw the value alone.

    Parameters
    ----------
    values : array, shape (draws,)
    digits : int

    Returns
    -------
    str
    """
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def with_errors(label: str, x: Any, values: Any) -> Series:
    """Means over draws with their standard errors.

    Parameters
    ----------
    label : str
    x : array, shape (n,)
    values : array, shape (draws, n)

    Returns
    -------
    Series
    """
    values = np.asarray(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return Series(
        label=label, x=x, y=means, y_low=means - errors, y_high=means + errors, kind="points"
    )


def with_range(label: str, x: Any, values: Any) -> Series:
    """Means over draws with the least and the largest.

    Parameters
    ----------
    label : str
    x : array, shape (n,)
    values : sequence of n arrays
        The draws at each place, as many as there are.

    Returns
    -------
    Series
    """
    means, least, most = ([float(of(each)) for each in values] for of in (np.mean, np.min, np.max))
    return Series(label=label, x=x, y=means, y_low=least, y_high=most, kind="points")
