"""The page for strangers, tried as written in a scratch package of their own."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mehler.verify  # NumPy cannot be imported twice, by each inner run
from tests.docs._blocks import ROOT

PAGE = (ROOT / "docs" / "testing-your-map.md").read_text(encoding="utf-8")
FILES = dict(
    re.findall(r"^```\{code-block\} python\n:caption: (\S+)\n\n(.*?)^```$", PAGE, re.M | re.S)
)


pytest_plugins = ["pytester"]


@pytest.fixture
def package(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CI", raising=False)
    for name, text in FILES.items():
        (pytester.path / name).write_text(text, encoding="utf-8")
    return pytester.path


@pytest.mark.slow
def test_the_three_lines_pass_and_print_what_the_page_says(package):
    """In a process of their own, as a stranger runs them, every warning an error."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "test_fourier.py"],
        cwd=package,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    (promised,) = re.findall(r"^mehler: .*$", PAGE, re.M)
    assert promised in result.stdout.splitlines()


@pytest.fixture
def run_tests(package, pytester):
    def run(*options: str) -> tuple[int, str]:
        """Run pytest there, in this process: exit status and output."""
        result = pytester.runpytest_inprocess("-q", "-W", "error", *options)
        return result.ret, result.stdout.str()

    return run


def test_a_failure_begins_as_the_page_says(package, run_tests):
    text = FILES["fourier.py"].replace("np.sqrt(2 * gamma)", "np.sqrt(gamma)")
    (package / "fourier.py").write_text(text, encoding="utf-8")
    (promised,) = re.findall(r"^AssertionError: .*?(?=^```)", PAGE, re.M | re.S)
    _, output = run_tests("test_fourier.py")
    # How near the cause is named depends on the draws that fit into three seconds.
    said, promised = (re.sub(r"= 0\.5\d\d ± [\d.]+", "= ±", text) for text in (output, promised))
    lines = [line.removeprefix("E").strip() for line in said.splitlines()]
    assert [line for line in promised.splitlines() if line.strip() not in lines] == []


def test_mistakes_have_the_sentences_of_the_page():
    sampler = pytest.importorskip("sklearn.kernel_approximation").RBFSampler
    X = np.random.default_rng(0).normal(size=(6, 3))
    kernel = lambda X, Y: np.exp(-((X[:, None] - Y[None]) ** 2).sum(-1))  # noqa: E731
    right = lambda seed: lambda X: X  # noqa: E731

    def converted(X, Y):
        raise TypeError("no tensor")

    mistakes = [
        (lambda seed, X: X, kernel),
        (lambda seed: X, kernel),
        (sampler, kernel),
        (sampler().fit(X).transform, kernel),
        (lambda seed: sampler(), kernel),
        (right, kernel(X, X)),
        (right, converted),
    ]
    sentences = re.findall(r"^\| [^|]+ \| ([^|]{60,}) \|$", PAGE.partition("| message |")[2], re.M)
    for (draw, claimed), sentence in zip(mistakes, sentences[:7], strict=True):
        with pytest.raises((TypeError, ValueError), match=re.escape(sentence)):
            mehler.verify.check_kernel(draw, claimed, X)
