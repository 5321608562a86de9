"""Rerun the papers' experiments, with resumable cells and the printed numbers beside the measured.

An experiment is a description: its place in the paper, the data of its levels, its cells, how one
of them is measured, and the page of all. ``mehler reproduce NAME`` calls :func:`run`;
:func:`experiments` lists the experiments.
"""

from mehler.reproduce._experiment import Experiment, Outcome
from mehler.reproduce._run import Stopped, experiments, run

__all__ = ["Experiment", "Outcome", "Stopped", "experiments", "run"]
