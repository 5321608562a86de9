"""Every planted defect is refuted by its check at default settings; correct twins hold."""

import pytest

from tests.verify.corpus.cases import CORRECT, PLANTED, TWINS

# Whether a right map is refuted is decided at the default false alarm, 1e-9 a verdict, and it is
# not held by chance at the default miss, 1e-6: some 80 verdicts fail by chance with probability
# below 1e-4, once for ever as seeds are fixed, and each failure is another seed's business to tell.
FRESH_SEEDS = range(1, 21)


def by_name(cases):
    return [pytest.param(case, id=f"{case.name} [{case.check}]") for case in cases]


@pytest.mark.slow
@pytest.mark.parametrize("twin", by_name(CORRECT))
@pytest.mark.sampled(3)
def test_without_the_defect_it_holds(twin):
    verdict = twin.look(twin.draw, 0)
    assert verdict.status == "holds", str(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("twin", by_name(TWINS))
@pytest.mark.sampled(3)
def test_surprising_twin_holds(twin):
    verdict = twin.look(twin.draw, 0)
    assert verdict.status == "holds", f"{twin.why}: {verdict}"


@pytest.mark.full
@pytest.mark.parametrize("twin", by_name([*CORRECT, *TWINS]))
def test_no_false_alarm_at_fresh_seeds(twin):
    """The default run takes seed 0 of each."""
    for seed in FRESH_SEEDS:
        verdict = twin.look(twin.draw, seed)
        assert verdict.status == "holds", f"{twin.why}, seed {seed}: {verdict}"


def test_names_are_distinct_and_enough():
    names = [(case.name, case.check) for case in (*PLANTED, *CORRECT, *TWINS)]
    assert len(set(names)) == len(names)
    assert len(PLANTED) >= 50
