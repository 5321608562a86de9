"""Format and plot means over draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.statements import Series


def spread(values: Any, digits: int = 2) -> str:
    """Format mean ± standard deviation of `values`, shape (draws,); a single draw as its value."""
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.{digits}f}"


def with_errors(label: str, x: Any, values: Any) -> Series:
    """Return a series of means over draws with standard errors; `values` has shape (draws, n)."""
    values = np.asarray(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return Series(
        label=label, x=x, y=means, y_low=means - errors, y_high=means + errors, kind="points"
    )


def with_range(label: str, x: Any, values: Any) -> Series:
    """Return a series of means over draws with minimum and maximum; `values` is one array per x."""
    means, least, most = ([float(of(each)) for each in values] for of in (np.mean, np.min, np.max))
    return Series(label=label, x=x, y=means, y_low=least, y_high=most, kind="points")
