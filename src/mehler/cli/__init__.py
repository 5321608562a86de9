"""The command line, a thin layer over library calls; `main` is the entry point."""

from mehler.cli._main import main as main
