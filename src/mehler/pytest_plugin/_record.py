"""Record: the ledger of one process, and which test has bought what."""

from __future__ import annotations

from typing import Any

from mehler.verify import Ledger


class Record:
    """The ledger of one process of a run.

    Each xdist worker has one, with the whole budget: which worker runs which test is a matter of
    timing, and a share of the budget would make a suite fail on some days. What the workers spend
    together is held against the budget in `Total`.

    Parameters
    ----------
    budget : float
        Of the run.

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
        """Ascribe the entries that have no owner to the test that ends here."""
        self._tests += [test] * (len(self.ledger.entries) - len(self._tests))

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger's dict, each entry with the id of its test."""
        self.finished("")  # bought outside of any test
        content = self.ledger.to_dict()
        for entry, test in zip(content["entries"], self._tests, strict=True):
            entry["test"] = test
        return content
