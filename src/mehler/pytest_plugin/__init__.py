"""The suite-wide ledger of a pytest run: what was spent, by which test, in all processes.

The hooks, options and fixtures are in the module ``_mehler_pytest_plugin`` beside the package,
which imports nothing; this one is imported when a test asks for ``mehler_ledger``.
"""

from mehler.pytest_plugin._artefact import write
from mehler.pytest_plugin._record import Record
from mehler.pytest_plugin._total import Total

__all__ = ["Record", "Total", "write"]
