"""The page, its twin and the summary: safe, whole, and of one mind."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from mehler import report
from mehler.report.render._format import cells, count, number
from mehler.report.render._html import render_html
from mehler.report.render._markdown import render_markdown
from mehler.report.render._mathml import formula, mathml, prose
from mehler.report.render._svg import draw
from mehler.statements import Evidence, Plot, Series
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
    statements = (
        toys.TRUE,
        toys.REPAIRED,
        toys.WRONG,
        toys.UNDECIDED,
        toys.BROKEN,
        toys.SILENT,
        toys.HOSTILE,
    )
    return report.run(statements, data=toys.rows(6, 3), false_alarm=1e-3)


@pytest.fixture(scope="module")
def html(everything):
    return render_html(everything)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_page_runs_nothing_and_asks_nobody(page, html):
    assert not {"script", "iframe", "object", "embed", "img", "link", "base", "form"} & set(
        page.tags
    )
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    addresses = page.values("href") + page.values("src") + page.values("xlink:href")
    assert all(one.startswith("#") for one in addresses)
    assert "@import" not in html
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", html))
    assert "default-src 'none'; style-src 'unsafe-inline'" in page.values("content")


def test_text_from_outside_is_text(page, html):
    assert toys.SCRIPT not in html
    assert toys.SCRIPT in "".join(page.text)
    assert not [value for value in page.values("href") if "javascript" in value]


def test_ids_are_unique_and_links_lead_somewhere(page):
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {one[1:] for one in page.values("href")} <= set(ids)


def test_verdict_comes_first_and_in_words(html, everything):
    assert html.index(everything.headline) < html.index("</h1>") < html.index("<table")
    for one in everything.statements:
        assert one.verdict in html


def test_pictures_are_described(page):
    labels = page.values("aria-label")
    assert any("Moments" in label and "Drawn: claimed" in label for label in labels)


def test_wide_content_scrolls_in_its_own_box(html):
    assert html.count("<table") == len(re.findall(r'<div class="scroll"[^>]*>\s*<table', html))


def test_page_and_twin_show_the_same_statements(page, everything):
    twin = json.loads(json.dumps(everything.to_dict(), allow_nan=False))
    text = "".join(page.text)
    for one in twin["statements"]:
        assert one["title"] in text
        for evidence in one["evidence"]:
            assert evidence["replay"] in text
    for row in twin["data"]["plan"]:
        assert count(row["n_features"]) in text
        assert count(row["n_features_proved"]) in text


def test_a_lost_formula_is_shown_as_restored_with_its_hypotheses():
    found = report.run((toys.LOST,), with_data=False)
    html, summary = render_html(found), render_markdown(found)
    text = "".join(Page(html).text)
    for written in ("undecided: formula not in our copy", "our copy, line 7", "A standard normal"):
        assert written in text
    assert "restored form" in "".join(text.partition("Every statement in full")[2])
    assert "restored: refuted" in summary
    assert "printed:" not in summary


def test_summary_has_no_html_and_every_statement(everything):
    text = render_markdown(everything)
    assert not re.search(r"(?<!\\)<", text)
    for one in everything.statements:
        assert one.verdict in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| toy")}
    assert len(widths) <= 1


@pytest.mark.parametrize(
    "latex",
    [rf"\text{{{toys.SCRIPT}}}", r"\frac{", r"\text{</math><img src=x onerror=alert(1)>}", "a & b"],
)
def test_latex_that_is_not_mathematics_is_shown_not_run(latex):
    page = Page(str(mathml(latex)))
    assert set(page.tags) <= {"code", "math", "mrow", "mi", "mo", "mtext"}


def test_latex_keeps_no_address():
    assert "javascript" not in mathml(r"\href{javascript:alert(1)}{x}")


@pytest.mark.parametrize(
    ("latex", "html"),
    [
        (
            r"2\log q",
            '<mn>2</mn><mspace width="0.1667em" /><mi>log</mi><mspace width="0.1667em" />',
        ),
        (r"\log(q)", "<mi>log</mi><mo"),
        (r"x \sim y", "<mo>∼</mo>"),
        (r"\max_j g", "<munder><mi>max</mi><mi>j</mi></munder>"),
        ("g'_j", '<msub><mrow><mi>g</mi><mo lspace="0" rspace="0">′</mo></mrow><mi>j</mi></msub>'),
        ("(-1)", '(</mo><mo form="prefix" lspace="0" rspace="0">−</mo>'),
        ("x = -1", '=</mo><mo form="prefix" lspace="0" rspace="0">−</mo>'),
        ("(a) - b", "<mo>−</mo>"),
        (r"\Vert x\Vert - 1", "<mo>−</mo>"),
    ],
)
def test_formulas_are_set_as_in_print(latex, html):
    assert html in mathml(latex, True)


def test_formulas_break_at_quads_outside_groups():
    pieces = formula(r"a \quad \left( b \quad c \right), \qquad \frac{x\quad y}{z}")
    assert pieces.count('<span class="piece">') == 3
    assert formula(r"a, \; b = c \; d").count('<span class="piece">') == 2


def test_prose_renders_only_what_stands_between_dollars():
    html = prose("if $x<y$ & <b>")
    assert html.count("<math") == 1
    assert "&amp; &lt;b&gt;" in html


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
    svg = draw(plot, "p")
    assert not re.search(r"#[0-9a-f]{6}", svg.replace("#p-", ""))
    assert "var(--series-0)" in svg
    assert "<style" not in svg
    assert svg == draw(plot, "p")


def test_sharp_intervals_are_written_as_middle_and_distance():
    one = Evidence.exact_comparison(
        form="proved",
        check="c",
        claim="x",
        observed=0.42861006423329,
        exact=0.42861006423329,
        interval=(0.42861006423301, 0.42861006423357),
    )
    written = cells(one)
    assert written["interval"] == "0.42861\u202f±\u202f2.8\u202f·\u202f10⁻¹³"
    assert written["observed"] == "0.42861"


def test_bounds_are_written_as_bounds():
    one = Evidence.bound_comparison(
        form="proved", check="c", claim="x", observed=0.5, interval=(0.4, 0.6), lower=0.25
    )
    assert cells(one)["exact"] == "≥\u202f0.25"
    assert cells(one)["margin"] == "0.15"


@pytest.mark.parametrize(
    ("x", "options", "text"),
    [
        (1.23456, {"scale": 0.02}, "1.235"),
        (-1.23456, {"scale": 0.02}, "−1.235"),
        (1234.56, {"scale": 20.0}, "1235"),
        (0.0, {}, "0"),
        (123456.0, {}, "123456"),
        (np.inf, {}, "∞"),
        (-np.inf, {}, "−∞"),
        (np.nan, {}, "–"),
        (2.5e-9, {"digits": 2}, "2.5\u202f·\u202f10⁻⁹"),
        (1e-9, {"digits": 2}, "10⁻⁹"),
        (1.0, {"scale": 1e-17}, "1"),
    ],
)
def test_numbers_show_what_was_measured(x, options, text):
    assert number(x, **options) == text
