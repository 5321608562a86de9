"""Every way in which the process of a target can end has its status, and words beside it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mehler.cli._process import answer

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks of POSIX")

HERE = Path(__file__).parent
ENDING, MAPS = HERE / "ending_maps.py", HERE / "verified_maps.py"
HOLDS, REFUTED, FAILED, INTERRUPTED = 0, 1, 2, 130
X = np.random.default_rng(0).standard_normal((2, 3))
# Of what ends the process: words of the message.
ENDS = {
    "leaves_0": "ended the process, with status 0, before there was a verdict",
    "killed": "was ended by signal 9",
}
# Of what is raised: the error that the process answers with.
ERRORS = {
    "raises": "no weights",
    "interrupted": "raised KeyboardInterrupt",
    "exits_0": "sys.exit(0)",
}
HANGS = ("sleeps", "pools")


def verified(name, seconds=60.0):
    """The answer of a process that verifies a map."""
    outputs = dict.fromkeys(("out", "junit", "certificate", "json"), "")
    outputs |= {"here": str(HERE)}
    options = {"target": f"{ENDING}:{name}", "kernel": "linear"}
    return answer({"rows": X.tolist(), "outputs": outputs, "options": options}, seconds)


@pytest.mark.parametrize("name", ["returns", "stays"])
@pytest.mark.sampled(2)
def test_an_answer_arrives(name):
    start = time.perf_counter()
    answered = verified(name)
    assert answered["status"] == HOLDS
    assert "has the kernel linear" in answered["lines"][0]
    assert time.perf_counter() - start < 30.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDS)
@pytest.mark.sampled(3)
def test_an_end_is_no_answer(name):
    with pytest.raises(ChildProcessError) as caught:
        verified(name)
    assert ENDS[name] in str(caught.value)


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.sampled(2)
def test_an_error_is_answered(name):
    assert ERRORS[name] in verified(name)["error"]


@pytest.mark.slow
@pytest.mark.parametrize("name", HANGS)
@pytest.mark.sampled(2)
def test_what_hangs_is_ended(name):
    start = time.perf_counter()
    with pytest.raises(ChildProcessError, match=r"did not end within 3 s"):
        verified(name, 3.0)
    assert time.perf_counter() - start < 30.0


def run(*words, shell="{}", wait=120):
    """The command in a process of its own, within a line of a shell."""
    command = " ".join([f"'{sys.executable}' -m mehler", *map(str, words)])
    return subprocess.run(
        ["bash", "-c", shell.format(command)],
        check=False,
        text=True,
        timeout=wait,
        capture_output=True,
    )


def verify(name, *options, file=MAPS, kernel="linear"):
    law = ("--law", "signs") if name == "signs" else ()
    coarse = ("--resolution", "0.3", "--false-alarm", "1e-6")
    return ("verify", f"{file}:{name}", "--kernel", kernel, *coarse, *law, *options)


@pytest.mark.slow
def test_files_beside_data_and_target_do_not_replace_libraries(tmp_path, monkeypatch):
    """Neither in the command nor in its children, though the target finds its neighbours."""
    monkeypatch.chdir(tmp_path)
    for name in ("typing", "pickle", "socket", "typer", "jinja2", "argparse", "secrets"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    (tmp_path / "beside.py").write_text(MAPS.read_text())
    (tmp_path / "maps.py").write_text("import socket\nfrom beside import signs\n")
    np.save("rows.npy", np.random.default_rng(0).standard_normal((6, 5)))
    done = run(*verify("signs", "--data", "rows.npy", "--out", "page", file="maps.py"))
    assert done.returncode == HOLDS, done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "status", "error"),
    [
        ("{} 2>&-", REFUTED, ""),
        ("{} >/dev/full", FAILED, "mehler: error: "),
        ("set -o pipefail; {} | true", FAILED, ""),
    ],
)
@pytest.mark.sampled(2)
def test_streams_that_take_nothing(shell, status, error, tmp_path):
    file = tmp_path / "twin.json"
    done = run(*verify("shifted", "--json", file), shell=shell)
    assert done.returncode == status
    assert file.exists()
    assert done.stderr.startswith(error) == bool(error or not done.stderr)
    assert done.stderr.count("\n") == bool(error)


INTERRUPTIBLE = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


@pytest.mark.slow
@pytest.mark.parametrize("interruptions", [1, 3])
def test_ctrl_c_ends_the_command_and_its_processes(interruptions):
    command = subprocess.Popen(
        # A shell starts what runs in the background with interruptions ignored.
        [sys.executable, "-c", INTERRUPTIBLE, "-m", "mehler", *verify("pools", file=ENDING)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(4.0)
    for _ in range(interruptions):
        os.killpg(command.pid, signal.SIGINT)
        time.sleep(0.05)
    out, error = command.communicate(timeout=30)
    assert (command.returncode, out) == (INTERRUPTED, "")
    assert error in ("mehler: error: interrupted; nothing was written\n", "")
