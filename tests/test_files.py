"""Arrays of ours are written whole, and never as a pickle."""

import os
import stat
from pathlib import Path

import pytest

from mehler._files import write_whole


def make_pipe(path):
    os.mkfifo(path)


@pytest.mark.parametrize("make", [make_pipe, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_not_replaced(tmp_path, make):
    path = tmp_path / "there"
    make(path)
    before = path.stat()
    with pytest.raises(ValueError, match="exists and is not a regular file"):
        write_whole(path, "text")
    assert path.stat() == before


def test_a_device_is_not_replaced():
    with pytest.raises(ValueError, match="/dev/null exists and is not a regular file"):
        write_whole(Path("/dev/null"), "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_is_followed_also_to_nothing(tmp_path):
    for name in ("old", "new"):
        (tmp_path / f"to {name}").symlink_to(tmp_path / "folder" / name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").write_text("before")
    for name in ("old", "new"):
        write_whole(tmp_path / f"to {name}", "after")
        assert (tmp_path / f"to {name}").is_symlink()
        assert (tmp_path / "folder" / name).read_text() == "after"


def test_a_private_file_stays_private(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    path.chmod(0o600)
    write_whole(path, "after")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
