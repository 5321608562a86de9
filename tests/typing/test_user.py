"""A user's file that calls every public room: it runs, and type checkers see all that it names."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from mehler import verify
from tests.typing import user

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def test_it_runs(tmp_path):
    user.main(tmp_path)


@pytest.mark.full
def test_mypy_sees_everything_and_would_see_mistakes(tmp_path):
    found = checked(tmp_path, HERE / "user.py")
    assert found.returncode == 0, found.stdout
    wrong = tmp_path / "wrong.py"
    text = (HERE / "user.py").read_text()
    text = text.replace("mehler.verify.check_kernel(", "mehler.verify.chek_kernel(")
    text = text.replace("mehler.bounds.kernel_error.all_pairs(", "mehler.bounds.kernel_error.some(")
    wrong.write_text(text.replace("status: str = found.status", "status: int = found.status"))
    found = checked(tmp_path, wrong)
    assert found.stdout.count("error:") >= 3, found.stdout


def checked(folder, file):
    """Check as for an installed package, whose own lines are not the user's concern."""
    options = ["--strict", "--follow-imports=silent", "--config-file", ""]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", str(folder / "cache"), str(file)],
        cwd=folder,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_assertion_takes_what_its_check_takes():
    one, other = (
        inspect.signature(function).parameters
        for function in (verify.assert_kernel, verify.check_kernel)
    )
    assert set(one) == set(other) | {"structure"}
    assert all(one[name].default == other[name].default for name in other)
