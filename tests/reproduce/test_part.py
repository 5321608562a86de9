"""A page of a part of the cells: whole draws alone, and it says what is missing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mehler import reproduce
from mehler.reproduce import _run
from mehler.reproduce._experiment import Cell
from tests.reproduce.toy import toy


def install(monkeypatch, calls, fail_at=None, together=("n", "draw"), draws=3):
    """A toy with a draw and a way for each of its numbers."""
    cells = [
        Cell({"n": n, "draw": k, "way": way}) for n in (1, 2) for k in range(draws) for way in "ab"
    ]
    known = replace(toy(calls, fail_at), cells=lambda level: cells, together=together)
    monkeypatch.setattr(_run, "experiments", lambda: {"toy": known})


def interrupted(monkeypatch, tmp_path, fail_at):
    install(monkeypatch, [], fail_at)
    with pytest.raises(reproduce.Stopped):
        reproduce.run("toy", out=tmp_path)
    install(monkeypatch, [])


def test_draws_that_are_not_whole_are_left_out(monkeypatch, tmp_path) -> None:
    # Of n = 2 two draws are whole, and half of the third is there.
    interrupted(monkeypatch, tmp_path, "n-2_draw-2_way-b")
    calls: list[str] = []
    install(monkeypatch, calls)
    outcome = reproduce.run("toy", out=tmp_path, partial=True)
    assert calls == []
    assert outcome.missing == 2
    assert [c.key for c, _ in outcome.cells][-2:] == ["n-2_draw-1_way-a", "n-2_draw-1_way-b"]
    said = "A part of the run: 10 of 12 cells are shown, in whole draws."
    page = (tmp_path / "toy.html").read_text()
    assert said in page
    assert "mehler reproduce toy --level quick --seed 0 --partial</code>" in page
    record = json.loads((tmp_path / "toy.json").read_text())
    assert (record["missing"], record["verdicts"][0]) == (2, said)
    # The run goes on with what is missing, the half draw included.
    assert reproduce.run("toy", out=tmp_path).missing == 0
    assert calls == ["n-2_draw-2_way-b"]
    assert "A part of the run" not in (tmp_path / "toy.html").read_text()


def test_a_single_draw_is_no_column(monkeypatch, tmp_path) -> None:
    interrupted(monkeypatch, tmp_path, "n-2_draw-1_way-a")
    outcome = reproduce.run("toy", out=tmp_path, partial=True)
    assert {c.options["n"] for c, _ in outcome.cells} == {1}


def test_too_few_cells_are_refused_and_nothing_is_written(monkeypatch, tmp_path) -> None:
    interrupted(monkeypatch, tmp_path, "n-1_draw-1_way-b")
    with pytest.raises(ValueError, match=r"too few of the 12 cells .*cells holds 3"):
        reproduce.run("toy", out=tmp_path, partial=True)
    assert not (tmp_path / "toy.html").exists()


def test_a_run_that_was_not_started_has_no_part(monkeypatch, tmp_path) -> None:
    install(monkeypatch, [])
    with pytest.raises(ValueError, match="holds no cells; start the run first"):
        reproduce.run("toy", out=tmp_path / "new", partial=True)
    assert not (tmp_path / "new").exists()


def test_experiments_without_draws_have_no_part(monkeypatch, tmp_path) -> None:
    install(monkeypatch, [], together=())
    reproduce.run("toy", out=tmp_path)
    with pytest.raises(ValueError, match="toy has no page of a part of its cells"):
        reproduce.run("toy", out=tmp_path, partial=True)


def test_what_is_shown_together_are_options_of_the_cells() -> None:
    for one in reproduce.experiments().values():
        for level in ("quick", "full"):
            for cell in one.cells(level):
                assert set(one.together) <= set(cell.options)
        assert "draw" in one.together or not one.together
