"""How many features a map needs: what each bound asks for, beside what is measured."""

from mehler.planning._plan import Plan, Row
from mehler.planning._planner import plan

__all__ = ["Plan", "Row", "plan"]
