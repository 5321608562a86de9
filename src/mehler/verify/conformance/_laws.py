"""Requirements with error rates: what the map declares is what it draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import verify
from mehler._arrays import to_host
from mehler.verify._verdict import Verdict
from mehler.verify.conformance._requirement import Subject


def _host(function: Any) -> Any:
    return lambda x, y: np.asarray(to_host(function(x, y)), dtype=np.float64)


def has_its_kernel(subject: Subject) -> Verdict:
    """Require E<phi(x), phi(y)> = kernel(x, y)."""
    return verify.check_kernel(
        subject.map,
        _host(subject.map().kernel),
        subject.rows,
        resolution=subject.resolution,
        false_alarm=subject.false_alarm,
        ledger=subject.ledger,
        name="conformance: kernel",
    )
