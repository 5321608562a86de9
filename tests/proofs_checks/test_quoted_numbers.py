"""Numbers that texts and pages quote are the exact ones, rounded, and those of the table."""

import json
import math
import re
from pathlib import Path

import pytest
from mehler.proofs_checks.maxout.growth import _growth, locality
from mehler.proofs_checks.maxout.kernel import figure_1 as figure
from scipy import special, stats

from mehler import exact
from mehler.bounds import kernel_error, solve
from tests.proofs_checks.conftest import BY_ID

FOR_A_TENTH = {"at_most": 0.1, "n_features": None, "delta": 0.01, "pool_size": 4}


def ratio(q: float) -> float:
    return _growth.mean(q) / math.sqrt(2 * math.log(q))


def half_angle(q: int) -> float:
    return locality.half_angle(lambda rho: exact.collision_probability(rho, q), 0.5)


def saturation(kernel, q: int) -> float:
    return math.sqrt(figure.squared_distance(kernel)(-1.0, q))


def exponent(q: int) -> float:
    return math.log(exact.collision_probability(0.75, q)) / math.log(1 / q)


def opposite(q: int) -> float:
    return exact.maxout_kernel(-1.0, q) / exact.sigma2(q)


WRONG = "What is wrong"
QUOTED = [
    ("theorem-1-kernel", WRONG, "0.318, 1.060, 2.027",
     [exact.max_moment(1, q) ** 2 for q in (2, 4, 8)]),
    ("h1-growth", "note", "0.48 at", [ratio(2)]),
    ("h1-growth", "note", "0.70 at", [ratio(8)]),
    ("h1-growth", "note", "0.93 at", [ratio(10**6)]),
    ("h1-growth", "note", "0.46 to", [ratio(2) ** 2 * 2]),
    ("h1-growth", "note", "0.56 of", [ratio(8) ** 2 * 8 / 7]),
    ("sigma2-growth", "note", "1, 1.55, 2.40, 3.41, 10.67", map(exact.sigma2, (2, 4, 8, 16, 1024))),
    ("locality", WRONG, "0, 0.62, 0.83, 0.96, 0.997", map(opposite, (2, 4, 8, 64, 10**6))),
    ("locality", "note", "1.571, 0.959, 0.720, 0.592, 0.334, 0.226",
     map(half_angle, (2, 4, 8, 16, 1024, 10**6))),
    ("figure-1", "As it holds", "0.905 at", [saturation(exact.maxout_kernel, 8)]),
    ("figure-1", "As it holds", "0.703 at", [saturation(exact.maxout_kernel, 32)]),
    ("figure-1", WRONG, "2.19 (", [saturation(exact.locally_linear_kernel, 8)]),
    ("figure-1", WRONG, "3.01 (", [saturation(exact.locally_linear_kernel, 32)]),
    ("remark-1-codes", "note", "0.143,", [0.25 / 1.75]),
    ("remark-1-codes", "note", "0.335 at", [exponent(8)]),
    ("remark-1-codes", "note", "0.219 at", [exponent(10**6)]),
    ("kernel-error", "note", "1981 features", [solve(kernel_error.normal_quantile, **FOR_A_TENTH)]),
    ("kernel-error", "note", "bound for 3309.", [solve(kernel_error.one_pair, **FOR_A_TENTH)]),
]  # fmt: skip

# P(|g| < E|g|) is erf of 1/sqrt(pi); the longest of 1024 weights in 20 dimensions, by the gamma
# function; E[|g| given |g| <= 2] by its closed form; 10^4 labels, most wrong at a mean of 0.026.
BELOW = special.erf(1 / math.sqrt(math.pi))
SIZE = math.sqrt(2 / math.pi)
LONGEST = 1 - special.gammainc(10, 2.25 * 20 / 2) ** 1024
QUOTED += [
    (name, WRONG, quote, [value])
    for name, quote, value in (
        ("lemma-2", "0.677", LONGEST),
        ("lemma-2", "0.164", 2 * math.exp(-20 / 8)),
        ("lemma-2", "0.317", 2 * stats.norm.sf(1)),
        ("remark-2", "0.0045", stats.binom.cdf(4999, 10**4, 0.513)),
        ("lemma-3", "0.7228", SIZE * (1 - math.exp(-2)) / special.erf(math.sqrt(2))),
        ("lemma-3", "0.7979", SIZE),
        *((name, "0.575", BELOW) for name in ("lemma-3", "lemma-4", "theorem-2")),
    )
]


@pytest.mark.parametrize(
    ("name", "field", "quote", "values"),
    QUOTED,
    ids=[f"{name} {quote}" for name, _, quote, _ in QUOTED],
)
def test_quoted_numbers_are_exact(name, field, quote, values):
    statement = BY_ID[f"maxout.{name}"]
    text = {**statement.sections, "note": statement.note}[field]
    assert quote in " ".join(text.split())
    digits = [part.strip("., ") for part in quote.replace("(", "").split(" ")]
    numbers = [part for part in digits if part.replace(".", "").isdigit()]
    for printed, value in zip(numbers, values, strict=True):
        places = len(printed.partition(".")[2])
        assert abs(value - float(printed)) <= 0.5000001 * 10**-places


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
    match = re.search(r"A is (\d+) to (\d+) times the quantile and B (\d+) to (\d+) times", text)
    free, paper = ratios("Theorem 2", "dimension-free"), ratios("Theorem 2", "paper")
    assert [int(number) for number in match.groups()] == [
        round(end(some)) for some in (free, paper) for end in (min, max)
    ]
    match = re.search(r"dimension-free bounds are ([\d.]+) to ([\d.]+) times", text)
    lemma = ratios("Lemma 3", "dimension-free")
    assert [float(number) for number in match.groups()] == [round(min(lemma), 1), round(max(lemma))]
