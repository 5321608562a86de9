"""What statements say: ids, forms, proofs, mathematics that renders, and nothing twice."""

import ast
import re
from pathlib import Path

from mehler.proofs_checks._statements import PAGES

from mehler import proofs_checks
from mehler.proofs_checks import STATEMENTS
from mehler.report.render._texts import mathml
from mehler.statements import discover

IDS = [statement.id for statement in STATEMENTS]
CHECKOUT = Path(__file__).parents[2] / "proofs_checks"
HOME = Path(proofs_checks.__path__[0])  # the checkout too, where it was installed with -e


def test_every_page_is_a_statement_that_is_installed():
    """A page without a module next to it would not be checked."""
    pages = sorted(page.relative_to(HOME) for page in PAGES.values())
    in_folders = {page.relative_to(CHECKOUT) for page in CHECKOUT.rglob("*.md")}
    assert pages == sorted(page for page in in_folders if page.parts[0] != "experiments")
    assert len(set(IDS)) == len(IDS) == len(PAGES)
    assert [item.id for item in discover("*") if item.id in IDS] == IDS


def test_ids_are_those_that_links_use():
    """PAPER.NAME, where the paper is a package, and its checks are in it."""
    for statement in STATEMENTS:
        paper, _, name = statement.id.partition(".")
        home = paper.replace("-", "_")
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert PAGES[statement.id].relative_to(HOME).parts[0] == home
        for check in statement.checks:
            assert check.run.__module__.split(".")[:3] == ["mehler", "proofs_checks", home]


def test_texts_are_there():
    for statement in STATEMENTS:
        headings = list(statement.sections)
        copies = {"printed": "As printed", "lost": "As restored", "none": "Statement"}
        claimed = copies[statement.copy]
        order = ["Setting", claimed, "What is wrong", "As it holds", "Proof"]
        assert headings == [item for item in order if item in headings], statement.id
        assert {claimed, "Proof"} <= set(headings), statement.id
        # A print that leaves its constant open cannot be checked itself, nor one that is lost.
        least = "restored" if statement.copy == "lost" else "printed"
        if statement.expected == "holds with constant":
            least = "proved"
        forms = {check.form for check in statement.checks}
        assert least in forms or statement.expected == "not computable", statement.id
        if statement.expected == "refuted, repaired":
            assert statement.proved, statement.id
            assert "What is wrong" in headings, statement.id
            assert forms == {"printed", "proved"}, statement.id


def test_formulas_convert_to_mathml_and_the_rest_is_plain_markdown():
    """In the report's CommonMark: no roles, images or includes."""
    for statement in STATEMENTS:
        fields = [statement.place, statement.hypotheses, statement.ground, statement.note]
        formulas = [statement.printed, statement.proved]
        for text in (*statement.sections.values(), *fields):
            fenced = re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.DOTALL | re.MULTILINE)
            parts = re.split(r"\$\$?", fenced)
            assert len(parts) % 2, f"unpaired dollar sign in {text!r}"
            formulas += parts[1::2]
            assert not re.search(r"\{[a-z:]+\}`|^```\{|^:::|!\[|<[a-z/]", "".join(parts[::2]))
        for formula in formulas:
            # What the converter does not know it leaves as the command's own name.
            assert "\\" not in mathml(formula or "x"), formula


def test_links_and_references_lead_to_statements():
    for statement in STATEMENTS:
        for link in re.findall(r"\]\(#([^)]+)\)", "\n".join(statement.sections.values())):
            assert any(link == item or link.startswith(f"{item}-") for item in IDS)
        papers = r"(?:maxout|kitchen-sinks|group-invariant)\.[a-z0-9-]+"
        assert set(re.findall(papers, statement.note)) <= set(IDS)


def runs(text: str) -> set[tuple[str, ...]]:
    """Eight words on end of a text without its formulas, which a claim has to name."""
    prose = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", " ", text, flags=re.DOTALL)
    words = re.findall(r"[a-z]{2,}", prose.lower())
    return {tuple(words[i : i + 8]) for i in range(len(words) - 7)}


def test_what_a_page_says_no_string_beside_it_says_again():
    """Of front matter and sections up to the proof; values of an f-string leave a gap."""
    assert runs("The *mean* of the\nlargest of eight normal numbers $z$ is small.")
    pages = (page.read_text(encoding="utf-8") for page in CHECKOUT.rglob("*.md"))
    phrases = {run for page in pages for run in runs(page.split("\n## Evidence\n")[0])}
    for module in sorted(CHECKOUT.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            text = ""
            if isinstance(node, ast.JoinedStr):
                parts = [
                    item.value if isinstance(item, ast.Constant) else " " for item in node.values
                ]
                text = "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            again = {" ".join(run) for run in runs(text) & phrases}
            assert not again, f"{module.name}: {again}"
