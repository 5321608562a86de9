"""Tables, curves and paired differences of the experiment on depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.reproduce._draws import between, paired_interval, spread, with_errors
from mehler.reproduce._experiment import Cell, Measured, Page, Table
from mehler.reproduce.depth._machines import SHALLOW, SHOWN, named
from mehler.statements import Plot

_KINDS = ("NNGP", "NTK")
_BEST, _RELU = "best maxout kernel", "best ReLU kernel"
Found = list[tuple[Cell, Measured]]


def page(found: Found, pools: tuple[int, ...], depths: tuple[int, ...]) -> Page:
    """Return errors over depth and pool, those of other machines, and paired differences."""
    tables, plots, verdicts = [], [], []
    names = list(dict.fromkeys(cell.options["data"] for cell, _ in found))
    for name in names:
        some = [
            _with_chosen(measured, pools, depths)
            for cell, measured in found
            if cell.options["data"] == name
        ]

        def errors(key: str, some: list[Measured] = some) -> Any:
            return np.array([one[key] for one in some if key in one])

        rows = [
            [f"{kind}, q = {q}", *(spread(errors(f"{kind}, {named(q, n)}")) for n in depths)]
            for kind in _KINDS
            for q in pools
        ]
        caption = f"{name}: test error in percent, mean ± standard deviation over draws"
        heads = ("kernel; q = 2 is ReLU", *(f"depth {n}" for n in depths))
        tables.append(Table(caption, heads, rows))
        grid = _grid(pools, depths)
        others = dict.fromkeys(key for one in some for key in one if key not in grid)
        shown = [key for key in others if key != "seconds" and not key.endswith("left out")]
        tables.append(
            Table(
                f"{name}: other machines, and what errors of rows left out choose of the grid",
                ("machine", "test error, percent"),
                [[key, spread(errors(key))] for key in shown],
            )
        )
        curves = [
            with_errors(
                f"{kind}, q = {q}",
                np.array(depths),
                np.transpose([errors(f"{kind}, {named(q, n)}") for n in depths]),
            )
            for kind in _KINDS
            for q in (pools[0], pools[-1])
        ]
        plots.append(
            Plot(
                title=f"{name}: error over depth",
                x_label="hidden layers",
                y_label="test error, percent",
                series=curves,
                caption="Mean over draws, with its standard error.",
            )
        )
        pairs = [pair for pair in _pairs(depths) if all(len(errors(key)) > 1 for key in pair)]
        verdicts += [
            _difference(name, some, *pair, looks=len(pairs) * len(names)) for pair in pairs
        ]
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _grid(pools: tuple[int, ...], depths: tuple[int, ...]) -> list[str]:
    return [f"{kind}, {named(q, n)}" for kind in _KINDS for q in pools for n in depths]


def _with_chosen(one: Measured, pools: tuple[int, ...], depths: tuple[int, ...]) -> Measured:
    """Add the test errors of the kernels of least leave-one-out error, maxout's and ReLU's."""
    grid = [key for key in _grid(pools, depths) if key in one]
    chosen = {}
    for label, relu in ((_BEST, False), (_RELU, True)):
        keys = [key for key in grid if ("q = 2," in key) == relu]
        if keys:
            chosen[label] = one[min(keys, key=lambda key: one[f"{key}, left out"])]
    return {**one, **chosen}


def _pairs(depths: tuple[int, ...]) -> list[tuple[str, str]]:
    """Return the machines that are compared."""
    shown, alike = named(*SHOWN), named(2, SHOWN[1])
    deepest, one = named(SHOWN[0], depths[-1]), named(SHOWN[0], 1)
    return [
        (_BEST, "RBF"),
        (_BEST, _RELU),
        (_BEST, "arc-cosine, order 2"),
        (f"NTK, {shown}", f"NNGP, {shown}"),
        (f"NNGP, {shown}", f"NNGP, {alike}"),
        (f"NNGP, {deepest}", f"NNGP, {one}"),
        (f"networks, {shown}", f"NNGP, {shown}"),
        (f"Nystroem, NNGP, {shown}", f"networks, {shown}"),
        (f"networks, {named(*SHALLOW)}", "Fourier features"),
        (f"tangent features, {shown}", f"NTK, {shown}"),
        (f"Nystroem, NTK, {shown}", f"tangent features, {shown}"),
        (f"tangent features, {shown}", f"networks, {shown}"),
    ]


def _difference(name: str, some: list[Measured], left: str, right: str, *, looks: int) -> str:
    """Format a paired difference, whose interval holds at once with those of all others."""
    gain = np.array([one[left] - one[right] for one in some if left in one and right in one])
    mean, low, high = paired_interval(gain, looks)
    told = f"99 % for all {looks} differences at once"
    word = "smaller error" if high < 0 else "larger error" if low > 0 else "not told apart"
    return (
        f"{name[0].upper()}{name[1:]}, {left} against {right}: {word}; {mean:+.2f} percent "
        f"({between(low, high, told=told)}, over {len(gain)} draws)."
    )
