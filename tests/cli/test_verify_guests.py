"""`mehler verify` and maps that print, and set the global random state."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_verify_unruly import SIGNS, run, verify

VERDICT = "has the kernel linear"


def test_what_a_target_prints_is_not_the_commands(tmp_path):
    done = run("printing", "linear", *SIGNS, "--json", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert VERDICT in done.stdout
    for words in ("drawn", "past the name", "from C", "from a child", "called"):
        assert words not in done.stdout
        assert words in done.stderr
    assert json.loads((tmp_path / "report.json").read_text())


@pytest.mark.full
def test_a_target_that_sets_global_states_gets_the_verdict_of_one_that_does_not(capsys):
    said = []
    for name in ("reseeding", "well_behaved"):
        assert verify(name, "linear", *SIGNS) == 0
        lines = capsys.readouterr().out.replace(name, "map").splitlines()
        said.append([line for line in lines if "second" not in line])
    remarks = "; ".join(
        f"drawing seeds the global generator of {name}" for name in ("random", "numpy.random")
    )
    assert set(said[0]) - set(said[1]) == {f"  structure: {remarks}"}
    assert set(said[1]) <= set(said[0])


def test_a_call_that_sets_a_global_state_is_refuted(capsys):
    assert verify("reseeding_when_called", "linear", *SIGNS) == 1
    assert "a call changes the global random state of numpy.random" in capsys.readouterr().out
