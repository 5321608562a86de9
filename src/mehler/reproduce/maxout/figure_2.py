"""Figure 2 of the maxout paper: one object at varying angles, embedded in the plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, data
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce._results import Results, paired_interval
from mehler.reproduce._rows import unit_rows
from mehler.statements import Plot, Series

_ANGLES, _POOL, _NEIGHBOURS = 120, 12, 8
_METHODS = {"maxout": "maxout, then PCA", "pixels": "PCA of pixels", "lle": "LLE of scikit-learn"}
# Open sweeps like the paper's faces: 33 views of part of a turn.
_VIEWS = 33
_SWEEPS = {"turn": 360, "half": 180, "sixth": 60}
# Rank correlation above which the order counts as found.
_THRESHOLD = 0.9
# People per plane: forty make eight planes. Pictures are shrunk to means of squares of pixels.
_PEOPLE, _SHRUNK = 5, 4


def circular_rank_correlation(a: NDArray[np.float64], b: NDArray[np.number]) -> float:
    r"""Return the rank correlation of two sets of angles, whatever their origins and orientations.

    .. math:: r = \max(R_-^2, R_+^2), \qquad
              R_\mp = \Big|\frac1n \sum_{j} e^{2\pi i (r_j \mp s_j)/n}\Big|

    with the ranks r and s of the angles, ties sharing their mean rank: 1 if one order is the other,
    rotated or reversed; about 1.5/n on average for unrelated ones, 0 if all are equal. See N. I.
    Fisher (1993), Statistical Analysis of Circular Data, section 6.3.2.
    """
    from scipy.stats import rankdata

    n = len(a)
    first, second = (rankdata(np.asarray(v)) for v in (a, b))
    means = [abs(np.exp(2j * np.pi * (first + sign * second) / n).mean()) ** 2 for sign in (-1, 1)]
    return float(max(means))


def _around(coordinates: NDArray[np.float64]) -> Any:
    """Return the angles of points of the plane around their centre."""
    centred = coordinates - coordinates.mean(axis=0)
    return np.arctan2(centred[:, 1], centred[:, 0])


def windings(coordinates: NDArray[np.float64], angle: NDArray[np.float64]) -> int:
    r"""Return how often points wind around their centre while an angle turns once, in either sense.

    .. math:: \arg\max_{k = 1, \dots, 6} \Big|\frac1n \sum_j e^{i(\theta_j \mp k\alpha_j)}\Big|

    with :math:`\theta_j` the angles of the points around their centre, :math:`\alpha_j` = `angle`
    in degrees.
    """
    around_centre, turned = _around(coordinates), np.deg2rad(angle)
    sizes = [
        max(abs(np.exp(1j * (around_centre + sign * k * turned)).mean()) for sign in (-1, 1))
        for k in range(1, 7)
    ]
    return 1 + int(np.argmax(sizes))


def shrunk(images: NDArray[np.number]) -> Any:
    """Return means over squares of 4 x 4 pixels, 112 x 92 to 28 x 23, as rows of unit length."""
    n, height, width = images.shape
    squares = images.reshape(n, height // _SHRUNK, _SHRUNK, width // _SHRUNK, _SHRUNK)
    return unit_rows(squares.mean(axis=(2, 4), dtype=np.float64), np.float64)


def face_cells(m: int, n_people: int = 40) -> list[Cell]:
    """Return a cell for every five people."""
    return [Cell({"faces": part, "m": m}) for part in range(n_people // _PEOPLE)]


def kept_together(points: NDArray[np.float64], people: NDArray[np.int64]) -> float:
    """Return the fraction of points whose nearest other point is of the same person."""
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(people[apart.argmin(axis=1)] == people))


def prepare(level: Level, folder: Path | None) -> tuple[list[Any], Any]:
    """Load ten digits to rotate, and faces or None.

    28 x 28 digits and the ORL faces at the full level, else 8 x 8 digits.
    """
    faces = None if folder is None else data.orl_faces()
    digits = data.digits() if folder is None else data.mnist(folder)
    return [digits.X[digits.y == digit][0].astype(np.float64) for digit in range(10)], faces


def cells(level: Level) -> list[Cell]:
    """Return a cell per digit, and at the full level for faces; the quick map is smaller."""
    m = 2000 if level == "quick" else 10_000
    turned = [
        Cell({"digit": digit, "sweep": sweep, "m": m}) for sweep in _SWEEPS for digit in range(10)
    ]
    return turned if level == "quick" else [*turned, *face_cells(m)]


def measure(level: Level, pictures: tuple[list[Any], Any], cell: Cell, seed: int) -> Measured:
    """Embed the pictures of a rotated digit, or of five people, in the plane in three ways.

    Returns for each embedding its coordinates and its score: of angles :func:`agreement`, of people
    :func:`kept_together`.
    """
    digits, faces = pictures
    own, options = cell.seed(seed, _NAME), cell.options
    score: Callable[[Any], float]
    if "faces" in options:
        here = faces.y // _PEOPLE == options["faces"]
        X, people = shrunk(faces.X[here]), faces.y[here]
        measured: Measured = {"people": people.tolist()}
        score = partial(kept_together, people=people)
    else:
        closed = options["sweep"] == "turn"
        many = _ANGLES if closed else _VIEWS
        step = 360 / _ANGLES if closed else _SWEEPS[options["sweep"]] / (_VIEWS - 1)
        turned = data.rotating(digits[options["digit"]], round(360 / step))
        X, angle = unit_rows(turned.X[:many], np.float64), turned.y[:many]
        measured = {"angle": angle.tolist()}
        score = partial(agreement, angle=angle, closed=closed)
    phi = MaxoutFeatures.draw(X.shape[1], options["m"], _POOL, seed=own, like=X)
    embeddings: dict[str, Callable[[Any], Any]] = {
        "maxout": lambda rows: plane(phi(rows)),
        "pixels": plane,
        "lle": _locally_linear,
    }
    for method, embed in embeddings.items():
        points = np.asarray(embed(X))
        measured[method] = score(points)
        measured[f"{method}_x"], measured[f"{method}_y"] = points.T.tolist()
    return measured


def plane(Z: NDArray[np.float64]) -> Any:
    """Return two principal components by scikit-learn."""
    from sklearn.decomposition import PCA

    return PCA(n_components=2, svd_solver="full").fit_transform(np.asarray(Z, dtype=np.float64))


def _locally_linear(X: NDArray[np.float64]) -> Any:
    """Return the locally linear embedding by scikit-learn with eight neighbours."""
    from sklearn.manifold import LocallyLinearEmbedding

    method = LocallyLinearEmbedding(
        n_neighbors=_NEIGHBOURS, n_components=2, eigen_solver="dense", random_state=0
    )
    return method.fit_transform(X)


def agreement(points: NDArray[np.float64], angle: NDArray[np.float64], closed: bool) -> float:
    """Return the rank correlation of the embedding's order with the angle.

    For a full turn (`closed`), circular correlation of the order around the centre; else the
    absolute value of Spearman's correlation of the first component.
    """
    if closed:
        return circular_rank_correlation(_around(points), angle)
    from scipy.stats import spearmanr

    if np.ptp(points[:, 0]) == 0:
        return 0.0  # a single point has no order
    return float(abs(spearmanr(points[:, 0], angle).statistic))


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Compare the three orders with the true angle, and the planes of faces with names."""
    tables, verdicts, plots = [], [], []
    results = Results(cells)
    for sweep, degrees in _SWEEPS.items():
        name = (
            "Full turn, order around the centre, circular rank correlation"
            if sweep == "turn"
            else f"{_VIEWS} views of {degrees} degrees, order along the first component, "
            "Spearman's correlation"
        )
        some = results.where(sweep=sweep)
        names = [str(digit) for digit in some.options("digit")]
        tables.append(_scores(name, "digit", names, some, digits=3))
        verdicts.append(verdict(name, {method: some.values(method) for method in _METHODS}))
        # The digit 4, by quarters of the sweep.
        ((_, measured),) = some.where(digit=4).cells
        step = measured["angle"][1]
        parts = {
            f"{part[0] * step:.0f} to {part[-1] * step:.0f} degrees": part
            for part in np.array_split(np.arange(len(measured["angle"])), 4)
        }
        plots += _planes(f"digit 4, {degrees} degrees", measured, parts)
    tables.append(_windings(results.where(sweep="turn")))
    faces = [one for one in cells if "faces" in one[0].options]
    if faces:
        sentence, table, planes = faces_shown(faces)
        verdicts, tables, plots = [*verdicts, sentence], [*tables, table], [*plots, *planes]
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _scores(caption: str, head: str, names: list[str], some: Results, *, digits: int) -> Table:
    """Return a table of the scores of all methods, a row per cell, and their means."""
    scores = np.stack([some.values(method) for method in _METHODS], axis=1)
    rows = [[name, *(f"{s:.{digits}f}" for s in row)] for name, row in zip(names, scores)]
    rows.append(["mean", *(f"{mean:.3f}" for mean in scores.mean(axis=0))])
    return Table(caption, (head, *_METHODS.values()), rows)


