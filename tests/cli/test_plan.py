"""`mehler plan`: a table or JSON, from a file or from numbers."""

from __future__ import annotations

import json
import os

import numpy as np
import pandas as pd
import pytest

from mehler import FourierFeatures, planning
from tests.cli.test_cli import call, refusal

__all__ = ["refusal"]

QUICK = ("--no-measure",)


@pytest.fixture
def rows_file(tmp_path):
    rows = np.random.default_rng(0).standard_normal((20, 5))
    np.save(tmp_path / "rows.npy", rows)
    return tmp_path / "rows.npy"


def test_prints_the_table_of_a_file(rows_file, capsys):
    assert call("plan", str(rows_file), "--delta", "0.1", "--max-rows", "8", "--seed", "3") == 0
    captured = capsys.readouterr()
    expected = planning.plan(np.load(rows_file), delta=0.1, max_rows=8, seed=3)
    assert captured.out == f"{expected}\n"
    assert captured.err.splitlines()[0] == "mehler: rows.npy: 20 rows, 5 columns"


def test_options_reach_the_plan(tmp_path, capsys):
    numbers = ("--n-inputs", "784", "--n-samples", "60000", "--dimension", "10")
    loss = ("--lipschitz", "2", "--scale", "3", "--loss-bound", "4", "--diameter", "1.5")
    line = (*numbers, *loss, "--eps", "0.2", "--pool-size", "8", "--json", *QUICK)
    out = tmp_path / "made" / "plan.json"
    assert call("plan", *line, "--out", str(out)) == 0
    assert out.stat().st_mode & 0o777 == 0o644
    expected = planning.plan(
        n_inputs=784,
        n_samples=60000,
        dimension=10,
        diameter=1.5,
        lipschitz=2,
        scale=3,
        loss_bound=4,
        eps=0.2,
        pool_size=8,
        measure=False,
    )
    printed = capsys.readouterr().out
    assert json.loads(printed) == expected.to_dict()
    assert out.read_text(encoding="utf-8") == printed
    assert os.listdir(out.parent) == ["plan.json"]


def test_ridge_and_group_reach_the_plan(rows_file, monkeypatch, capsys):
    """Their rows are tested with the plan, which takes seconds."""
    made, options = planning.plan(n_inputs=3, measure=False), {}
    monkeypatch.setattr(planning, "plan", lambda data, **words: options.update(words) or made)
    line = ("--ridge", "0.1", "--group-order", "24", "--eps", "0.5")
    assert call("plan", str(rows_file), *line, "--json", *QUICK) == 0
    wanted = {"ridge": 0.1, "group_order": 24, "eps": 0.5, "measure": False}
    assert wanted.items() <= options.items()
    assert json.loads(capsys.readouterr().out) == made.to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "--n-inputs", "3", "--ridge", "0.1"], "--ridge=0.1 needs DATA"),
        (["plan"], "give DATA, or some of --n-inputs, --n-samples, --dimension"),
        (["plan", "gone.npy"], "DATA='gone.npy' does not exist"),
        (["plan", "--n-inputs", "3", "--eps", "0"], "--eps=0.0 must be"),
        (["plan", "--n-inputs", "3", "--out", "."], "is a directory: give a file"),
        (["plan", "--n-inputs", "three"], "Invalid value for '--n-inputs'"),
        (["plan", "--pool-size", "0", "--n-inputs", "3"], "--pool-size=0 must be at least 1"),
        (["plan", "--map", "fourier"], "--map fourier needs DATA"),
        (["plan", "--task", "ridge"], "--task ridge needs DATA"),
        (["plan", "--task", "x"], "--task='x' is not one of"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(refusal, arguments, message):
    assert message in refusal(arguments)


def test_any_map_with_a_variance_is_planned(rows_file, capsys):
    X, line = np.load(rows_file), ("--arg", "gamma=0.5", "--eps", "0.2")
    phi = FourierFeatures.draw(5, 64, gamma=0.5, seed=0)
    for name in ("fourier", "mehler:FourierFeatures"):
        assert call("plan", str(rows_file), "--map", name, *line) == 0
        assert capsys.readouterr().out == f"{planning.plan_map(phi, X, eps=0.2)}\n"
    assert call("plan", str(rows_file), "--map", "tests.cli.verified_maps:signs") == 2
    assert "declares no kernel and no variance" in capsys.readouterr().err


def test_a_ridge_is_planned_for_the_target_and_the_map_that_are_given(
    tmp_path, monkeypatch, capsys
):
    """Noise of 0.5 is estimated from 300 residuals, to 15 %."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    y = 2.0 * X[:, 0] / np.linalg.norm(X, axis=1) + 0.5 * rng.standard_normal(300)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y, "z": ["u", "v"] * 150})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    made, options = planning.plan(n_inputs=3, measure=False), {}
    monkeypatch.setattr(planning, "plan_ridge", lambda data, **words: options.update(words) or made)
    line = ("plan", str(tmp_path / "rows.csv"), "--task", "ridge", "--map", "fourier,relu")
    assert call(*line, "--target", "y", "--drop", "z") == 0
    assert options["maps"] == ("fourier", "relu")
    assert 0.42 < options["noise"] < 0.58
    assert "Of the target y, by the ridge of the least leave-one-out error" in (
        capsys.readouterr().out
    )
    assert call(*line, "--target", "y", "--drop", "z", "--noise", "0.1", "--norm", "3") == 0
    assert (options["noise"], options["norm"]) == (0.1, 3.0)
    assert call(*line, "--target", "z") == 2
    assert "--target is of labels" in capsys.readouterr().err


def test_rows_of_zeros_are_left_out(tmp_path, capsys):
    np.save(tmp_path / "rows.npy", np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]))
    assert call("plan", str(tmp_path / "rows.npy"), *QUICK) == 0
    assert "1 of zeros left out" in capsys.readouterr().err


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch, capsys):
    out = tmp_path / "plan.txt"
    out.write_text("before")

    def fail(*arguments, **options):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    assert call("plan", "--n-inputs", "3", "--out", str(out), *QUICK) == 2
    assert out.read_text() == "before"
    assert os.listdir(tmp_path) == ["plan.txt"]
    assert "disk full" in capsys.readouterr().err
