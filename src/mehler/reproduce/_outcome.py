"""Outcome: the result of a run of an experiment."""

from __future__ import annotations

from dataclasses import dataclass

from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page


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
    found : list of (Cell, dict)
        Cells in the order of the experiment, with their measurements and ``seconds``.
    page : Page
        The page made of them.
    missing : int
        Number of cells still to be measured, which the page does not show.

    See Also
    --------
    run : Returns the outcome.
    """

    experiment: Experiment
    level: Level
    seed: int
    found: list[tuple[Cell, Measured]]
    page: Page
    missing: int = 0

    @property
    def seconds(self) -> float:
        """Total time of the cells, including those of earlier runs."""
        return float(sum(measured["seconds"] for _, measured in self.found))
