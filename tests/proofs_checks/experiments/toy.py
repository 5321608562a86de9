"""An experiment of three cells that counts how often each was measured."""

from pathlib import Path

from mehler.proofs_checks.experiments._harness import LEVELS, Experiment

from mehler.statements import Plot, Series

PAGE = """# Squares

A paper <b>has</b> *squares*, $n^2$, and a [link](https://example.org).

<!-- results -->

![A picture.](squares.svg)

They grow.
"""


def toy(folder: Path, calls: list[str], fail_at: str | None = None, **changes) -> Experiment:
    """Return an experiment that is interrupted at the cell `fail_at`."""

    def measure(level, rows, cell):
        calls.append(cell.key)
        if cell.key == fail_at:
            raise KeyboardInterrupt
        return {"square": cell["n"] ** 2, "seed": cell.seed()}

    def table(level, results):
        rows = [{"n": str(c["n"]), "n^2": str(m["square"])} for c, m in results.cells]
        return {"Squares & <i>more</i>": rows}

    def figure(level, results):
        curve = Series(label="squares", x=results.options("n"), y=results.values("square"))
        return [Plot(title="Squares", x_label="n", y_label="n^2", series=[curve])]

    page = folder / "toy.md"
    page.write_text(PAGE)
    options = {
        "name": "toy",
        "title": "Squares & more",
        "source": "Nobody (2026), Table 0",
        "page": page,
        "cells": lambda level: [{"n": n} for n in (1, 2, 3)],
        "measure": measure,
        "table": table,
        "figure": figure,
        "data": dict.fromkeys(LEVELS, "three numbers"),
        "needs_data": ("full",),
    }
    return Experiment(**{**options, **changes})
