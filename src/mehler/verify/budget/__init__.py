"""False-alarm budgets: the ledger of a run and the allotments of its tests."""
