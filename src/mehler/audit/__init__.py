"""Check a stranger's map against one kernel: what `mehler verify` runs.

`verify_map` imports the target, draws its maps in processes of their own, and checks what is
declared of them; `mehler.report` renders the result.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mehler.audit._verify import verify_map

__all__ = ["verify_map"]


def __getattr__(name: str) -> object:
    # Imported on access: the process that draws a map anew, `_fresh.py`, needs no checks, and to
    # import them takes longer than to draw.
    if name == "verify_map":
        from mehler.audit._verify import verify_map

        globals()[name] = verify_map
        return verify_map
    raise AttributeError(f"module 'mehler.audit' has no attribute {name!r}")
