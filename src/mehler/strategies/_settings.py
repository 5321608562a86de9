"""Hypothesis settings for statistical checks."""

from __future__ import annotations

from hypothesis import Phase, settings

from mehler.strategies._validate import whole


def example_settings(*, examples: int) -> settings:
    """Return settings for a test that checks random maps on many examples, as a decorator.

    ``max_examples`` is `examples`, the number to pass to ``ledger.allot`` as well. There is no
    deadline, since the time of a check depends on the machine and Hypothesis would call the test
    flaky. Failures print the line that replays them; shrinking stops at the simplest example,
    without the explain phase.

    Parameters
    ----------
    examples : int
        Number of examples, at least 1.

    Returns
    -------
    hypothesis.settings
        To be applied to the test function.

    Raises
    ------
    TypeError, ValueError
        If `examples` is not a positive integer.

    See Also
    --------
    mehler.verify.Ledger.allot : Pay for the examples.

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
