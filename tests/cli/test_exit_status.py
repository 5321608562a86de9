"""A run that could not decide exits with 2, however it ended, never with a verdict's status."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

TARGET = """
import os, sys
import numpy as np

def good(seed):
    weights = np.random.default_rng(seed).standard_normal((2, 50)) / np.sqrt(50)
    return lambda rows: rows @ weights

def twice(seed):
    return lambda rows: np.sqrt(2.0) * good(seed)(rows)

def says_nothing(seed):
    sys.exit(0)

def says_refuted(seed):
    def phi(rows):
        sys.exit(1)
    return phi

def leaves(seed):
    raise SystemExit

def stops(seed):
    raise GeneratorExit

def moves(seed):
    os.chdir("elsewhere" if os.path.isdir("elsewhere") else ".")
    return good(seed)

def closes_both(seed):
    os.close(1)
    os.close(2)
    return good(seed)
"""


@contextlib.contextmanager
def broken():
    """A stream that takes nothing: a full disk, or where there is none a pipe that nobody reads."""
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            yield full
    else:
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as closed:
            yield closed


def command(*words):
    return [sys.executable, "-m", "mehler", *words]


def verify(factory):
    return command(
        "verify",
        f"target.py:{factory}",
        "--kernel",
        "linear",
        "--inputs",
        "2",
        "--resolution",
        "0.3",
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "target.py").write_text(TARGET)
    return tmp_path


def run(words, cwd, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(words, cwd=cwd, check=False, text=True, **streams)


def test_a_refusal_keeps_its_status(folder):
    assert run(verify("twice"), folder).returncode == 1


@pytest.mark.parametrize(
    ("factory", "said"),
    [
        ("says_nothing", "wants to exit, with 0"),
        ("says_refuted", "wants to exit, with 1"),
        ("leaves", "wants to exit, with None"),
        ("stops", "GeneratorExit"),
    ],
)
@pytest.mark.sampled(1)
def test_a_target_that_exits_has_no_verdict(folder, factory, said):
    done = run(verify(factory), folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_output_that_the_target_closed(folder):
    assert run(verify("closes_both"), folder).returncode == 2


@pytest.mark.parametrize("words", [verify("twice"), command("statements"), command("--version")])
@pytest.mark.sampled(1)
def test_output_that_did_not_arrive(folder, words):
    with broken() as full:
        assert run(words, folder, stdout=full).returncode == 2


@pytest.mark.parametrize(("factory", "status"), [("says_refuted", 2), ("good", 0)])
@pytest.mark.sampled(1)
def test_an_error_that_cannot_be_written_keeps_its_status(folder, factory, status):
    with broken() as full:
        assert run(verify(factory), folder, stderr=full).returncode == status


def test_a_pipe_that_nobody_reads(folder):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = run(command("statements"), folder, stdout=closed)
    assert done.returncode == 2
    assert done.stderr == "mehler: error: standard output was closed\n"


def test_files_go_where_they_were_asked_for(folder):
    """The target changes the working directory; its verdict keeps its status."""
    (folder / "elsewhere").mkdir()
    words = [*verify("moves"), "--out", "report", "--json", "numbers.json"]
    done = run(words, folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "report" / "report.html").exists()
    assert (folder / "numbers.json").exists()
    assert os.listdir(folder / "elsewhere") == []
    assert f"  {os.path.join('report', 'report.html')}\n" in done.stdout
