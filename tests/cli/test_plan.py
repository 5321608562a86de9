"""`mehler plan`: a table or JSON, from a file or from numbers."""

import json
import os

import numpy as np
import pytest

from mehler import FourierFeatures, planning
from tests.cli.test_cli import call

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
    loss = ("--lipschitz", "2", "--scale", "3", "--loss-bound", "4")
    line = (*numbers, *loss, "--eps", "0.2", "--pool-size", "8", "--json", *QUICK)
    out = tmp_path / "made" / "plan.json"
    assert call("plan", *line, "--out", str(out)) == 0
    assert out.stat().st_mode & 0o777 == 0o644
    expected = planning.plan(
        n_inputs=784,
        n_samples=60000,
        dimension=10,
        lipschitz=2,
        scale=3,
        loss_bound=4,
        eps=0.2,
        pool_size=8,
        measure=False,
    )
    printed = capsys.readouterr().out
    assert json.loads(printed) == json.loads(json.dumps(expected.to_dict()))
    assert out.read_text(encoding="utf-8") == printed
    assert os.listdir(out.parent) == ["plan.json"]


def test_any_map_with_a_variance_is_planned(rows_file, capsys):
    X, line = np.load(rows_file), ("--arg", "gamma=0.5", "--eps", "0.2")
    phi = FourierFeatures.draw(5, 64, gamma=0.5, seed=0)
    for name in ("fourier", "mehler:FourierFeatures", "mehler.sklearn:FourierSampler"):
        assert call("plan", str(rows_file), "--map", name, *line) == 0
        assert capsys.readouterr().out == f"{planning.plan(X, map=phi, eps=0.2)}\n"
    refusals = {
        "tests.cli.verified_maps:signs": "declares no kernel and no variance",
        "gauss": "error: --map='gauss' is not MODULE:NAME",
        "kitchen-sinks": "give --arg activation=...",
    }
    for name, message in refusals.items():
        assert call("plan", str(rows_file), "--map", name) == 2
        assert message in capsys.readouterr().err
