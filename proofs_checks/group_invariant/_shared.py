"""Maps, rows and measurements that the checks of group-invariant features share.

A random vector t, a *template*, gives a row x the distribution function of <t, g x> over the
elements g of a group, or over a sample of them, at the ends of the *bins* of a *window* [-s, s]:
its features. Checks compare their inner products, of drawn maps, with a claimed kernel.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures, verify
from mehler.exact.orbits import TemplateLaw
from mehler.features import groups
from mehler.statements import Context, Evidence, Plot

from .._comparisons import run_check

Draw = Callable[..., Any]
Kernel = Callable[[Any, Any], Any]

# Permutations of three blocks of two coordinates: a group of six elements, not commutative.
BLOCKS = groups.BlockPermutations(6, 3)
EPSILON = 0.3
# As in Section 2 of the paper: Gaussian templates, drawn again where |t|^2 >= 1 + EPSILON.
PAPER: dict[str, Any] = {"templates": "redraw", "epsilon": EPSILON, "window": 1 + EPSILON}
LAW, SPHERE = TemplateLaw("redraw", 6, EPSILON), TemplateLaw("sphere", 6)
# With random offsets of the bins the mean inner product is that of infinitely many bins.
DITHER: dict[str, Any] = {"group": BLOCKS, "rule": "dither", "n_bins": 10}
# So many of anything that its remaining error is negligible in floats, in extremal instances.
ENDLESS = 10**40
FAILURES = (0.3, 1e-3, 1e-15)
# Most templates per map: features of a few rows stay below 100 MB.
_MOST = 20_000


def unit_rows(context: Context, n: int, n_inputs: int, label: str = "rows") -> Any:
    """Return rows of norm 1 in random directions."""
    rows = context.rng(label).standard_normal((n, n_inputs))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def declared(options: dict[str, Any], n_inputs: int) -> Kernel:
    """Return the exact expected inner product of a map's features, as the library states it."""
    phi = GroupInvariantFeatures.draw(n_inputs, n_templates=1, seed=0, **options)
    return phi.kernel


def measure(
    context: Context,
    label: str,
    claim: str,
    options: dict[str, Any],
    claimed: Kernel,
    rows: Any = None,
    *,
    draw: Draw = GroupInvariantFeatures.draw,
    resolution: tuple[float, float] = (0.03, 0.01),
    n_templates: int = 2000,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Compare a claimed kernel, (X, Y) -> (n, k), with measured inner products of a map.

    `label` distinguishes the measurements of a statement in its ledger and in its seeds;
    `resolution` is for the quick and the full level; rows are two of 6 columns if not given.
    """
    rows = unit_rows(context, 2, 6) if rows is None else rows
    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(
            rows.shape[1], n_templates=n_templates, seed=seed, like=context.like(), **options
        ),
        claimed,
        context.asarray(rows),
        label=label,
        claim=claim,
        resolution=resolution,
        plots=plots,
        seed=context.seed_for(f"{context.statement}: {label}"),
    )


def batches(
    context: Context, label: str, m: int, n_draws: int, *, shared: bool
) -> Iterator[tuple[int, int]]:
    """Yield seeds of maps, and how many draws of m templates each serves.

    With the whole group templates are independent, so that one map of many templates is split; a
    sample of elements that templates share is drawn with each map.
    """
    size = 1 if shared else max(1, _MOST // m)
    for k, start in enumerate(range(0, n_draws, size)):
        yield context.seed_for(f"{label} {k}"), min(size, n_draws - start)


def draw_products(
    context: Context, label: str, rows: Any, options: dict[str, Any], m: int, n_draws: int
) -> Any:
    """Return inner products of features of all pairs of rows, (n_draws, pairs), m templates."""
    shared = options.get("n_elements") is not None
    first, second = np.triu_indices(len(rows))
    products = []
    for seed, maps in batches(context, label, m, n_draws, shared=shared):
        phi = GroupInvariantFeatures.draw(rows.shape[1], n_templates=maps * m, seed=seed, **options)
        parts = phi(rows).reshape(len(rows), maps, -1).swapaxes(0, 1)
        products.append((maps * parts @ parts.swapaxes(1, 2))[:, first, second])
    return np.concatenate(products)


def limit(rows: Any, options: dict[str, Any]) -> Any:
    """Compute the kernel without bins and with the whole group, at all pairs."""
    exact = {**options, "rule": "dither", "n_elements": None}
    return declared(exact, rows.shape[1])(rows, rows)[np.triu_indices(len(rows))]
