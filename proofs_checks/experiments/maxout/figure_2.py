"""Figure 2 of the maxout paper: one object at varying angles, embedded in the plane."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, stats

from mehler import MaxoutFeatures
from mehler.statements import Plot, Series

from .. import data
from .._harness import Cell, Experiment, Level
from .._results import Measured, Options, Results, Tables, differences
from .._rows import unit_rows

UNITS = {"quick": 2000, "full": 10_000}
ANGLES, POOL, NEIGHBOURS = 120, 12, 8
METHODS = {"maxout": "maxout, then PCA", "pixels": "PCA of pixels", "lle": "LLE of scikit-learn"}
# Open sweeps like the paper's faces: 33 views of part of a turn.
VIEWS, SWEEPS = 33, {"turn": 360, "half": 180, "sixth": 60}
# Rank correlation above which the order counts as recovered.
THRESHOLD = 0.9
# People per plane: forty make eight planes. Pictures are shrunk to means of squares of pixels.
PEOPLE, SHRUNK = 5, 4


def circular_rank_correlation(a: NDArray[np.float64], b: NDArray[np.number]) -> float:
    r"""Return the rank correlation of two sets of angles, whatever their origins and orientations.

    .. math:: r = \max(R_-^2, R_+^2), \qquad
              R_\mp = \Big|\frac1n \sum_{j} e^{2\pi i (r_j \mp s_j)/n}\Big|

    with the ranks r and s of the angles, ties sharing their mean rank: 1 if one order is the other,
    rotated or reversed; about 1.5/n on average for unrelated ones, 0 if all are equal. See N. I.
    Fisher (1993), Statistical Analysis of Circular Data, section 6.3.2.
    """
    n, (first, second) = len(a), (stats.rankdata(np.asarray(v)) for v in (a, b))
    means = [abs(np.exp(2j * np.pi * (first + sign * second) / n).mean()) ** 2 for sign in (-1, 1)]
    return float(max(means))


def around(points: NDArray[np.float64]) -> Any:
    """Return the angles of points of the plane, (n, 2), around their centre."""
    x, y = (points - points.mean(axis=0)).T
    return np.arctan2(y, x)


def windings(points: NDArray[np.float64], angle: Any) -> int:
    """Return how often points wind around their centre while an angle in degrees turns once.

    The best fit of 1 to 6, in either sense: the k of largest abs(mean exp(i (theta ± k alpha))).
    """
    theta, alpha = around(points), np.deg2rad(angle)
    sizes = [
        max(abs(np.exp(1j * (theta + sign * k * alpha)).mean()) for sign in (-1, 1))
        for k in range(1, 7)
    ]
    return 1 + int(np.argmax(sizes))


def agreement(points: NDArray[np.float64], angle: NDArray[np.float64], closed: bool) -> float:
    """Return the rank correlation of the order of points with the angle.

    For a full turn (`closed`), of the order around the centre; else the absolute value of
    Spearman's correlation of the first component.
    """
    if closed:
        return circular_rank_correlation(around(points), angle)
    if np.ptp(points[:, 0]) == 0:
        return 0.0  # a single point has no order
    return float(abs(stats.spearmanr(points[:, 0], angle).statistic))


def kept_together(points: NDArray[np.float64], people: NDArray[np.int64]) -> float:
    """Return the fraction of points whose nearest other point is of the same person."""
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(people[apart.argmin(axis=1)] == people))


def shrunk(images: NDArray[np.number]) -> Any:
    """Return means over squares of 4 x 4 pixels, 112 x 92 to 28 x 23, as rows of unit length."""
    n, height, width = images.shape
    squares = images.reshape(n, height // SHRUNK, SHRUNK, width // SHRUNK, SHRUNK)
    return unit_rows(squares.mean(axis=(2, 4), dtype=np.float64), np.float64)


def turned(image: NDArray[np.float64], angles: NDArray[np.float64]) -> Any:
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


def measure(level: Level, pictures: tuple[list[Any], Any], cell: Cell) -> Measured:
    """Embed the pictures of a rotated digit, or of five people, in the plane in three ways.

    Returns for each embedding its coordinates and its score: of angles :func:`agreement`, of people
    :func:`kept_together`.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import LocallyLinearEmbedding

    digits, faces = pictures
    people: Any = None
    angle, closed = np.empty(0), False
    if "faces" in cell.options:
        here = faces.y // PEOPLE == cell["faces"]
        X, people = shrunk(faces.X[here]), faces.y[here]
        measured: Measured = {"people": people.tolist()}
    else:
        closed = cell["sweep"] == "turn"
        n = ANGLES if closed else round(360 / (SWEEPS[cell["sweep"]] / (VIEWS - 1)))
        angle = (360.0 * np.arange(n) / n)[: n if closed else VIEWS]
        X = unit_rows(turned(digits[cell["digit"]], angle), np.float64)
        measured = {"angle": angle.tolist()}
    phi = MaxoutFeatures.draw(X.shape[1], cell["m"], POOL, seed=cell.seed(), like=X)
    plane = PCA(n_components=2, svd_solver="full")
    lle = LocallyLinearEmbedding(
        n_neighbors=NEIGHBOURS, n_components=2, eigen_solver="dense", random_state=0
    )
    for method, embed, rows in (("maxout", plane, phi(X)), ("pixels", plane, X), ("lle", lle, X)):
        points = embed.fit_transform(rows)
        measured[method] = (
            agreement(points, angle, closed) if people is None else kept_together(points, people)
        )
        measured[f"{method}_x"], measured[f"{method}_y"] = points.T.tolist()
    return measured


