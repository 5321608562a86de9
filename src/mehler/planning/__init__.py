"""Plan the number of features for a target accuracy.

`plan` lists measured, asymptotic and proved numbers of maxout features, `plan_map` those from the
variance of any map, `plan_ridge` the ridge and the features of ridge regression. The proved rows
are a table: which bound, in which quantity, solved for which argument.
"""

from mehler.planning._features import plan, plan_map
from mehler.planning._plan import Plan, Row
from mehler.planning._ridge import plan_ridge

__all__ = ["Plan", "Row", "plan", "plan_map", "plan_ridge"]
