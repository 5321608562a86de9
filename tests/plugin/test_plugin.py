"""The plugin counts the looks of a run, fails runs that overspend, and leaves others alone."""

import json
import re
import subprocess
import sys

import pytest

import mehler.verify  # noqa: F401  # NumPy cannot be imported twice, by each inner run
from mehler import recheck

pytest_plugins = ["pytester"]

# Looks without checks, so that runs are quick: the ledger does not know what it pays for.
SUITE = """
    import pytest

    @pytest.mark.parametrize("k", range(6))
    def test_look(mehler_ledger, k):
        mehler_ledger.spend(f"look {k}", 1e-9, looks=2)
"""
WORKERS = pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["one process", "two workers"])


def summary(result: pytest.RunResult) -> str:
    (line,) = [line for line in result.outlines if re.match(r"mehler: \d+ looks?", line)]
    return line


@WORKERS
@pytest.mark.sampled(1)
def test_a_run_tells_what_was_spent_and_who_spent_it(pytester, workers):
    pytester.makepyfile(test_suite=SUITE)
    result = pytester.runpytest_inprocess(*workers, "--mehler-json=out/looks.json")
    result.assert_outcomes(passed=6)
    assert summary(result) == "mehler: 12 looks, spent 1.2e-08 of 1e-06"
    content = json.loads((pytester.path / "out" / "looks.json").read_text())
    assert content["looks"] == 12
    assert content["lost_workers"] == 0
    assert not content["overdrawn"]
    assert [(entry["label"], entry["test"]) for entry in content["entries"]] == [
        (f"look {k}", f"test_suite.py::test_look[{k}]") for k in range(6)
    ]


CERTIFIED = """
    import numpy as np
    import pytest
    from mehler import verify

    @pytest.mark.parametrize("k", range(2))
    def test_mean(mehler_ledger, k):
        coins = np.random.default_rng(k).random(3000) < 0.5
        verify.check_mean(coins, 0.5, binary=True, resolution=0.2, ledger=mehler_ledger)
"""


@WORKERS
@pytest.mark.sampled(1)
def test_certificates_name_their_tests_and_are_confirmed(pytester, workers):
    pytester.makepyfile(test_suite=CERTIFIED)
    pytester.runpytest_inprocess(*workers, "--mehler-certificate=out/all.json")
    file = pytester.path / "out" / "all.json"
    content = json.loads(file.read_text())
    assert content["of"] == [f"test_suite.py::test_mean[{k}]" for k in range(2)]
    assert recheck.main([str(file)]) == 0


def test_a_look_that_the_budget_does_not_cover_fails_its_test(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess("--mehler-budget=9e-9")
    result.assert_outcomes(passed=4, failed=2)
    result.stdout.fnmatch_lines(["*BudgetExceeded*raise the budget or lower false_alarm*"])


@pytest.mark.slow
def test_workers_that_overspend_together_fail_the_run(pytester):
    """No worker alone spends 1e-8, all tests pass: the sum is what tells."""
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess("-n2", "--dist=each", "--mehler-budget=1.3e-8")
    result.assert_outcomes(passed=12)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "spent 2.4e-08 of 1.3e-08; over budget" in summary(result)


@pytest.mark.slow
def test_a_crashed_worker_is_not_passed_over(pytester):
    pytester.makepyfile(
        """
        import os

        def test_crash(mehler_ledger):
            mehler_ledger.spend("look", 1e-9)
            os._exit(1)

        def test_look(mehler_ledger):
            mehler_ledger.spend("look", 1e-9)
        """
    )
    result = pytester.runpytest_inprocess("-n1", "--max-worker-restart=1")
    result.assert_outcomes(passed=1, failed=1)
    assert "the looks of 1 stopped worker are unknown" in summary(result)


def test_allotments_are_counted_once_and_overdrafts_fail_the_run(pytester):
    pytester.makepyfile(
        """
        from mehler import verify

        def test_examples(mehler_ledger):
            for seed in range(5):
                looks = mehler_ledger.allot("half", examples=2)
                looks.assert_holds(coin, seed=seed)

        def coin(*, seed, false_alarm):
            return verify.check_mean(
                [0.0, 1.0] * 500, 0.5, binary=True, resolution=0.5, false_alarm=false_alarm
            )
        """
    )
    result = pytester.runpytest_inprocess("--mehler-budget=4e-9")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert summary(result).startswith("mehler: 5 looks, spent 5e-09 of 4e-09; over budget")
    assert pytester.runpytest_inprocess("--mehler-budget=6e-9").ret == pytest.ExitCode.OK


def test_other_suites_are_not_disturbed(pytester):
    """Strict options, warnings as errors, and no array library beside what pytest brings."""
    pytester.makepyfile(
        """
        import sys

        def test_alone():
            assert not {"numpy", "scipy", "hypothesis.strategies"} & set(sys.modules)
        """
    )
    strict = ("-W", "error", "--strict-markers", "--strict-config")
    # The plugin of jaxtyping, which Equinox brings, imports NumPy.
    result = pytester.runpytest_subprocess(*strict, "-p", "no:jaxtyping")
    result.assert_outcomes(passed=1)
    assert "mehler:" not in result.stdout.str()
    assert not (pytester.path / ".pytest_cache/d/mehler").exists()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--mehler-budget=2", "'2' is not a probability in (0, 1), such as 1e-6"),
        ("--mehler-budget=x", "'x' is not a probability in (0, 1), such as 1e-6"),
        ("--mehler-budget=nan", "'nan' is not a probability in (0, 1), such as 1e-6"),
        ("--mehler-seed=-1", "'-1' is not a non-negative integer, such as 0"),
        ("--mehler-json=.", "is a directory: give a file"),
    ],
)
def test_bad_options_are_refused_before_any_test(pytester, option, message):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


def test_importing_the_plugin_imports_five_small_files():
    code = (
        "import sys, pytest; before = set(sys.modules); import mehler.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    package = "mehler.pytest_plugin"
    ours = ["mehler", "mehler._plural", "mehler._run_seed", "mehler._version", package]
    assert loaded == ours