def _windings(turns: Results) -> Table:
    """Return a table of embeddings that wind more than once, which explains lost orders."""
    rows = []
    for cell, measured in turns.cells:
        planes = (_points(measured, method) for method in _METHODS)
        counts = [str(windings(plane, measured["angle"])) for plane in planes]
        rows.append([str(cell.options["digit"]), *counts])
    return Table(
        "Times that the embedding goes around its centre in one full turn (best fit of 1 to 6)",
        ("digit", *_METHODS.values()),
        rows,
    )


def _points(measured: Measured, method: str) -> Any:
    return np.stack([measured[f"{method}_x"], measured[f"{method}_y"]], axis=1)


def _planes(what: str, measured: Measured, parts: Mapping[str, Any]) -> list[Plot]:
    """Plot the plane of each method, with a series for each part of its points."""
    plots = []
    for method, label in _METHODS.items():
        x, y = _points(measured, method).T
        series = [Series(label=k, x=x[at], y=y[at], kind="points") for k, at in parts.items()]
        title, (x_label, y_label) = f"{label}, {what}", ("first coordinate", "second coordinate")
        plots.append(Plot(title=title, x_label=x_label, y_label=y_label, series=series))
    return plots


def verdict(name: str, agreed: dict[str, Any]) -> str:
    """Describe on how many digits each method finds the order, against PCA of pixels."""
    counts = ", ".join(
        f"{_METHODS[k]} on {int((values > _THRESHOLD).sum())} (mean {values.mean():.2f})"
        for k, values in agreed.items()
    )
    n, does = len(agreed["maxout"]), "agrees {} with the angle than"
    # Paired, since both methods see the same pictures of a digit.
    compared = _against_pixels(agreed, does.format("less"), does.format("better"))
    return (
        f"{name}: the order is found (correlation above {_THRESHOLD}) of {n} digits by "
        f"{counts}. On average the maxout embedding {compared[0]} ({compared[1]}, over {n} digits)."
    )


