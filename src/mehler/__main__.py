"""`python -m mehler` is `mehler`."""

from mehler.cli import main

main()