def table(level: Level, results: Results) -> Tables:
    """Return scores by digit and by people, windings, and differences from the pixels."""
    tables, pairs = {}, {}
    for sweep, degrees in SWEEPS.items():
        how = "order around the centre, circular rank correlation"
        if sweep != "turn":
            how = f"{VIEWS} views, order along the first component, Spearman's correlation"
        some = results.where(sweep=sweep)
        rows = _scores("digit", list(map(str, some.options("digit"))), some, 3)
        counts = {m: f"{(some.values(m) > THRESHOLD).sum()} of 10" for m in METHODS}
        rows.append(_row("digit", f"above {THRESHOLD}", counts))
        tables[f"{degrees} degrees: {how}"] = rows
        pairs[f"{degrees} degrees, correlation"] = some.values("maxout"), some.values("pixels")
    caption = "Times that the embedding goes around its centre in one full turn"
    tables[f"{caption} (best fit of 1 to 6)"] = [
        _row(
            "digit",
            str(cell["digit"]),
            {m: str(windings(_points(measured, m), measured["angle"])) for m in METHODS},
        )
        for cell, measured in results.where(sweep="turn").cells
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
    return Results((cell, measured) for cell, measured in results.cells if "faces" in cell)


def _row(head: str, name: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {head: name} | {label: texts[method] for method, label in METHODS.items()}


def _scores(head: str, names: list[str], some: Results, digits: int) -> list[dict[str, str]]:
    """Return the scores of all methods, a row per cell, and their means."""
    scores = {method: some.values(method) for method in METHODS}
    rows = [
        _row(head, name, {method: f"{values[k]:.{digits}f}" for method, values in scores.items()})
        for k, name in enumerate(names)
    ]
    return [*rows, _row(head, "mean", {m: f"{values.mean():.3f}" for m, values in scores.items()})]


def _points(measured: Measured, method: str) -> NDArray[np.float64]:
    return np.stack([measured[f"{method}_x"], measured[f"{method}_y"]], axis=1)


def figure(level: Level, results: Results) -> list[Plot]:
    """Draw the planes of the digit 4, by quarters of a sweep, and of the first five people."""
    plots = []
    for sweep, degrees in SWEEPS.items():
        ((_, measured),) = results.where(sweep=sweep, digit=4).cells
        step = measured["angle"][1]
        parts = {
            f"{part[0] * step:.0f} to {part[-1] * step:.0f} degrees": part
            for part in np.array_split(np.arange(len(measured["angle"])), 4)
        }
        plots += _planes(f"digit 4, {degrees} degrees", measured, parts)
    for _, measured in _faces(results).cells[:1]:
        people = np.array(measured["people"])
        parts = {f"person {k + 1}": np.flatnonzero(people == k) for k in np.unique(people)}
        plots += _planes("ORL faces", measured, parts)
    return plots


def _planes(what: str, measured: Measured, parts: Mapping[str, Any]) -> list[Plot]:
    """Plot the plane of each method, with a series for each part of its points."""
    plots = []
    for method, label in METHODS.items():
        x, y = _points(measured, method).T
        series = [Series(label=k, x=x[at], y=y[at], kind="points") for k, at in parts.items()]
        title, (x_label, y_label) = f"{label}, {what}", ("first coordinate", "second coordinate")
        plots.append(Plot(title=title, x_label=x_label, y_label=y_label, series=series))
    return plots


EXPERIMENT = Experiment(
    name="maxout-figure-2",
    title="One object at changing angles",
    source="Mroueh, Rennie, Goel (2015), section 5.1 and Figure 2",
    page=Path(__file__).with_suffix(".md"),
    prepare=prepare,
    cells=cells,
    measure=measure,
    table=table,
    figure=figure,
    data={
        "quick": "turned 8 x 8 digits, in place of turned faces",
        "full": "turned digits of MNIST and ORL faces, in place of turned faces",
    },
    needs_data=("full",),
)
