r"""Evaluate a formula in LaTeX at numbers: sums, products, powers, fractions, roots, functions.

Names are looked up in a table, the longest first: ``\sigma(q)`` is one symbol where the table has
it. Fences and spaces are ignored. A product after a slash is refused: is ``a/bc`` a/(bc) or (a/b)c?
"""

import math
import re
from collections.abc import Callable, Mapping

Value = float | Callable[..., float]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\S")
_IGNORED = {r"\left", r"\right", r"\big", r"\Big", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr"} | {
    r"\,",
    r"\!",
    r"\;",
    r"\:",
    r"\quad",
}
_CLOSED_BY = {"(": ")", "[": "]", "{": "}", r"\{": r"\}", r"\lceil": r"\rceil", "|": "|"}
_CLOSED_BY[r"\lfloor"] = r"\rfloor"
_FENCES: dict[str, Callable[[float], float]] = {
    "|": abs,
    r"\lceil": math.ceil,
    r"\lfloor": math.floor,
}
_FRACTIONS = {r"\frac", r"\tfrac", r"\dfrac"}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    r"\exp": math.exp,
    r"\cos": math.cos,
    r"\sin": math.sin,
    r"\tan": math.tan,
    r"\arccos": math.acos,
    r"\arcsin": math.asin,
    r"\min": min,
    r"\max": max,
    r"\log": lambda x: math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan),
}
CONSTANTS: dict[str, Value] = {r"\pi": math.pi, "e": math.e, r"\infty": math.inf}


def evaluate(formula: str, symbols: Mapping[str, Value]) -> float:
    """Return the value of a formula; raise ValueError for what cannot be read."""
    return _Reader(formula, {**CONSTANTS, **symbols}).whole()


def tokens(formula: str) -> list[str]:
    """Return commands, numbers and characters."""
    return [token for token in _TOKEN.findall(formula) if token not in _IGNORED]


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, formula: str, symbols: Mapping[str, Value]) -> None:
        self.formula = formula
        self.tokens = tokens(formula)
        self.at = 0
        table = [(tokens(name), value) for name, value in symbols.items()]
        self.table = sorted(table, key=lambda row: -len(row[0]))

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str = "") -> str:
        if token and self.next != token:
            raise self.error(f"{token} expected")
        self.at += 1
        return self.tokens[self.at - 1]

    def error(self, problem: str) -> ValueError:
        rest = " ".join(self.tokens[self.at :])
        return ValueError(f"{problem} at {rest!r} in {self.formula!r}")

    def whole(self) -> float:
        value = self.sum()
        if self.next:
            raise self.error("end expected")
        return value

    def sum(self) -> float:
        value = 0.0
        sign = self.take() if self.next in ("+", "-") else "+"
        while sign:
            value += self.product() if sign == "+" else -self.product()
            sign = self.take() if self.next in ("+", "-") else ""
        return value

    def product(self) -> float:
        value = self.power()
        divided = False
        while self.begins_factor() or self.next in ("/", r"\cdot", r"\times"):
            if self.next == "/":
                self.take()
                value /= self.power()
                divided = True
                continue
            if self.begins_factor() and divided:
                raise self.error("ambiguous product after a slash")
            if not self.begins_factor():
                self.take()
            value *= self.power()
        return value

    def begins_factor(self) -> bool:
        closing = {")", "]", "}", r"\}", "|", r"\rceil", r"\rfloor", ","}
        return self.symbol() is not None or self.next not in {
            *("", "+", "-", "/", "^", r"\cdot", r"\times"),
            *closing,
        }

    def power(self) -> float:
        base = self.atom()
        if self.next != "^":
            return base
        self.take()
        exponent = self.argument()
        return float(base**exponent)

    def symbol(self) -> tuple[int, Value] | None:
        """Return the length and the value of the longest symbol that stands next."""
        for name, value in self.table:
            if self.tokens[self.at : self.at + len(name)] == name:
                return len(name), value
        return None

    def atom(self) -> float:
        if (match := self.symbol()) is not None:
            self.at += match[0]
            value = match[1]
            return value(*self.arguments()) if callable(value) else float(value)
        token = self.take() if self.next else ""
        if token[:1].isdigit():
            return float(token)
        if token in _FRACTIONS:
            return self.argument() / self.argument()
        if token == r"\sqrt":
            degree = self.fenced() if self.next == "[" else 2.0
            inside = self.argument()
            return inside ** (1 / degree) if inside >= 0 else math.nan
        if token in _FUNCTIONS:
            return self.function(token)
        self.at -= 1
        if token in _CLOSED_BY:
            return self.fenced()
        raise self.error("no symbol of the table")

    def function(self, name: str) -> float:
        """Return a function, with ``^+`` of a logarithm, or a power, before its argument."""
        exponent: float | None = None
        positive = False
        if self.next == "^":
            self.take()
            positive = self.next == "+"
            if positive:
                self.take()
            else:
                exponent = self.argument()
        value = _FUNCTIONS[name](*self.arguments())
        if positive:
            value = max(0.0, value)
        return value if exponent is None else float(value**exponent)

    def arguments(self) -> list[float]:
        """Return what stands between parentheses, separated by commas, or the next factor."""
        if self.next not in ("(", r"\{"):
            return [self.power()]
        closing = _CLOSED_BY[self.take()]
        values = [self.sum()]
        while self.next == ",":
            self.take()
            values.append(self.sum())
        self.take(closing)
        return values

    def argument(self) -> float:
        """Return a group in braces, or one token; of a number, that is its first digit."""
        if self.next == "{":
            return self.fenced()
        if self.next[:1].isdigit():
            self.tokens[self.at : self.at + 1] = [self.next[0], *filter(None, [self.next[1:]])]
        return self.atom()

    def fenced(self) -> float:
        opening = self.take()
        value = self.sum()
        self.take(_CLOSED_BY[opening])
        return float(_FENCES.get(opening, float)(value))
