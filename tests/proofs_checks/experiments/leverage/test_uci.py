"""UCI's files, as a user has them: read as UCI lays them out, and run."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.leverage import controls, uci


def write(folder, name, rows, header=None):
    lines = [",".join(map(str, row)) for row in rows]
    (folder / name).write_text("\n".join(([header] if header else []) + lines) + "\n")


@pytest.fixture
def folder(tmp_path):
    n = 12
    X = np.random.default_rng(1).standard_normal((n, 90)).round(3)
    write(tmp_path, "YearPredictionMSD.txt", [[1990 + k, *X[k]] for k in range(n)])
    news = [["http://a", 731.0, *X[k, :58], 100 * (k + 1)] for k in range(n)]
    write(tmp_path, "OnlineNewsPopularity.csv", news, "url, timedelta, " + ", ".join("c" * 59))
    waves = [[f"X{k}.V1", *range(k, k + 178), 1 + k % 5] for k in range(n)]
    write(tmp_path, "Epileptic Seizure Recognition.csv", waves, '"",' + ",".join("X" * 178) + ",y")
    write(tmp_path, "adult.data", [[39, " State-gov", 77516, " <=50K"], [50, " ?", 8, " >50K"]])
    write(tmp_path, "adult.test", [[25, " Private", 22, " >50K."]], "|1x3 Cross validator")
    return tmp_path


def test_all_four_sets_are_read(folder):
    sets = uci.problems(folder)
    assert list(sets) == ["year", "news", "adult-uci", "seizure"]
    shapes = {name: one.X.shape for name, one in sets.items()}
    assert list(shapes.values()) == [(12, 90), (12, 58), (3, 5), (12, 178)]
    year = sets["year"].y
    assert year.mean() == pytest.approx(0, abs=1e-12)
    assert year.std() == pytest.approx(1)
    assert np.argsort(sets["news"].y).tolist() == list(range(12))
    assert sets["adult-uci"].y.tolist() == [-1.0, 1.0, 1.0]
    # Numbers as they are, a column for each level, "?" too.
    assert sets["adult-uci"].X[1].tolist() == [50.0, 1.0, 0.0, 0.0, 8.0]
    assert sets["seizure"].y.tolist() == [1.0 if k % 5 == 0 else -1.0 for k in range(12)]


def test_what_is_there_is_run(folder):
    (folder / "OnlineNewsPopularity.csv").unlink()
    (folder / "adult.test").unlink()
    assert uci.names(folder) == ["year", "seizure"]
    cells = controls.EXPERIMENT.own_cells("quick", folder)
    assert {cell["data"] for cell in cells} == {"year", "seizure"}
    assert len(cells) == 2 * len(controls.cells("quick"))
    assert list(controls.EXPERIMENT.prepare("quick", folder)) == ["year", "seizure"]


@pytest.mark.full
def test_the_command_makes_a_page(tmp_path):
    X = np.random.default_rng(1).standard_normal((1300, 178)).round(3)
    rows = [[f"X{k}", *X[k], 1 if X[k, 0] > 0 else 2] for k in range(len(X))]
    write(tmp_path, "Epileptic Seizure Recognition.csv", rows, '"",' + ",".join("X" * 178) + ",y")
    outcome = controls.EXPERIMENT.run(tmp_path / "out", data=tmp_path)
    assert outcome.results.options("data") == ["seizure"]
    assert "digits" not in str(outcome)
    page = (tmp_path / "out" / "leverage.html").read_text()
    assert "leverage --level quick --seed 0 --data FOLDER</code>" in page


def test_an_empty_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"none of the UCI sets: YearPredictionMSD.txt; Online"):
        controls.EXPERIMENT.run(tmp_path / "out", data=tmp_path)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("1990,a,b", "could not convert"),
        ("1990,1\n1991,nan", "NaN or infinity"),
        ("1990,1.0", "all targets are equal"),
    ],
)
def test_a_broken_file_is_named(tmp_path, lines, words):
    (tmp_path / "YearPredictionMSD.txt").write_text(lines + "\n")
    with pytest.raises(ValueError, match=f"YearPredictionMSD.txt is not as UCI has it: .*{words}"):
        uci.problems(tmp_path)
