r"""Kernel error, approximation and risk of group-invariant features.

A feature counts how many of the r projections :math:`\langle t, g_i^{-1} x\rangle` of a row are
below a threshold: m templates t, elements :math:`g_i` of a group of orthogonal maps, n thresholds a
side in a window [-s, s]. For endless templates and thresholds the kernel is :math:`K_s(x, z) = s -
\kappa E_{g,h}|gx - hz|` with :math:`\kappa = E|t_1|/2`.

Arguments broadcast, and most functions take the same:

n_templates, n_bins, n_samples, n_rows : int or array
    m, n, the number of samples N of a learner, and of the rows N whose pairs are compared.
n_elements : int or array, optional
    r elements, the same for all templates, independent or distinct ones of a finite group; by
    default the whole group.
group_order : int, optional
    n', of a finite group of which distinct elements are drawn, as the map does by default. Not
    given, the bound is that of independent ones, which is true of both.
n_inputs : int or array
    d, the dimension of the rows.
window, radius : float
    s, and R, the largest norm of a row.
templates : {"sphere", "gaussian", "redraw", "zero"}
    Uniform on the sphere; N(0, I/d); N(0, I/d) given that the squared length is below
    :math:`1 + \epsilon`; the same with features of zero in place of another draw.
epsilon : float
    The margin of the last two.
side : {"above", "below"}
    :math:`\delta_1` or :math:`\delta_2` of Theorem 1.
rule : {"paper", "trapezoid", "midpoint", "dither"}
    Binning rule, as :class:`mehler.exact.orbits.Bins` has it.
scale, lipschitz : float
    C: weights are at most C/m, and at most C times the density of templates in the infinite class;
    L: the loss is L-Lipschitz in the prediction.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from mehler.bounds.group_invariant._kernel_error import (
    kernel_bias,
    kernel_change_elements,
    kernel_error,
)
from mehler.bounds.group_invariant._risk import approximation, cdf_error, excess_risk

__all__ = [
    "approximation",
    "cdf_error",
    "excess_risk",
    "kernel_bias",
    "kernel_change_elements",
    "kernel_error",
]
