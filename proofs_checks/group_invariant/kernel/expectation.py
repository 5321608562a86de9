"""The first claim: inner products of features have the invariant kernel as their expectation."""

from __future__ import annotations

from typing import Any

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import RESTORED_REFUTED, Check, Context, Evidence, Statement

from ..._dedent import prose
from .._measured_kernel import BLOCKS, Draw, Kernel, declared, held, unit_rows
from .._setting import LAW, PAPER, SETTING
from ._sizes import OWN, everywhere, plot

# Two independent elements a template; random offsets have the expectation of infinitely many bins.
_SAMPLED: dict[str, Any] = {
    **PAPER,
    "group": BLOCKS,
    "n_elements": 2,
    "rule": "dither",
    "n_bins": 10,
    **OWN,
}


def invariant(x: Any, y: Any) -> Any:
    """Compute K_s: s less kappa times the mean distance of the orbits."""
    return PAPER["window"] - LAW.slope * groups.mean_distance(BLOCKS, x, y)


def restored(
    context: Context, *, kernel: Kernel = invariant, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the invariant kernel against features of two random elements a template."""
    verdict = held(
        context,
        f"{STATEMENT.id}: restored",
        _SAMPLED,
        kernel,
        unit_rows(context, 2, 6),
        draw=draw,
        resolution=(0.05, 0.01),
    )
    return Evidence.from_verdict(
        verdict,
        form="restored",
        claim=r"$\lim_{n\to\infty}E\langle\Phi(x),\Phi(z)\rangle = K_s(x, z)$ for $r = 2$ elements",
        plots=(plot(context, invariant),),
    )


def sizes(
    context: Context, *, kernel_of: Any = declared, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Hold the expectation at finite bins and elements against features of many settings."""
    return everywhere(context, f"{STATEMENT.id}: sizes", kernel_of, draw)


STATEMENT = Statement(
    id="group-invariant.expectation",
    source="Mroueh, Voinea, Poggio (2015), Section 2 after the feature map, and contribution 1",
    place=prose("""
        Section 1.2, contribution 1, and Section 2 after the definition of the feature map; our
        copy, lines 30, 52 to 55 and 61, without the formulas
        """),
    copy="lost",
    hypotheses=prose(
        SETTING
        + r"""
        $r$ elements are drawn uniformly and independently from the group, the same for both rows
        (line 52); thresholds $sk/n$, $|k| \le n$. Contribution 1 and Section 3 speak of the
        expectation and name no size of the sample; Remark 2 says "as [they] get large enough".
        """
    ),
    title="What inner products of features estimate",
    expected=RESTORED_REFUTED,
    ground=prose(r"""
        Two independent elements a template, Gaussian templates with rejection, $s = 1.3$ and the
        expectation of infinitely many bins: measured inner products exclude $K_s$. (Elements are
        drawn anew for each template, which leaves expectations as they are.) With $r \to \infty$
        inside the limit the statement holds.
        """),
    printed=(
        r"\lim_{n \to \infty} E_{t,g}\langle\Phi(x), \Phi(z)\rangle = K_s(x,z), \quad "
        r"\Phi(x) = \left(\frac{\sqrt s}{r\sqrt{mn}}\sum_{i \le r}1\left[\langle g_i t_j, x"
        r"\rangle \le \frac{sk}{n}\right]\right)_{j \le m, |k| \le n}"
    ),
    printed_text=prose("""
        With a random sample of elements, the same for both rows, inner products of features have
        the invariant kernel as their expectation, in the limit of many bins.
        """),
    proved=(
        r"E\langle\Phi_\infty(x), \Phi_\infty(z)\rangle = s - \kappa\left((1-w)D(x,z) + "
        r"w\|x-z\|\right), \quad w = \frac{1}{r} \;\text{or}\; \frac{N-r}{r(N-1)}; \quad "
        r"E\langle\Phi,\Phi\rangle - E\langle\Phi_\infty,\Phi_\infty\rangle = "
        r"h\left(1 - E\left(\lceil M/h\rceil - M/h\right)\right)"
    ),
    proved_text=prose(r"""
        Elements that both rows share see $\|x - z\|$: $w = 1/r$ for independent ones, less for
        distinct ones, 0 for the whole group only. With $2n + 1$ thresholds at distance $h = s/n$
        there is a bias in $(0, h]$, near $h/2$ once $h$ is below the scatter of projections.
        """),
    flaw=prose("""
        The double mean over $g_i, g_{i'}$ has $r$ pairs with $i = i'$. For the shifts of three
        coordinates, two independent ones and templates on the sphere, $K_s = 0.764$ for $e_1$ with
        itself and with $e_2$, its shift; the expectations are 0.882 and 0.705: not even invariant.
        The column $k = n$ is always 1 and has full weight: at finite $n$ the integral is
        overestimated by about $s/2n$.
        """),
    proof=prose(r"""
        $\langle\Phi_\infty(x), \Phi_\infty(z)\rangle = s - \frac{1}{r^2}\sum_{i,i'} \max(\langle
        g_i t, x\rangle, \langle g_{i'}t, z\rangle)$ in the window, whose expectation over $t$ is $s
        - \kappa\|g_i^{-1}x - g_{i'}^{-1}z\|$ for each pair. Pairs of independent elements average
        to $D$, equal ones to $\|x-z\|$; distinct elements are uniform over pairs of different ones,
        which gives $w$. Bins: $\sum_k h\,1[M \le hk]$ over $|k| \le n$ is $h(n + 1 - \lceil
        M/h\rceil)$, against $s - M$.
        """),
    note=prose("""
        The expectation is the same whether elements are shared by all templates or drawn for each;
        shared, the features converge to a random kernel, drawn for each to this one. Random offsets
        of the thresholds remove the bias of bins for every $n$.
        """),
    checks=(
        Check(form="restored", name="two random elements", run=restored),
        Check(form="proved", name="finite bins and elements", run=sizes),
    ),
)
