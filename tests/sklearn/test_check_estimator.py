"""`check_estimator` as users call it, with array API dispatch switched on before SciPy loads."""

import json
import os
import re
import subprocess
import sys

import pytest

CHECK = """
import json, warnings
warnings.simplefilter("ignore")
from array_api_strict import ArrayAPIStrictFlags
from sklearn.utils.estimator_checks import check_estimator
from tests.sklearn._estimators import RIDGES, SAMPLERS
found = []
for estimator in SAMPLERS + RIDGES:
    with ArrayAPIStrictFlags(boolean_indexing=True, data_dependent_shapes=True):
        found += check_estimator(estimator, on_skip=None, on_fail=None)
print(json.dumps([(one["check_name"], one["status"], str(one["exception"])) for one in found]))
"""
# Devices and libraries that are not at hand; dpnp, XPU and MPS are none of ours.
ABSENT = re.compile("cuda|cupy|dpnp|XPU|MPS|PyTorch is not installed|torch is not installed")


@pytest.mark.slow
def test_every_check_of_every_estimator_runs_and_passes():
    done = subprocess.run(
        [sys.executable, "-c", CHECK],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(done.stdout.splitlines()[-1])
    odd = [check for check in results if check[1] != "passed" and not ABSENT.search(check[2])]
    assert odd == []
    names = [name for name, status, _ in results if status == "passed"]
    # On array_api_strict of two devices at least, each estimator.
    assert names.count("check_array_api_input") >= 2 * 13
    assert names.count("check_sample_weight_equivalence_on_dense_data") == 5
