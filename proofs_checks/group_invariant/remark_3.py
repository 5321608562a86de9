"""Remark 3: local invariance, and rows of other lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.exact.orbits import TemplateLaw
from mehler.statements import Check, Context, Evidence, Statement
from proofs_checks.group_invariant._held import BLOCKS, Draw, held, unit_rows
from proofs_checks.maxout._prose import prose

# The identity, a cycle and a transposition of three blocks: not closed under inverses.
_LIST = BLOCKS.subset([[0, 1, 2], [1, 2, 0], [1, 0, 2]])
_OPTIONS: dict[str, Any] = {"group": _LIST, "window": 1.0, "rule": "dither", "n_bins": 10}
_KAPPA = TemplateLaw("sphere", 6).slope


def mean_over_pairs(a: Any, b: Any) -> Any:
    """Mean of |a_i - b_j| over both lists: (r, n, d), (r, k, d) to (n, k)."""
    gaps = a[:, None, :, None] - b[None, :, None]
    return np.linalg.norm(gaps, axis=4).mean(axis=(0, 1))


def as_printed(x: Any, y: Any) -> Any:
    """Return s - kappa times the mean of |g x - g' z|."""
    return 1.0 - _KAPPA * mean_over_pairs(_LIST.apply(x), _LIST.apply(y))


def as_proved(x: Any, y: Any) -> Any:
    """Return s - kappa times the mean of |g^-1 x - g'^-1 z|."""
    return 1.0 - _KAPPA * mean_over_pairs(_LIST.transpose(x), _LIST.transpose(y))


def rows() -> Any:
    """Return a row and one of its orbit that the two formulas see at different distances."""
    x = np.array([[0.5, 0.5, 0.0, -0.5, -0.5, 0.0]])
    return np.vstack([x, BLOCKS.apply(x, np.array([[2, 1, 0]]))[0]])


def _measured(context: Context, form: Any, check: str, claim: str, kernel: Any, draw: Draw) -> Any:
    verdict = held(
        context,
        f"{STATEMENT.id}: {check}",
        _OPTIONS,
        kernel,
        rows(),
        draw=draw,
        n_templates=5000,
    )
    return Evidence.from_verdict(verdict, form=form, check=check, claim=claim)


def printed(
    context: Context, *, kernel: Any = as_printed, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the printed double mean against features of a list that is not closed."""
    return _measured(
        context,
        "printed",
        "three permutations, elements as printed",
        r"$K = s - \kappa\frac{1}{r^2}\sum\|g_ix - g_{i'}z\|$ for three permutations",
        kernel,
        draw,
    )


def proved(
    context: Context, *, kernel: Any = as_proved, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the double mean over inverses against the same features."""
    return _measured(
        context,
        "proved",
        "three permutations, inverses",
        r"$K = s - \kappa\frac{1}{r^2}\sum\|g_i^{-1}x - g_{i'}^{-1}z\|$",
        kernel,
        draw,
    )


def longer_rows(
    context: Context, *, window: float = 2.0, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold s - kappa D with s = R against rows of lengths up to R = 2."""
    x = unit_rows(context, 2, 6) * np.array([[2.0], [0.7]])
    options = {**_OPTIONS, "group": BLOCKS, "window": 2.0}

    def kernel(a: Any, b: Any) -> Any:
        moved = BLOCKS.apply(a), BLOCKS.apply(b)
        return window - _KAPPA * mean_over_pairs(*moved)

    verdict = held(context, f"{STATEMENT.id}: longer rows", options, kernel, x, draw=draw)
    return Evidence.from_verdict(
        verdict,
        form="proved",
        check="rows of length 2 and 0.7",
        claim=r"$K_s = s - \kappa D$ for $\|x\| \le R = s = 2$",
    )


STATEMENT = Statement(
    id="group-invariant.remark-3",
    source="Mroueh, Voinea, Poggio (2015), Remark 3, as recalled",
    title="Remark 3: local invariance and longer rows",
    expected="refuted, repaired",
    printed=(
        r"K(x,z) \approx s - \frac{1}{\sqrt{2\pi d}}\int_{\mathcal G}\int_{\mathcal G}"
        r"\|gx - g'z\|\,d\mu(g)\,d\mu(g'), \quad \mathcal G \subset G; \qquad "
        r"\|x\| \le R: \; s = R(1+\epsilon)"
    ),
    printed_text=prose(
        r"""
        A subset of the group gives local invariance, with the mean distance over the subset; rows
        of length up to $R$ need the window $R(1+\epsilon)$.
        """
    ),
    proved=(
        r"E\langle\Phi_\infty(x),\Phi_\infty(z)\rangle = s - \frac{\kappa}{r^2}\sum_{i,i'}"
        r"\|A_i^\top x - A_{i'}^\top z\| \;\text{for any linear maps } A_1,\dots,A_r, \;\; "
        r"s \ge \rho"
    ),
    proved_text=prose(
        r"""
        Exactly, with transposes (inverses, for orthogonal maps), and without any group: warps and
        interpolated rotations are covered. Equal to the print where the law on the subset is
        invariant under inversion.
        """
    ),
    flaw=prose(
        r"""
        $\langle gt, x\rangle = \langle t, g^{-1}x\rangle$. For the identity, a cycle and a
        transposition of three blocks the mean over $\|g_i x - g_{i'}z\|$ is another number.
        """
    ),
    proof=prose(
        r"""
        The proof of group-invariant.theorem-1 with $a = \langle A_it, x\rangle$ and $b =
        \langle A_{i'}t, z\rangle$: $a - b = \langle t, A_i^\top x - A_{i'}^\top z\rangle$. It uses
        of the templates that their law is rotation invariant, of the maps only linearity, and of
        the window that no projection leaves it.
        """
    ),
    note=prose(
        r"""
        The mean over a subset is a double one and does not reduce to one; it is not invariant.
        """
    ),
    checks=(
        Check(form="printed", name="three permutations, elements as printed", run=printed),
        Check(form="proved", name="three permutations, inverses", run=proved),
        Check(form="proved", name="rows of length 2 and 0.7", run=longer_rows),
    ),
)
