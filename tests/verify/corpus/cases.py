"""The whole corpus."""

from tests.verify.corpus import (
    fourier_cases,
    invariant_cases,
    law_cases,
    mehler_cases,
    sink_cases,
    structure_cases,
)
from tests.verify.corpus.registry import correct

_PARTS = (
    mehler_cases,
    fourier_cases,
    sink_cases,
    invariant_cases,
    law_cases,
    structure_cases,
)

PLANTED = [case for part in _PARTS for case in part.PLANTED]
TWINS = [case for part in _PARTS for case in part.TWINS]
CORRECT = correct(PLANTED)
