"""Run the experiments that are still written in the old form."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

# By its name, since it lies above this package until all are written anew.
reproduce = import_module(".".join(("mehler", "reproduce")))


class OldExperiment:
    """An experiment of `mehler.reproduce` with the face of the new ones."""

    def __init__(self, old: Any) -> None:
        self.name, self.title, self.source = old.name, old.title, old.source

    def run(self, out: Path, **options: Any) -> str:
        """Run it and return its sentences."""
        outcome = reproduce.run(self.name, out=out, **options)
        return "\n".join([outcome.title, *outcome.page.verdicts])


EXPERIMENTS: dict[str, Any] = {n: OldExperiment(e) for n, e in reproduce.experiments().items()}
