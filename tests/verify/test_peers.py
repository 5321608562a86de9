"""The comparison with other tools: its page shows the table measured, its rules are the rules."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from tests.verify.toys import most_misses

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "peers"


@pytest.fixture(scope="module")
def tools():
    spec = importlib.util.spec_from_file_location(
        "_peer_tools", ROOT / "benchmarks" / "_peer_tools.py"
    )
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "_peer_tools", module)  # dataclasses look their module up
        spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_was_measured():
    table = [line for line in RESULTS.with_suffix(".md").read_text().splitlines() if "|" in line]
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert "\n".join(table) in page


def test_what_the_page_says_of_the_table():
    """Ours errs no more than it states; those that trust the normal approximation do."""
    rows = json.loads(RESULTS.with_suffix(".json").read_text())["rows"]
    mistakes = {row["tool"]: row["mistakes"] for row in rows}
    repeats, rate = 20_000, 1e-3
    allowed = most_misses(repeats, rate) / repeats
    assert mistakes["mehler, exact variance"] <= rate
    assert mistakes["mehler, nothing declared"] == 0.0
    needed = {row["tool"]: row["skewed_refuted"] for row in rows}
    price = needed["mehler, nothing declared"] / needed["mehler, exact variance"]
    assert 4.5 < price < 5.5  # the page says five times
    for name in ("fineness", "stochtest", "mcunit"):
        (share,) = (value for tool, value in mistakes.items() if tool.startswith(name))
        assert share > allowed


@pytest.mark.parametrize("p", [0.01, 0.3])
@pytest.mark.parametrize("n", [30, 300])
def test_the_band_of_means_by_definition(tools, p, n):
    """Of 0 and 1 the mean is one value of the distribution function: mean +- eps."""
    stream = tools.Stream(lambda n: None, p, p * (1 - p), (0.0, 1.0))
    rate, missed = 0.05, 0.0
    eps = math.sqrt(math.log(2.0 / rate) / (2.0 * n))
    for k in range(n + 1):
        x = np.r_[np.ones(k), np.zeros(n - k)]
        low, high = tools.Probability()._ends(x, stream, rate)
        assert low == pytest.approx(max(0.0, k / n - eps), abs=1e-12)
        assert high == pytest.approx(min(1.0, k / n + eps), abs=1e-12)
        missed += 0.0 if low <= p <= high else float(binom.pmf(k, n, p))
    assert missed <= rate


def test_undeclared_ours_refutes_nothing_at_two_hundred_samples(tools):
    """Of 100 effective samples or fewer, as the page says; with a variance it does."""
    rng = np.random.default_rng(5)
    stream = tools.Stream(lambda n: None, 2.0, 1.0, None)
    x = rng.standard_normal(4000)
    assert not tools.ToldNothing().wrong(x[:200], stream, 1e-3)
    assert tools.ToldNothing().wrong(x, stream, 1e-3)
    assert tools.Mehler().wrong(x[:200], stream, 1e-3)


def test_the_steps_of_mcunit_keep_their_level_on_normal_samples(tools):
    """At level 0.2, of which a half or so is used: 400 normal samples have nearly normal t."""
    rng = np.random.default_rng(3)
    stream = tools.Stream(lambda n: None, 0.0, 1.0, None)
    repeats, level = 2000, 0.2
    failed = sum(
        tools.Mcunit().wrong(rng.standard_normal(25 * 400), stream, level) for _ in range(repeats)
    )
    assert failed <= most_misses(repeats, level)
    assert failed > 0
    assert tools.Mcunit().wrong(1.0 + rng.standard_normal(25 * 400), stream, 1e-9)
