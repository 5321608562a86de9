"""Plan the number of features for a target accuracy, and the cost of ridge regression.

`plan` lists measured, asymptotic and proved numbers of maxout features; `plan_map` does it from the
variance of any map; `plan_ridge` plans the ridge too; `ridge_cost` counts operations, bytes and
memory of a fit on a cluster.
"""

from mehler.planning._any_map import plan_map
from mehler.planning._plan import Plan, Row
from mehler.planning._planner import plan
from mehler.planning._ridge_cost import RidgeCost, ridge_cost
from mehler.planning._ridge_plan import plan_ridge

__all__ = ["Plan", "RidgeCost", "Row", "plan", "plan_map", "plan_ridge", "ridge_cost"]
