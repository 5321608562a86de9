"""Files are written whole, or not at all."""

import json
import os
from dataclasses import replace

import pytest

from mehler import report
from mehler._text import printable
from mehler.report.render import _pages
from tests.report import toys

NAMES = {"report.html", "report.json", "summary.md"}


@pytest.fixture(scope="module")
def small():
    return report.run([toys.TRUE], with_data=False)


def test_three_files_and_nothing_else(small, tmp_path):
    out = tmp_path / "deep" / "down"
    paths = report.write(small, out)
    assert {path.name for path in paths} == NAMES == set(os.listdir(out))
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["exit_status"] == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("at", [1, 3])
def test_a_file_that_cannot_be_written_leaves_what_was_there(
    small, tmp_path, monkeypatch, error, at
):
    """The disk fills up, or the user interrupts, while one of three files is written."""
    (tmp_path / "report.html").write_text("old")
    (tmp_path / "summary.md").write_text("old")
    files, really = iter(range(1, 100)), os.fdopen

    def fail(handle, mode):
        if next(files) == at:
            os.close(handle)
            raise error
        return really(handle, mode)

    monkeypatch.setattr(os, "fdopen", fail)
    with pytest.raises(error):
        report.write(small, tmp_path)
    assert set(os.listdir(tmp_path)) == {"report.html", "summary.md"}
    assert {(tmp_path / name).read_text() for name in os.listdir(tmp_path)} == {"old"}


def test_a_place_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ValueError, match=r"--out=.* cannot be created: .*is not a directory"):
            report.require_writable(place)


def test_missing_renderer_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_pages, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "\.\[cli,report\]"'):
        report.require_renderers()


ESCAPE, OVERRIDE, CSI = "\x1b[31mred", "\u202etxt.exe", "\x9b2J"


def test_pages_and_summaries_show_names_escaped(tmp_path):
    result = report.run([toys.TRUE], with_data=False)
    hostile = replace(result.statements[0], title=f"{ESCAPE} {OVERRIDE} {CSI}", expected="refuted")
    result = replace(result, statements=(hostile,))
    for path in report.write(result, tmp_path / "out", junit=tmp_path / "junit.xml"):
        text = path.read_text(encoding="utf-8")
        assert text == printable(text), path
    assert r"\x1b[31mred \u202etxt.exe \x9b2J" in (tmp_path / "out" / "report.html").read_text(
        "utf-8"
    )
    assert json.loads((tmp_path / "out" / "report.json").read_text("utf-8")) == result.to_dict()
    assert all(line == printable(line) for line in report.lines(result))
