"""The command line: exit statuses, one-line errors, nothing written when nothing came of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mehler import __version__, report, statements
from mehler.cli import main
from mehler.cli._app import run_app
from mehler.cli._console import echo, one_line, progress
from mehler.report.render import _pages
from tests.report import toys

MAPS = Path(__file__).with_name("verified_maps.py")


@pytest.fixture
def few_maps():
    """Two maps are measured on the rows; tests of reports see every kind."""
    with toys.few_maps():
        yield


@pytest.fixture
def toy_statements(few_maps, monkeypatch):
    """The installed statements are toys."""
    all_toys = [toys.TRUE, toys.REPAIRED, toys.WRONG, toys.UNDECIDED, toys.BROKEN, toys.SILENT]
    by_id = {toy.id: toy for toy in all_toys}

    def discover(glob="*"):
        if glob in by_id:
            return [by_id[glob]]
        if glob == "*":
            return all_toys
        raise ValueError(f"statements={glob!r} matches no id")

    monkeypatch.setattr(statements, "discover", discover)


@pytest.fixture
def rows_file(tmp_path):
    np.save(tmp_path / "rows.npy", toys.rows(6, 3))
    return str(tmp_path / "rows.npy")


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return caught.value.code


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """Run a command that is refused in an empty folder, and return the one line that it prints."""

    def refuse(arguments: list[str]) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("MEHLER_DEBUG", raising=False)
        assert call(*arguments) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("mehler: error: ")
        assert captured.err.count("\n") == 1
        assert captured.out == ""
        assert os.listdir(tmp_path) == []
        return captured.err

    return refuse


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("identifier", "status"),
    [("toy.true", 0), ("toy.wrong", 1), ("toy.undecided", 3), ("toy.broken", 2)],
)
def test_report_is_written_and_the_status_tells(
    toy_statements, tmp_path, rows_file, capsys, identifier, status
):
    out = tmp_path / "out"
    line = ("report", rows_file, "--out", str(out), "--statements", identifier)
    assert call(*line, "--false-alarm", "1e-3") == status
    assert set(os.listdir(out)) == {"report.html", "report.json", "summary.md"}
    result = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert result["exit_status"] == status
    assert result["provenance"]["command"].startswith(f"mehler report {rows_file} --out {out}")
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == result["headline"]
    assert captured.err.splitlines()[0] == "mehler: rows.npy: 6 rows, 3 columns"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "gone.npy"], "DATA='gone.npy' does not exist"),
        (["report", "--statements", "no.*"], "statements='no.*' matches no id"),
        (["report", "--level", "slow"], "level='slow' is not one of 'quick', 'full'"),
        (["report", "--seed", "x"], "Invalid value for '--seed'"),
        (["report", "--false-alarm", "0"], "false_alarm=0.0 must be a probability"),
        (["report", "a.npy", "b.npy"], "unexpected extra argument"),
        (["compare"], "No such command 'compare'"),
        (["plan"], "give DATA, or some of --n-inputs, --n-samples, --dimension"),
        (["plan", "gone.npy"], "DATA='gone.npy' does not exist"),
        (["plan", "--n-inputs", "3", "--eps", "0"], "--eps=0.0 must be"),
        (["plan", "--n-inputs", "3", "--out", "."], "is a directory: give a file"),
        (["plan", "--n-inputs", "three"], "Invalid value for '--n-inputs'"),
        (["plan", "--pool-size", "0", "--n-inputs", "3"], "--pool-size=0 must be at least 1"),
        (["plan", "--map", "fourier"], "--map fourier needs DATA"),
        (["verify"], "Missing argument"),
        (["verify", "x:y"], "Missing option '--kernel'"),
        *(
            pytest.param(["verify", *words, "--kernel", "rbf", *more], said, marks=pytest.mark.slow)
            for words, more, said in (
                (["x"], [], "is not MODULE:NAME"),
                (["a:b"], ["--param", "gamma=x"], "not a number"),
                (["a:b"], ["--param", "gamma"], "is not K=V"),
                (["a:b"], ["--data", "no.csv"], "does not exist"),
                ([f"{MAPS}:broken"], [], "RuntimeError: the sampler broke"),
            )
        ),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(toy_statements, refusal, arguments, message):
    assert message in refusal(arguments)


@pytest.mark.parametrize("how", ["option first", "environment"])
def test_debug_shows_the_traceback(monkeypatch, capsys, how):
    """The status stays: Python's own of a traceback would be that of a refutation."""
    line = ["report", "gone.npy"]
    if how == "environment":
        monkeypatch.setenv("MEHLER_DEBUG", "1")
    else:
        line = ["--debug", *line]
    assert call(*line) == 2
    captured = capsys.readouterr().err
    assert captured.startswith("Traceback (most recent call last):\n")
    assert "does not exist" in captured.splitlines()[-1]


