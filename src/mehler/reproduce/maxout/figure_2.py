"""Figure 2 of the maxout paper: one object at varying angles, embedded in the plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, data
from mehler.reproduce._draws import between, paired_interval
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.statements import Plot, Series


def circular_rank_correlation(a: Any, b: Any) -> float:
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


def around(coordinates: Any) -> Any:
    """Return the angles of points of the plane around their centre."""
    centred = coordinates - coordinates.mean(axis=0)
    return np.arctan2(centred[:, 1], centred[:, 0])


def windings(coordinates: Any, angle: Any) -> int:
    r"""Return how often points wind around their centre while an angle turns once, in either sense.

    .. math:: \arg\max_{k = 1, \dots, 6} \Big|\frac1n \sum_j e^{i(\theta_j \mp k\alpha_j)}\Big|

    with :math:`\theta_j` the angles of the points around their centre, :math:`\alpha_j` = `angle`
    in degrees.
    """
    seen, turned = around(coordinates), np.deg2rad(angle)
    sizes = [
        max(abs(np.exp(1j * (seen + sign * k * turned)).mean()) for sign in (-1, 1))
        for k in range(1, 7)
    ]
    return 1 + int(np.argmax(sizes))


# People per plane; forty people make eight planes.
PEOPLE = 5
_SHRUNK = 4


def shrunk(images: Any) -> Any:
    """Return means over squares of 4 x 4 pixels, 112 x 92 to 28 x 23, as rows of unit length."""
    n, height, width = images.shape
    squares = images.reshape(n, height // _SHRUNK, _SHRUNK, width // _SHRUNK, _SHRUNK)
    rows = squares.mean(axis=(2, 4), dtype=np.float64).reshape(n, -1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def face_cells(m: int, n_people: int = 40) -> list[Cell]:
    """Return a cell for every five people."""
    return [Cell({"faces": part, "m": m}) for part in range(n_people // PEOPLE)]


def measure_faces(
    faces: Any, part: int, embeddings: Mapping[str, Callable[[Any], Any]]
) -> Measured:
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


def faces_shown(
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


_ANGLES, _POOL, _NEIGHBOURS = 120, 12, 8
_METHODS = {"maxout": "maxout, then PCA", "pixels": "PCA of pixels", "lle": "LLE of scikit-learn"}
# Open sweeps like the paper's faces: 33 views of part of a turn.
_VIEWS = 33
_SWEEPS = {"turn": 360, "half": 180, "sixth": 60}
# Rank correlation above which the order counts as found.
_FOUND = 0.9


def prepare(level: Level, folder: Path | None) -> Any:
    """Load ten digits to rotate, and faces or None.

    28 x 28 digits and the ORL faces at the full level, else 8 x 8 digits. Raises MissingDataError
    if a package is not installed.
    """
    faces = None if folder is None else data.orl_faces()
    found = data.digits() if folder is None else data.mnist(folder)
    return [found.X[found.y == digit][0].astype(np.float64) for digit in range(10)], faces


def cells(level: Level) -> list[Cell]:
    """Return a cell per digit, and at the full level for faces; the quick map is smaller."""
    m = 2000 if level == "quick" else 10_000
    turned = [
        Cell({"digit": digit, "sweep": sweep, "m": m}) for sweep in _SWEEPS for digit in range(10)
    ]
    return turned if level == "quick" else [*turned, *face_cells(m)]


def measure(world: Any, cell: Cell, seed: int) -> Measured:
    """Embed the pictures of a rotated digit, or faces, in the plane in three ways, and compare."""
    pictures, faces = world
    own = cell.seed(seed, NAME)
    embeddings: dict[str, Callable[[Any], Any]] = {
        "maxout": lambda rows: maxout(rows, cell.options["m"], own),
        "pixels": plane,
        "lle": locally_linear,
    }
    if "faces" in cell.options:
        return measure_faces(faces, cell.options["faces"], embeddings)
    picture = pictures[cell.options["digit"]]
    closed = cell.options["sweep"] == "turn"
    step = 360 / _ANGLES if closed else _SWEEPS[cell.options["sweep"]] / (_VIEWS - 1)
    turned = data.rotating(picture, round(360 / step))
    many = _ANGLES if closed else _VIEWS
    X, angle = turned.X[:many], turned.y[:many]
    X = X.reshape(len(X), -1)
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    found: Measured = {"angle": angle.tolist()}
    for method, embed in embeddings.items():
        points = embed(X)
        found[method] = agreement(points, angle, closed)
        found[f"{method}_x"], found[f"{method}_y"] = points.T.tolist()
    return found


def maxout(X: Any, m: int, seed: int) -> Any:
    """Return two principal components of random maxout features with pools of twelve."""
    phi = MaxoutFeatures.draw(X.shape[1], m, _POOL, seed=seed, like=X)
    return plane(phi(X))


def plane(Z: Any) -> Any:
    """Return two principal components by scikit-learn."""
    from sklearn.decomposition import PCA

    return PCA(n_components=2, svd_solver="full").fit_transform(np.asarray(Z, dtype=np.float64))


def locally_linear(X: Any) -> Any:
    """Return the locally linear embedding by scikit-learn with eight neighbours."""
    from sklearn.manifold import LocallyLinearEmbedding

    method = LocallyLinearEmbedding(
        n_neighbors=_NEIGHBOURS, n_components=2, eigen_solver="dense", random_state=0
    )
    return method.fit_transform(X)


def agreement(points: Any, angle: Any, closed: bool) -> float:
    """Return the rank correlation of the embedding's order with the angle.

    For a full turn (`closed`), circular correlation of the order around the centre; else the
    absolute value of Spearman's correlation of the first component.
    """
    if closed:
        return circular_rank_correlation(around(points), angle)
    from scipy.stats import spearmanr

    if np.ptp(points[:, 0]) == 0:
        return 0.0  # a single point has no order
    return float(abs(spearmanr(points[:, 0], angle).statistic))


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Compare the three orders with the true angle, and the planes of faces with names."""
    tables, verdicts = [], []
    turned = [(c, m) for c, m in found if "sweep" in c.options]
    faces = [(c, m) for c, m in found if "faces" in c.options]
    for sweep, degrees in _SWEEPS.items():
        name = (
            "Full turn, order around the centre, circular rank correlation"
            if sweep == "turn"
            else f"{_VIEWS} views of {degrees} degrees, order along the first component, "
            "Spearman's correlation"
        )
        some = [(c.options["digit"], m) for c, m in turned if c.options["sweep"] == sweep]
        agreed = {k: np.array([measured[k] for _, measured in some]) for k in _METHODS}
        rows = [
            [str(digit), *(f"{measured[method]:.3f}" for method in _METHODS)]
            for digit, measured in some
        ]
        rows.append(["mean", *(f"{values.mean():.3f}" for values in agreed.values())])
        tables.append(Table(name, ("digit", *_METHODS.values()), rows))
        verdicts.append(verdict(name, agreed))
    tables.append(_windings([(c, m) for c, m in turned if c.options["sweep"] == "turn"]))
    plots = _plots(turned)
    if faces:
        said, table, planes = faces_shown(faces, _METHODS)
        verdicts, tables, plots = [*verdicts, said], [*tables, table], [*plots, *planes]
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _windings(found: list[tuple[Cell, Measured]]) -> Table:
    """Return a table of embeddings that wind more than once, which explains lost orders."""
    rows = []
    for cell, measured in found:
        planes = (np.stack([measured[f"{k}_x"], measured[f"{k}_y"]], axis=1) for k in _METHODS)
        counts = [str(windings(plane, measured["angle"])) for plane in planes]
        rows.append([str(cell.options["digit"]), *counts])
    return Table(
        "Times that the embedding goes around its centre in one full turn (best fit of 1 to 6)",
        ("digit", *_METHODS.values()),
        rows,
    )


