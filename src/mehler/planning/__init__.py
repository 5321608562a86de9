"""How many features a map needs, by each bound and as measured; what ridge regression costs."""

from mehler.planning._plan import Plan, Row
from mehler.planning._planner import plan
from mehler.planning._ridge_cost import RidgeCost, ridge_cost

__all__ = ["Plan", "RidgeCost", "Row", "plan", "ridge_cost"]
