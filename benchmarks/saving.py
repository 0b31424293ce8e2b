"""What was measured, in a file: on what machine, whether it was a trial, and the results under a name."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any


def check_names(parser: argparse.ArgumentParser, given: Iterable[str], known: Iterable[str]) -> None:
    """End with an error where something was asked for that there is not."""
    if unknown := set(given) - set(known):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there is {', '.join(known)}")


def saved(file: Path, name: str, quick: bool = False) -> Any:
    """What an earlier run has measured, so that one of a part changes only that; None where there was none like it."""
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return before[name] if before and before.get("quick", False) == quick else None


def write(file: Path, name: str, measured: Any, quick: bool = False) -> None:
    """Write results, with the machine that they come from."""
    file.parent.mkdir(parents=True, exist_ok=True)
    report = {"machine": machine(), "quick": quick, name: measured}
    file.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """What the figures were measured on and with."""
    cpuinfo = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else []
    packages = ("banbury", "scikit-learn", "numpy", "scipy")
    versions = {"python": platform.python_version(), **{name: version(name) for name in packages}}
    return {"processor": names[0] if names else platform.machine(), "cores": os.cpu_count(), "versions": versions}