def _against_pixels(scores: Mapping[str, Any], less: str, more: str) -> tuple[str, str]:
    """Return how maxout compares with PCA of pixels, and the difference with its interval."""
    interval = paired_interval(scores["maxout"] - scores["pixels"])
    does = interval.word(less, more, "is not told apart from")
    return f"{does} PCA of pixels", f"difference {interval.mean:+.3f}, {interval.ends('+.3f')}"


def faces_shown(cells: list[tuple[Cell, Measured]]) -> tuple[str, Table, list[Plot]]:
    """Return a sentence, a table, and the planes of the first five people."""
    results = Results(cells)
    table = _scores(
        "ORL faces, ten pictures of each of five people in one plane: share of pictures whose "
        "nearest other one is of the same person",
        "people",
        [f"{_PEOPLE * k + 1} to {_PEOPLE * (k + 1)}" for k in results.options("faces")],
        results,
        digits=2,
    )
    scores = {method: results.values(method) for method in _METHODS}
    together = "keeps pictures of one person together"
    compared = _against_pixels(scores, f"{together} less well than", f"{together} better than")
    sentence = (
        f"ORL faces have no angles, but names: in the plane the maxout embedding {compared[0]} "
        "(share of nearest pictures that are of the same person "
        f"{scores['maxout'].mean():.3f} against {scores['pixels'].mean():.3f}, {compared[1]}, "
        f"over {len(cells)} groups of {_PEOPLE} people)."
    )
    _, first = cells[0]
    people = np.array(first["people"])
    parts = {f"person {each + 1}": np.flatnonzero(people == each) for each in np.unique(people)}
    return sentence, table, _planes("ORL faces", first, parts)


_NAME = "maxout-figure-2"
EXPERIMENT = Experiment(
    name=_NAME,
    title="One object at changing angles",
    source="Mroueh, Rennie, Goel (2015), section 5.1 and Figure 2",
    printed=(
        "33 faces of one person at different angles, unit norm, m = 10,000, q = 12, two principal "
        "components: the embedding is said to order the faces by angle. Turned digits have known "
        "angles, the ORL faces names but no angles."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "turned 8 x 8 digits, in place of turned faces",
        "full": "turned digits of MNIST and ORL faces, in place of turned faces",
    },
    needs_data=("full",),
)
