"""Render what did not come out as expected as workflow commands of GitHub."""

from mehler.report.model._outcomes import outcomes
from mehler.report.model._report import Report
from mehler.report.model._verification import Verification


def annotations(report: Report | Verification) -> tuple[str, ...]:
    """Render one line for each outcome that is not as expected, as GitHub's annotations.

    Parameters
    ----------
    report : Report or Verification
        The result to render.

    Returns
    -------
    tuple of str
        Lines to print in a workflow: ``::error`` for refutations and what could not run,
        ``::warning`` for what was not decided.

    See Also
    --------
    write_junit : The same as a file, for other systems.
    """
    return tuple(
        f"::{'warning' if one.problem == 'open' else 'error'} "
        f"title={_property(f'mehler: {one.name}')}::{_message(one.message)}"
        for one in outcomes(report)
        if one.problem
    )


def _message(text: str) -> str:
    # A percent sign first, since the others become one.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
