"""A context like the one that the report hands to each check."""

from collections.abc import Callable

import pytest

from mehler.proofs_checks import STATEMENTS
from mehler.statements import Context, Statement
from mehler.verify import Ledger

BY_ID = {statement.id: statement for statement in STATEMENTS}


def context_for(statement: Statement | str, **options: object) -> Context:
    name = statement if isinstance(statement, str) else statement.id
    return Context(ledger=Ledger(budget=1e-6), statement=name, seed=1, **options)


@pytest.fixture
def context() -> Callable[..., Context]:
    """Make a quick context with a ledger of its own for a statement or its id."""
    return context_for
