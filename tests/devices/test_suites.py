"""What other tests say of maps, fits, checks and statements, said of the stand-in."""

from __future__ import annotations

import pytest

from mehler import report
from mehler.proofs_checks import STATEMENTS

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
