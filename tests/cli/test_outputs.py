"""`--junit` and `--certificate` of report and verify."""

from xml.etree import ElementTree

import pytest

from mehler import recheck, report
from tests.cli.test_cli import call, few_maps, rows_file, toy_statements

__all__ = ["few_maps", "rows_file", "toy_statements"]


def test_report_writes_junit_and_certificates(toy_statements, rows_file, tmp_path, capsys):
    out, junit = tmp_path / "out", tmp_path / "ci" / "junit.xml"
    line = ("report", rows_file, "--out", str(out))
    certificate = tmp_path / "ci" / "certificates.json"
    more = ("--junit", str(junit), "--certificate", str(certificate))
    assert call(*line, "--statements", "toy.true", *more) == 0
    said = capsys.readouterr().out
    assert str(junit) in said
    assert len(list(ElementTree.parse(junit).iter("testcase"))) == 2
    assert 'href="../ci/certificates.json"' in (out / "report.html").read_text(encoding="utf-8")
    assert recheck.main([str(certificate)]) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *(
            (["report", "rows.npy", "--out", "out", option, value], words)
            for option, value, words in (
                ("--junit", ".", "is a directory"),
                ("--certificate", ".", "is a directory"),
                ("--junit", "/dev/null", "not a regular file"),
            )
        ),
        (["report", "rows.npy", "--junit", "rows.npy"], "--junit=rows.npy would replace DATA"),
        (["report", "rows.npy", "--certificate", "link"], "--certificate=link would replace DATA"),
        (["plan", "rows.npy", "--out", "rows.npy"], "--out=rows.npy would replace DATA"),
        (["plan", "rows.npy", "--out", "hard"], "--out=hard would replace DATA"),
        (["plan", "rows.npy", "--map", "maps:f", "--out", "maps.py"], "would replace maps.py"),
        (["verify", "maps.py:f", "--kernel", "rbf", "--json", "maps.py"], "would replace maps.py"),
        (["verify", "maps:f", "--kernel", "rbf", "--json", "maps.py"], "would replace maps.py"),
        (["verify", "a:f", "--kernel", "maps.py:k", "--junit", "maps.py"], "replace maps.py"),
        (["report", "--junit", "a", "--certificate", "a"], "replace what --junit writes"),
        (["report", "--junit", "./b/../a", "--certificate", "a"], "replace what --junit writes"),
        (["report", "--out", "a", "--junit", "a/report.json"], "replace what --out writes"),
        (["report", "--out", "a", "--junit", "a"], "replace the folder of --out"),
        (["report", "--junit", "a", "--certificate", "a/b"], "replace what --junit writes"),
    ],
)
def test_outputs_are_files_and_replace_neither_inputs_nor_each_other(
    toy_statements, rows_file, tmp_path, monkeypatch, capsys, line, message
):
    monkeypatch.setattr(report, "load_rows", lambda *_, **__: pytest.fail("rows were read"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "maps.py").write_text("raise ValueError('it was run')\n")
    (tmp_path / "link").symlink_to("rows.npy")
    (tmp_path / "hard").hardlink_to(tmp_path / "rows.npy")
    before = sorted(tmp_path.iterdir())
    assert call(*line) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("mehler: error: ")
    assert message in error
    assert sorted(tmp_path.iterdir()) == before
