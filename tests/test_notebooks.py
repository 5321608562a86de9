"""What a notebook shows: short lines, and tables with a formula, escaped."""

from html.parser import HTMLParser

import numpy as np
import pytest

from mehler import bounds, planning, statements, verify
from mehler._text import html_table

BOUND = bounds.kernel_error.one_pair
SHOWN = {
    "bound": BOUND(1000, delta=0.01, width=4.0),
    "bound of arrays": BOUND(np.arange(1, 20_001), delta=0.01, width=4.0),
    "plan": planning.plan(n_inputs=3, measure=False),
    "verdict": verify.check_mean([0, 1] * 500, 0.5, binary=True, resolution=0.3),
    "statement": statements.discover("maxout.theorem-1-kernel")[0],
}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.cells, self.open = 0, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.cells += tag == "td"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", SHOWN)
def test_objects_are_short_in_a_line_and_a_table_in_a_notebook(name):
    lines = SHOWN[name]
    assert len(repr(lines).splitlines()) <= 5
    assert len(repr(lines)) <= 310
    page = Page(lines._repr_html_())
    assert page.open == []
    assert page.cells >= 2
    assert len(lines._repr_html_()) < 10_000


def test_formulas_are_set_by_the_notebook():
    assert SHOWN["statement"]._repr_html_().count("$$") >= 2


def test_text_is_escaped():
    html = html_table("<b>", [("<i>", 1)], "a & b", "")
    assert html == (
        "<p><strong>&lt;b&gt;</strong></p><table><tr><td>&lt;i&gt;</td><td>1</td></tr></table>"
        "<p>a &amp; b</p>"
    )
