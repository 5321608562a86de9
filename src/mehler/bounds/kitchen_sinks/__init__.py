r"""Weighted sums of random features (Rahimi and Recht 2008), with explicit constants.

A function of :math:`F_\pi` is :math:`f(x) = \int \alpha(\omega) \phi(x; \omega)\, d\omega` with
:math:`|\alpha| \le C \pi`. K features drawn from :math:`\pi`, with weights of at most C/K each,
come near it, so does their risk, and so does the risk of weights fitted to N samples. What the
paper has is in :mod:`mehler.bounds.printed.kitchen_sinks`.

All functions take the same arguments:

n_features, n_samples : int or array
    Number of features K, and of samples N.
scale : float
    A bound of :math:`\|f\|_\pi`, the size of the box.
feature_scale : float
    :math:`E_\pi b`, where features are drawn from a density proportional to :math:`b\pi` and
    divided by :math:`b(\omega)`, their bound; 1 if they are not. For maxout units see
    :func:`feature_scale_maxout`. C is `scale` times `feature_scale` in all formulas.
lipschitz : float
    L: the loss c(f(x) y) is L-Lipschitz in f(x) y; :math:`R[f] = E\,c(f(x) y)`, :math:`|y| \le 1`.
largest_feature : float, optional
    The largest feature of the data, divided by its bound: in absolute value, or its norm in
    :math:`L^2(\mu)` where no more is needed. The bound is vacuous for one above 1; if left out, the
    assumption is not checked.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from mehler.bounds.kitchen_sinks._approximation import (
    approximation,
    approximation_greedy,
    approximation_risk,
)
from mehler.bounds.kitchen_sinks._excess_risk import excess_risk, generalisation_gap
from mehler.bounds.kitchen_sinks._norms import feature_scale_maxout, norm_h, norm_pi

__all__ = [
    "approximation",
    "approximation_greedy",
    "approximation_risk",
    "excess_risk",
    "feature_scale_maxout",
    "generalisation_gap",
    "norm_h",
    "norm_pi",
]
