"""The suite-wide ledger of a pytest run: looks, by test, over all processes.

Hooks, options and fixtures are in the module ``_mehler_pytest_plugin`` beside the package, which
imports nothing; this package is imported when a test requests ``mehler_ledger``.
"""

from mehler.pytest_plugin._artefact import write
from mehler.pytest_plugin._record import Record
from mehler.pytest_plugin._total import Total

__all__ = ["Record", "Total", "write"]
