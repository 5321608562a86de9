"""Result of the estimator: weights, both ends of each risk, and their certificates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._box_erm._arguments import require_features
from mehler.learn.losses import Loss


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxERM:
    r"""A function of the box with its certified risks, from :func:`mehler.learn.box_erm`.

    Parameters
    ----------
    alpha : array, shape (m,)
        Weights, each at most `scale` / m in size.
    scale : float
        C.
    loss : Loss
        The loss of the theorem, V.
    surrogate_risk : float
        Mean of the convex surrogate of `loss` over the sample, at `alpha`.
    lower : float
        Lower bound of every surrogate risk in the box, rounding included.
    risk : float
        Mean of V over the sample, at `alpha`.
    risk_lower : float
        Lower bound of every risk in the box, rounding included.
    convex : bool
        Whether nothing is clipped: V is its convex surrogate on all margins that the box attains
        on the sample. Then `risk` equals `surrogate_risk`, and so do the lower ends.
    largest_output : float
        The largest \|f(x_i)\| of the box, (C/m) max_i sum_l \|z_il\|.
    rounding : float
        Bound of the rounding error of each risk.
    wanted_gap : float
        The requested gap.
    relaxation_gap : float
        The gap to which the convex envelope was minimised, whose minimum `risk_lower` bounds.
    iterations : int
        Iterations of both minimisations together; 0 for the closed form.
    n_rows : int
        Number of samples n.

    See Also
    --------
    box_erm : Compute it.
    """

    alpha: Array
    scale: float
    loss: Loss
    surrogate_risk: float
    lower: float
    risk: float
    risk_lower: float
    convex: bool
    largest_output: float
    rounding: float
    wanted_gap: float
    relaxation_gap: float
    iterations: int
    n_rows: int
    _label_dtype: Any = field(repr=False)

    @property
    def gap(self) -> float:
        """Bound of the surrogate risk above its minimum over the box."""
        return self.surrogate_risk - self.lower

    @property
    def slack(self) -> float:
        """Bound of the risk above its minimum over the box.

        Add it to a theorem's bound for the exact minimiser, to have one for this function.
        """
        return self.risk - self.risk_lower

    @property
    def status(self) -> str:
        """``"solved"``, or ``"stopped"`` if the iterations ended before the wanted gap."""
        return "solved" if max(self.gap, self.relaxation_gap) <= self.wanted_gap else "stopped"

    def decision(self, Z: Array) -> Array:
        """Compute f(x) = <alpha, z> for the rows of `Z`: shape (n,).

        Parameters
        ----------
        Z : array, shape (n, m)
            Units of the map that the function was fitted on, beside `alpha`.

        Returns
        -------
        array, shape (n,)

        Raises
        ------
        TypeError, ValueError
            If `Z` is not such a matrix, or lives elsewhere.
        """
        Z = require_features(Z, n_features=self.alpha.shape[0])
        xp = _arrays.array_namespace(self.alpha, Z, names=("alpha", "Z"))
        place = _arrays.place_of(self.alpha)
        if _arrays.place_of(Z).device != place.device:
            raise ValueError(
                f"Z lives on {_arrays.place_of(Z).device} but alpha on {place.device}; bring Z to "
                "alpha's device"
            )
        return xp.matmul(Z, xp.astype(self.alpha, Z.dtype, copy=False))

    def predict(self, Z: Array) -> Array:
        """Predict labels -1 or +1 for the rows of `Z`: the sign of :meth:`decision`, +1 at 0.

        Parameters
        ----------
        Z : array, shape (n, m)
            As for :meth:`decision`.

        Returns
        -------
        array, shape (n,)
            In the dtype of the labels that the function was fitted on.
        """
        values = self.decision(Z)
        xp = _arrays.array_namespace(values)
        ones = xp.ones_like(values)
        return xp.astype(xp.where(values >= 0.0, ones, -ones), self._label_dtype)

    def __str__(self) -> str:
        """State the risk and its certificate."""
        m = self.alpha.shape[0]
        text = (
            f"{self.loss} over |alpha| <= C/m, C = {self.scale:g}, m = {m}, {self.n_rows} rows: "
            f"surrogate risk {self.surrogate_risk:.6g}, certified to be within {self.gap:.2g} of "
            "its minimum over the box."
        )
        reach = f"the margins that the box attains on the sample, up to {self.largest_output:.3g},"
        if self.convex:
            text += f" Nothing is clipped on {reach} so that is the risk of the theorem."
        else:
            text += (
                f" The clipped loss is not convex on {reach} so no minimiser of it is claimed: its "
                f"risk is {self.risk:.6g} here, and certified to be nowhere in the box below "
                f"{self.risk_lower:.6g}."
            )
        if self.status == "stopped":
            text += (
                f" Stopped after {self.iterations} iterations, before the wanted gap of "
                f"{self.wanted_gap:.2g}: raise max_iterations, or ask for less."
            )
        return text
