"""A run keeps its cells, goes on after an interruption, and writes files whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mehler import _files, reproduce
from mehler.reproduce import _run
from mehler.reproduce._experiment import LEVELS, Cell
from tests.reproduce.toy import toy


@pytest.fixture
def run_toy(monkeypatch, tmp_path):
    """Run the toy; return the keys of the cells that were measured, and the outcome."""

    def run(fail_at=None, out=tmp_path, **options):
        calls: list[str] = []
        monkeypatch.setattr(_run, "experiments", lambda: {"toy": toy(calls, fail_at)})
        return calls, reproduce.run("toy", out=out, **options)

    return run


def test_page_and_json_hold_all_cells(run_toy, tmp_path) -> None:
    shown: list[tuple[str, int, int]] = []
    calls, outcome = run_toy(progress=lambda *step: shown.append(step))
    assert calls == ["n-1", "n-2", "n-3"]
    assert shown == [("n-1", 0, 3), ("n-2", 1, 3), ("n-3", 2, 3), ("page", 3, 3)]
    record = json.loads((tmp_path / "toy.json").read_text())
    assert [(c["n"], c["square"]) for c in record["cells"]] == [(1, 1), (2, 4), (3, 9)]
    assert record["level"] == "quick"
    page = (tmp_path / "toy.html").read_text()
    assert "Squares &amp; more" in page
    assert "&lt;b&gt;fast&lt;/b&gt;" in page
    assert "<script" not in page
    assert "mehler reproduce toy --level quick --seed 0</code>" in page
    assert outcome.seconds >= 0


def test_a_run_that_was_interrupted_goes_on(run_toy, tmp_path) -> None:
    with pytest.raises(reproduce.Stopped, match=r"2 of 3 cells are kept in .*cells"):
        run_toy("n-3")
    assert not (tmp_path / "toy.json").exists()
    again, resumed = run_toy()
    assert again == ["n-3"]
    # Seeds are the cell's own: the page is that of a run in one piece.
    _, whole = run_toy(out=tmp_path / "whole")
    strip = [(c, m["square"], m["seed"]) for c, m in resumed.cells]
    assert strip == [(c, m["square"], m["seed"]) for c, m in whole.cells]


def test_a_cell_that_is_not_whole_or_of_another_version_is_measured_again(
    run_toy, tmp_path
) -> None:
    run_toy()
    cell = tmp_path / "cells" / "n-2.json"
    text = cell.read_text()
    record = json.loads(text)
    assert record["mehler"] == json.loads((tmp_path / "toy.json").read_text())["mehler"]
    damaged = [{k: v for k, v in record.items() if k != part} for part in ("measured", "options")]
    damaged += [{**record, part: {}} for part in ("measured", "options")]
    damaged += [[], {**record, "mehler": "0.0.1"}]
    for content in (text[:20], *map(json.dumps, damaged)):
        cell.write_text(content)
        assert run_toy()[0] == ["n-2"]


@pytest.mark.parametrize("damage", [None, "", "{", "[]"])
def test_cells_of_a_run_that_is_not_known_are_refused(run_toy, tmp_path, damage) -> None:
    # They may be those of another seed: nothing in a cell says it.
    run_toy()
    settings = tmp_path / "cells" / "run.json"
    settings.unlink()
    if damage is not None:
        settings.write_text(damage)
    with pytest.raises(ValueError, match=r"run\.json does not say of which run; take another"):
        run_toy(seed=1)


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path) -> None:
    path = tmp_path / "page.html"
    _files.write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        _files.write_whole(path, "new \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.04, "0.0 seconds"), (119.9, "119.9 seconds"), (120, "2.0 minutes"), (9000, "2.5 hours")],
)
def test_durations_are_in_the_unit_that_is_expected(seconds, said) -> None:
    assert _run.duration(seconds) == said


def test_pages_can_be_read_by_others(run_toy, tmp_path) -> None:
    run_toy()
    for name in ("toy.html", "toy.json"):
        assert (tmp_path / name).stat().st_mode & 0o444 == 0o444
    assert not [path for path in tmp_path.rglob(".*")]


def test_cells_of_another_run_are_refused(run_toy) -> None:
    run_toy()
    with pytest.raises(ValueError, match=r"another run \(seed: 0 there, 1 now\); take another"):
        run_toy(seed=1)


@pytest.mark.parametrize("name", ["cells", "toy.json"])
def test_a_link_to_nothing_loses_no_work(run_toy, tmp_path, name) -> None:
    out = tmp_path / "out"
    (out / "cells").mkdir(parents=True)
    if name == "cells":
        (out / "cells").rmdir()
    (out / name).symlink_to(tmp_path / "nothing")
    if name == "cells":
        with pytest.raises(ValueError, match=r"cells is a link to nothing; choose another"):
            run_toy(out=out)
    else:
        assert len(run_toy(out=out)[0]) == 3


@pytest.mark.parametrize("step", ["render", "as_json"])
def test_an_interruption_after_the_cells_says_what_is_kept(run_toy, monkeypatch, step):
    def interrupt(*outcome):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_run, step, interrupt)
        with pytest.raises(reproduce.Stopped, match="3 of 3 cells are kept"):
            run_toy()
    assert run_toy()[0] == []


def test_cells_are_measured_by_one_thread(monkeypatch, tmp_path) -> None:
    """On several, sums come in another order, which decides ties."""
    from threadpoolctl import threadpool_info

    threads: set[int] = set()

    def measure(level, rows, cell, seed):
        threads.update(pool["num_threads"] for pool in threadpool_info())
        return {"square": 1.0}

    one = replace(toy([]), measure=measure)
    monkeypatch.setattr(_run, "experiments", lambda: {"toy": one})
    reproduce.run("toy", out=tmp_path)
    assert threads == {1}


def test_the_title_says_which_data_were_used(monkeypatch, tmp_path) -> None:
    one = replace(toy([]), data={"quick": "the 8 x 8 digits, in place of MNIST"})
    monkeypatch.setattr(_run, "experiments", lambda: {"toy": one})
    outcome = reproduce.run("toy", out=tmp_path)
    assert outcome.title == "Squares & more, on the 8 x 8 digits, in place of MNIST"
    assert "in place of MNIST</h1>" in (tmp_path / "toy.html").read_text()
    assert json.loads((tmp_path / "toy.json").read_text())["title"] == outcome.title


def test_every_experiment_with_data_says_which() -> None:
    assert all(set(one.data) == {*LEVELS} for one in reproduce.experiments().values())
    speech = reproduce.experiments()["invariant-speech"]
    assert speech.data["quick"] == "synthetic recordings, in place of TIDIGITS"


def test_seeds_differ_between_cells_and_runs() -> None:
    cells = [Cell({"q": q, "draw": draw}) for q in (1, 2) for draw in (0, 1)]
    seeds = {cell.seed(run, "toy") for cell in cells for run in (0, 1)}
    assert len(seeds) == 8
    assert cells[0].seed(0, "toy", "draw") == cells[1].seed(0, "toy", "draw")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "slow"}, "level='slow' is not one of quick, full"),
        ({"seed": -1}, "seed=-1 must be at least 0"),
        ({"level": "full"}, "toy at level full needs MNIST: mehler data fetch mnist FOLDER"),
        ({"data": "x"}, "toy at level quick takes no data"),
    ],
)
def test_bad_options_are_refused_before_any_work(run_toy, tmp_path, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        run_toy(out=tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_unknown_names_are_listed(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"no experiment 'table-1', but maxout-figure-1, maxout"):
        reproduce.run("table-1", out=tmp_path)
