"""Settings of Hypothesis that suit statistical checks."""

from __future__ import annotations

from hypothesis import Phase, settings

from mehler.strategies._validate import whole


def example_settings(*, examples: int) -> settings:
    """Settings for a test that checks a random map on many examples, to use as a decorator.

    ``max_examples`` is `examples`, the number to give to ``ledger.allot`` too. There is no
    deadline: how long a check takes depends on the machine, and a deadline is what makes
    Hypothesis call such a test flaky. Failures print the line that replays them, and their
    shrinking stops at the simplest example, without the phase that looks which lines it runs.

    Parameters
    ----------
    examples : int
        At least 1.

    Returns
    -------
    hypothesis.settings

    Raises
    ------
    TypeError, ValueError
        If `examples` is not such a number.

    Examples
    --------
    >>> example_settings(examples=20).max_examples
    20
    """
    return settings(
        max_examples=whole("examples", examples, least=1),
        deadline=None,
        print_blob=True,
        phases=[phase for phase in Phase if phase is not Phase.explain],
    )
