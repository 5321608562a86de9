"""The statements have one home, `mehler.proofs_checks`, by whichever name one comes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Modules that are loaded under both names and are two.
COPIES = """
import sys
copies = [n for n, m in sys.modules.items() if n.split(".")[0] == "proofs_checks"
          and m is not sys.modules.get(f"mehler.{n}")]
assert not copies, copies
"""
DISCOVERED = """
import mehler.proofs_checks
from mehler.statements import discover
ours = [one for one in discover() if one.checks[0].run.__module__.startswith("mehler.")]
assert ours == list(mehler.proofs_checks.STATEMENTS)
"""


@pytest.mark.parametrize(
    "code",
    [
        "import proofs_checks",
        "import proofs_checks.maxout.kernel.figure_1",
        "from proofs_checks.maxout.kernel import figure_1",
        "import mehler.proofs_checks.maxout.kernel.figure_1, proofs_checks.maxout.kernel.figure_1",
        "import proofs_checks.maxout.kernel.figure_1, mehler.proofs_checks.maxout.kernel.figure_1",
        # Imported by no statement.
        "import proofs_checks.group_invariant.permutations._plots",
    ],
)
@pytest.mark.sampled(1)
def test_a_checkout_loads_no_module_twice(code):
    """From the top of the repository, where the folder can be imported by its own name."""
    subprocess.run(
        [sys.executable, "-c", f"{code}\n{COPIES}{DISCOVERED}{COPIES}"], cwd=ROOT, check=True
    )
