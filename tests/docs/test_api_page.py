"""The API page lists every public class and function, and nothing that is not there."""

import importlib
import inspect
import pkgutil
import re

from tests.docs._blocks import ROOT

PAGE = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
MODULES = sorted(set(re.findall(r"currentmodule:: (\S+)", PAGE)))


def names_on_page() -> set[str]:
    """Full names below the page's autosummary directives."""
    names, module = set(), ""
    for line in PAGE.splitlines():
        if current := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
            module = current[1]
        elif name := re.fullmatch(r"   ([A-Za-z][\w.]*)", line):
            names.add(f"{module}.{name[1]}")
    return names


def test_public_names_are_listed() -> None:
    # The maps are public in `mehler` as well, and listed there.
    prefixes = ("mehler.", "mehler.features.", "mehler.features.deep.")
    there = {name.replace("mehler.", prefix, 1) for name in names_on_page() for prefix in prefixes}
    for name in MODULES:
        module = importlib.import_module(name)
        kinds = {word: getattr(module, word) for word in module.__all__}
        public = {w for w, of in kinds.items() if inspect.isclass(of) or inspect.isfunction(of)}
        assert {f"{name}.{word}" for word in public} <= there


def test_listed_names_exist() -> None:
    for full in sorted(names_on_page()):
        assert inspect.getdoc(pkgutil.resolve_name(full)), full
