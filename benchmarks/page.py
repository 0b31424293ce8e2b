"""The page: how long from a key press to new colours, and how much a page weighs, in a real Chromium on this machine.

    python benchmarks/page.py             # writes results/page.json
    python benchmarks/page.py --quick     # a trial, not a result
    python benchmarks/page.py --first     # as root on a busy machine: browser and server come before all else

A text of 2 KB is typed on, letter by letter, in the room Try of `banbury serve`. The clock starts at the browser's own
keydown event and stops in the first frame that is drawn after the new result is in its place. Models: the demo corpus,
and IMDB where BANBURY_DATA has it. CPU times a key are of the server and of the page's thread: other programs disturb
them less than what a person waits.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import data

from banbury import Classifier
from banbury.datasets import demo

RESULTS = Path(__file__).parent / "results" / "page.json"
SIZE = 2_048  # characters of the text
KEYS = 200
WATCH = """() => {
    window.times = [];
    let pressed = 0;
    addEventListener("keydown", event => { pressed = event.timeStamp; }, true);
    new MutationObserver(() => {
        if (!pressed) return;
        const start = pressed;
        pressed = 0;
        requestAnimationFrame(() => {
            const {port1, port2} = new MessageChannel();  // its message comes after the frame is drawn
            port1.onmessage = () => { window.times.push(performance.now() - start); window.drawn(); };
            port2.postMessage(0);
        });
    }).observe(document.getElementById("result"), {childList: true, subtree: true, characterData: true});
}"""
# A key is pressed when the frame of the one before it is drawn: a person is slower.
NEXT = "() => new Promise(done => { window.drawn = done; })"


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few keys, nothing is written")
    parser.add_argument("--first", action="store_true", help="real-time priority while keys are pressed; as root")
    given = parser.parse_args()
    quick = given.quick
    rows = []
    for name, (texts, labels) in sets().items():
        with tempfile.TemporaryDirectory() as folder:
            Classifier().fit(texts, labels).save(Path(folder, "model.banbury"))
            rows.append({"set": name, **measured(folder, " ".join(texts)[:SIZE], 20 if quick else KEYS, given.first)})
        print(json.dumps(rows[-1]))
    if not quick:
        about = {
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
            "first": given.first,
        }
        RESULTS.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")


def sets() -> dict[str, tuple[list[str], list[Any]]]:
    """The corpora."""
    found = {"demo": demo()}
    folder = os.environ.get("BANBURY_DATA")
    if folder and Path(folder, "imdb.jsonl.gz").exists():
        split = data.split("imdb")
        found["imdb"] = split.train, split.train_labels
    return found


def measured(folder: str, text: str, keys: int, is_first: bool) -> dict[str, Any]:
    """Milliseconds from a key to the frame that shows it, and bytes of a page with all that it loads."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "banbury", "serve", folder, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        assert server.stderr is not None
        try:
            address = next(m[1] for line in server.stderr if (m := re.search(r"serves at (\S+)", line)))
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page()
            sizes: list[int] = []
            page.on("response", lambda answer: sizes.append(len(answer.body())) if answer.status == 200 else None)
            page.goto(f"{address}/page/try?model=model")
            page.wait_for_timeout(500)
            weight = sum(sizes)
            page.fill("textarea[name=text]", text)
            page.wait_for_selector(".verdict")
            page.evaluate(WATCH)
            page.focus("textarea[name=text]")
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            if is_first:
                prefer(os.getpid())
            before = _cpu(server.pid), _renderer(session)
            page.keyboard.press("End")
            for number in range(keys):
                session.send("Runtime.evaluate", {"expression": f"void (window.waiting = ({NEXT})())"})
                page.keyboard.press("a" if number % 6 else "Space")
                page.evaluate("window.waiting")
            after = _cpu(server.pid), _renderer(session)
            times = sorted(page.evaluate("window.times"))
            browser.close()
        finally:
            server.terminate()
    return {
        "characters": len(text), "keys": keys, "p50_ms": round(times[len(times) // 2], 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "server_cpu_ms": round(1000 * (after[0] - before[0]) / keys, 1),
        "browser_cpu_ms": round(1000 * (after[1] - before[1]) / keys, 1),
        "page_bytes": weight,
    }  # fmt: skip


def prefer(process: int) -> None:
    """Let every thread of a process, and of those that it started, run before those of other programs.

    `nice` is not enough: Chromium sets the priority of its threads back to normal.
    """
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setscheduler(int(thread.name), os.SCHED_RR, os.sched_param(1))
        for child in Path(thread, "children").read_text().split():
            prefer(int(child))


def _cpu(process: int) -> float:
    """Seconds that a process has used."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _renderer(session: Any) -> float:
    """Seconds that the page's own thread has used."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


if __name__ == "__main__":
    main()
