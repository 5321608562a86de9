"""Run an experiment cell by cell, resuming where it stopped, and write page and JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mehler._files import require_file, require_folder, uninterrupted, write_whole
from mehler._validate import require_function, require_integer, require_path
from mehler._version import __version__
from mehler.report import draw, page_style
from mehler.reproduce._experiment import LEVELS, Cell, Experiment, Level, Measured, Outcome

Progress = Callable[[str, int, int], None]
_SETTINGS = "run.json"


class Stopped(RuntimeError):
    """Raised when a run is interrupted; finished cells are kept."""


def experiments() -> dict[str, Experiment]:
    """List the experiments by name.

    Returns
    -------
    dict of str to Experiment
        All experiments, in the order of the papers.

    See Also
    --------
    run : Run one by its name.

    Examples
    --------
    >>> from mehler import reproduce
    >>> list(reproduce.experiments())
    ['invariant-permutations', 'depth']
    """
    from mehler.reproduce import depth
    from mehler.reproduce.invariant import permutations

    everything = (permutations.EXPERIMENT, depth.EXPERIMENT)
    return {experiment.name: experiment for experiment in everything}


def run(
    name: str,
    *,
    out: str | Path,
    level: Level = "quick",
    seed: int = 0,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Rerun an experiment of a paper and write its page.

    Parameters
    ----------
    name : str
        One of :func:`experiments`.
    out : path
        Folder for ``NAME.html``, ``NAME.json`` and the finished cells in ``cells/``. A run that was
        killed resumes with the missing cells.
    level : {"quick", "full"}
        Size of the experiment.
    seed : int
        Seed of all random numbers.
    data : path, optional
        Folder of MNIST's files, for the experiments that use it; of UCI's files for 'leverage',
        which then runs on them instead of its own sets.
    progress : callable, optional
        ``progress(label, done, total)``.

    Returns
    -------
    Outcome
        Measurements and page.

    Raises
    ------
    TypeError, ValueError
        If name or level are unknown, the seed is negative, or the folder has cells of another run.
    MissingDataError
        If a data set is not installed.
    Stopped
        If the run is interrupted; the message counts the cells kept.

    See Also
    --------
    experiments : The experiments by name.

    Notes
    -----
    The cost is that of the cells; the JSON has the CPU ``seconds`` of each. Cells that another
    version of mehler measured are measured again.

    Examples
    --------
    >>> import tempfile
    >>> from mehler import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     outcome = reproduce.run("leverage-weights", out=folder)
    >>> len(outcome.cells)
    10
    """
    available = experiments()
    if not isinstance(name, str) or name not in available:
        raise ValueError(f"there is no experiment {name!r}, but {', '.join(available)}")
    if level not in LEVELS:
        raise ValueError(f"level={level!r} is not one of {', '.join(LEVELS)}")
    seed = require_integer("seed", seed, least=0)
    require_function("progress", progress, optional=True)
    experiment, folder = available[name], require_path("out", out)
    source = None if data is None else require_path("data", data)
    for ending in ("json", "html"):
        require_file(folder / f"{name}.{ending}", "out")
    own = experiment.own_cells
    wanted = experiment.cells(level) if source is None or own is None else own(level, source)
    _require_data(experiment, level, source)
    rows = experiment.prepare(level, source)
    store = Store(folder / "cells", settings(experiment, level, seed))
    try:
        cells = _measured(
            lambda cell: experiment.measure(level, rows, cell, seed), wanted, store, progress
        )
        title, page = experiment.title_on(level, source), experiment.page(level, cells)
        outcome = Outcome(experiment, level, seed, title, cells, page)
        text, markup = as_json(outcome), render(outcome, source)
    except KeyboardInterrupt:
        raise Stopped(
            f"interrupted; {store.count(wanted)} of {len(wanted)} cells are kept in "
            f"{store.folder}, and the same command goes on from there"
        ) from None
    with uninterrupted():
        write_whole(folder / f"{name}.json", text)
        write_whole(folder / f"{name}.html", markup)
    return outcome


