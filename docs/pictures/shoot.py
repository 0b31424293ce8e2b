"""Takes the picture of the page in the README: the room Try, with a model of the demo corpus.

python docs/pictures/shoot.py        (needs playwright and Chromium)
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

from banbury import Classifier
from banbury.datasets import demo

PICTURE = Path(__file__).with_name("page-try.png")
TEXT = "I love this wonderful little café, but the service was terrible and slow"
SIZE = {"width": 1120, "height": 700}


def shoot(address: str) -> None:
    """Open the page and take its picture."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"{address}/page/try?{urlencode({'text': TEXT})}")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=PICTURE)
        browser.close()


def main() -> None:
    """Train, serve, take the picture, stop."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "mood.banbury"
        Classifier().fit(*demo()).save(model)
        command = [sys.executable, "-m", "banbury", "serve", str(model), "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                for line in server.stderr or ():
                    if match := re.search(r"serves at (http://\S+)$", line.strip()):
                        shoot(match[1])
                        break
            finally:
                server.terminate()
    print(f"{PICTURE}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
