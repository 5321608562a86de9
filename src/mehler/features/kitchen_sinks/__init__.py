"""Random kitchen sinks: any activation of random projections."""

from mehler.features.kitchen_sinks._weights import Law as Law
from mehler.features.kitchen_sinks._weights import LawName as LawName
