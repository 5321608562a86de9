"""What an experiment of a paper is: cells that can be run one by one, and a page made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mehler.statements import Plot

Level = Literal["quick", "full"]
LEVELS = ("quick", "full")
# What a cell measures: numbers and lists of numbers, as JSON holds them.
Measured: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One setting of an experiment, measured by itself.

    Parameters
    ----------
    options : mapping of str to number or str
        What is varied: sizes, the number of the draw.
    """

    options: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Name of the cell, which is also that of its file: ``q-4_m-1000_draw-0``."""
        return "_".join(f"{name}-{value}" for name, value in self.options.items())

    def seed(self, run_seed: int, experiment: str, *without: str) -> int:
        """Return a seed of its own; options named in `without` do not enter it."""
        kept = {name: value for name, value in self.options.items() if name not in without}
        text = f"{run_seed} {experiment} {sorted(kept.items())}"
        return int.from_bytes(sha256(text.encode()).digest()[:6], "big")


@dataclass(frozen=True)
class Table:
    """Rows of text under heads.

    Parameters
    ----------
    caption : str
    heads : sequence of str
    rows : sequence of sequence of str
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Page:
    """What an experiment found: verdicts in a line each, tables, plots.

    Parameters
    ----------
    verdicts : sequence of str
        What agrees with the paper, what does not, in whole sentences.
    tables : sequence of Table
    plots : sequence of Plot
    """

    verdicts: Sequence[str]
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper, to be run again.

    Parameters
    ----------
    name : str
        As on the command line.
    title : str
    source : str
        Paper, section, table or figure.
    printed : str
        What the paper did and reports, in other words.
    prepare : callable
        ``prepare(level, data)`` -> world: loads what all cells share. Missing data is an error
        here, before any work.
    cells : callable
        ``cells(level)`` -> list of Cell.
    measure : callable
        ``measure(world, cell, seed)`` -> dict of numbers; `seed` is that of the whole run.
    page : callable
        ``page(level, found)`` -> Page; `found` is a list of (Cell, dict).
    needs_data : {"quick", "full"} tuple
        Levels at which a folder of MNIST has to be given.
    together : tuple of str
        Options, "draw" among them, whose cells are shown together or not at all on a page that is
        made of a part of the cells; empty if no such page can be made.
    """

    name: str
    title: str
    source: str
    printed: str
    prepare: Callable[[Level, Path | None], Any] = field(repr=False)
    cells: Callable[[Level], list[Cell]] = field(repr=False)
    measure: Callable[[Any, Cell, int], Measured] = field(repr=False)
    page: Callable[[Level, list[tuple[Cell, Measured]]], Page] = field(repr=False)
    needs_data: tuple[Level, ...] = ()
    together: tuple[str, ...] = ()
