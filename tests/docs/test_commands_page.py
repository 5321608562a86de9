"""The page on commands has an example of each command, whose options exist."""

import re

import typer

from mehler.cli._app import app
from tests.docs._blocks import ROOT

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
# The last column of the first table.
EXAMPLES = re.findall(r"^\| `mehler (\w+)` \|[^|]*\| (.*) \|$", PAGE, re.M)


def test_every_command_has_an_example_of_itself():
    assert {name for name, _ in EXAMPLES} == set(COMMANDS)
    for name, example in EXAMPLES:
        assert f"`mehler {name} " in example


def test_options_of_the_examples_exist():
    for name, example in EXAMPLES:
        options = {option for parameter in COMMANDS[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", example)) <= options, name
