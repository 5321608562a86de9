"""JUnit: valid, escaped, a case for each outcome."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from mehler import report
from mehler.report.render._format import render_junit
from tests.report import toys

# Markup, line ends, what XML cannot hold, and half of a surrogate pair.
NASTY = '<b a="1">&\'%\r\n::error::x,y:z\x00\x1b[31m\ufffe\udc80\U0001f600'


@pytest.fixture(scope="module")
def found():
    statements = (toys.TRUE, toys.REPAIRED, toys.WRONG, toys.UNDECIDED, toys.BROKEN, toys.SILENT)
    with toys.few_maps():
        return report.run(statements, data=toys.rows(6, 3), false_alarm=1e-3)


def with_problem(found, text):
    evidence = replace(found.data.evidence[0], status="refuted", check=text, reason=text)
    rest = found.data.evidence[1:]
    return replace(found, data=replace(found.data, evidence=(evidence, *rest)))


def test_every_outcome_is_a_case(found):
    root = ElementTree.fromstring(render_junit(found))
    cases = {one.get("name"): one for one in root.iter("testcase")}
    assert list(cases) == [
        *(one.check for one in found.data.evidence),
        *(one.id for one in found.statements),
    ]
    problems = {name: [child.tag for child in case] for name, case in cases.items() if len(case)}
    assert problems == {
        "toy.wrong": ["failure"],
        "toy.undecided": ["failure"],
        "toy.broken": ["error"],
    }
    counts = [int(root.get(name)) for name in ("tests", "failures", "errors")]
    assert counts == [len(cases), 2, 1]
    by_suite = [[int(one.get(n)) for n in ("tests", "failures", "errors")] for one in root]
    assert [sum(column) for column in zip(*by_suite)] == counts
    assert cases["toy.undecided"][0].get("type") == "inconclusive"
    assert "replay: mehler report --statements toy.wrong" in cases["toy.wrong"][0].text


def test_any_text_makes_valid_xml(found):
    root = ElementTree.fromstring(render_junit(with_problem(found, NASTY)).encode("utf-8"))
    name = next(root.iter("testcase")).get("name")
    # Attributes hold line ends as references, so nothing is lost, and the illegal is escaped.
    illegal = {0: r"\x00", 0x1B: r"\x1b", 0xFFFE: r"\ufffe", 0xDC80: r"\udc80"}
    assert name == NASTY.translate(illegal)


def test_a_statement_that_holds_unexpectedly_is_a_failure(found):
    odd = replace(found.statements[0], expected="refuted")
    (case,) = ElementTree.fromstring(
        render_junit(replace(found, statements=(odd,), data=None))
    ).iter("testcase")
    assert [child.tag for child in case] == ["failure"]


def test_the_file_is_written_whole_and_not_over_a_folder(found, tmp_path):
    (path,) = report.write(found, junit=tmp_path / "new" / "junit.xml")
    assert ElementTree.parse(path).getroot().tag == "testsuites"
    with pytest.raises(ValueError, match="is a directory: give a file"):
        report.write(found, junit=tmp_path)
