"""Write the metadata that depends on where the project lives: its addresses, the README's links.

Whoever builds says where: ``MEHLER_REPOSITORY=ADDRESS python -m build``. The release workflow
passes the address that it runs at. Without one there are no addresses, and an index page shows the
text of a link without the link.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A link or picture of Markdown with a target inside the repository.
_INSIDE = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


class AddressHook(MetadataHookInterface):
    """Fill in ``readme`` and ``urls``: what an sdist brings stays unless there is an address."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write both fields."""
        address = os.environ.get("MEHLER_REPOSITORY", "").rstrip("/")
        if address and not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+)+", address):
            raise ValueError(f"MEHLER_REPOSITORY={address!r} is no https address of a repository")
        if address or "readme" not in metadata:
            text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
            readme = for_index(text, address, f"v{metadata['version']}")
            metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        if address:
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/tree/v{metadata['version']}/docs",
                "Changelog": f"{address}/blob/v{metadata['version']}/CHANGELOG.md",
                "Issues": f"{address}/issues",
            }


def for_index(readme: str, address: str, tag: str) -> str:
    """Return Markdown whose links and pictures work outside the repository; code stays."""

    def outside(found: re.Match[str]) -> str:
        picture, text, target = found.groups()
        if not address:
            return text
        return f"{picture}[{text}]({address}/{'raw' if picture else 'blob'}/{tag}/{target})"

    parts = _FENCE.split(readme)  # every second one is a fence
    parts[::2] = [_INSIDE.sub(outside, part) for part in parts[::2]]
    return "".join(parts)
