"""The experiment on permuted sequences: its task, what is known exactly, and its figures."""

from . import _curves as curves  # noqa: F401
from ._task import PAPER as PAPER
