"""Check a stranger's map against one kernel: what `mehler verify` runs.

`verify_map` imports the target, draws its maps in processes of their own, and checks what is
declared of them; `mehler.report` renders the result.
"""

from mehler.audit._verify import verify_map

__all__ = ["verify_map"]
