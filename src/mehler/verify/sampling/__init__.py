"""Independent samples from draws of a map, with the kernel as their mean."""

from mehler.verify.sampling._clock import Clock as Clock
from mehler.verify.sampling._draws import Draws as Draws
from mehler.verify.sampling._pairs import make_pairs as make_pairs
from mehler.verify.sampling._sources import choose_source as choose_source
from mehler.verify.sampling._sources import estimate as estimate
