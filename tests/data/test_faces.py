"""The repair of the ORL faces, and a picture that turns."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import data
from mehler.data._images import repaired

HEADER = b"P5\n92 112\n255\n"


def smooth_image(lines: int, pairs: int = 0):
    """A smooth picture that holds the byte of LF `lines` times, and CR LF `pairs` times."""
    rows, columns = np.mgrid[0:112, 0:92]
    image = (60 + rows // 2 + columns // 2).astype(np.uint8)
    rng = np.random.default_rng(lines)
    flat = image.ravel()
    for place in rng.choice(np.arange(0, 10_000, 3), lines, replace=False):
        flat[place] = 10
    for place in 92 * np.arange(1, pairs + 1) + 5:
        flat[place], flat[place + 1] = 13, 10
    return image


@pytest.mark.parametrize("lines", [0, 1, 40])
def test_line_feeds_that_became_two_bytes_are_undone(lines) -> None:
    image = smooth_image(lines)
    damaged = (HEADER + image.tobytes()).replace(b"\n", b"\r\n")
    assert np.array_equal(repaired(damaged, "s1/1.pgm"), image)


def test_a_whole_file_is_left_as_it_is() -> None:
    image = smooth_image(7, pairs=1)
    assert np.array_equal(repaired(HEADER + image.tobytes(), "s1/1.pgm"), image)


def test_one_pair_that_was_there_before_is_found_by_smoothness() -> None:
    # A picture in which both bytes of the pair lie where the neighbours above are alike.
    image = smooth_image(0)
    image[50:53, 40], image[50:53, 41] = 13, 10
    flat = image.ravel()
    flat[0:3000:600] = 10
    for row in (51, 52):
        image[row, 40], image[row, 41] = 14, 11
    conversion = (HEADER + image.tobytes()).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    found = repaired(conversion, "s8/10.pgm")
    assert np.array_equal(found, image)


@pytest.mark.parametrize("content", [b"", b"P2\n92 112\n255\n", HEADER, HEADER + b"x" * 10_000])
def test_other_files_are_refused(content) -> None:
    with pytest.raises(data.DamagedDataError, match=r"s1/1\.pgm"):
        repaired(content, "s1/1.pgm")


def test_four_turns_give_the_picture_back() -> None:
    image = np.random.default_rng(0).uniform(0, 1, (7, 7))
    turned = data.rotating(image, 4)
    # Second route: NumPy's exact quarter turns, same sense.
    for k in range(4):
        np.testing.assert_allclose(turned.X[k], np.rot90(image, k), atol=1e-12)


def test_neighbours_are_adjacent_angles() -> None:
    image = data.digits().X[3]
    turned = data.rotating(image, 60)
    flat = turned.X.reshape(60, -1)
    distance = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    step = (distance.argmin(axis=1) - np.arange(60)) % 60
    assert set(step) <= {1, 59}


@pytest.mark.parametrize(
    ("image", "n", "message"),
    [
        (np.ones(3), 4, "image must be two-dimensional"),
        (np.ones((0, 3)), 4, "image must be two-dimensional"),
        (np.full((2, 2), np.nan), 4, "image holds NaN"),
        (np.eye(3) * 1j, 4, "image must hold real numbers"),
        (np.full((2, 2), "a"), 4, "image must hold real numbers"),
        # With 2.5 the angles would be 0, 144 and 288 degrees.
        *((np.eye(3), n, f"n_angles={n!r} must be") for n in (0, -1, 2.5, True)),
    ],
)
def test_what_is_no_picture_or_no_number_of_angles_is_refused(image, n, message) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        data.rotating(image, n)
