"""What was read is said first, and options say how to read."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.cli.test_cli import call, few_maps
from tests.cli.test_verify import COARSE

__all__ = ["few_maps"]


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).standard_normal((40, 3)), columns=["a", "b", "c"])
    path = tmp_path / "rows.csv"
    frame.assign(name="bob", id=range(40)).to_csv(path)
    return path


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "command",
    [
        ["plan", "{}", "--delta", "0.1", "--max-rows", "8"],
        ["report", "{}", "--statements", "maxout.q1-linear", "--out", "{}.report"],
        ["verify", "tests.cli.verified_maps:sized", "--kernel", "rbf", *COARSE, "--data", "{}"],
    ],
    ids=lambda command: command[0],
)
def test_what_was_read_is_said_first(few_maps, table, capsys, command):
    words = [word.format(table) for word in command]
    assert call(*words, "--drop", "name", "--target", "c", "--standardize") in (0, 3)
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == (
        "mehler: rows.csv: 40 rows, 3 columns, target c (index column "
        "Unnamed: 0 left out; standardized)"
    )
    assert rest[2] == "  id: 0 to 39"
    assert "mehler: warning: column 'id' is like an id" in rest[3]


def test_columns_are_chosen_by_name(table, capsys):
    words = ("--columns", "a,b", "--no-measure")
    assert call("plan", str(table), *words) == 0
    assert capsys.readouterr().err.startswith("mehler: rows.csv: 40 rows, 2 columns\n")


@pytest.mark.parametrize(
    "command", [("plan", "--n-inputs", "3"), ("verify", "a:b", "--kernel=rbf")]
)
@pytest.mark.parametrize("option", ["--drop=name", "--standardize", "--target=c", "--drop-missing"])
def test_options_about_data_need_data(command, option, capsys):
    assert call(*command, option) == 2
    assert "says how to read DATA, which is not given" in capsys.readouterr().err


@pytest.mark.slow
def test_the_replay_of_data_is_the_command(few_maps, table):
    command = ("report", str(table), "--drop", "name,id", "--target", "c")
    assert call(*command, "--out", str(table.with_name("out"))) == 0
    found = json.loads((table.with_name("out") / "report.json").read_text("utf-8"))
    assert [one["replay"] for one in found["data"]["evidence"]] == [found["provenance"]["command"]]
    assert found["provenance"]["command"].startswith(shlex.join(("mehler", *command)))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "z"), "--target z is no column of DATA='"),
        ((), "leave out with --drop name, or frame = pandas.get_dummies("),
    ],
)
def test_messages_name_the_options_of_the_command(table, capsys, words, said):
    assert call("report", str(table), *words) == 2
    assert said in capsys.readouterr().err
