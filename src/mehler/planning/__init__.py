"""Plan the number of features for a target accuracy.

`plan` is for the error of the kernel and of the risk, `plan_ridge` for ridge regression.
"""

from mehler.planning._features import plan, plan_map
from mehler.planning._plan import Plan, Row
from mehler.planning._ridge import plan_ridge

__all__ = ["Plan", "Row", "plan", "plan_map", "plan_ridge"]
