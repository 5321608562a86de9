"""An experiment of three cells that counts how often each was measured."""

from __future__ import annotations

from mehler.reproduce._experiment import Cell, Experiment, Page, Table
from mehler.statements import Plot, Series


def toy(calls: list[str], fail_at: str | None = None) -> Experiment:
    """Return an experiment that is interrupted at the cell `fail_at`."""

    def measure(level, rows, cell, seed):
        calls.append(cell.key)
        if cell.key == fail_at:
            raise KeyboardInterrupt
        return {"square": cell.options["n"] ** 2, "seed": cell.seed(seed, "toy")}

    def page(level, found):
        rows = [[str(c.options["n"]), str(m["square"])] for c, m in found]
        curve = Series(
            label="squares", x=range(len(found)), y=[measured["square"] for _, measured in found]
        )
        return Page(
            verdicts=("Squares grow <b>fast</b>.",),
            tables=(Table("Squares", ("n", "n^2"), rows),),
            plots=(Plot(title="Squares", x_label="n", y_label="n^2", series=[curve]),),
        )

    return Experiment(
        name="toy",
        title="Squares & more",
        source="Nobody (2026), Table 0",
        printed="Squares of three numbers.",
        cells=lambda level: [Cell({"n": n}) for n in (1, 2, 3)],
        measure=measure,
        page=page,
        needs_data=("full",),
    )
