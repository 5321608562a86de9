"""Figure 2 of Mroueh, Rennie, Goel (2015): one object at varying angles, embedded in the plane.

Two principal components of maxout features, each the largest of 12 random projections, are compared
with those of pixels, and with locally linear embedding (LLE): which keep the order of the angles?
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from mehler import MaxoutFeatures
from mehler.statements import Plot, Series

from .. import data
from .._harness import Cell, Level, declared
from .._results import Options, Record, Results, Tables, differences
from .._rows import unit_rows
from ._orders import agreement, kept_together, windings

UNITS = {"quick": 2000, "full": 10_000}
ANGLES, POOL, NEIGHBOURS = 120, 12, 8
METHODS = {"maxout": "maxout, then PCA", "pixels": "PCA of pixels", "lle": "LLE of scikit-learn"}
# Open sweeps like the paper's faces: 33 views of part of a turn.
VIEWS, SWEEPS = 33, {"turn": 360, "half": 180, "sixth": 60}
THRESHOLD = 0.9  # rank correlation above which the order counts as recovered
# People per plane: forty make eight planes. Pictures are shrunk to means of squares of pixels.
PEOPLE, SHRUNK = 5, 4


def shrunk(images: NDArray[np.number]) -> Any:
    """Return means over squares of 4 x 4 pixels, 112 x 92 to 28 x 23, as rows of unit length."""
    n, height, width = images.shape
    squares = images.reshape(n, height // SHRUNK, SHRUNK, width // SHRUNK, SHRUNK)
    return unit_rows(squares.mean(axis=(2, 4), dtype=np.float64), np.float64)


def rotations(image: NDArray[np.float64], angles: NDArray[np.float64]) -> Any:
    """Return an image at angles in degrees, by bilinear interpolation, zero outside."""
    return np.stack([ndimage.rotate(image, angle, reshape=False, order=1) for angle in angles])


def prepare(level: Level, folder: Path | None) -> tuple[list[Any], Any]:
    """Load ten digits to rotate: 8 x 8; at the full level 28 x 28, and the ORL faces."""
    faces = None if folder is None else data.orl_faces()
    digits = data.digits() if folder is None else data.mnist(folder)
    return [digits.X[digits.y == digit][0].astype(np.float64) for digit in range(10)], faces


def cells(level: Level) -> list[Options]:
    """Return a cell per digit and sweep, and at the full level for every five of forty people."""
    m = UNITS[level]
    digits = [{"digit": digit, "sweep": sweep, "m": m} for sweep in SWEEPS for digit in range(10)]
    return [*digits, *({"faces": k, "m": m} for k in range(40 // PEOPLE) if level == "full")]


def measure(level: Level, pictures: tuple[list[Any], Any], cell: Cell) -> Record:
    """Embed the pictures of a rotated digit, or of five people, in the plane in three ways.

    Returns the coordinates and the score of each: :func:`agreement` or :func:`kept_together`.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import LocallyLinearEmbedding

    digits, faces = pictures
    score: Callable[[Any], float]
    if "faces" in cell.options:
        here = faces.y // PEOPLE == cell["faces"]
        X, people = shrunk(faces.X[here]), faces.y[here]
        record: Record = {"people": people.tolist()}
        score = partial(kept_together, people=people)
    else:
        closed = cell["sweep"] == "turn"
        n = ANGLES if closed else round(360 / (SWEEPS[cell["sweep"]] / (VIEWS - 1)))
        angle = (360.0 * np.arange(n) / n)[: n if closed else VIEWS]
        X = unit_rows(rotations(digits[cell["digit"]], angle), np.float64)
        record = {"angle": angle.tolist()}
        score = partial(agreement, angle=angle, closed=closed)
    phi = MaxoutFeatures.draw(X.shape[1], cell["m"], POOL, seed=cell.seed(), like=X)
    plane = PCA(n_components=2, svd_solver="full").fit_transform
    options = {"n_neighbors": NEIGHBOURS, "eigen_solver": "dense", "random_state": 0}
    lle = LocallyLinearEmbedding(n_components=2, **options).fit_transform
    for method, points in (("maxout", plane(phi(X))), ("pixels", plane(X)), ("lle", lle(X))):
        record[method] = score(points)
        record[f"{method}_x"], record[f"{method}_y"] = points.T.tolist()
    return record


