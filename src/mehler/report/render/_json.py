"""The JSON twin of the page: every number of it, and the data of its plots."""

from __future__ import annotations

import json

from mehler.report.model._report import Report
from mehler.report.model._verification import Verification


def render_json(report: Report | Verification) -> str:
    """Render a report as JSON that any reader of the standard takes; see `Report.to_dict`."""
    return json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