def verdict(name: str, agreed: dict[str, Any]) -> str:
    """Describe on how many digits each method finds the order, against PCA of pixels."""
    counts = ", ".join(
        f"{_METHODS[k]} on {int((values > _FOUND).sum())} (mean {values.mean():.2f})"
        for k, values in agreed.items()
    )
    # Paired, since both methods see the same pictures of a digit.
    gain = agreed["maxout"] - agreed["pixels"]
    mean, low, high = paired_interval(gain)
    if low > 0:
        does = "agrees better with the angle than"
    elif high < 0:
        does = "agrees less with the angle than"
    else:
        does = "is not told apart from"
    return (
        f"{name}: the order is found (correlation above {_FOUND}) of {len(gain)} digits by "
        f"{counts}. On average the maxout embedding {does} PCA of pixels (difference "
        f"{mean:+.3f}, {between(low, high, '+.3f')}, over {len(gain)} digits)."
    )


def _plots(found: list[tuple[Cell, Measured]]) -> list[Plot]:
    plots = []
    for cell, measured in found:
        if cell.options["digit"] != 4:
            continue
        sweep = cell.options["sweep"]
        for method, label in _METHODS.items():
            x, y = np.array(measured[f"{method}_x"]), np.array(measured[f"{method}_y"])
            quarters = np.array_split(np.arange(len(x)), 4)
            step, degrees = measured["angle"][1], _SWEEPS[sweep]
            series = [
                Series(
                    label=f"{part[0] * step:.0f} to {part[-1] * step:.0f} degrees",
                    x=x[part],
                    y=y[part],
                    kind="points",
                )
                for part in quarters
            ]
            plots.append(
                Plot(
                    title=f"{label}, digit 4, {degrees} degrees",
                    x_label="first coordinate",
                    y_label="second coordinate",
                    series=series,
                )
            )
    return plots


NAME = "maxout-figure-2"
EXPERIMENT = Experiment(
    name=NAME,
    title="One object at changing angles",
    source="Mroueh, Rennie, Goel (2015), section 5.1 and Figure 2",
    printed=(
        "33 faces of one person at different angles, unit norm, m = 10,000, q = 12, two principal "
        "components: the embedding is said to order the faces by angle. Those faces are not to be "
        "had; digits that are turned stand in, with known angles, and the ORL faces, with names "
        "but no angles."
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
