"""Every way in which the process of a target can end has its status, and words beside it.

A run that could not decide exits with 2, however it ended, never with a verdict's status.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mehler.cli._guest import report_limit, run_as_guest
from tests.cli import ending_maps

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks of POSIX")

MAPS = Path(__file__).with_name("ending_maps.py")
OPTIONS = ("--inputs", "2", "--resolution", "0.3")
FORKED = "the target forks, and a child process returned from it, which was ended"
HOLDS, REFUTED, FAILED = 0, 1, 2

# How the process ends: the status of the command, and what it says on standard error.
ENDS = {
    "returns": (HOLDS, ""),
    "twice": (REFUTED, ""),
    "raises": (FAILED, "no weights"),
    "raises_when_called": (FAILED, "no weights"),
    "raises_base": (FAILED, "GeneratorExit"),
    "interrupts": (FAILED, "interrupted; nothing was written"),
    "exits_0": (FAILED, "wants to exit, with 0"),
    "exits_1": (FAILED, "wants to exit, with 1"),
    "exits_none": (FAILED, "wants to exit, with None"),
    "exits_text": (FAILED, "wants to exit, with 'the target has the kernel'"),
    "leaves_0": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "leaves_1": (FAILED, "ended the process, with status 1, before there was a verdict"),
    "leaves_3": (FAILED, "ended the process, with status 3, before there was a verdict"),
    "leaves_in_c": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "exits_in_thread": (HOLDS, ""),
    "leaves_in_thread": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "killed": (FAILED, "was ended by SIGKILL (is memory exhausted?)"),
    "faults": (FAILED, "was ended by SIGSEGV"),
    "terminated": (FAILED, "was ended by SIGTERM"),
    "interrupted": (FAILED, "interrupted; nothing was written"),
    "aborts": (FAILED, "was ended by SIGABRT"),
    "exhausts": (FAILED, "Unable to allocate"),
    "becomes_another": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "forks_and_leaves": (HOLDS, ""),
    "forks": (HOLDS, FORKED),
    "forks_when_called": (HOLDS, FORKED),
    "forks_and_raises": (HOLDS, FORKED),
    "forks_and_exits": (HOLDS, FORKED),
    "forks_in_thread": (HOLDS, ""),
    "forks_wrong": (REFUTED, FORKED),
    "Fitted": (HOLDS, FORKED),
    "factory": (HOLDS, FORKED),
    "leaves_a_child": (HOLDS, ""),
    "leaves_a_daemon": (HOLDS, ""),
    "closes_streams": (HOLDS, ""),
    "stays": (HOLDS, ""),
    "exits_text_when_drawn": (FAILED, "wants to exit, with 'text'"),
    "raises_in_del": (HOLDS, "Exception ignored in"),
    "leaves_in_del": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "raises_at_exit": (HOLDS, "no weights"),
    "raises_in_thread": (HOLDS, "no weights"),
    "leaves_later": (FAILED, "ended the process, with status 0, before there was a verdict"),
    "alarmed": (FAILED, "was ended by SIGALRM"),
    "closes_python_streams": (HOLDS, ""),
    "loses_streams": (HOLDS, ""),
    "closes_files": (FAILED, "before there was a verdict"),
    "loses_its_folder": (HOLDS, ""),
    "ends_at_exit": (REFUTED, ""),
    "ends_at_exit_with_1": (HOLDS, ""),
}
HANGS = ("spins", "sleeps", "sleeps_in_c", "sleeps_with_the_lock", "holds_on", "stops")


# A shell starts what runs in the background with interruptions ignored.
INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
MEHLER = [sys.executable, "-c", INTERRUPTIBLE, "-m", "mehler"]


def verify(name, *options, kernel="linear"):
    # With a declaration a run takes fewer draws by far.
    law = ("--law", "signs") if kernel == "linear" else ()
    return ("verify", f"{MAPS}:{name}", "--kernel", kernel, *OPTIONS, *law, *options)


def run(words, **streams):
    """The command in a process of its own, whose status is looked at."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run([*MEHLER, *words], check=False, text=True, timeout=120, **streams)


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.sampled(4)
def test_an_end_has_its_status(name):
    status, words = ENDS[name]
    done = run(verify(name))
    assert done.returncode == status, done.stderr
    assert words in done.stderr
    assert done.stderr.count(FORKED) == (words == FORKED)
    verdict = f"{name} has the kernel" if status == HOLDS else f"{name} does not have the kernel"
    assert done.stdout.count(verdict) == (status != FAILED)


def acting(words):
    """What the process of a command runs, with the acts of the maps alone."""
    name, seconds = words
    report_limit(float(seconds))
    getattr(ending_maps, name)(0)(ending_maps.np.ones((1, 2)))
    return REFUTED


@pytest.mark.parametrize("name", HANGS)
def test_what_hangs_is_ended(name):
    start = time.perf_counter()
    status, message = run_as_guest(acting, [name, "1.5"])
    assert time.perf_counter() - start < 30.0
    assert status == FAILED
    assert "did not end within 1.5 s" in message


OURS = ("leaves_0", "leaves_3", "killed", "becomes_another", "ends_at_exit", "leaves_a_child")


@pytest.mark.parametrize("name", OURS)
def test_the_status_is_reported_and_not_that_of_the_process(name):
    status, message = run_as_guest(acting, [name, "60"])
    reported = name in ("ends_at_exit", "leaves_a_child")
    assert status == (REFUTED if reported else FAILED)
    assert bool(message) == (not reported)


@pytest.mark.full
@pytest.mark.parametrize("options", [(), ("--jobs", "2"), ("--out", "report")])
def test_a_kernel_or_another_process_that_forks(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(verify("forks", *options, kernel=f"{MAPS}:linear"))
    assert done.returncode == HOLDS, done.stderr
    assert done.stdout.count("forks has the kernel") == 1
    assert FORKED in done.stderr


@pytest.mark.full
def test_ctrl_c_ends_the_command_and_its_process():
    command = subprocess.Popen(
        [*MEHLER, *verify("sleeps")],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(5.0)
    os.killpg(command.pid, signal.SIGINT)
    out, error = command.communicate(timeout=30)
    assert command.returncode == FAILED
    assert out == ""
    assert error == "mehler: error: interrupted; nothing was written\n"


@contextlib.contextmanager
def broken():
    """A stream that takes nothing: a full disk, or where there is none a pipe that nobody reads."""
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            yield full
    else:
        with unread() as closed:
            yield closed


@contextlib.contextmanager
def unread():
    """A pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        yield closed


@pytest.mark.parametrize("words", [verify("twice"), ("statements",), ("--version",)])
@pytest.mark.sampled(1)
def test_output_that_did_not_arrive(words):
    with broken() as full:
        assert run(words, stdout=full).returncode == FAILED


@pytest.mark.parametrize(("name", "status"), [("exits_1", FAILED), ("returns", HOLDS)])
@pytest.mark.sampled(1)
def test_an_error_that_cannot_be_written_keeps_its_status(name, status):
    with broken() as full:
        assert run(verify(name), stderr=full).returncode == status


def test_a_pipe_that_nobody_reads():
    with unread() as closed:
        done = run(("statements",), stdout=closed)
    assert done.returncode == FAILED
    assert done.stderr == "mehler: error: standard output was closed\n"
