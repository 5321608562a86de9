"""DataMatrix: the user's rows, and what was found and decided while reading them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mehler._text import printable

# Columns that are listed one a line.
_MOST_COLUMNS = 12


@dataclass(frozen=True, kw_only=True)
class DataMatrix:
    """Nonzero rows, float64, evenly spaced samples if the source exceeds 256 MiB.

    Parameters
    ----------
    name : str
        File name, or "array", or the name of the default data set.
    path : str, optional
        The file, if there is one.
    values : array, shape (n_held, d)
        The rows that are held, standardized if that was asked for.
    index : array of int, shape (n_held,)
        Position of each held row in the source, counted from 0.
    n_zero_rows : int
        Rows of zeros, which have no direction and were dropped.
    n_not_held : int
        Nonzero rows that are not in `values`.
    columns : tuple of str
        Names of the d columns; x0, x1, ... where the source has none.
    lows, highs : array, shape (d,)
        Range of each column over all rows of the source, as read, before any scaling.
    warnings : tuple of str
        Sentences on columns that are likely not meant as they are.
    choices : tuple of str
        Decisions made while reading: separator, header, columns left out, scaling.
    target : array, shape (n_held,), optional
        Values (floats) or labels (integers, booleans, strings) of the target column.
    target_name : str, optional
        Its name.
    options : tuple of str
        The command line's options that read the same rows again.
    """

    name: str
    path: str | None
    values: np.ndarray
    index: np.ndarray
    n_zero_rows: int
    n_not_held: int = 0
    columns: tuple[str, ...] = ()
    lows: np.ndarray = field(default_factory=lambda: np.empty(0))
    highs: np.ndarray = field(default_factory=lambda: np.empty(0))
    warnings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    target: np.ndarray | None = None
    target_name: str | None = None
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            names = tuple(f"x{j}" for j in range(self.values.shape[1]))
            object.__setattr__(self, "columns", names)
        if not self.lows.size:
            object.__setattr__(self, "lows", self.values.min(axis=0))
            object.__setattr__(self, "highs", self.values.max(axis=0))

    @property
    def n_rows(self) -> int:
        """Number of nonzero rows, held or not."""
        return self.values.shape[0] + self.n_not_held

    def lines(self) -> tuple[str, ...]:
        """Say what was read: rows, columns by name with their ranges, decisions, warnings."""
        count = f"{self.n_rows + self.n_zero_rows} rows, {_number(len(self.columns), 'column')}"
        zeros = f", {self.n_zero_rows} of zeros left out" if self.n_zero_rows else ""
        target = f", target {self.target_name}" if self.target_name else ""
        choices = f" ({'; '.join(self.choices)})" if self.choices else ""
        shown = range(min(len(self.columns), _MOST_COLUMNS))
        lines = [f"{self.name}: {count}{zeros}{target}{choices}"]
        lines += [f"  {self.columns[j]}: {self.lows[j]:.6g} to {self.highs[j]:.6g}" for j in shown]
        if len(self.columns) > len(shown):
            rest = slice(len(shown), None)
            lines.append(
                f"  {_number(len(self.columns) - len(shown), 'more column')}, to "
                f"{self.columns[-1]}: {self.lows[rest].min():.6g} to {self.highs[rest].max():.6g}"
            )
        return tuple(map(printable, (*lines, *(f"warning: {one}" for one in self.warnings))))


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")
