"""Numbers that the texts of Theorem 2 and its lemmas quote, each by a formula of its own."""

from __future__ import annotations

import math

import pytest
from scipy import special, stats

from tests.proofs_checks.conftest import BY_ID

# P(|g| < E|g|): erf of 1/sqrt(pi).
BELOW_MEAN = special.erf(1 / math.sqrt(math.pi))
# P(the longest of 1024 weights in 20 dimensions exceeds 1.5 sqrt(20)), by the gamma function.
LONGEST = 1 - special.gammainc(10, 2.25 * 20 / 2) ** 1024
# E[|g| given |g| <= 2] by its closed form sqrt(2/pi) (1 - e^-2) / erf(sqrt 2).
GIVEN = math.sqrt(2 / math.pi) * (1 - math.exp(-2)) / special.erf(math.sqrt(2))

QUOTED = [
    ("lemma-2", "0.677", LONGEST),
    ("lemma-2", "0.164", 2 * math.exp(-20 / 8)),
    ("lemma-2", "0.317", 2 * stats.norm.sf(1)),
    ("remark-2", "0.0045", stats.binom.cdf(4999, 10**4, 0.513)),
    ("lemma-3", "0.7228", GIVEN),
    ("lemma-3", "0.7979", math.sqrt(2 / math.pi)),
    ("lemma-3", "0.575", BELOW_MEAN),
    ("lemma-4", "0.575", BELOW_MEAN),
    ("theorem-2", "0.575", BELOW_MEAN),
]


@pytest.mark.parametrize(("name", "quote", "value"), QUOTED)
def test_quoted_numbers(name, quote, value):
    assert quote in BY_ID[f"maxout.{name}"].sections["What is wrong"]
    assert abs(value - float(quote)) <= 0.5 * 10 ** -len(quote.partition(".")[2])


def test_units_that_all_keep_to_one_quantile():
    assert r"4\cdot10^{-5}$" in BY_ID["maxout.lemma-3"].sections["What is wrong"]
    assert round(0.99**1000 * 1e5) == 4


def test_the_wrong_sign_of_the_remark():
    # More than half of 10^4 labels wrong at a mean of 0.026: quoted on its page as 0.0045.
    assert abs(stats.norm.cdf(-2.6) - 0.0045) < 3e-4
