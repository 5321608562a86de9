"""Golden values: what the commit 8ee10d0 computed, kept as data to detect change.

They are no evidence of truth: another value may be the better one. Truth is the business of the
proofs, of the exact values by second routes, and of the statistical checks.

- A file was made once, by the commit whose values it keeps, and is not made again.
- A value that differs for a reason is listed in ``differences.json``, as a row of `key` (a pattern
  of `fnmatch`) and `reason`. Every key that matches has to differ, so that no row outlives its
  reason and none covers more than it says. With `now`, the key is one value, and compared with it.
- A bound stands beside its values as it is called today; its key keeps the name of that time.

Values are compared within the accuracy that is documented for them, as each module says, and to
the last bit where that is the promise: bounds, and weights that a generator draws.
"""
