"""What a run of an experiment gives back."""

from __future__ import annotations

from dataclasses import dataclass

from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page


@dataclass(frozen=True)
class Outcome:
    """What an experiment measured, and the page made of it.

    Parameters
    ----------
    experiment : Experiment
    level : {"quick", "full"}
    seed : int
    found : list of (Cell, dict)
        Cells in the order of the experiment, with what each measured and its ``seconds``.
    page : Page
    missing : int
        Cells that the page does not show, because they are still to be measured.
    """

    experiment: Experiment
    level: Level
    seed: int
    found: list[tuple[Cell, Measured]]
    page: Page
    missing: int = 0

    @property
    def seconds(self) -> float:
        """Seconds that the cells took, those of earlier runs included."""
        return float(sum(measured["seconds"] for _, measured in self.found))
