"""A user's file that calls every public package: it runs, and mypy accepts it."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mehler import verify
from tests.typing import user

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"


def test_it_runs(tmp_path):
    user.main(tmp_path)


@pytest.mark.full  # mypy reads the whole package anew; CI runs it beside its own
def test_mypy_sees_everything_that_is_right_and_each_mistake(tmp_path):
    """Check as for an installed package, whose own lines are not the user's concern."""
    pytest.importorskip("mypy", reason="the extra dev brings it, and CI installs that")
    options = ["--strict", "--follow-imports=silent", "--config-file", ""]
    files = [HERE / "user.py", HERE / "mistakes.py"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", str(tmp_path), *map(str, files)],
        cwd=tmp_path,
        env={"MYPYPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"(\w+)\.py:(\d+): error:", run.stdout)
    tree = ast.parse((HERE / "mistakes.py").read_text())
    imports = (ast.Import, ast.ImportFrom)
    last_import = max(i for i, node in enumerate(tree.body) if isinstance(node, imports))
    # The two statements after the imports make the rows and the map, and are right.
    mistakes = {("mistakes", str(node.lineno)) for node in tree.body[last_import + 3 :]}
    assert set(errors) == mistakes, run.stdout


def test_an_assertion_takes_what_its_check_takes():
    asserted, checked = (
        inspect.signature(function).parameters
        for function in (verify.assert_kernel, verify.check_kernel)
    )
    assert set(asserted) == set(checked) | {"structure"}
    assert all(asserted[name].default == checked[name].default for name in checked)
