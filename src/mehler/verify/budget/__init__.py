"""False-alarm budgets: checks ask for error rates, `Ledger` grants them or refuses."""
