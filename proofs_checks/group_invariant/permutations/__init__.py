"""The experiment on permuted sequences: its task, what is known exactly, and its figures."""

from ._task import PAPER as PAPER
