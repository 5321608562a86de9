"""The evaluator of formulas reads what a mathematician reads, and refuses what is ambiguous."""

import math

import pytest

from tests.bounds.latex import evaluate

TABLE = {"a": 2.0, "b": 3.0, "m": 16.0, r"\sigma": 5.0, r"\sigma(q)": 7.0, "q": 4.0, "C_1": 11.0}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2ab + 1", 13),
        ("a - b - 1", -2),
        (r"2a/\sqrt m", 1),
        (r"\frac{2a}b m", 64 / 3),
        ("2^{a + 1}", 8),
        ("-a^2", -4),
        (r"e^{-a}b", 3 * math.exp(-2)),
        (r"\sqrt{2\log(b/a)/m}", math.sqrt(2 * math.log(1.5) / 16)),
        (r"\log^+(a/b) + \log^+(b/a)", math.log(1.5)),
        (r"\log(b)^2", math.log(3) ** 2),
        (r"\sqrt a\sqrt m", 4 * math.sqrt(2)),
        (r"\sqrt[3]{m}", 16 ** (1 / 3)),
        (r"\sigma(q) + \sigma", 12),
        (r"C_1\left(a + b\right)", 55),
        (r"\min(a, b) + \max\{a, b, q\}", 6),
        (r"|a - b|m", 16),
        (r"\lceil m/b\rceil", 6),
        (r"a\cdot b\,\pi", 6 * math.pi),
    ],
)
def test_values(formula, value):
    assert evaluate(formula, TABLE) == pytest.approx(value, rel=1e-15, nan_ok=True)


def test_functions_of_a_table():
    assert evaluate(r"2\Phi(a + 1)^2", {r"\Phi": lambda x: x / 2, "a": 2.0}) == 4.5


@pytest.mark.parametrize(
    "formula", ["a/bm", "x", "a +", "(a", "a)", r"\frac{a}", r"\sqrt", "a^", ""]
)
def test_what_cannot_be_read_is_refused(formula):
    with pytest.raises(ValueError, match=r" at '.*' in '"):
        evaluate(formula, TABLE)
