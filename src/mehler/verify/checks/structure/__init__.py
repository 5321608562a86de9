"""Structural checks of a map in milliseconds: calls, seeds, columns, sizes, layouts."""

from mehler.verify.checks.structure._structure import check_structure as check_structure
