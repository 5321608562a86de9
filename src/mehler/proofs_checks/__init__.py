"""Map `mehler.proofs_checks` to the folder at the top of the repository.

A checkout needs this file and a wheel does not hold it: there, the folder itself is in this place.
"""

from pathlib import Path

__path__ = [str(Path(__file__).parents[3] / "proofs_checks")]

from mehler.proofs_checks._statements import STATEMENTS

__all__ = ["STATEMENTS"]
