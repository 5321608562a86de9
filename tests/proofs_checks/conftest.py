"""A context like the one that the report hands to each check."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mehler.statements import Context, Statement
from mehler.verify import Ledger


def context_for(statement: Statement, **options: object) -> Context:
    return Context(ledger=Ledger(budget=1e-6), statement=statement.id, seed=1, **options)


@pytest.fixture
def context() -> Callable[..., Context]:
    """Make a quick context with a ledger of its own for a statement."""
    return context_for
