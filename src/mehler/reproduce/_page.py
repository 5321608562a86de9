"""Render the page of an experiment: one HTML file, no script, no network."""

from __future__ import annotations

import shlex

from mehler._version import __version__
from mehler.report import draw, page_style
from mehler.reproduce._experiment import Outcome


def render(outcome: Outcome) -> str:
    """Render an outcome as HTML, with a content security policy against scripts and addresses."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("mehler.reproduce", "_templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("experiment.html.j2").render(
        outcome=outcome,
        experiment=outcome.experiment,
        page=outcome.page,
        version=__version__,
        style=Markup(page_style()),
        seconds=spoken(outcome.seconds),
        command=command(outcome),
        draw=draw,
    )


def spoken(seconds: float) -> str:
    """Format a duration in a readable unit."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds"


def command(outcome: Outcome) -> str:
    """Return the command line that reproduces the numbers."""
    words = ["mehler", "reproduce", outcome.experiment.name, "--level", outcome.level]
    words += ["--seed", str(outcome.seed)]
    if outcome.missing:
        return shlex.join([*words, "--partial"])
    line = shlex.join(words)
    return f"{line} --data FOLDER" if outcome.level in outcome.experiment.needs_data else line
