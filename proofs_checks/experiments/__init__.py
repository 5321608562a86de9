"""The papers' experiments, for `mehler reproduce NAME`; README.md says how one is written."""

from . import kitchen_sinks

# Shared with the documentation, and no public names.
from ._harness import PLACE as PLACE
from ._results import Results as Results
from .depth import kernels
from .invariant import accuracy, panels, permutations
from .leverage import adult, controls, few_labels, weights
from .maxout import figure_1, figure_2, local_coefficients, maps, table_1, table_2, table_3

_ALL = (
    figure_1.EXPERIMENT, figure_2.EXPERIMENT, local_coefficients.EXPERIMENT, table_1.EXPERIMENT,
    table_1.PIXELS, maps.EXPERIMENT, table_2.EXPERIMENT, table_3.EXPERIMENT, table_3.FRAMES,
    permutations.EXPERIMENT, accuracy.MNIST, panels.MNIST, accuracy.SPEECH, panels.SPEECH,
    panels.VOWELS, controls.EXPERIMENT, adult.EXPERIMENT, few_labels.EXPERIMENT,
    weights.EXPERIMENT, kitchen_sinks.EXPERIMENT, kernels.EXPERIMENT,
)  # fmt: skip
EXPERIMENTS = {experiment.name: experiment for experiment in _ALL}

__all__ = ["EXPERIMENTS"]
