"""What a failing assertion shows: a table, the caller's line, the right cause."""

import re
import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

MAPS = """
import numpy as np
from mehler import verify

X = np.random.default_rng(0).standard_normal((4, 3))


def signs(seed):
    w = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    return lambda X: X @ w / np.sqrt(500)


def deaf(seed):
    return signs(0)


def linear(X, Y):
    return X @ Y.T


def twice(X, Y):
    return 2 * X @ Y.T


# The variance of a unit of the map; with it, a check takes a dozen draws and not thousands.
def spread(X, Y):
    lengths = np.outer((X**2).sum(axis=1), (Y**2).sum(axis=1))
    return lengths + (X @ Y.T) ** 2 - 2 * X**2 @ (Y**2).T
"""


def failure(pytester, call, *options):
    """The account of one failing assertion; options of the outer suite do not reach it."""
    pytester.makepyfile(MAPS + f"\n\ndef test_map():\n    {call}\n")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", *options)
    result.assert_outcomes(failed=1)
    return result.stdout.str()


WAYS = [
    pytest.param([], id="plain"),
    pytest.param(["-n1"], id="xdist"),
    pytest.param(["-p", "no:mehler"], id="without plugin"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", WAYS)
def test_the_pairs_are_in_a_table_and_our_frames_are_not_shown(pytester, options):
    call = "verify.assert_kernel(signs, twice, X, variance=spread, resolution=0.1)"
    said = failure(pytester, call, *options)
    lines = [line[1:].removeprefix(" " * 7) for line in said.splitlines() if line.startswith("E ")]
    assert lines[0] == "AssertionError: estimate / exact is 0.50 at every pair (1/2)"
    (n,) = re.findall(r"^kernel: refuted at (\d+) of 10 pairs, off by -0\.[45]", lines[1])
    start = next(k for k, line in enumerate(lines) if "verdict" in line)
    head, rows = lines[start], lines[start + 1 : start + 7]
    assert head.split() == ["pair", "exact", "measured", "interval", "off", "by", "verdict"]
    for word in ("exact", "measured", "interval", "verdict"):
        at = head.index(word)
        assert all(row[at - 1] == " " and row[at] != " " for row in rows), word
    pairs = [row.split("  ")[1] for row in rows]
    assert len(set(pairs)) == 6
    assert set(pairs) <= {f"{i}, {j}" for i in range(4) for j in range(i, 4)}
    more = lines[start + 7].strip()
    assert more.startswith("and 4 pairs more: ")
    counts = [int(count) for count in re.findall(r"(\d+) refuted", more)]
    assert int(n) == sum(row.endswith("refuted") for row in rows) + sum(counts)
    assert max(map(len, lines)) <= 96
    assert "replay with  seed=0" in said
    # The one frame is the test's own.
    assert re.findall(r"^(\S+\.py):\d+: ", said, re.MULTILINE) == [
        re.search(r"^(\S+\.py):\d+: AssertionError", said, re.MULTILINE)[1]
    ]
    assert "src/mehler" not in said


def test_errors_inside_keep_their_frames(pytester):
    """A bug is not a failure: where it happened is what one needs."""
    said = failure(pytester, "verify.assert_kernel(lambda seed: 3, linear, X)")
    assert "TypeError: draw(seed) returned int" in said
    assert re.search(r"mehler/verify/\S+\.py:\d+: TypeError", said)


@pytest.mark.parametrize("structure", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "twice"])
@pytest.mark.sampled(2)
def test_a_draw_that_ignores_its_seed_is_named(pytester, structure, kernel):
    options = f"variance=spread, resolution=0.1, structure={structure}"
    call = f"verify.assert_kernel(deaf, {kernel}, X, {options})"
    said = failure(pytester, call)
    (first,) = re.findall(r"^E +AssertionError: (.*)$", said, re.MULTILINE)
    assert re.match(r"(draw )?ignores its seed: .* seeds? gave? the same features|ignores", first)


@pytest.mark.slow
def test_unittest_shows_the_callers_line_alone(tmp_path):
    (tmp_path / "test_map.py").write_text(
        MAPS
        + """

import unittest


class TestMap(unittest.TestCase):
    def test_kernel(self):
        verify.assert_kernel(signs, linear, X, variance=spread, resolution=0.1)

    def test_wrong(self):
        verify.assert_kernel(signs, twice, X, variance=spread, resolution=0.1)
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "test_map"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "FAILED (failures=1)" in done.stderr
    assert done.stderr.count('File "') == 1
    assert "pair  exact" in done.stderr
