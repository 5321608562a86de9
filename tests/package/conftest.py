"""The distributions, built once by the backend that pip would call."""

import tarfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
ADDRESS = "https://example.org/owner/mehler"


def build(builder, root: Path, folder: Path) -> Path:
    (file,) = builder(str(root)).build(directory=str(folder))
    return Path(file)


@pytest.fixture(scope="package")
def wheel(tmp_path_factory) -> Path:
    """Built as by a user, who names no address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEHLER_REPOSITORY", raising=False)
        return build(WheelBuilder, ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="package")
def sdist(tmp_path_factory) -> Path:
    """Built as for a release, with an address, and unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEHLER_REPOSITORY", ADDRESS)
        packed = build(SdistBuilder, ROOT, folder)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


@pytest.fixture(scope="package")
def released(sdist, tmp_path_factory) -> Path:
    """The wheel of the source distribution, built without naming the address again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEHLER_REPOSITORY", raising=False)
        return build(WheelBuilder, sdist, tmp_path_factory.mktemp("released"))
