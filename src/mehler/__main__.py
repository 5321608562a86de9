"""`python -m mehler` is `mehler`."""

from mehler.cli import main

if __name__ == "__main__":
    main()
