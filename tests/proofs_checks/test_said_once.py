"""What a page says, no string or docstring beside it says again."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2] / "proofs_checks"
MODULES = sorted(HOME.rglob("*.py"))
WORDS = 8
names = pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: path.relative_to(HOME).as_posix()
)


def words(text: str) -> list[str]:
    """Lower case words of a text without its formulas, which a claim has to name."""
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", " ", text, flags=re.DOTALL)
    return re.findall(r"[a-z]{2,}", prose.lower())


def runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + WORDS]) for i in range(len(found) - WORDS + 1)}


def strings(module: Path) -> list[tuple[str, bool]]:
    """Texts of a module and whether they are docstrings; values of an f-string leave a gap."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, owners) and ast.get_docstring(node) is not None
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value if isinstance(one, ast.Constant) else " " for one in node.values]
            found.append(("".join(map(str, parts)), False))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append((node.value, id(node) in docstrings))
    return found


@pytest.fixture(scope="module")
def written() -> dict[tuple[str, ...], str]:
    """Runs of words of the front matter and of the sections up to the proof, and their page."""
    found = {}
    for page in sorted(HOME.rglob("*.md")):
        text = page.read_text(encoding="utf-8").split("\n## Evidence\n")[0]
        found |= dict.fromkeys(runs(text), page.name)
    return found


@names
def test_no_string_repeats_a_page(module: Path, written: dict[tuple[str, ...], str]) -> None:
    again = {
        f"{' '.join(run)} ({written[run]})"
        for text, _ in strings(module)
        for run in runs(text)
        if run in written
    }
    assert not again


@names
def test_no_long_string_beside_docstrings(module: Path) -> None:
    assert not [text for text, is_doc in strings(module) if len(text) > 300 and not is_doc]


def test_a_repetition_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    said = "the mean of the maximum of eight standard normals $x + y$ is small"
    module.write_text(f'CLAIM = "It is said: {said}"\n', encoding="utf-8")
    text, is_doc = strings(module)[0]
    assert not is_doc
    assert runs(text) & runs("The *mean* of the\nmaximum of eight standard normals $z$ is small.")
    assert not runs(text) & runs("the mean of the minimum of eight standard normals")
