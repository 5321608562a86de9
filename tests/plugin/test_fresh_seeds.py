"""``--mehler-fresh-seeds`` reaches checks that name no seed, and ``--mehler-seed`` replays them."""

import re

import pytest

import mehler.verify  # noqa: F401  # NumPy cannot be imported twice, by each inner run
from tests.plugin.test_failures import MAPS

pytest_plugins = ["pytester"]

FRESH = "--mehler-fresh-seeds"
WORKERS = pytest.mark.parametrize(
    "workers",
    [
        pytest.param([], id="one process"),
        pytest.param(["-n2"], id="two workers", marks=pytest.mark.full),
    ],
)


def seeds(pytester, *options):
    """The seeds of a test without one, which fails and so prints them."""
    call = "verify.assert_kernel(signs, twice, X, variance=spread, structure=False)"
    pytester.makepyfile(MAPS + f"\n\ndef test_map():\n    {call}\n")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q", *options)
    result.assert_outcomes(failed=1)
    said = result.stdout.str()
    return re.findall(r"replay with  seed=(\d+)", said), re.findall(r"--mehler-seed=\d+", said)


@WORKERS
def test_checks_without_a_seed_get_fresh_ones_that_replay(pytester, workers):
    fresh, said = seeds(pytester, *workers, FRESH)
    assert fresh != ["0"]
    (replay,) = set(said)
    assert seeds(pytester, *workers, replay)[0] == fresh


def test_each_test_has_its_own_and_a_named_seed_stays(pytester):
    pytester.makepyfile(
        """
        import unittest
        from mehler import verify
        from mehler.verify._arguments import root_seed

        def test_fixture(mehler_seed):
            assert root_seed(None) == mehler_seed

        def test_named():
            assert root_seed(3) == 3
            print("seed", root_seed(None))

        def test_other():
            print("seed", root_seed(None))

        class TestOld(unittest.TestCase):
            def test_old(self):
                print("seed", root_seed(None))
        """
    )
    result = pytester.runpytest_inprocess("--mehler-seed=7", "-s", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=4)
    seeds = re.findall(r"seed (\d+)", result.stdout.str())
    assert len(set(seeds)) == 3
    from mehler import _run_seed

    assert _run_seed.seed is None
