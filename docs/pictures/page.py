"""Takes the pictures of Teach and Mistakes, of a model of half of the demo corpus, in Chromium; `shoot.py` has Try.

python docs/pictures/page.py
"""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from banbury import Classifier
from banbury.datasets import demo

PICTURES = Path(__file__).parent
N_TAUGHT = 12  # labels that are given before the picture of Teach is taken


def prepare(folder: Path) -> dict[str, str]:
    """A model of the even rows of the demo corpus, and files of the odd ones; the label of each text."""
    texts, labels = demo()
    Classifier().fit(texts[::2], labels[::2]).save(folder / "mood.banbury")
    files = folder / "files"
    files.mkdir()
    with open(files / "test.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts[1::2], labels[1::2], strict=True)])
    (files / "waiting.txt").write_text("\n".join(text.replace("\n", " ") for text in texts[1:400:2]), encoding="utf-8")
    return dict(zip(texts, labels, strict=True))


def take(page: Any, truth: dict[str, str]) -> None:
    """The two pictures."""
    page.set_viewport_size({"width": 1120, "height": 780})
    page.goto("/page/mistakes?model=mood&file=test.csv&true=positive&predicted=negative")
    page.wait_for_selector(".confusion [aria-current]")
    page.screenshot(path=PICTURES / "page-mistakes.png")

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1120, "height": 520})
    page.goto("/page/teach?model=mood&file=waiting.txt")
    for _ in range(N_TAUGHT):
        once = page.input_value("form.next input[name=once]")
        is_positive = truth.get(page.inner_text(".asked .document")) == "positive"
        page.click(f".labels button:has-text('{'positive' if is_positive else 'negative'}')")
        page.locator(f"form.next input[name=once]:not([value='{once}'])").wait_for(state="attached")
    page.screenshot(path=PICTURES / "page-teach.png")


def main() -> None:
    """Serve a folder on a free port of this machine, and take the pictures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        truth = prepare(folder)
        command = [sys.executable, "-m", "banbury", "serve", name, "--journal", f"{name}/journal", "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
            try:
                assert server.stderr is not None
                address = next(match[1] for line in server.stderr if (match := re.search(r"serves at (\S+)", line)))
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                take(browser.new_page(base_url=address), truth)
                browser.close()
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
