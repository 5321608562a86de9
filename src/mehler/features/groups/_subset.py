"""A fixed list of elements of a group, with what is known of their structure."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.features.groups._group import Group
from mehler.features.groups._products import as_group


class Subset(Group):
    """Some elements of a group, in a fixed order: a local neighbourhood, or a sample.

    Parameters
    ----------
    of : Group or recipe
    elements : array, shape (r, k)
        As `of.elements()` writes them; they may repeat.

    Raises
    ------
    ValueError
        If there are none, or they are not written as the group's are.

    Examples
    --------
    >>> from mehler.features import groups
    >>> near = groups.CyclicShifts(20).subset([[-1], [0], [1]])
    >>> near.order, near.closed
    (3, False)
    """

    of: Group

    def __init__(self, of: Any, elements: Any) -> None:
        self.of = as_group(of)
        listed = np.array(elements)
        width = self.of.sample(1, np.random.default_rng(0)).shape[1]
        if listed.ndim != 2 or listed.shape[0] == 0 or listed.shape[1] != width:
            raise ValueError(
                f"elements have shape {listed.shape} but must have shape (r, {width}), as "
                f"{self.of!r} writes its elements, and r at least 1"
            )
        listed.setflags(write=False)
        self._kept = listed
        super().__init__(self.of.n_inputs, len(listed), orthogonal=self.of.orthogonal, closed=False)

    @property
    def moves_coordinates(self) -> bool:
        """Where the group does."""
        return self.of.moves_coordinates

    def _listed(self) -> Any:
        return self._kept

    def coordinates(self, elements: Any) -> tuple[Any, Any] | None:
        """Index and sign of each coordinate, where the group has them."""
        return self.of.coordinates(elements)

    def _apply(self, rows: Any, elements: Any) -> Any:
        return self.of.apply(rows, elements)

    def _transpose(self, rows: Any, elements: Any) -> Any:
        return self.of.transpose(rows, elements)

    def _parameters(self) -> dict[str, Any]:
        return {"of": self.of.recipe(), "elements": self._kept.tolist()}

    def __repr__(self) -> str:
        """Name the group and how many elements are taken."""
        return f"<{self.order} elements of {self.of!r}>"
