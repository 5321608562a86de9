"""Take the picture of a report for the first page and the README.

``python docs/_screenshot.py report/report.html``, after a report on scikit-learn's digits, writes
``docs/_static/report.png``: the top of the page in Chromium, which has to be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image  # matplotlib brings it

TARGET = Path(__file__).parent / "_static" / "report.png"
# CSS pixels: the headline, the scores and their picture. Three quarters are kept of each.
WIDTH, HEIGHT, SCALE = 1280, 1130, 0.75
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def take(page: Path) -> Path:
    """Write the picture, with a palette of 64 colours."""
    browser = next((name for name in BROWSERS if shutil.which(name)), None)
    if browser is None:
        raise SystemExit(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars"]
        command += [f"--window-size={WIDTH},{HEIGHT}", f"--force-device-scale-factor={SCALE}"]
        command += [f"--screenshot={shot}", page.resolve().as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with Image.open(shot) as image:
            image.convert("RGB").quantize(64).save(TARGET, optimize=True)
    return TARGET


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python docs/_screenshot.py PAGE: the report.html of mehler report")
    print(take(Path(sys.argv[1])))
