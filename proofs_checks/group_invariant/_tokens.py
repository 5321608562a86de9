"""Sequences of tokens and their orbits under permutations, and a small problem of learning on them.

An orbit is one sequence in every order of its tokens. Features that ignore the order are equal on
it, so that its sorted sequence stands for it: of 8^5 = 32768 sequences there are 792.

The problem: all sequences of three tokens out of three, ten orbits, and the loss -y f of a value f
and a label y. The feature psi(x, t, tau) of a random vector t, a *template*, is the fraction of the
orbit of x whose product with t is at most the threshold tau. Values are sums over m templates and
all thresholds with weights of at most C/m, signs times C/m where they minimise the empirical risk.
With all templates and thresholds the least risk is -C E_t int |E_x y psi(x, t, tau)| d tau.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import Context


@dataclass(frozen=True)
class Tokens:
    """Sequences of `length` tokens out of `alphabet`, one-hot: rows of length sqrt(length)."""

    length: int
    alphabet: int

    @property
    def n_inputs(self) -> int:
        """Coordinates of a one-hot row."""
        return self.length * self.alphabet

    @property
    def group(self) -> groups.BlockPermutations:
        """All permutations of the places."""
        return groups.BlockPermutations(self.n_inputs, self.length)

    @cached_property
    def representatives(self) -> Any:
        """Sorted sequences, one of each orbit: shape (orbits, length)."""
        sequences = itertools.combinations_with_replacement(range(self.alphabet), self.length)
        return np.array(list(sequences))

    @cached_property
    def sizes(self) -> Any:
        """Number of sequences of each orbit."""
        counts = self.counts
        factorial = np.array([math.factorial(k) for k in range(self.length + 1)])
        return factorial[self.length] // factorial[counts].prod(axis=1)

    @cached_property
    def counts(self) -> Any:
        """Token counts of each orbit's sequences: shape (orbits, alphabet)."""
        return np.stack(
            [(self.representatives == a).sum(axis=1) for a in range(self.alphabet)], axis=1
        )

    @cached_property
    def everything(self) -> tuple[Any, Any]:
        """All sequences, and the orbit of each."""
        grid = np.indices((self.alphabet,) * self.length).reshape(self.length, -1).T
        powers = self.alphabet ** np.arange(self.length)[::-1]
        keys = self.representatives @ powers
        return grid, np.searchsorted(keys, np.sort(grid, axis=1) @ powers)

    def one_hot(self, sequences: Any) -> Any:
        """Encode sequences as rows of zeros and ones, token by token."""
        return np.eye(self.alphabet)[sequences].reshape(len(sequences), self.n_inputs)


TOKENS = Tokens(3, 3)
WINDOW = float(np.sqrt(3.0))
BINS = 8
LABELS = np.where((TOKENS.counts[:, 0] > 0) & (TOKENS.counts[:, 1] > 0), 1.0, -1.0)
SHARE = TOKENS.sizes / TOKENS.sizes.sum()
# Templates at a time: columns of ten orbits stay below 100 MB.
_MOST = 20_000


def columns(seed: int, n_templates: int, sequences: Any = None, **options: Any) -> Any:
    """Return psi of each orbit, or of sequences, unscaled: shape (rows, m, thresholds)."""
    options = {"n_bins": BINS, "rule": "paper", **options}
    phi = GroupInvariantFeatures.draw(
        TOKENS.n_inputs,
        group=TOKENS.group,
        n_templates=n_templates,
        window=WINDOW,
        seed=seed,
        **options,
    )
    rows = TOKENS.one_hot(TOKENS.representatives if sequences is None else sequences)
    plain = phi(rows) / np.sqrt(phi.bins.step / n_templates)
    return plain.reshape(len(rows), n_templates, phi.bins.columns)


@dataclass(frozen=True)
class Fitted:
    """Results of fitted weights in independent draws of templates and samples, (n_draws,), C = 1.

    `risk`: true risk of the empirical minimiser. `gap`: largest difference of true and empirical
    risk over the weights. `rademacher`: sup over weights of the mean of random signs times f(x_i).
    """

    risk: Any
    gap: Any
    rademacher: Any


def least_risk(context: Context) -> float:
    """Compute the least risk with all templates and thresholds, from many, C = 1."""
    m, n_bins = (4000, 20) if context.quick else (20_000, 40)
    many = columns(context.seed_for("everything"), m, n_bins=n_bins, rule="midpoint")
    mean = np.abs(np.einsum("o,omk->mk", SHARE * LABELS, many))
    return -float(mean.sum(axis=1).mean() * WINDOW / n_bins)


def fitted(context: Context, n_templates: int, n_samples: int, n_draws: int) -> Fitted:
    """Fit weights by hand: the signs of the means of y psi over the samples."""
    most = max(1, _MOST // n_templates)
    sizes = [min(most, n_draws - start) for start in range(0, n_draws, most)]
    parts = [
        _fitted(context, f"{n_templates} {n_samples} {k}", n_templates, n_samples, size)
        for k, size in enumerate(sizes)
    ]
    return Fitted(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _fitted(context: Context, label: str, m: int, n: int, n_draws: int) -> tuple[Any, Any, Any]:
    psi = columns(context.seed_for(f"fit {label}"), m * n_draws)
    psi = psi.reshape(len(SHARE), n_draws, -1)
    rng = context.rng(f"samples {label}")
    counts = rng.multinomial(n, SHARE, size=n_draws)
    step = WINDOW / BINS / m
    empirical = np.einsum("do,odk->dk", counts * LABELS / n, psi)
    true = np.einsum("o,odk->dk", SHARE * LABELS, psi)
    signs = 2.0 * rng.binomial(counts, 0.5) - counts
    noise = np.einsum("do,odk->dk", signs / n, psi)
    return (
        -step * (np.sign(empirical) * true).sum(axis=1),
        step * np.abs(empirical - true).sum(axis=1),
        step * np.abs(noise).sum(axis=1),
    )


def risk_everywhere(
    context: Context, n_templates: int, n_samples: int, n_elements: int, n_draws: int
) -> Any:
    """Return the true risk on all sequences of a minimiser on sorted ones, for sampled elements."""
    everything, orbit = TOKENS.everything
    both = np.vstack([TOKENS.representatives, everything])
    step = WINDOW / BINS / n_templates
    counts = context.rng("samples everywhere").multinomial(n_samples, SHARE, size=n_draws)
    risks = []
    for k, sample in enumerate(counts):
        psi = columns(
            context.seed_for(f"sampled {k}"),
            n_templates,
            both,
            n_elements=n_elements,
            replacement=True,
        ).reshape(len(both), -1)
        weights = np.sign((sample * LABELS) @ psi[: len(SHARE)])
        risks.append(-step * np.mean(LABELS[orbit] * (psi[len(SHARE) :] @ weights)))
    return np.array(risks)
