"""Every fault is seen by the check that must see it; ``-m full`` runs those beyond the default."""

import pytest

from tests.verify.faults import DEFAULT, Fault
from tests.verify.faults.systems import FAULTS


def with_marks(fault: Fault):
    marks = [pytest.mark.sampled(DEFAULT[fault.system], fault.system)]
    if fault.seen_by in ("check_convergence", "mehler verify"):
        marks.append(pytest.mark.slow)
    if fault.slow:
        marks.append(pytest.mark.full)
    return pytest.param(fault, id=f"{fault.system}-{fault.name}", marks=marks)


@pytest.mark.parametrize("fault", [with_marks(row) for row in FAULTS if row.run])
def test_a_fault_is_seen(fault):
    status, words = fault.run()
    assert status == fault.status, words
    assert fault.words in words


def test_a_name_is_that_of_one_fault():
    names = [(fault.system, fault.name) for fault in FAULTS]
    assert len(set(names)) == len(names)
    assert {system for system, _ in names} == DEFAULT.keys()
