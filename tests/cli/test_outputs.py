"""`--compare`, `--junit`, `--certificate` and annotations of report and verify."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from mehler import recheck, report
from tests.cli.test_cli import call, few_maps, rows_file, toy_statements
from tests.report import toys

__all__ = ["few_maps", "rows_file", "toy_statements"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("there", ["true", "false"])
def test_report_is_annotated_in_workflows(
    toy_statements, rows_file, tmp_path, monkeypatch, capsys, there
):
    monkeypatch.setenv("GITHUB_ACTIONS", there)
    line = ("report", rows_file, "--statements", "toy.wrong", "--out", str(tmp_path / "out"))
    assert call(*line) == 1
    printed = [one for one in capsys.readouterr().out.splitlines() if one.startswith("::")]
    expected = ["::error title=mehler%3A toy.wrong::"] if there == "true" else []
    assert [one[: len("::error title=mehler%3A toy.wrong::")] for one in printed] == expected


def test_report_compares_and_writes_junit(toy_statements, rows_file, tmp_path, capsys):
    out, junit = tmp_path / "out", tmp_path / "ci" / "junit.xml"
    line = ("report", rows_file, "--out", str(out))
    assert call(*line, "--statements", "toy.true") == 0
    old = ("--compare", str(out / "report.json"))
    certificate = tmp_path / "ci" / "certificates.json"
    more = ("--junit", str(junit), "--certificate", str(certificate))
    assert call(*line, "--statements", "toy.true", *old, *more) == 0
    said = capsys.readouterr().out
    assert "no changes" in said
    assert str(junit) in said
    assert len(list(ElementTree.parse(junit).iter("testcase"))) == 2
    assert 'href="../ci/certificates.json"' in (out / "report.html").read_text(encoding="utf-8")
    assert recheck.main([str(certificate)]) == 0


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--junit", ".", "is a directory"),
        ("--certificate", ".", "is a directory"),
        ("--junit", "/dev/null", "no regular file"),
        ("--compare", "rows.npy", "is no report"),
        ("--compare", "gone.json", "does not exist"),
        ("--compare", "/dev/zero", "is not a file"),
    ],
)
def test_bad_outputs_are_refused_before_any_work(
    toy_statements, rows_file, tmp_path, monkeypatch, capsys, option, value, message
):
    monkeypatch.setattr(report, "load_rows", lambda *_, **__: pytest.fail("rows were read"))
    monkeypatch.chdir(tmp_path)
    assert call("report", rows_file, "--out", "out", option, value) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mehler: error: ")
    assert message in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["report", "rows.npy", "--junit", "rows.npy"], "--junit=rows.npy would replace DATA"),
        (["report", "rows.npy", "--certificate", "link"], "--certificate=link would replace DATA"),
        (["plan", "rows.npy", "--out", "rows.npy"], "--out=rows.npy would replace DATA"),
        (["verify", "maps.py:f", "--kernel", "rbf", "--json", "maps.py"], "would replace maps.py"),
        (["verify", "a:f", "--kernel", "maps.py:k", "--junit", "maps.py"], "replace maps.py"),
        (["report", "--junit", "a", "--certificate", "a"], "replace what --junit writes"),
        (["report", "--junit", "./b/../a", "--certificate", "a"], "replace what --junit writes"),
        (["report", "--out", "a", "--junit", "a/report.json"], "replace what --out writes"),
        (["report", "--out", "a", "--junit", "a"], "replace the folder of --out"),
        (["report", "--junit", "a", "--certificate", "a/b"], "replace what --junit writes"),
    ],
)
def test_outputs_replace_neither_inputs_nor_each_other(
    toy_statements, rows_file, tmp_path, monkeypatch, capsys, line, message
):
    monkeypatch.setattr(report, "load_rows", lambda *_, **__: pytest.fail("rows were read"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "maps.py").write_text("raise ValueError('it was run')\n")
    (tmp_path / "link").symlink_to("rows.npy")
    before = sorted(tmp_path.iterdir())
    assert call(*line) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert message in error
    assert sorted(tmp_path.iterdir()) == before


def test_the_report_that_one_compares_with_may_be_replaced(toy_statements, tmp_path, rows_file):
    line = ("report", rows_file, "--out", str(tmp_path / "o"), "--statements", "toy.true")
    assert call(*line) == 0
    assert call(*line, "--compare", str(tmp_path / "o" / "report.json")) == 0


def test_a_verification_is_no_report(tmp_path, capsys):
    # A map without chance: nothing is drawn for what is refused by its form.
    target = f"{Path(__file__).with_name('verified_maps.py')}:identity"
    twin = tmp_path / "v.json"
    assert call("verify", target, "--kernel", "linear", "--json", str(twin)) == 0
    with pytest.raises(ValueError, match=r"'mehler-verification/1', .*: give the report\.json"):
        report.run((toys.TRUE,), with_data=False, compare=twin)
