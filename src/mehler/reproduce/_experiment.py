"""Experiment: cells that are measured one by one, a page made of them, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mehler.statements import Plot

Level = Literal["quick", "full"]
LEVELS: tuple[Level, ...] = ("quick", "full")
# Result of a cell: numbers and lists of numbers, as in JSON.
Measured: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One setting of an experiment, measured on its own.

    Parameters
    ----------
    options : mapping of str to number or str
        The varied quantities: sizes, the number of the draw.
    """

    options: Mapping[str, Any]

    @property
    def key(self) -> str:
        """Name of the cell and of its file, such as ``q-4_m-1000_draw-0``."""
        return "_".join(f"{name}-{value}" for name, value in self.options.items())

    def seed(self, run_seed: int, experiment: str, *without: str) -> int:
        """Return the seed of the cell, which is independent of the options in `without`."""
        kept = {name: value for name, value in self.options.items() if name not in without}
        text = f"{run_seed} {experiment} {sorted(kept.items())}"
        return int.from_bytes(sha256(text.encode()).digest()[:6], "big")


def draws(settings: Iterable[Mapping[str, Any]] = ({},), n: int = 10) -> list[Cell]:
    """Return n draws with all settings each, so that they are paired."""
    settings = list(settings)
    return [Cell({**setting, "draw": draw}) for draw in range(n) for setting in settings]


@dataclass(frozen=True)
class Table:
    """A table of text: a plain caption, column headings, and cells row by row."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Page:
    """The results of an experiment: tables, plots, and sentences on agreement with the paper."""

    verdicts: Sequence[str]
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper that can be rerun.

    Parameters
    ----------
    name : str
        Name on the command line.
    title : str
        Title of the page.
    source : str
        Paper, section, table or figure.
    printed : str
        The paper's protocol and results, paraphrased.
    measure : callable
        ``measure(level, rows, cell, seed)`` -> dict of numbers; `rows` is what `prepare` returns,
        `seed` that of the whole run.
    page : callable
        ``page(level, cells)`` -> Page; `cells` is a list of (Cell, dict).
    cells : callable
        ``cells(level)`` -> list of Cell; ten draws unless stated.
    prepare : callable
        ``prepare(level, folder)``: loads what all cells share; raises MissingDataError if a package
        of data is not installed, before any work. Nothing is shared unless stated.
    data : mapping of {"quick", "full"} to str
        Data of each level, and what they stand in for; empty if there are none.
    needs_data : {"quick", "full"} tuple
        Levels that need a folder of MNIST.
    own_cells : callable, optional
        ``own_cells(level, folder)`` -> list of Cell: the cells where the user gives a folder of
        data that the experiment does not need; raises if nothing in it can be used.

    See Also
    --------
    experiments : The experiments by name.
    run : Runs one.
    """

    name: str
    title: str
    source: str
    printed: str
    measure: Callable[[Level, Any, Cell, int], Measured] = field(repr=False)
    page: Callable[[Level, list[tuple[Cell, Measured]]], Page] = field(repr=False)
    cells: Callable[[Level], list[Cell]] = field(default=lambda level: draws(), repr=False)
    prepare: Callable[[Level, Path | None], Any] = field(
        default=lambda level, folder: None, repr=False
    )
    data: Mapping[Level, str] = field(default_factory=dict)
    needs_data: tuple[Level, ...] = ()
    own_cells: Callable[[Level, Path], list[Cell]] | None = field(default=None, repr=False)

    def title_on(self, level: Level, data: Path | None = None) -> str:
        """Return the title with the data of a level, or those of the user's folder."""
        used = self.data.get(level, "")
        if data is not None and self.own_cells is not None:
            used = f"the files in {data.name}"
        return f"{self.title}, on {used}" if used else self.title


@dataclass(frozen=True)
class Outcome:
    """The measurements of an experiment and the page made of them.

    Parameters
    ----------
    experiment : Experiment
        The experiment that was run.
    level : {"quick", "full"}
        Its level.
    seed : int
        Seed of the run.
    title : str
        Title of the experiment with the data that were used.
    cells : list of (Cell, dict)
        Cells in the order of the experiment, with their measurements and CPU ``seconds``.
    page : Page
        The page made of them.

    See Also
    --------
    run : Returns the outcome.
    """

    experiment: Experiment
    level: Level
    seed: int
    title: str
    cells: list[tuple[Cell, Measured]]
    page: Page

    @property
    def seconds(self) -> float:
        """CPU seconds of all cells, including those of earlier runs."""
        return float(sum(measured["seconds"] for _, measured in self.cells))
