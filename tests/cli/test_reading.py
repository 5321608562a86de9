"""What was read is said first, and options say how to read."""

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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "z"), "--target z is not a column of DATA='"),
        ((), "leave out with --drop name, or frame = pandas.get_dummies("),
    ],
)
def test_messages_name_the_options_of_the_command(table, capsys, words, said):
    assert call("report", str(table), *words) == 2
    assert said in capsys.readouterr().err
