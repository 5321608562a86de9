"""Greedy choice of features for a target (Jones, Barron)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._validate import require_positive
from mehler.features.leverage._selector import Choice, Selector


@dataclass(frozen=True, kw_only=True, eq=False)
class Greedy(Selector):
    r"""Add features one by one, each the one with the smallest error.

    .. math:: f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k, \qquad
              g_k \in \{\pm B\phi_i/\kappa\}

    with :math:`\kappa` the largest root mean square of a feature on the rows. For targets that
    are a sum of features with weights of at most B in total, times kappa, the error after K
    steps is at most :math:`\sqrt{(B^2 - \|y\|^2)/K}`
    (:doc:`/theorems/kitchen-sinks-greedy`); without B the printed steps stall.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`. One step per group to keep; features chosen repeatedly get more
        weight. A group is kept if one of its columns is chosen.
    total_weight : float
        Total weight B.

    See Also
    --------
    EERF : Choose by correlation with the target.
    mehler.bounds.kitchen_sinks.approximation_greedy : The bound of its error.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> chosen = leverage.Greedy(pool, 10, total_weight=5.0)
    >>> chosen.fit(x, np.sin(x[:, 0])).n_features <= 10
    True
    """

    total_weight: float

    changes_kernel: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "total_weight", require_positive("total_weight", self.total_weight)
        )

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        if y.shape[1] != 1:
            raise ValueError(f"y has {y.shape[1]} columns: greedy steps approach one function")
        chosen = steps(
            np.asarray(_arrays.to_host(phi), dtype=np.float64),
            y[:, 0],
            self.total_weight,
            self._n_groups(),
        )
        counts = np.bincount(self._labels()[chosen], minlength=self._shares().size)
        return Choice(counts / counts.sum())


def steps(phi: Any, y: Any, total_weight: float, n: int) -> Any:
    """Return the columns chosen by n steps, in order, with repetitions."""
    rows = phi.shape[0]
    size = np.sqrt(np.mean(phi**2, axis=0).max())
    if size == 0:
        raise ValueError("all features are 0 on these rows: nothing to choose from")
    atoms = phi * (total_weight / size)
    squares = np.mean(atoms**2, axis=0)
    wanted = y @ atoms / rows
    reached = np.zeros_like(wanted)  # <f, atom>
    chosen = np.empty(n, dtype=np.int64)
    for k in range(1, n + 1):
        # |(1 - 1/k) f + s atom/k - y|^2 over signs s, up to what all have in common.
        cross = (1 - 1 / k) * reached - wanted
        best = int(np.argmin(squares / k**2 - 2 * np.abs(cross) / k))
        sign = -1.0 if cross[best] > 0 else 1.0
        reached = (1 - 1 / k) * reached + sign / k * (atoms[:, best] @ atoms) / rows
        chosen[k - 1] = best
    return chosen
