"""What other tests say of maps, fits, checks and statements, said of the stand-in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mehler import report
from mehler.proofs_checks import STATEMENTS
from tests.devices.standin import counted
from tests.report import toys

ROOT = Path(__file__).parents[2]
# The others take up to half a minute each.
QUICK = ("kitchen-sinks.kernel", "fourier.pairs-variance", "group-invariant.lemma-1")


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(one, id=one.id, marks=[] if one.id in QUICK else [pytest.mark.full])
        for one in STATEMENTS
    ],
)
def test_statements_come_out_as_expected(statement):
    done = report.run([statement], backend="cupy", with_data=False, seed=1)
    assert done.exit_status == 0, done


@pytest.mark.full
def test_the_report_measures_maps_there():
    """With hundreds of launches; that the numbers are right its own tests say."""
    rows = np.random.default_rng(0).standard_normal((40, 3))
    with counted() as found:
        done = report.run([toys.TRUE], data=rows, backend="cupy")
    assert done.exit_status == 0
    assert done.provenance["backend"] == "cupy"
    assert found.launches > 200


@pytest.mark.full
def test_the_tests_for_a_gpu_pass():
    """All of `-m gpu` with CuPy: maps, kernels, recipes, codes, ridge, box ERM and the others."""
    told = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "tests.devices.everywhere"),
            *("-p", "no:cacheprovider", "-m", "gpu", "-k", "cupy", "tests"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )
    assert told.returncode == 0, told.stdout[-4000:]
    assert " passed" in told.stdout
