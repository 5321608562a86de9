"""Statistical requirements: draws agree with the map's declarations."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import verify
from mehler._arrays import to_host
from mehler.verify._failure import is_failure
from mehler.verify._verdict import Verdict
from mehler.verify.conformance._requirement import Subject

__tracebackhide__, __unittest = is_failure, True


def is_built_as_one(subject: Subject) -> Verdict:
    """Require features of seed and row alone, with the declared kernel at every size."""
    rows = np.asarray(to_host(subject.rows), dtype=np.float64)
    declared = [_host(subject.map(seed).kernel) for seed in (0, 1)]
    values = [kernel(rows, rows) for kernel in declared]
    # A map that keeps a part of a pool has a different kernel in each draw.
    common = np.allclose(values[0], values[1], rtol=1e-6, atol=1e-9 * np.abs(values[0]).max())
    return verify.check_structure(
        subject.map,
        subject.rows,
        kernel=declared[0] if common else None,
        redraw=lambda seed, X, n_features: subject.map(seed, n_features),
        resolution=subject.resolution,
        **_paid(subject, "structure"),
    )


def has_its_kernel(subject: Subject) -> Verdict:
    """Require E<phi(x), phi(y)> = kernel(x, y)."""
    return verify.check_kernel(
        subject.map,
        _host(subject.map().kernel),
        subject.rows,
        resolution=subject.resolution,
        **_paid(subject, "kernel"),
    )


def has_its_variance(subject: Subject) -> Verdict:
    """Require n_features Var<phi(x), phi(y)> = variance(x, y), or the declared gram_variance."""
    return verify.check_variance(subject.map, None, subject.rows, **_paid(subject, "variance"))


def converges(subject: Subject) -> Verdict:
    """Require an error of order n_features^(-1/2)."""
    return verify.check_convergence(subject.map, subject.rows, **_paid(subject, "convergence"))


def is_reproducible(subject: Subject) -> Verdict:
    """Require equal features for equal seeds and independent ones for different seeds."""
    return verify.check_reproducible(subject.map, subject.rows, **_paid(subject, "seeds"))


def stays_finite(subject: Subject) -> Verdict:
    """Require finite features of zero, denormal and huge rows."""
    return verify.check_finite(subject.map, subject.rows, **_paid(subject, "finite"))


def _paid(subject: Subject, name: str) -> dict[str, Any]:
    return {
        "false_alarm": subject.false_alarm,
        "ledger": subject.ledger,
        "name": f"conformance: {name}",
    }


def _host(function: Any) -> Any:
    return lambda x, y: np.asarray(to_host(function(x, y)), dtype=np.float64)
