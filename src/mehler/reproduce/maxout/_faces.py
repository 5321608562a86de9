"""Real faces, labelled by person, as a counterpart of the rotated digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mehler.reproduce._draws import between, paired_interval
from mehler.reproduce._experiment import Cell, Measured, Table
from mehler.statements import Plot, Series

# People per plane; forty people make eight planes.
PEOPLE = 5
_SHRUNK = 4


def shrunk(images: Any) -> Any:
    """Return means over squares of 4 x 4 pixels, 112 x 92 to 28 x 23, as rows of unit length."""
    n, height, width = images.shape
    squares = images.reshape(n, height // _SHRUNK, _SHRUNK, width // _SHRUNK, _SHRUNK)
    rows = squares.mean(axis=(2, 4), dtype=np.float64).reshape(n, -1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cells(m: int, n_people: int = 40) -> list[Cell]:
    """Return a cell for every five people."""
    return [Cell({"faces": part, "m": m}) for part in range(n_people // PEOPLE)]


def measure(faces: Any, part: int, embeddings: Mapping[str, Callable[[Any], Any]]) -> Measured:
    """Embed the pictures of group `part` of five people in the plane.

    Returns, for each embedding, the fraction of pictures whose nearest other one shows the same
    person.
    """
    here = faces.y // PEOPLE == part
    X, people = shrunk(faces.X[here]), faces.y[here]
    found: Measured = {"people": people.tolist()}
    for name, embed in embeddings.items():
        points = np.asarray(embed(X))
        found[name] = kept_together(points, people)
        found[f"{name}_x"], found[f"{name}_y"] = points.T.tolist()
    return found


def kept_together(points: Any, people: Any) -> float:
    """Return the fraction of points whose nearest other point is of the same person."""
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(people[apart.argmin(axis=1)] == people))


def shown(
    found: list[tuple[Cell, Measured]], methods: Mapping[str, str]
) -> tuple[str, Table, list[Plot]]:
    """Return a sentence, a table, and the planes of the first five people."""
    shares = {k: np.array([measured[k] for _, measured in found]) for k in methods}
    rows = [
        [
            f"{PEOPLE * cell.options['faces'] + 1} to {PEOPLE * (cell.options['faces'] + 1)}",
            *(f"{measured[k]:.2f}" for k in methods),
        ]
        for cell, measured in found
    ]
    rows.append(["mean", *(f"{values.mean():.3f}" for values in shares.values())])
    table = Table(
        "ORL faces, ten pictures of each of five people in one plane: share of pictures whose "
        "nearest other one is of the same person",
        ("people", *methods.values()),
        rows,
    )
    mean, low, high = paired_interval(shares["maxout"] - shares["pixels"])
    if low > 0:
        does = "keeps pictures of one person together better than"
    elif high < 0:
        does = "keeps pictures of one person together less well than"
    else:
        does = "is not told apart from"
    said = (
        "ORL faces have no angles, but names: in the plane the maxout embedding "
        f"{does} PCA of pixels (share of nearest pictures that are of the same person "
        f"{shares['maxout'].mean():.3f} against {shares['pixels'].mean():.3f}, difference "
        f"{mean:+.3f}, {between(low, high, '+.3f')}, over {len(found)} groups of "
        f"{PEOPLE} people)."
    )
    _, first = found[0]
    people = np.array(first["people"])
    plots = []
    for method, label in methods.items():
        x, y = np.array(first[f"{method}_x"]), np.array(first[f"{method}_y"])
        series = [
            Series(
                label=f"person {each + 1}", x=x[people == each], y=y[people == each], kind="points"
            )
            for each in np.unique(people)
        ]
        plots.append(
            Plot(
                title=f"{label}, ORL faces",
                x_label="first coordinate",
                y_label="second coordinate",
                series=series,
            )
        )
    return said, table, plots
