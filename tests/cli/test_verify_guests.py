"""`mehler verify` and maps that print, fork, hang, and set the global random state."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from mehler.audit.target import _watch
from tests.cli.test_verify_unruly import MAPS, SIGNS, run, verify

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")

VERDICT = "has the kernel linear"


def test_what_a_target_prints_is_not_the_commands(tmp_path):
    done = run("printing", "linear", *SIGNS, "--json", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert VERDICT in done.stdout
    for words in ("drawn", "past the name", "from C", "from a child", "called"):
        assert words not in done.stdout
        assert words in done.stderr
    assert json.loads((tmp_path / "report.json").read_text())


@pytest.mark.parametrize("name", ["forking_when_called", "forking", "forking_and_raising"])
@pytest.mark.full
def test_a_child_that_returns_is_ended(name):
    done = run(name, "linear", *SIGNS)
    assert done.stdout.count(VERDICT) == 1, done.stderr
    assert done.returncode == 0
    assert done.stderr.count("child processes returned from it, which were ended") == 1
    assert "mehler: error" not in done.stderr


@pytest.mark.full
def test_a_child_that_ends_itself_is_nobodys_business():
    done = run("forking_well", "linear", *SIGNS)
    assert (done.returncode, done.stdout.count(VERDICT)) == (0, 1)
    assert "child" not in done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spinning", "the target did not return within 4 s"),
        ("waiting", "the target did not return within 4 s"),
        ("waiting_in_c", "the target did not return within 4 s"),
        ("stubborn", "cannot be interrupted"),
    ],
)
@pytest.mark.sampled(1)
def test_a_target_that_hangs_is_ended(name, words):
    """With a limit of seconds, in a process whose end is looked at; imports come before."""
    code = (
        "import sklearn.kernel_approximation, mehler.report;"
        "from mehler.cli import _verify, main; from mehler.audit.target import _watch;"
        "_watch._GRACE = 1.0; real = _watch.Watch.__init__;"
        "_watch.Watch.__init__ = lambda self, seconds: real(self, 4.0);"
        f"main(['verify', {MAPS + ':' + name!r}, '--kernel', 'linear'])"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert time.perf_counter() - start < 30.0
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


@pytest.mark.full
def test_a_target_that_sets_global_states_gets_the_verdict_of_one_that_does_not(capsys):
    said = []
    for name in ("reseeding", "well_behaved"):
        assert verify(name, "linear", *SIGNS) == 0
        lines = capsys.readouterr().out.replace(name, "map").splitlines()
        said.append([line for line in lines if "second" not in line])
    assert said[0] == said[1]


def test_what_hangs_is_seen_in_the_library_as_well():
    from mehler.audit import verify_map

    overdue = pytest.raises(RuntimeError, match=r"did not return within 0\.5 s")
    with overdue, _watch.as_errors(), _watch.Watch(0.5):
        verify_map(f"{MAPS}:waiting", "linear", picture=False)
