"""Record: the ledger of one process, with the test of each entry."""

from __future__ import annotations

from typing import Any

from mehler.verify import Ledger


class Record:
    """The ledger of one process of a run.

    Each xdist worker has one, with the whole budget: tests go to workers by timing, so a part of
    the budget each would make a suite fail at random. `Total` compares the sum over the workers
    with the budget.

    Parameters
    ----------
    budget : float
        False-alarm budget of the run.

    See Also
    --------
    Total : The sum over all processes.
    mehler.verify.Ledger : The ledger itself.

    Examples
    --------
    >>> record = Record(1e-6)
    >>> record.ledger.spend("kernel", 1e-9)
    >>> record.finished("test_map.py::test_kernel")
    >>> record.to_dict()["entries"][0]["test"]
    'test_map.py::test_kernel'
    """

    def __init__(self, budget: float) -> None:
        self.ledger = Ledger(budget)
        self._tests: list[str] = []

    def finished(self, test: str) -> None:
        """Assign the entries without an owner to the test that ends."""
        self._tests += [test] * (len(self.ledger.entries) - len(self._tests))

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger's dict, each entry with the id of its test."""
        self.finished("")  # entries outside any test
        content = self.ledger.to_dict()
        for entry, test in zip(content["entries"], self._tests, strict=True):
            entry["test"] = test
        return content