def _require_data(experiment: Experiment, level: Level, folder: Path | None) -> None:
    if level in experiment.needs_data and folder is None:
        raise ValueError(
            f"{experiment.name} at level {level} needs MNIST: mehler data fetch mnist FOLDER, then "
            "--data FOLDER"
        )
    if experiment.own_cells is None and folder is not None and level not in experiment.needs_data:
        raise ValueError(f"{experiment.name} at level {level} takes no data; leave --data away")


def settings(experiment: Experiment, level: Level, seed: int) -> dict[str, Any]:
    """Return the settings of a run, which all its cells share."""
    return {"experiment": experiment.name, "level": level, "seed": seed}


def _measured(
    measure: Callable[[Cell], Measured], wanted: list[Cell], store: Store, progress: Progress | None
) -> list[tuple[Cell, Measured]]:
    """Measure the cells that are missing, by one thread of the linear algebra.

    Sums of another order differ in the last digit, which decides ties between machines.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none

    cells = []
    for number, cell in enumerate(wanted):
        measured = store.get(cell)
        if measured is None:
            if progress is not None:
                progress(cell.key.replace("_", " "), number, len(wanted))
            start = time.process_time()
            with threadpool_limits(limits=1):
                measured = measure(cell)
            measured["seconds"] = round(time.process_time() - start, 3)
            store.put(cell, measured)
        cells.append((cell, measured))
    if progress is not None:
        progress("page", len(wanted), len(wanted))
    return cells


class Store:
    """A folder of finished cells, with the `settings` on which they depend.

    Each cell names the version of mehler that measured it; those of another version are not there.
    Raises ValueError for cells of other or unknown settings, and for a folder that cannot be made.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        kept = _read(folder / _SETTINGS)
        if kept is not None:
            changed = ", ".join(
                f"{name}: {kept.get(name)!r} there, {value!r} now"
                for name, value in settings.items()
                if kept.get(name) != value
            )
            if changed:
                raise ValueError(
                    f"{folder} holds cells of another run ({changed}); take another --out"
                )
            return
        if any(path.name != _SETTINGS for path in folder.glob("*.json")):
            raise ValueError(
                f"{folder} holds cells, but {_SETTINGS} does not say of which run; take "
                "another --out, or remove the folder"
            )
        require_folder(folder, "out")
        write_whole(folder / _SETTINGS, json.dumps(dict(settings), indent=1) + "\n")

    def get(self, cell: Cell) -> Measured | None:
        """Return the measurements of a cell, or None if there are none of this version."""
        record = _read(self._path(cell))
        if record is None or record.get("options") != dict(cell.options):
            return None
        measured = record.get("measured")
        whole = isinstance(measured, dict) and "seconds" in measured
        return measured if whole and record.get("mehler") == __version__ else None

    def put(self, cell: Cell, measured: Measured) -> None:
        """Write the measurements of a cell, atomically."""
        record = {"options": dict(cell.options), "mehler": __version__, "measured": measured}
        write_whole(self._path(cell), json.dumps(record, indent=1) + "\n")

    def count(self, cells: Iterable[Cell]) -> int:
        """Return how many of the cells are finished."""
        return sum(self.get(cell) is not None for cell in cells)

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _read(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def as_json(outcome: Outcome) -> str:
    """Return the page's numbers as JSON."""
    experiment = outcome.experiment
    record = {
        **settings(experiment, outcome.level, outcome.seed),
        "mehler": __version__,
        "title": outcome.title,
        "source": experiment.source,
        "cells": [{**cell.options, **measured} for cell, measured in outcome.cells],
        **asdict(outcome.page),
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def render(outcome: Outcome, folder: Path | None) -> str:
    """Render an outcome as HTML, with a content security policy against scripts and addresses."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("mehler.reproduce", "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("experiment.html.j2").render(
        outcome=outcome,
        experiment=outcome.experiment,
        page=outcome.page,
        version=__version__,
        style=Markup(page_style()),
        seconds=duration(outcome.seconds),
        folder=folder,
        draw=draw,
    )


def duration(seconds: float) -> str:
    """Format a duration in a readable unit."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds"
