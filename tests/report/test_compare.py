"""What changed since an earlier report: all of it, no more, and no other file is taken for one."""

from __future__ import annotations

import copy
import json
import os
from functools import reduce
from operator import getitem

import numpy as np
import pandas
import pytest

from mehler import report
from mehler.report import read_report
from mehler.report._compare import compare
from mehler.report.render._pages import render_html, render_markdown
from tests.report import toys

STATEMENTS = (toys.TRUE, toys.REPAIRED)


@pytest.fixture(scope="module")
def found():
    columns = {"a": np.arange(1.0, 41.0), "b": np.cos(np.arange(40.0))}
    rows = report.load_rows(pandas.DataFrame(columns))
    with toys.few_maps():
        return report.run(STATEMENTS, data=rows, false_alarm=1e-3)


@pytest.fixture
def old(found, tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(found.to_dict()))
    return read_report(path)


def changes(found, old):
    return [(one.kind, one.what, one.before, one.after) for one in compare(found, old).changes]


def test_nothing_changed_in_a_report_compared_with_itself(found, old):
    assert changes(found, old) == []


@pytest.mark.parametrize(
    ("path", "value", "change"),
    [
        (("provenance", "seed"), 7, ("setting", "seed", "7", "0")),
        (("data", "n_rows"), 39, ("data", "n rows", "39", "40")),
        (("data", "digest"), "0" * 64, None),
        (("statements", 0, "verdict"), "refuted", ("verdict", "toy.true", "refuted", "holds")),
        (
            ("statements", 1, "evidence", 0, "status"),
            "holds",
            ("verdict", "toy.repaired: second moment, printed form", "holds", "refuted"),
        ),
        (
            ("statements", 0, "printed"),
            "E g = 1",
            ("text", "toy.true, printed form", "E g = 1", "E g^2 = 1"),
        ),
        (("statements", 0, "id"), "toy.other", ("statement", "toy.true", "new", "holds")),
        (("statements", 0, "id"), "toy.other", ("statement", "toy.other", "holds", "gone")),
    ],
)
def test_each_difference_is_found(found, old, path, value, change):
    *inner, last = path
    place = reduce(getitem, inner, old)
    before, place[last] = place[last], value
    differences = changes(found, old)
    if change is None:
        assert any((value[:12], before[:12]) == one[2:] for one in differences)
    else:
        assert change in differences
    assert len(differences) <= 2


def test_numbers_change_where_intervals_do_not_meet(found, old):
    one = old["data"]["evidence"][0]
    shifted = copy.deepcopy(old)
    width = one["interval"][1] - one["interval"][0]
    moved = shifted["data"]["evidence"][0]
    # Half a width away the intervals meet, two widths away they do not.
    moved["interval"] = [end + 0.5 * width for end in one["interval"]]
    assert changes(found, shifted) == []
    moved["interval"] = [end + 2 * width for end in one["interval"]]
    ((kind, what, _, _),) = changes(found, shifted)
    assert (kind, what) == ("number", f"data: {one['check']}")
    # At another pair of rows another number is right.
    moved["where"] = {"i": 0, "j": 0, "rho": 1.0}
    assert changes(found, shifted) == []


def test_statements_that_were_not_asked_for_are_not_gone(found, old):
    old["provenance"]["command"] = "mehler report --statements toy.true"
    del old["statements"][1]
    seen = compare(found, old)
    assert seen.changes == ()
    assert seen.notes == ("The earlier run checked some of the statements only.",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "is no report .JSONDecodeError"),
        ("[" * 100_000, "is no report .RecursionError"),
        ("[1, 2]", "is no report, and this"),
        ('{"schema": "mehler-report/2"}', "'mehler-report/2', and this version reads mehler"),
        ('{"schema": "mehler-report/5"}', "is no report .KeyError"),
        (
            '{"schema": "mehler-report/5", "statements": 3, "data": null, "headline": "", '
            '"provenance": {}}',
            "is no report .KeyError",
        ),
    ],
)
def test_no_other_file_is_taken_for_a_report(tmp_path, content, message):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_report(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "does not exist"),
        (os.mkfifo, "is not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "is not a file"),
        (lambda path: path.write_bytes(b" " * (65 << 20)), "larger than 64 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_before_any_check(tmp_path, make, message):
    path = tmp_path / "old.json"
    make(path)
    with pytest.raises(ValueError, match=f"--compare=.* {message}"):
        report.run((toys.BROKEN,), with_data=False, compare=path)


def test_changes_are_shown_everywhere_and_escaped(old, tmp_path):
    old["statements"][0]["verdict"] = toys.SCRIPT
    old["headline"] = toys.SCRIPT
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**old, "data": None}))
    now = report.run(STATEMENTS, with_data=False, false_alarm=1e-3, compare=path)
    html, summary, twin = render_html(now), render_markdown(now), now.to_dict()
    assert toys.SCRIPT not in html + summary
    assert html.index('id="compared"') < html.index('id="statements"')
    change = {"kind": "verdict", "what": "toy.true", "before": toys.SCRIPT, "after": "holds"}
    assert twin["compared"]["changes"] == [change]
    assert f"    verdict: toy.true: {toys.SCRIPT} -> holds" in report.lines(now)
