"""A process that is forked after Dask was used computes Dask arrays, too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array")

# In a process of its own: a fork of pytest would print its tests again.
FORKS = """
import os, signal, sys, warnings
import dask.array as da, numpy as np, mehler
warnings.simplefilter("ignore")  # of threads that other libraries have
phi = mehler.MaxoutFeatures.draw(3, 8, 4, seed=0)
rows = da.from_array(np.eye(3), chunks=(1, 3))
known = phi(rows).compute()
child = os.fork()
if child == 0:
    signal.alarm(30)
    os._exit(0 if np.array_equal(phi(rows).compute(), known) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_does_not_wait_for_threads_of_its_parent():
    done = subprocess.run([sys.executable, "-c", FORKS], check=False)
    assert done.returncode == 0
