"""Render all numbers of the page, and the data of its plots, as JSON."""

from __future__ import annotations

import json

from mehler.report.model._report import Report
from mehler.report.model._verification import Verification


def render_json(report: Report | Verification) -> str:
    """Render a report as strictly standard JSON; see `Report.to_dict`."""
    return json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