PAGES = ["report.html", "report.json", "summary.md"]
STAGES = {
    "run": (report, []),
    "require_writable": (report, []),
    "lines": (report, [*PAGES, "junit.xml", "made.json"]),
    "render_markdown": (_pages, []),
    "write_all": (_pages, []),
}


@pytest.fixture(scope="module")
def toy_report():
    return report.run((toys.TRUE,), with_data=False)


@pytest.mark.parametrize("stage", STAGES)
def test_an_interruption_names_the_files_that_are_in_place(
    stage, toy_statements, toy_report, tmp_path, monkeypatch, capsys
):
    """Each stage of a report is interrupted as it begins; what is named is what is there."""

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    module, names = STAGES[stage]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "run", lambda *args, **options: toy_report)
    monkeypatch.setattr(module, stage, interrupt)
    options = "--out", "out", "--junit", "junit.xml", "--certificate", "made.json"
    assert call("report", *options) == 130
    message = capsys.readouterr().err.splitlines()[-1]
    places = {path.name: path for path in tmp_path.rglob("*") if path.is_file()}
    assert set(places) == set(names)
    listing = ", ".join(str(places[name]) for name in names)
    expected = f"written before: {listing}" if names else "nothing was written"
    assert message == f"mehler: error: interrupted; {expected}"


@pytest.mark.parametrize("package", ["typer", "jinja2"])
def test_missing_extras_are_named(toy_statements, tmp_path, monkeypatch, capsys, package):
    if package == "typer":
        monkeypatch.setitem(sys.modules, "typer", None)
        monkeypatch.delitem(sys.modules, "mehler.cli._app", raising=False)
    else:
        monkeypatch.setattr(_pages, "find_spec", lambda name: None if name == package else name)
    assert call("report", "--out", str(tmp_path / "out")) == 2
    assert 'is not installed: pip install ".[cli,report]" in a checkout' in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "verify", "plan", "reproduce", "statements"])
def test_help_of_a_command_has_an_example(command, capsys):
    run_app([*command.split(), "--help"])
    assert f"Example: mehler {command}" in " ".join(capsys.readouterr().out.split())


def test_python_m_mehler_is_the_same_program():
    done = subprocess.run(
        [sys.executable, "-m", "mehler", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"mehler {__version__}\n", "")


def test_progress_is_a_line_on_a_terminal(monkeypatch, capsys):
    """What is printed meanwhile replaces it, and does not run together with it."""
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        with progress() as show:
            show("maxout.theorem-1 [x]", 1, 2)
            echo("mehler: rows", error=True)
        said = capsys.readouterr().err
        assert said == (
            "\x1b[K1/2 maxout.theorem-1 [x]\r\x1b[Kmehler: rows\n\x1b[K"
            if terminal
            else "mehler: rows\n"
        )


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("::stop-commands::x", "\\::stop-commands::x"),
        ("  ::error::x", "  \\::error::x"),
        ("a##[error]b", "a##\\[error]b"),
        ("a\n::error::x", "a ::error::x"),
        ("a\u2028::error::x\r::x", "a ::error::x ::x"),
        ("\x1b[2J a: b::c", "\\x1b[2J a: b::c"),
    ],
)
def test_names_are_no_commands_of_a_terminal_or_a_workflow(name, printed):
    assert one_line(name) == printed
