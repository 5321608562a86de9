"""The page, its twin and the summary: safe, whole, and of one mind."""

import base64
import io
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pandas
import pytest
from fontTools.ttLib import TTFont

from mehler import report
from mehler.report.render._format import case_cells, ratios
from mehler.report.render._pages import render_html, render_markdown
from mehler.report.render._svg import plot_svg
from mehler.report.render._texts import formula, glyphs, mathml, prose
from mehler.statements import Plot, Series
from tests.report import toys

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """Collects tags, ids and attributes, and insists that tags are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def values(self, attribute: str) -> list[str]:
        return [value for name, value in self.attributes if name == attribute]


@pytest.fixture(scope="module")
def everything():
    names = "TRUE REPAIRED WRONG UNDECIDED BROKEN SILENT HOSTILE BOUND"
    statements = tuple(getattr(toys, name) for name in names.split())
    return report.run(statements, data=toys.rows(6, 3), false_alarm=1e-3)


@pytest.fixture(scope="module")
def html(everything):
    return render_html(everything)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_page_runs_no_script_and_loads_nothing(page, html):
    assert not {"script", "iframe", "object", "embed", "img", "link", "base", "form"} & set(
        page.tags
    )
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = page.values("href") + page.values("src") + page.values("xlink:href")
    assert all(part.startswith("#") for part in addresses)
    assert "@import" not in html
    inside = ("#", "data:font/woff;base64,")
    assert all(target.startswith(inside) for target in re.findall(r"url\(([^)]*)\)", html))
    policy = "default-src 'none'; style-src 'unsafe-inline'; font-src data:"
    assert policy in page.values("content")


def test_text_from_outside_is_text(page, html):
    assert toys.SCRIPT not in html
    assert toys.SCRIPT in "".join(page.text)
    assert not [value for value in page.values("href") if "javascript" in value]


def test_ids_are_unique_and_links_lead_somewhere(page):
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {part[1:] for part in page.values("href")} <= set(ids)


def test_verdict_comes_first_and_in_words(html, everything):
    assert html.index(everything.headline) < html.index("</h1>") < html.index("<table")
    for part in everything.statements:
        assert part.verdict in html


def test_bounds_beside_draws_are_a_table_of_their_settings(everything, page, html):
    (part,) = [s for s in everything.statements if s.id == "toy.bound"]
    cases = part.evidence[0].cases
    text = "".join(page.text)
    assert f"held: bound over quantile {ratios(cases)}, in 2 settings" in text
    for case in cases:
        for cell in case_cells(case).values():
            assert cell in text
    assert html.count('data-label="bound over quantile"') == 2
    assert "2 settings" not in render_html(replace(everything, statements=()))


def test_what_was_read_and_each_map_are_shown(everything):
    rows = report.load_rows(
        pandas.DataFrame({toys.SCRIPT: [1e9, 2e9, 3e9, 4.5e9], "b": [0.1, -0.2, 0.3, 0.7]})
    )
    result = report.run((toys.TRUE,), data=rows, false_alarm=1e-3)
    html = render_html(result)
    assert toys.SCRIPT not in html + render_markdown(result)
    text = "".join(Page(html).text)
    assert rows.warnings
    for written in (toys.SCRIPT, "4.5", *rows.warnings, *rows.choices):
        assert written in text
    for part in result.data.evidence:
        assert part.check in text


def test_what_is_refuted_as_expected_has_a_sign_of_its_own(html):
    badges = re.findall(r'badge badge-(\w+)"><span aria-hidden="true">(.)</span> ([^<]*)<', html)
    assert ("known", "⊘", "refuted as printed, repaired") in badges
    assert ("known", "⊘", "refuted, as expected") in badges
    # What should not be so is red: the statement that is wrong, and its check.
    assert ("bad", "✗", "refuted") in badges
    alone = render_html(report.run((toys.TRUE, toys.REPAIRED), with_data=False))
    assert "✗" not in alone


def texts(x, y, **options):
    """Return the texts of a drawing."""
    curves = [Series(label=label, x=x, y=y) for label in options.pop("labels", ["m"])]
    plot = Plot(title="t", x_label="x", **{"y_label": "y", **options}, series=curves)
    return [unescape(s) for s in re.findall(r"<text[^>]*>([^<]*)</text>", plot_svg(plot, "p"))]


@pytest.mark.parametrize(
    ("x", "labels"),
    [
        ([1, 1e5], {"1", "10", "100", "1000", "10⁴", "10⁵"}),
        ([1, 30], {"1", "2", "5", "10", "20"}),
        ([20, 50, 100], {"20", "50", "100"}),
        ([10, 16], {"10", "12", "14", "16"}),
        ([2, 1e100], {"1", "10²⁰", "10⁴⁰", "10¹⁰⁰"}),
    ],
)
def test_logarithmic_axes_have_round_ticks(x, labels):
    assert labels <= set(texts(x, [1.0] * len(x), x_log=True))


def test_a_lost_formula_is_shown_as_restored_with_its_hypotheses():
    result = report.run((toys.LOST,), with_data=False)
    html, summary = render_html(result), render_markdown(result)
    text = "".join(Page(html).text)
    for written in (toys.RESTORED_REFUTED, "source text, line 7", "A standard normal"):
        assert written in text
    assert "restored form" in "".join(text.partition("Every statement in full")[2])
    assert "restored: refuted" in summary
    assert "printed:" not in summary


def test_summary_has_no_html_and_every_statement(everything):
    text = render_markdown(everything)
    assert not re.search(r"(?<!\\)<", text)
    for part in everything.statements:
        assert part.verdict in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| toy")}
    assert len(widths) <= 1


@pytest.mark.parametrize(
    "latex",
    [rf"\text{{{toys.SCRIPT}}}", r"\frac{", r"\text{</math><img src=x onerror=alert(1)>}", "a & b"],
)
def test_latex_that_is_not_mathematics_is_shown_not_run(latex):
    page = Page(str(mathml(latex)))
    assert set(page.tags) <= {"code", "math", "mrow", "mi", "mo", "mtext"}


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"x \sim y", "x∼y"),
        (r"\big\{ x \big\}", "{x}"),
        (r"\Big\lceil x \Big\rceil", "⌈x⌉"),
        (r"\Vert x\Vert", "‖x‖"),
        # Letters are characters, since browsers ignore mathvariant.
        (r"\mathcal{R}\mathbb{E}\mathfrak{g}\mathbf{x}", "ℛ𝔼𝔤𝐱"),
    ],
)
def test_signs_are_those_of_print(latex, text):
    assert re.sub("<[^>]*>", "", mathml(latex, True)) == text


def test_formulas_bring_their_letters():
    text = prose(r"$P(x) = \sum_{i=1}^n a_i + x_+ \le \sup \mathcal{X}$ for $n = 1$")
    assert "<mi>𝒳</mi>" in text
    assert len(glyphs(text)) < 40_000
    data = base64.b64decode(glyphs(text).partition("base64,")[2].partition(")")[0])
    # And the letters in italics that a browser draws for those of a formula.
    assert {ord(c) for c in "𝒳𝑃𝜆"} <= TTFont(io.BytesIO(data)).getBestCmap().keys()
    # The excerpt has no table of mathematics: as the first font it would leave out roots.
    assert "math, serif, glyphs" in report.page_style()
    assert formula(r"a \quad b").count('<span class="piece">') == 1


def test_sentences_of_statements_may_have_emphasis_and_code():
    assert prose("if $x<y$ & <b>").endswith("</math> &amp; &lt;b&gt;")
    text = "The *first* of `a*b` is $x * y$, <b>."
    assert "<em>first</em> of <code>a*b</code> is <math" in prose(text, marked=True)
    assert prose(text, marked=True).endswith("</math>, &lt;b&gt;.")
    # Names of checks and columns are text.
    assert "<em>" not in prose(text)
    assert "`a*b`" in prose(text)


def test_plot_takes_its_colours_from_the_page_and_is_reproducible():
    plot = Plot(
        title="t",
        x_label="x",
        y_label="y",
        series=[
            Series(label="a", x=[0, 1], y=[0, 1]),
            Series(label="b", x=[0, 1], y_low=[0, 0], y_high=[1, 2], y=[0.5, 1], kind="band"),
            Series(label="c", x=[0, 1], y=[0, 1], kind="points"),
        ],
    )
    svg = plot_svg(plot, "p")
    assert not re.search(r"#[0-9a-f]{6}", svg.replace("#p-", ""))
    assert "var(--series-0)" in svg
    assert "<style" not in svg
    assert svg == plot_svg(plot, "p")
