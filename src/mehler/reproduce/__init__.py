"""The papers' experiments, run again: cells that resume, the printed numbers beside ours.

``mehler reproduce NAME`` calls :func:`run`; :func:`experiments` lists what there is.
"""

from mehler.reproduce._experiment import Cell, Experiment, Page, Table
from mehler.reproduce._names import experiments
from mehler.reproduce._outcome import Outcome
from mehler.reproduce._run import Stopped, run

__all__ = ["Cell", "Experiment", "Outcome", "Page", "Stopped", "Table", "experiments", "run"]
