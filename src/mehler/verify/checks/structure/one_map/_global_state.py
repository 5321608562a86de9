"""Check that global random generators are neither used nor advanced."""

from __future__ import annotations

from mehler._arrays import disturb_global_state, global_states, set_global_states
from mehler.verify.checks.structure._finding import Finding
from mehler.verify.checks.structure._same import rows_apart
from mehler.verify.checks.structure._subject import Subject

_CHECK = "global random state"
# Constructors of PyTorch modules draw weights that are then overwritten, which maps cannot avoid;
# no feature depends on them.
_MOVED_BY_CONSTRUCTORS = ("torch",)


def check_global_state(subject: Subject) -> list[Finding]:
    """Draw and call the map from other global states, and compare the states afterwards.

    A library that seeds a global generator inside ``draw(seed)`` leaves it in a state independent
    of the one before; that is remarked, and no defect. Run this after other draws, so that effects
    of a first import are not attributed to the map.
    """
    before = global_states()
    try:
        first = subject.features(subject.first)
        after = global_states()
        set_global_states(before)
        if rows_apart(subject.features(subject.first), first, subject.rows.shape[1]).size:
            return []  # drawn from system entropy, not from these states
        found = []
        for name, state in before.items():
            set_global_states(before)
            disturb_global_state(name, 12345)
            elsewhere = global_states()
            z = subject.features(subject.first)
            left = global_states()
            if rows_apart(z, first, subject.rows.shape[1]).size:
                cause = f"features depend on the global random state of {name}, not on the seed"
                found.append(Finding(cause=cause + " alone", check=_CHECK))
            elif after[name] != state or left[name] != elsewhere[name]:
                if after[name] == left[name]:
                    subject.notes.remark(f"drawing seeds the global generator of {name}")
                elif name in _MOVED_BY_CONSTRUCTORS:
                    subject.notes.remark(f"drawing moves the global generator of {name} on")
                else:
                    cause = f"changes the global random state of {name}"
                    found.append(Finding(cause=cause, check=_CHECK))
        return found
    finally:
        set_global_states(before)
