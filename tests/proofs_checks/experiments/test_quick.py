"""Each experiment at level quick."""

import functools
import json

import numpy as np
import pytest
from mehler.proofs_checks.experiments import EXPERIMENTS
from mehler.proofs_checks.experiments.maxout import figure_1


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """An experiment at level quick, run once when a test asks for it."""
    folder = tmp_path_factory.mktemp("reproduced")
    return functools.cache(lambda name: EXPERIMENTS[name].run(folder / name))


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.full
def test_a_run_has_all_cells_tables_and_figures(quick, name) -> None:
    outcome = quick(name)
    assert [cell for cell, _ in outcome.results.cells] == EXPERIMENTS[name].cells("quick")
    json.loads(outcome.files[1].read_text(encoding="utf-8"))
    page = outcome.files[0].read_text(encoding="utf-8")
    assert page.count("<svg") == len(EXPERIMENTS[name].figure("quick", outcome.results)) > 0
    assert page.count("<table") >= len(outcome.tables) > 0
    for rows in outcome.tables.values():
        assert all(row.keys() == rows[0].keys() for row in rows)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_says_where_it_is_from_and_on_which_data(name) -> None:
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert set(experiment.data) == {"quick", "full"}
    text = experiment.page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert text.count("\n<!-- results -->\n") == 1
    assert experiment.source


def test_figure_1_follows_the_proved_kernel(quick) -> None:
    # Bernstein-free check by the exact variance: m = 1000 products; see maxout.figure-1 for the
    # error rate. Here: the printed curve is farther from the points than the proved one.
    results = quick("maxout-figure-1").results
    assert (3 * results.values("from_proved") < results.values("from_printed")).all()
    # The injected fault: points of the printed kernel would lie on the other curve.
    proved, printed = figure_1.curves(np.linspace(0.01, 1.5, 50), 8)
    assert np.sqrt(np.mean((proved - printed) ** 2)) > 0.3
