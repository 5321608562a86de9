"""The page of Adult at full size: ratios to plain sampling, and the way to the exact kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.reproduce._draws import between, difference, paired_interval, spread, with_errors
from mehler.reproduce._experiment import Cell, Level, Measured, Page, Table
from mehler.reproduce.leverage.experiments import verdict
from mehler.statements import Plot

# The number of features of the cells that have none, and the key of their error.
FLOOR = "exact"
LABELS = {
    "plain": "plain sampling",
    "leverage": "Algorithm 1, leverage",
    "top leverage": "Algorithm 2, top leverage",
    "bottom leverage": "bottom leverage",
    "top variance": "top variance",
    "EERF": "EERF",
    "LKRF (rho = 1)": "LKRF, rho = 1",
    "LKRF (rho tuned)": "LKRF, rho tuned",
    "not so random": "alignment in the Fourier domain",
    "best of 10 plain": "best of 10 plain",
}
# Methods whose distance from that floor is stated.
NEAR = ("plain", "top leverage", "EERF", "not so random")


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return errors, their ratios to plain sampling, and verdicts paired over draws."""
    exact = {c.options["draw"]: one for c, one in found if c.options["M"] == FLOOR}
    sampled = [(cell, one) for cell, one in found if cell.options["M"] != FLOOR]
    sizes = sorted({cell.options["M"] for cell, _ in sampled})
    errors = {
        (name, m): np.array([one[name] for cell, one in sampled if cell.options["M"] == m])
        for name in LABELS
        for m in sizes
    }
    rows = [
        [
            label,
            *(spread(100 * errors[name, m]) for m in sizes),
            *(f"{_ratio(errors[name, m], errors['plain', m]):.2f}" for m in sizes),
        ]
        for name, label in LABELS.items()
    ]
    if exact:
        plain = {
            (c.options["draw"], c.options["M"]): one["plain"]
            for c, one in sampled
            if c.options["draw"] in exact
        }
        at = spread(100 * np.array([one[FLOOR] for one in exact.values()]))
        rows.append(
            [
                f"exact kernel, no features ({_counted(len(exact), 'split')})",
                *[at] * len(sizes),
                *(
                    f"{_ratio([exact[k][FLOOR] for k in exact], [plain[k, m] for k in exact]):.2f}"
                    for m in sizes
                ),
            ]
        )
    what = "8 x 8 digits, 0 to 4 against 5 to 9" if level == "quick" else "Adult, its own test part"
    own = "each method's own bandwidth"
    return Page(
        verdicts=[
            *(verdict(sampled, name, "plain", own) for name in LABELS if name != "plain"),
            *(
                difference(
                    f"alignment in the Fourier domain instead of EERF, M = {m}",
                    100 * errors["not so random", m],
                    100 * errors["EERF", m],
                )
                for m in sizes
            ),
            *(_to_the_floor(sampled, exact, name, sizes[-1]) for name in NEAR if exact),
        ],
        tables=(
            Table(
                f"Test error in percent, mean ± standard deviation over draws, and ratio of "
                f"geometric means to plain sampling ({what})",
                ("method", *(f"M = {m}" for m in sizes), *(f"ratio, M = {m}" for m in sizes)),
                rows,
            ),
        ),
        plots=(
            Plot(
                title=f"Test error over M: {what}",
                x_label="features kept",
                x_log=True,
                y_label="test error, percent",
                series=[
                    with_errors(
                        label,
                        sizes,
                        100 * np.stack([errors[name, m] for m in sizes], axis=1),
                    )
                    for name, label in LABELS.items()
                ],
                caption="Mean over draws, with its standard error; each at its own bandwidth.",
            ),
        ),
    )


def _to_the_floor(
    sampled: list[tuple[Cell, Measured]], exact: dict[int, Measured], name: str, m: int
) -> str:
    """Say how far the features of a method are from the exact kernel on the same splits."""
    gain = [
        100 * (one[name] - exact[cell.options["draw"]][FLOOR])
        for cell, one in sampled
        if cell.options["M"] == m and cell.options["draw"] in exact
    ]
    said = f"{LABELS[name]}, M = {m}, above the exact kernel: "
    said = f"{said[0].upper()}{said[1:]}"
    over = f"over {_counted(len(gain), 'split')}"
    if len(gain) == 1:
        return f"{said}error {gain[0]:+.2f} percent, {over}, so that no interval can be given."
    mean, low, high = paired_interval(gain)
    word = "more mistakes" if low > 0 else "fewer mistakes" if high < 0 else "not told apart"
    return f"{said}{word}; error {mean:+.2f} percent ({between(low, high)}, {over})."


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _ratio(values: Any, base: Any) -> float:
    return float(np.exp(np.mean(np.log(values) - np.log(base))))
