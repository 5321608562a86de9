"""Describe the sizes at which a map is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# Least wrong sizes that follow a rule, and least right sizes that do not.
_MANY, _CLEAR = 3, 3


def name_inputs(wrong: Sequence[int], right: Sequence[int]) -> str:
    """Describe the numbers of columns of X at which the kernel fails."""
    return _name("d", "columns of X", wrong, right)


def name_sizes(wrong: Sequence[int], right: Sequence[int]) -> str:
    """Describe the numbers of features at which the kernel fails."""
    return _name("m", "features", wrong, right)


def has_rule(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether a simple rule separates the wrong sizes from the right ones."""
    apart = min(wrong) > max(right) or max(wrong) < min(right)
    return apart or follows_rule(wrong, right)


def follows_rule(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the rule is about divisors, which no size-dependent parameter follows."""
    return any(_tells(rule, wrong, right) for _, rule in _RULES)


def isolated(wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the wrong sizes are few, or all above or all below the right ones."""
    apart = min(wrong) > max(right) or max(wrong) < min(right)
    return apart or 2 * len(wrong) <= len(right)


def _name(letter: str, what: str, wrong: Sequence[int], right: Sequence[int]) -> str:
    """Return the simplest rule that separates the wrong sizes from the right ones."""
    fails = "the claimed kernel fails"
    listed = ", ".join(str(n) for n in wrong)
    for words, rule in _RULES:
        if all(rule(n) for n in wrong) and not any(rule(n) for n in right):
            return f"wrong for {words.format(letter)}: {fails} there"
    if min(wrong) > max(right):
        return f"wrong for more than {max(right)} {what}: {fails} at {listed}"
    if max(wrong) < min(right) and len(wrong) > 1:
        return f"wrong for fewer than {min(right)} {what}: {fails} at {listed}"
    for words, rule in _RULES:
        if _tells(rule, wrong, right):
            return f"wrong for {words.format(letter)}: {fails} at {listed}"
    return f"wrong for {letter} = {listed}: {fails} there"


def _tells(rule: Callable[[int], bool], wrong: Sequence[int], right: Sequence[int]) -> bool:
    """Whether a rule holds for all wrong sizes and, as small defects hide, for few right ones."""
    also = sum(rule(n) for n in right)
    if len(wrong) < _MANY or len(right) - also < _CLEAR:
        return False
    return all(rule(n) for n in wrong) and also <= 2 * len(wrong)


def _power(n: int) -> bool:
    return n & (n - 1) == 0


_RULES: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("even {}", lambda n: n % 2 == 0),
    ("odd {}", lambda n: n % 2 == 1),
    ("{} that is no power of 2", lambda n: not _power(n)),
    ("{} that is a power of 2", _power),
    ("{} that is a multiple of 4", lambda n: n % 4 == 0),
    ("{} that is no multiple of 4", lambda n: n % 4 != 0),
    ("{} that is a multiple of 8", lambda n: n % 8 == 0),
)
