"""`python -m mehler` is `mehler`."""

import os
import sys

if __name__ == "__main__":
    # Python puts the working directory first, where a file may be named like a library's module.
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != root:
        del sys.path[0]
    from mehler.cli import main

    main()
