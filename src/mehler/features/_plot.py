"""A picture of how well a map's inner products estimate its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays, _plotting


def plot_kernel(
    phi: Any, X: _arrays.Array, Y: _arrays.Array | None = None, *, ax: Any = None
) -> Any:
    """Plot :meth:`gram` against :meth:`kernel`, with two standard deviations around it.

    Parameters
    ----------
    X, Y : array, shape (n, n_inputs), (k, n_inputs)
        Rows as in :meth:`gram`.
    ax : matplotlib.axes.Axes, optional
        Where to plot; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ImportError
        Without matplotlib: ``pip install 'mehler[plot]'``.
    """
    exact, found, variance = (
        np.ravel(_arrays.to_host(method(X, Y)))
        for method in (phi.kernel, phi.gram, phi.gram_variance)
    )
    ax = _plotting.axes(ax)
    order = np.argsort(exact)
    exact, spread = exact[order], 2.0 * np.sqrt(variance[order])
    ax.fill_between(
        exact, exact - spread, exact + spread, alpha=0.2, label="two standard deviations"
    )
    ax.plot(exact, exact, linewidth=1.0, color="black", label="exact kernel")
    ax.plot(exact, found[order], ".", markersize=4.0, label=f"{phi.n_features} features")
    ax.set_xlabel("exact kernel")
    ax.set_ylabel("inner product of features")
    ax.legend()
    return ax