def table(level: Level, results: Results) -> Tables:
    """Return scores by digit and by people, windings, and differences from the pixels."""
    tables, pairs = {}, {}
    for sweep, degrees in SWEEPS.items():
        how = "order around the centre, circular rank correlation"
        if sweep != "turn":
            how = f"{VIEWS} views, order along the first component, Spearman's correlation"
        subset = results.where(sweep=sweep)
        above = {METHODS[m]: f"{(subset.values(m) > THRESHOLD).sum()} of 10" for m in METHODS}
        rows = _scores("digit", list(map(str, subset.options("digit"))), subset, 3)
        tables[f"{degrees} degrees: {how}"] = [*rows, {"digit": f"above {THRESHOLD}"} | above]
        pairs[f"{degrees} degrees, correlation"] = subset.values("maxout"), subset.values("pixels")
    caption = "Times that the embedding goes around its centre in one full turn"
    tables[f"{caption} (best fit of 1 to 6)"] = [
        {"digit": str(cell["digit"])}
        | {METHODS[m]: str(windings(_points(record, m), record["angle"])) for m in METHODS}
        for cell, record in results.where(sweep="turn").cells
    ]
    faces = _faces(results)
    if faces.cells:
        names = [f"{PEOPLE * k + 1} to {PEOPLE * (k + 1)}" for k in faces.options("faces")]
        tables[
            "ORL faces, ten pictures of each of five people in one plane: share of pictures whose "
            "nearest other one is of the same person"
        ] = _scores("people", names, faces, 2)
        pairs["ORL faces, share of pictures"] = faces.values("maxout"), faces.values("pixels")
    # Paired, since both methods see the same pictures.
    return tables | {"Maxout, then PCA, less PCA of pixels": differences(pairs, "score", digits=3)}


def _faces(results: Results) -> Results:
    return Results((cell, record) for cell, record in results.cells if "faces" in cell)


def _scores(head: str, names: list[str], subset: Results, digits: int) -> list[dict[str, str]]:
    """Return the scores of all methods, a row per cell, and their means."""
    scores = {label: subset.values(method) for method, label in METHODS.items()}
    rows = [
        {head: name} | {label: f"{values[k]:.{digits}f}" for label, values in scores.items()}
        for k, name in enumerate(names)
    ]
    return [*rows, {head: "mean"} | {label: f"{v.mean():.3f}" for label, v in scores.items()}]


def _points(record: Record, method: str) -> NDArray[np.float64]:
    return np.stack([record[f"{method}_x"], record[f"{method}_y"]], axis=1)


def figure(level: Level, results: Results) -> list[Plot]:
    plots = []
    for sweep, degrees in SWEEPS.items():
        ((_, record),) = results.where(sweep=sweep, digit=4).cells
        step = record["angle"][1]
        parts = {
            f"{part[0] * step:.0f} to {part[-1] * step:.0f} degrees": part
            for part in np.array_split(np.arange(len(record["angle"])), 4)
        }
        plots += _planes(f"digit 4, {degrees} degrees", record, parts)
    for _, record in _faces(results).cells[:1]:
        people = np.array(record["people"])
        parts = {f"person {k + 1}": np.flatnonzero(people == k) for k in np.unique(people)}
        plots += _planes("ORL faces", record, parts)
    return plots


def _planes(what: str, record: Record, parts: Mapping[str, Any]) -> list[Plot]:
    plots = []
    for method, label in METHODS.items():
        x, y = _points(record, method).T
        series = [Series(label=k, x=x[at], y=y[at], kind="points") for k, at in parts.items()]
        title, (x_label, y_label) = f"{label}, {what}", ("first coordinate", "second coordinate")
        plots.append(Plot(title=title, x_label=x_label, y_label=y_label, series=series))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="maxout-figure-2",
    title="One object at changing angles",
    source="Mroueh, Rennie, Goel (2015), section 5.1 and Figure 2",
    data={
        "quick": "turned 8 x 8 digits, in place of turned faces",
        "full": "turned digits of MNIST and ORL faces, in place of turned faces",
    },
    needs_data=("full",),
)
