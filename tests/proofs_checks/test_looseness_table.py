"""The table of looseness in benchmarks/results says what the theorem page says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "benchmarks" / "results" / "bounds.json"
ROWS = json.loads(TABLE.read_text(encoding="utf-8"))["rows"]
PAGE = (ROOT / "proofs_checks" / "maxout" / "risk" / "theorem_2.md").read_text(encoding="utf-8")


def ratios(statement: str, shape: str) -> list[float]:
    return [
        row["looseness"]
        for row in ROWS
        if row["statement"].startswith(statement) and row["shape"] == shape
    ]


def test_page_quotes_the_table():
    text = " ".join(PAGE.split())
    found = re.search(r"A is (\d+) to (\d+) times the quantile and B (\d+) to (\d+) times", text)
    free, paper = ratios("Theorem 2", "dimension-free"), ratios("Theorem 2", "paper")
    assert [int(one) for one in found.groups()] == [
        round(end(some)) for some in (free, paper) for end in (min, max)
    ]
    found = re.search(r"dimension-free bounds are ([\d.]+) to ([\d.]+) times", text)
    lemma = ratios("Lemma 3", "dimension-free")
    assert [float(one) for one in found.groups()] == [round(min(lemma), 1), round(max(lemma))]
