"""The comparison with other tools: its page shows the table measured, its rules are the rules."""

import json
from pathlib import Path

from tests.verify.toys import most_misses

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "peers"


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
    counts = {row["tool"]: row["skewed_refuted"] for row in rows}
    price = counts["mehler, nothing declared"] / counts["mehler, exact variance"]
    assert 4.5 < price < 5.5  # the page says five times
    for name in ("fineness", "stochtest", "mcunit"):
        (share,) = (value for tool, value in mistakes.items() if tool.startswith(name))
        assert share > allowed
