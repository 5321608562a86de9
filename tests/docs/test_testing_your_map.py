"""The page for strangers, tried as written in a scratch package of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs._blocks import ROOT

PAGE = (ROOT / "docs" / "testing-your-map.md").read_text(encoding="utf-8")
FILES = dict(
    re.findall(r"^```\{code-block\} python\n:caption: (\S+)\n\n(.*?)^```$", PAGE, re.M | re.S)
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run_tests(package: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest there as a stranger would, every warning an error."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", *options],
        cwd=package,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_three_lines_pass_and_print_what_the_page_says(package):
    result = run_tests(package, "test_fourier.py")
    assert result.returncode == 0, result.stdout
    (promised,) = re.findall(r"^mehler: .*$", PAGE, re.M)
    assert promised in result.stdout.splitlines()


def test_a_failure_begins_as_the_page_says(package):
    text = FILES["fourier.py"].replace("np.sqrt(2 * gamma)", "np.sqrt(gamma)")
    (package / "fourier.py").write_text(text, encoding="utf-8")
    (promised,) = re.findall(r"^AssertionError: .*?(?=^```)", PAGE, re.M | re.S)
    result = run_tests(package, "test_fourier.py")
    said = [line.removeprefix("E").strip() for line in result.stdout.splitlines()]
    assert [line for line in promised.splitlines() if line.strip() not in said] == []


@pytest.mark.full
def test_the_examples_pass_with_xdist(package):
    result = run_tests(package, "-n1", "test_fourier_examples.py")
    assert result.returncode == 0, result.stdout
    assert "mehler: 20 looks, spent 2e-08 of 1e-06" in result.stdout


@pytest.mark.parametrize("test", ["test_refactoring.py", "test_gradient.py"])
@pytest.mark.sampled(1)
def test_versions_and_gradients_pass(package, test):
    result = run_tests(package, test)
    assert result.returncode == 0, result.stdout
    assert "mehler: 1 look, spent 1e-09 of 1e-06" in result.stdout


CHANGES = {
    "test_refactoring.py": ("np.sqrt(n_features / 2)", "np.sqrt(n_features)"),
    "test_gradient.py": ("-2 * gamma", "-gamma"),
}


@pytest.mark.parametrize("test", CHANGES)
@pytest.mark.sampled(1)
def test_a_new_version_with_a_mistake_is_refuted(package, test):
    right, wrong = CHANGES[test]
    assert FILES[test].count(right) == 1
    (package / test).write_text(FILES[test].replace(right, wrong), encoding="utf-8")
    result = run_tests(package, test)
    assert result.returncode == 1, result.stdout
    assert ": refuted" in result.stdout


DEFECTS = {
    "a factor sqrt(2) lost": ("np.sqrt(2 / n_features)", "np.sqrt(1 / n_features)"),
    "bandwidth off by two": ("np.sqrt(2 * gamma)", "np.sqrt(gamma)"),
    "the offset left out": ("X @ w + b", "X @ w"),
}


@pytest.mark.parametrize("test", ["test_fourier.py", "test_fourier_examples.py"])
@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.full
def test_the_defects_that_the_page_names_are_refuted(package, defect, test):
    right, wrong = DEFECTS[defect]
    text = FILES["fourier.py"]
    assert text.count(right) == 1
    (package / "fourier.py").write_text(text.replace(right, wrong), encoding="utf-8")
    result = run_tests(package, test)
    assert result.returncode == 1, result.stdout
    assert "kernel: refuted" in result.stdout
    assert "Flaky" not in result.stdout
