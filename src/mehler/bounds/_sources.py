"""Sources of the statements, for citations."""

from __future__ import annotations

from typing import NamedTuple

from mehler._version import __version__


class Source(NamedTuple):
    """A paper, or these pages."""

    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        """Return a reference in a line."""
        return f"{self.authors}, {self.title}, {self.venue} ({self.year})"


_MAXOUT = Source("Y. Mroueh, S. Rennie, V. Goel", "Random Maxout Features", "arXiv", 2015)
_GROUPS = Source(
    "Y. Mroueh, S. Voinea, T. Poggio",
    "Learning with Group Invariant Features: A Kernel Perspective",
    "NIPS 28",
    2015,
)
_SINKS = Source(
    "A. Rahimi, B. Recht",
    "Weighted Sums of Random Kitchen Sinks: Replacing minimization with randomization in learning",
    "NIPS 21",
    2008,
)
_SCORES = Source(
    "S. Shahrampour, S. Kolouri",
    "On Sampling Random Features From Empirical Leverage Scores: Implementation and Theoretical "
    "Guarantees",
    "arXiv",
    2019,
)
_BARRON = Source(
    "A. R. Barron",
    "Universal approximation bounds for superpositions of a sigmoidal function",
    "IEEE Transactions on Information Theory 39",
    1993,
)
_OURS = Source("The mehler developers", "mehler", f"version {__version__}", 2026)

# The papers' statements, each with its place.
PLACES: dict[str, tuple[Source, str]] = {
    "maxout.theorem-2": (_MAXOUT, "Theorem 2 and Appendix B"),
    "maxout.remark-1-codes": (_MAXOUT, "Remark 1"),
    "maxout.remark-2": (_MAXOUT, "Remark 2"),
    "maxout.lemma-2": (_MAXOUT, "Lemma 2 (Appendix B)"),
    "maxout.lemma-3": (_MAXOUT, "Lemma 3 and equation (9) (Appendix B)"),
    "maxout.lemma-4": (_MAXOUT, "Lemma 4 (Appendix B)"),
    "group-invariant.theorem-1": (_GROUPS, "Theorem 1 and equation (3)"),
    "group-invariant.theorem-2": (_GROUPS, "Theorem 2 and equation (5)"),
    "group-invariant.theorem-3": (_GROUPS, "Theorem 3"),
    "group-invariant.theorem-4": (_GROUPS, "Theorem 4"),
    "group-invariant.lemma-4": (_GROUPS, "Lemma 4 and equations (17) to (19)"),
    "kitchen-sinks.lemma-1": (_SINKS, "Lemma 1"),
    "kitchen-sinks.risk-lemma": (_SINKS, "risk lemma"),
    "kitchen-sinks.estimation-lemma": (_SINKS, "estimation lemma"),
    "kitchen-sinks.theorem": (_SINKS, "main theorem"),
    "kitchen-sinks.greedy": (_BARRON, "after L. K. Jones (1992)"),
    "leverage.corollary-5": (_SCORES, "Corollary 5"),
    "leverage.theorem-2": (_SCORES, "Theorem 2 and Lemma 3"),
    "leverage.bach": (_SCORES, "Proposition 6, after Bach (2017)"),
}
# Those that are ours.
_OWN = {
    "features": "clipped-ridge gram-error lower margin nearest ridge uniform",
    "group-invariant": "elements energy-quotient ridge-gain rotations",
    "maxout": "kernel-error sharper-risk",
}
PLACES |= {f"{k}.{name}": (_OURS, "") for k, names in _OWN.items() for name in names.split()}


def cited(statement: str, form: str) -> str:
    """Return a reference to a statement and, for the proved form, to the page of its proof."""
    if statement not in PLACES:
        raise ValueError(f"statement={statement!r} has no source here: cite yours")
    source, place = PLACES[statement]
    page = f"page {_page(statement)}"
    proof = f"; as proved in mehler, {page}" if form == "proved" else ""
    return f"{source}, {page if source is _OURS else place + proof}"


def _page(statement: str) -> str:
    return f"theorems/{statement.replace('.', '-').removeprefix('maxout-')}"
