"""The API page lists every public class and function, and nothing that is not there."""

import importlib
import inspect
import pkgutil
import re

import pytest

from tests.docs._blocks import ROOT

PAGE = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
ROOMS = sorted(set(re.findall(r"currentmodule:: (\S+)", PAGE)))


def listed() -> set[str]:
    """Full names below the page's autosummary directives."""
    names, module = set(), ""
    for line in PAGE.splitlines():
        if current := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = current[1]
        elif name := re.fullmatch(r"   ([A-Za-z][\w.]*)", line):
            names.add(f"{module}.{name[1]}")
    return names


@pytest.mark.parametrize("name", ROOMS)
def test_public_names_are_listed(name: str) -> None:
    module = importlib.import_module(name)
    public = {
        each
        for each in module.__all__
        if inspect.isclass(getattr(module, each)) or inspect.isfunction(getattr(module, each))
    }
    # The maps are public in `mehler` as well, and listed there.
    rooms = ("mehler.", "mehler.features.", "mehler.features.deep.")
    there = {one.replace("mehler.", room, 1) for one in listed() for room in rooms}
    assert {f"{name}.{each}" for each in public} <= there


@pytest.mark.parametrize("full", sorted(listed()))
def test_listed_names_exist(full: str) -> None:
    assert inspect.getdoc(pkgutil.resolve_name(full))
