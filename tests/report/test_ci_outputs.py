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
def result():
    statements = (toys.TRUE, toys.REPAIRED, toys.WRONG, toys.UNDECIDED, toys.BROKEN, toys.SILENT)
    with toys.few_maps():
        return report.run(statements, data=toys.rows(6, 3), false_alarm=1e-3)


def with_problem(result, text):
    evidence = replace(result.data.evidence[0], status="refuted", check=text, reason=text)
    rest = result.data.evidence[1:]
    return replace(result, data=replace(result.data, evidence=(evidence, *rest)))


def test_every_outcome_is_a_case(result):
    root = ElementTree.fromstring(render_junit(result))
    cases = {item.get("name"): item for item in root.iter("testcase")}
    assert list(cases) == [
        *(item.check for item in result.data.evidence),
        *(item.id for item in result.statements),
    ]
    problems = {name: [child.tag for child in case] for name, case in cases.items() if len(case)}
    assert problems == {
        "toy.wrong": ["failure"],
        "toy.undecided": ["failure"],
        "toy.broken": ["error"],
    }
    counts = [int(root.get(name)) for name in ("tests", "failures", "errors")]
    assert counts == [len(cases), 2, 1]
    by_suite = [[int(item.get(n)) for n in ("tests", "failures", "errors")] for item in root]
    assert [sum(column) for column in zip(*by_suite)] == counts
    assert cases["toy.undecided"][0].get("type") == "inconclusive"
    assert "replay: mehler report --statements toy.wrong" in cases["toy.wrong"][0].text


def test_any_text_makes_valid_xml(result):
    root = ElementTree.fromstring(render_junit(with_problem(result, NASTY)).encode("utf-8"))
    name = next(root.iter("testcase")).get("name")
    # Attributes hold line ends as references, so nothing is lost, and the illegal is escaped.
    illegal = {0: r"\x00", 0x1B: r"\x1b", 0xFFFE: r"\ufffe", 0xDC80: r"\udc80"}
    assert name == NASTY.translate(illegal)


def test_a_statement_that_holds_unexpectedly_is_a_failure(result):
    odd = replace(result.statements[0], expected="refuted")
    (case,) = ElementTree.fromstring(
        render_junit(replace(result, statements=(odd,), data=None))
    ).iter("testcase")
    assert [child.tag for child in case] == ["failure"]


def test_the_file_is_written_whole_and_not_over_a_folder(result, tmp_path):
    (path,) = report.write(result, junit=tmp_path / "new" / "junit.xml")
    assert ElementTree.parse(path).getroot().tag == "testsuites"
    with pytest.raises(ValueError, match="is a directory: give a file"):
        report.write(result, junit=tmp_path)
