"""Values of bounds as text, LaTeX and JSON."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np


def digits(value: Any) -> str:
    """Return a number to six digits; of an array all entries, in brackets."""
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    if np.size(value) > 12:
        return f"{np.min(value):.6g} to {np.max(value):.6g} (shape {np.shape(value)})"
    return "[" + ", ".join(digits(entry) for entry in value) + "]"


def plain(value: Any) -> Any:
    """Return JSON-able values: lists of arrays, None for what is not finite."""
    if np.ndim(value):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def in_latex(bound: Any) -> str:
    """Return the inequality of a bound, a line each part."""
    terms = [
        rf"\underbrace{{{term.formula or _text(term.name)}}}_{{{_text(term.name)}"
        rf"\,=\,{_number(term.value)}}}"
        for term in bound.terms
    ]
    lines = [_text(bound.quantity), r"\le " + "\n+ ".join(terms)]
    if np.any(np.not_equal(bound.value, bound.total)):
        lines.append(rf"= {_number(bound.total)}, \text{{ hence }} \le {_number(bound.value)}")
    else:
        lines.append(f"= {_number(bound.value)}")
    if not np.all(np.equal(bound.probability, 1)):
        how = r"\quad\text{with probability at least } "
        lines.append(how + _number(bound.probability))
    return "\n".join(lines)


def _number(value: Any) -> str:
    """Return digits with powers of ten, and infinity, as LaTeX has them."""
    text = re.sub(r"e([+-])0*(\d+)", _power, digits(value))
    return re.sub(r"\binf\b", r"\\infty", text)


def _power(found: re.Match[str]) -> str:
    sign = "-" if found[1] == "-" else ""
    return rf"\cdot 10^{{{sign}{found[2]}}}"


def _text(words: str) -> str:
    """Return words in text mode, its special characters escaped."""
    escaped = re.sub(r"([&%$#_{}])", r"\\\1", words)
    return rf"\text{{{escaped}}}"
