"""Every Python block of the documentation runs; prompts are checked as doctests.

The blocks of a page share one namespace, as a reader's session would.
"""

import doctest
from pathlib import Path
from typing import Any

import pytest

from tests.docs._blocks import ROOT, Block, blocks, pages

WITH_CODE = [page for page in pages() if blocks(page.read_text(encoding="utf-8"))]


# Pages that take seconds; the developers' run takes every page.
LONG = (
    "docs/quickstart.md",
    "docs/conformance.md",
    "docs/comparison.md",
    "docs/scale.md",
    "docs/learning.md",
    "docs/theorems/asymptotics.md",
    "proofs_checks/maxout/risk/definition_2.md",
    "proofs_checks/maxout/kernel/decoupled_kernel.md",
)


def run(parts: list[Block], name: str, filename: str) -> None:
    namespace: dict[str, Any] = {"__name__": name}
    for block in parts:
        if block.is_doctest:
            test = doctest.DocTestParser().get_doctest(
                block.source, namespace, name, filename, block.line - 1
            )
            test.globs = namespace  # the parser copies it; names must outlive the block
            doctest.DebugRunner().run(test, clear_globs=False)
        else:
            # Padded, so that a traceback names the line of the page.
            code = compile("\n" * (block.line - 1) + block.source, filename, "exec")
            exec(code, namespace)


def cases(parts: list[Path]) -> list[Any]:
    names = [page.relative_to(ROOT).as_posix() for page in parts]
    slow = pytest.mark.full
    return [
        pytest.param(page, id=name, marks=[slow] if name in LONG else [])
        for page, name in zip(parts, names, strict=True)
    ]


@pytest.mark.parametrize("page", cases(WITH_CODE))
@pytest.mark.sampled(5)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a page may write files
    run(blocks(page.read_text(encoding="utf-8")), page.stem.replace("-", "_"), str(page))


def test_a_wrong_output_is_found() -> None:
    with pytest.raises(doctest.DocTestFailure):
        run([Block(">>> 1 + 1\n3\n", 1)], "planted", "planted.md")
