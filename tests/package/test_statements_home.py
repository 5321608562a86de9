"""The statements have one home and one name, `mehler.proofs_checks`."""

import subprocess
import sys
from pathlib import Path

import pytest

import mehler.proofs_checks
from mehler.statements import discover

ROOT = Path(__file__).parents[2]


def test_statements_are_discovered_under_their_name():
    checked = [claim for claim in discover() if claim.checks]
    ours = [claim for claim in checked if claim.checks[0].run.__module__.startswith("mehler.")]
    assert ours == [claim for claim in mehler.proofs_checks.STATEMENTS if claim.checks]


@pytest.mark.parametrize("name", ["proofs_checks", "proofs_checks.maxout.kernel.figure_1"])
def test_the_folder_is_not_imported_by_its_own_name(name):
    """From the top of the repository, where Python would find it and load a second copy."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "ImportError: import it as mehler.proofs_checks" in done.stderr
