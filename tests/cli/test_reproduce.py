"""`mehler reproduce`: lists, runs, resumes, and says what is wrong in a line."""

import pytest

from mehler.cli import main
from mehler.proofs_checks import experiments
from tests.proofs_checks.experiments.toy import toy


def run(capsys, *words):
    with pytest.raises(SystemExit) as caught:
        main(["reproduce", *words])
    return caught.value.code, *capsys.readouterr()


def test_without_a_name_all_are_listed(capsys) -> None:
    status, out, _ = run(capsys)
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines()] == list(experiments.EXPERIMENTS)


def test_files_and_tables_are_printed(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"toy": toy(tmp_path, [])})
    status, out, _ = run(capsys, "toy", "--out", str(tmp_path))
    assert status == 0
    assert "n  n^2" in out
    assert str(tmp_path / "toy" / "toy.html") in out


def test_an_interruption_says_what_is_kept(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(experiments, "EXPERIMENTS", {"toy": toy(tmp_path, [], "n-2")})
    status, _, err = run(capsys, "toy", "--out", str(tmp_path))
    assert status == 2
    assert err.startswith("mehler: error: interrupted; 1 of 3 cells are kept in ")
    assert "goes on from there" in err


def test_unknown_names_and_levels_are_refused(capsys, tmp_path) -> None:
    for words in (["nothing"], ["maxout-figure-1", "--level", "slow"]):
        status, _, err = run(capsys, *words, "--out", str(tmp_path / "new"))
        assert status == 2
        assert err.startswith("mehler: error: ")
    assert not (tmp_path / "new").exists()
