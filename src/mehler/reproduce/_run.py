"""Run an experiment cell by cell, resuming where it stopped, and write page and JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from mehler._files import require_file, uninterrupted, write_whole
from mehler._validate import require_flag, require_function, require_integer, require_path
from mehler._version import __version__
from mehler.reproduce._experiment import LEVELS, Cell, Experiment, Level, Measured, Outcome
from mehler.reproduce._names import experiments
from mehler.reproduce._page import render
from mehler.reproduce._store import Store, finished

Progress = Callable[[str, int, int], None]


class Stopped(RuntimeError):
    """Raised when a run is interrupted; finished cells are kept."""


def run(
    name: str,
    *,
    out: str | Path,
    level: Level = "quick",
    seed: int = 0,
    data: str | Path | None = None,
    partial: bool = False,
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
    partial : bool
        Measure nothing: make the page of the finished cells, from complete draws only, and count
        the missing ones. Needs no data.
    progress : callable, optional
        ``progress(label, done, total)``.

    Returns
    -------
    Outcome
        Measurements and page.

    Raises
    ------
    TypeError, ValueError
        If name or level are unknown, the seed is negative, or the folder has cells of another run;
        if a partial page has too few cells, or the experiment has none.
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
    ...     outcome = reproduce.run("maxout-figure-1", out=folder)
    >>> len(outcome.found)
    2
    """
    known = experiments()
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"there is no experiment {name!r}, but {', '.join(known)}")
    if level not in LEVELS:
        raise ValueError(f"level={level!r} is not one of {', '.join(LEVELS)}")
    seed = require_integer("seed", seed, least=0)
    require_flag("partial", partial)
    require_function("progress", progress, optional=True)
    experiment, folder = known[name], require_path("out", out)
    for ending in ("json", "html"):
        require_file(folder / f"{name}.{ending}", "out")
    kept = settings(experiment, level, seed)
    wanted = _wanted(experiment, level, data)
    world = None
    if not partial:
        _require_data(experiment, level, data)
        world = experiment.prepare(level, None if data is None else require_path("data", data))
    store = Store(folder / "cells", kept, new=not partial)
    try:
        if partial:
            found = finished(experiment, wanted, store)
        else:
            found = _cells(experiment, wanted, seed, world, store, progress)
        outcome = _outcome(experiment, level, seed, wanted, found, data)
        text, page = as_json(outcome), render(outcome)
    except KeyboardInterrupt:
        raise Stopped(
            f"interrupted; {store.count(wanted)} of {len(wanted)} cells are kept in "
            f"{store.folder}, and the same command goes on from there"
        ) from None
    with uninterrupted():
        write_whole(folder / f"{name}.json", text)
        write_whole(folder / f"{name}.html", page)
    return outcome


def _outcome(
    experiment: Experiment,
    level: Level,
    seed: int,
    wanted: list[Cell],
    found: list[tuple[Cell, Measured]],
    data: str | Path | None,
) -> Outcome:
    missing, page = len(wanted) - len(found), experiment.page(level, found)
    if missing:
        said = f"A part of the run: {len(found)} of {len(wanted)} cells are shown, in whole draws."
        page = replace(page, verdicts=[said, *page.verdicts])
    used = experiment.data.get(level, "")
    if data is not None and experiment.own_cells is not None:
        used = f"the files in {Path(data).name}"
    return Outcome(experiment, level, seed, found, page, missing, used)


def _wanted(experiment: Experiment, level: Level, data: str | Path | None) -> list[Cell]:
    """Return the cells of a run: those of the user's data if it need not have been given."""
    if data is None or experiment.own_cells is None:
        return experiment.cells(level)
    return experiment.own_cells(level, require_path("data", data))


def _require_data(experiment: Experiment, level: Level, data: str | Path | None) -> None:
    if level in experiment.needs_data and data is None:
        raise ValueError(
            f"{experiment.name} at level {level} needs MNIST: mehler data fetch mnist FOLDER, then "
            "--data FOLDER"
        )
    if experiment.own_cells is not None:
        return
    if data is not None and level not in experiment.needs_data:
        raise ValueError(f"{experiment.name} at level {level} takes no data; leave --data away")


def settings(experiment: Experiment, level: Level, seed: int) -> dict[str, Any]:
    """Return the settings of a run, which all its cells share."""
    return {"experiment": experiment.name, "level": level, "seed": seed}


def _cells(
    experiment: Experiment,
    wanted: list[Cell],
    seed: int,
    world: Any,
    store: Store,
    progress: Progress | None,
) -> list[tuple[Cell, Measured]]:
    """Measure the cells that are missing, by one thread of the linear algebra.

    Sums of another order differ in the last digit, which decides ties between machines.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none

    found = []
    for number, cell in enumerate(wanted):
        measured = store.get(cell)
        if measured is None:
            if progress is not None:
                progress(cell.key.replace("_", " "), number, len(wanted))
            start = time.process_time()
            with threadpool_limits(limits=1):
                measured = experiment.measure(world, cell, seed)
            measured["seconds"] = round(time.process_time() - start, 3)
            store.put(cell, measured)
        found.append((cell, measured))
    if progress is not None:
        progress("page", len(wanted), len(wanted))
    return found


def as_json(outcome: Outcome) -> str:
    """Return the page's numbers as JSON."""
    known = outcome.experiment
    record = {
        **settings(known, outcome.level, outcome.seed),
        "mehler": __version__,
        "missing": outcome.missing,
        "title": outcome.title,
        "source": known.source,
        "cells": [{**cell.options, **measured} for cell, measured in outcome.found],
        **asdict(outcome.page),
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"
