"""`mehler verify` and maps that warn, print, wait, exit, raise, or need the modules beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mehler.audit import verify_map
from mehler.audit._import import Imports
from tests.cli.test_cli import call
from tests.cli.test_verify import COARSE

HERE = Path(__file__).parent
MAPS = str(HERE / "unruly_maps.py")
# Told, a run takes fewer draws by far.
SIGNS = ("--law", "signs")


def verify(name, kernel, *options):
    return call("verify", f"{MAPS}:{name}", "--kernel", kernel, *COARSE, *options)


def run(name, kernel, *options):
    """In a process of its own, where warnings are no errors."""
    line = (sys.executable, "-m", "mehler", "verify", f"{MAPS}:{name}", "--kernel", kernel)
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    return subprocess.run(
        [*line, *COARSE, *options], capture_output=True, text=True, check=False, env=environment
    )


@pytest.mark.full
def test_a_warning_is_shown_once_whatever_its_category():
    done = run("warning", "linear", *SIGNS)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stderr.splitlines()) == [
        "mehler: warning: this map is called (FutureWarning, said once)",
        "mehler: warning: this map is drawn (UserWarning, said once)",
    ]


@pytest.mark.full
def test_warnings_that_differ_each_time_are_few_lines():
    told = run("chattering", "linear", *SIGNS).stderr.splitlines()
    # What a dependency says of another when it is imported is not the map's.
    lines = [line for line in told if line.startswith("mehler: ")]
    assert len(lines) == 21
    assert lines[-1] == "mehler: warning: there are more, which are not shown"


def test_what_a_target_prints_is_not_the_commands(tmp_path):
    done = run("printing", "linear", *SIGNS, "--json", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert "has the kernel linear" in done.stdout
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
        words = "; ".join(line.strip() for line in lines if "second" not in line)
        said.append(set(words.replace("structure: ", "").split("; ")))
    assert said[0] - said[1] == {
        f"drawing seeds the global generator of {name}" for name in ("random", "numpy.random")
    }
    assert said[1] <= said[0]


def test_a_call_that_sets_a_global_state_is_refuted(capsys):
    assert verify("reseeding_when_called", "linear", *SIGNS) == 1
    assert "a call changes the global random state of numpy.random" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "kernel", "options", "status", "words"),
    [
        ("sparse", "linear", SIGNS, 0, "has the kernel linear"),
        ("half", "linear", SIGNS, 0, "has the kernel linear"),
        ("not_fitted", "rbf", ("--law", "cos-offset"), 0, "has the kernel rbf"),
        ("positive", "exp", ("--law", "positive"), 0, "by --law positive: m features exp(w.x"),
        (
            "positive",
            "exp",
            ("--law", "positive", "--arg", "gamma=0.4", "--param", "gamma=0.4"),
            0,
            "",
        ),
        ("not_normalised", "exp", ("--law", "positive"), 1, "does not have the kernel exp"),
        ("leaning", "exp", ("--law", "positive-orthogonal"), 1, "QR factorisation"),
    ],
)
@pytest.mark.sampled(1)
def test_what_is_taken(capsys, name, kernel, options, status, words):
    assert verify(name, kernel, *options) == status
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "kernel", "options", "message"),
    [
        ("leaving", "linear", (), "wants to exit, with 0"),
        ("raising", "linear", (), "KeyError: 'weights'"),
        ("not_fitted_method", "rbf", (), "not fitted: return it fitted"),
        ("complex_waves", "rbf", (), "np.hstack([Z.real, Z.imag])"),
        pytest.param(
            *("half", "linear", ("--resolution", "0.002", "--law", "signs")),
            "finer than the rounding",
            marks=pytest.mark.full,
        ),
        ("positive", "exp", ("--law", "cosine"), "law='cosine' is not known for the kernel exp"),
        ("slow", f"{MAPS}:signs", ("--law", "signs"), "belongs to a kernel with a name"),
        ("slow", "linear", ("--law", "signs", "--bounds", "-1", "1"), "leave bounds"),
        ("slow", "linear", ("--time-limit", "-1"), "time_limit=-1.0 must be seconds"),
        ("slow", "linear", ("--claim", "close", "--law", "signs"), "says nothing of closeness"),
    ],
)
def test_what_could_not_run_is_no_verdict(capsys, name, kernel, options, message):
    assert verify(name, kernel, *options) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""


@pytest.mark.parametrize("also", [(), ("--also", "reproducible", "--also", "finite")])
@pytest.mark.full
def test_no_run_is_without_a_verdict(capsys, also):
    # At the finest resolution it takes a day; the limit is 3 seconds, Python's start included.
    start = time.perf_counter()
    status = verify("slow", "linear", "--resolution", "1e-3", "--time-limit", "3", *also)
    assert time.perf_counter() - start < 30.0
    assert status == 3
    said = capsys.readouterr().out
    assert "was not decided" in said
    assert "time limit" in said


def test_a_defect_is_refuted_before_the_time_is_up(capsys):
    options = ("--resolution", "1e-3", "--time-limit", "20", "--arg", "gamma=1.5")
    assert verify("positive", "exp", *options) == 1


def test_modules_beside_a_file_are_found_and_forgotten(capsys):
    before, path = set(sys.modules), list(sys.path)
    file = str(HERE / "neighbours" / "maps.py")
    samples = ("--bounds", "-8", "8", "--independent-features")
    line = ("verify", f"{file}:draw", "--kernel", f"{file}:linear", *COARSE, *samples)
    assert call(*line) == 0
    assert "draw has the kernel" in capsys.readouterr().out
    assert sys.path == path
    assert {"maps", "weights_beside", "late_beside"} & (set(sys.modules) - before) == set()


def test_another_folder_has_another_neighbour_of_the_same_name(tmp_path):
    values = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "beside.py").write_text(f"value = {number}\n")
        (folder / "main.py").write_text("from beside import value\n")
        with Imports() as imports:
            values.append(imports.load(f"{folder / 'main.py'}:value", what="target"))
    assert values == [1, 2]


def test_neighbours_do_not_stand_in_for_installed_packages(tmp_path, monkeypatch):
    (tmp_path / "jinja2.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "main.py").write_text("value = 3\n")
    monkeypatch.delitem(sys.modules, "jinja2", raising=False)
    with Imports() as imports:
        assert imports.load(f"{tmp_path / 'main.py'}:value", what="target") == 3
        import jinja2
    assert hasattr(jinja2, "Environment")


def test_one_file_named_twice_is_one_module(tmp_path):
    (tmp_path / "once.py").write_text("value = []\n")
    with Imports() as imports:
        first, second = (imports.load(f"{tmp_path / 'once.py'}:value", what="t") for _ in range(2))
    assert first is second


def test_a_file_may_be_called_like_a_module_that_is_loaded(tmp_path):
    (tmp_path / "numpy.py").write_text("value = 4\n")
    with Imports() as imports:
        assert imports.load(f"{tmp_path / 'numpy.py'}:value", what="target") == 4
    import numpy

    assert hasattr(numpy, "ndarray")


def test_a_module_that_exits_when_imported_does_not_pass(tmp_path, capsys):
    (tmp_path / "script.py").write_text("import sys\nsys.exit(0)\n")
    assert call("verify", f"{tmp_path / 'script.py'}:draw", "--kernel", "rbf") == 2
    assert "does not import (SystemExit: 0)" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", [None, 0, 1e9])
@pytest.mark.full
def test_a_limit_that_does_not_bind_changes_nothing(seconds):
    found = [
        verify_map(
            f"{MAPS}:sparse",
            "linear",
            law="signs",
            resolution=0.2,
            false_alarm=1e-6,
            time_limit=limit,
            picture=False,
        )
        for limit in (seconds, 60.0)
    ]
    assert found[0].evidence == found[1].evidence
