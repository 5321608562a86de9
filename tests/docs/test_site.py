"""The parts that the site is built with."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from mehler.report import page_style
from tests.docs._blocks import ROOT, pages


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # of the script, as where it is run
    spec.loader.exec_module(module)
    return module


gallery = load(ROOT / "docs" / "_gallery.py")


def test_colours_are_those_of_the_report() -> None:
    light = page_style().partition("@media")[0]
    for number, colour in enumerate(gallery.COLOURS):
        assert f"--series-{number}: {colour};" in light


def test_pictures_have_words_and_displays_lines_of_their_own() -> None:
    """MyST joins words at line ends in ``![]``, and reads ``$$`` within an item as two ``$``."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"!\[(\]|[^\]]*\n[^\]]*\])|\S\n +\$\$ ", text), page.name
