"""The papers' experiments: `mehler reproduce NAME` runs one of `EXPERIMENTS`.

The command finds them through the entry point group ``mehler.experiments``: a module with
`EXPERIMENTS`, a dict of objects with ``name``, ``title``, ``source`` and
``run(out=, level=, seed=, data=, progress=)``, whose result is printed.

**An experiment is a script** of 60 to 150 lines, and a page of Markdown beside it.

1. Constants: what varies by level is a dict with the keys "quick" and "full".
2. ``measure(level, rows, cell)`` returns the numbers of one cell, as JSON can hold them. A cell is
   one setting: ``cell["q"]``, ``cell.seed()``; ``cell.seed("q")`` is the same for all q,
   ``cell.seed_of("draw")`` depends on the draw alone. `rows` is what ``prepare(level, folder)``
   loaded for all cells.
3. ``table(level, results)`` returns rows by caption: each a dict of texts, whose keys are the
   heads. Comparisons with the paper are numbers here: a printed value in brackets, `differences`
   with their paired intervals, how many cells lie near.
4. ``figure(level, results)`` returns plots.
5. ``EXPERIMENT = Experiment(...)``, once, at the end; a variant by `dataclasses.replace`. Its name
   goes into `EXPERIMENTS` below.
6. ``NAME.md`` has a title, what the paper says and does, a line ``<!-- results -->`` where tables
   and figures stand, the picture of the full run, and the sentences of agreement and disagreement:
   those of the full run, whose numbers are kept in ``docs/experiments/results``.

`_harness` keeps cells as they end, goes on where a run stopped, and writes the page; `_results` has
means, paired differences and curves over draws.
"""

from . import kitchen_sinks
from ._before import EXPERIMENTS as OLD

# Shared with the documentation, and no public names.
from ._harness import PLACE as PLACE
from ._results import Results as Results
from .invariant import accuracy, panels
from .leverage import adult, controls, few_labels, weights
from .maxout import figure_1, figure_2, local_coefficients, maps, table_1, table_2, table_3

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        figure_1.EXPERIMENT,
        figure_2.EXPERIMENT,
        local_coefficients.EXPERIMENT,
        table_1.EXPERIMENT,
        table_1.PIXELS,
        maps.EXPERIMENT,
        table_2.EXPERIMENT,
        table_3.EXPERIMENT,
        table_3.FRAMES,
        accuracy.MNIST,
        panels.MNIST,
        accuracy.SPEECH,
        panels.SPEECH,
        panels.VOWELS,
        controls.EXPERIMENT,
        adult.EXPERIMENT,
        few_labels.EXPERIMENT,
        weights.EXPERIMENT,
        kitchen_sinks.EXPERIMENT,
    )
}
EXPERIMENTS = EXPERIMENTS | {name: old for name, old in OLD.items() if name not in EXPERIMENTS}

__all__ = ["EXPERIMENTS"]
