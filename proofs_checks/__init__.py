"""The papers' statements: as printed, as proved, and the checks of both.

This folder is `mehler.proofs_checks`: a wheel holds it in that place, and a checkout is led here by
``src/mehler/proofs_checks``. `mehler report` finds `STATEMENTS` through the entry point group
``mehler.statements``.
"""

if __name__ == "proofs_checks":
    # Imported by its own name, from the top of a checkout. Hand out the modules of mehler, loaded
    # already: copies would hold every statement a second time.
    import importlib
    import pkgutil
    import sys

    home = importlib.import_module("mehler.proofs_checks")
    for found in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
        sys.modules[found.name.removeprefix("mehler.")] = importlib.import_module(found.name)
    sys.modules[__name__] = home

from ._statements import STATEMENTS

__all__ = ["STATEMENTS"]
