"""Rerun the papers' experiments, with resumable cells and the printed numbers beside the measured.

``mehler reproduce NAME`` calls :func:`run`; :func:`experiments` lists the experiments.
"""

from mehler.reproduce._experiment import Cell, Experiment, Outcome, Page, Table
from mehler.reproduce._names import experiments
from mehler.reproduce._run import Stopped, run

__all__ = ["Cell", "Experiment", "Outcome", "Page", "Stopped", "Table", "experiments", "run"]
