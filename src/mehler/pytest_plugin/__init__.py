"""The plugin of pytest: one false-alarm budget for all tests of a run, fixed or fresh seeds.

pytest imports `_hooks`, and with it this file, in every run of every suite of an environment that
mehler is installed in. Nothing here imports NumPy; the rest of the package is imported when a test
asks for the ledger.
"""
