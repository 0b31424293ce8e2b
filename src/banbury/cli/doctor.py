"""`banbury doctor`: what is installed, what the processor can do, and whether all of it works."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import banbury
from banbury import _kernel, storage
from banbury.cli import options as reading
from banbury.cli.blocks import Block, Blocks
from banbury.cli.console import show, show_json
from banbury.cli.declared import command
from banbury.datasets import demo as demo_corpus
from banbury.readers.options import Limits
from banbury.text.documents import n_processors

REQUIREMENT = re.compile(r"^([\w.-]+)[^;]*(?:;.*extra == ['\"](\w+)['\"])?")
WORKS = "works"


@command(
    epilog="""\b
Examples:
  banbury doctor
  banbury doctor --json > doctor.json"""
)
@reading.as_json
def doctor(is_json: bool) -> int:
    """What is installed: versions, extras, instructions of the processor, limits; and whether it works.

    Nothing in it names you, your machine or your files. The exit code is 1 where something does not work.
    """
    report = examined()
    if is_json:
        show_json(report)
    else:
        blocks = [Block(name, [(key, str(value)) for key, value in facts.items()]) for name, facts in report.items()]
        show(Blocks(blocks))
    return 0 if all(value == WORKS for value in report["checks"].values()) else 1


def examined() -> dict[str, dict[str, Any]]:
    """This installation: what is known of it, by heading.

    >>> examined()["checks"]["count, predict, save, load"]
    'works'
    """
    packages, extras = _requirements()
    return {
        "banbury": {
            "version": banbury.__version__,
            "version of model files": storage.VERSION,
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            "system": f"{platform.system()} {platform.machine()}",
            "processors": n_processors(),
            "instructions": _kernel.instructions(),
            "text on this terminal": sys.stdout.encoding,
        },
        "packages": packages,
        "extras": extras,
        "limits of files": {name: f"{limit:,}" for name, limit in asdict(Limits()).items()},
        "checks": _checks(),
    }


def _requirements() -> tuple[dict[str, str], dict[str, str]]:
    """The version of each package that is needed, and of each extra what is there or how it is installed."""
    packages: dict[str, str] = {}
    extras: dict[str, dict[str, str]] = {}
    for requirement in metadata.requires("banbury") or []:
        match = REQUIREMENT.match(requirement)
        assert match is not None
        name, extra = match.groups()
        (packages if extra is None else extras.setdefault(extra, {}))[name] = _version(name)
    return packages, {extra: shown_extra(extra, versions) for extra, versions in extras.items()}


def shown_extra(extra: str, versions: dict[str, str]) -> str:
    """The versions of an extra, or how it is installed.

    >>> shown_extra("plot", {"matplotlib": ""})
    'without matplotlib; pip install "banbury[plot]"'
    """
    if all(versions.values()):
        return ", ".join(f"{name} {version}" for name, version in versions.items())
    missing = ", ".join(name for name, version in versions.items() if not version)
    return f'without {missing}; pip install "banbury[{extra}]"'


def _version(name: str) -> str:
    """The version that is installed; empty where there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _checks() -> dict[str, str]:
    checks = {"count, predict, save, load": _round_trip, "a file is replaced as a whole": _replaced}
    results = {}
    for name, check in checks.items():
        try:
            check()
            results[name] = WORKS
        except Exception as error:  # whatever it is, it is what a report of an error is for
            results[name] = f"{type(error).__name__}: {error}"
    return results


def _round_trip() -> None:
    """A model of the demo corpus says the same before and after it was saved."""
    texts, labels = demo_corpus()
    model = banbury.Classifier().fit(texts, labels)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "demo.banbury"
        model.save(path)
        if (banbury.load(path).predict_proba(texts) != model.predict_proba(texts)).any():
            raise AssertionError("a model that was saved and loaded predicts something else")


def _replaced() -> None:
    """The folder for temporary files keeps what is written there."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.banbury"
        for number in (1, 2):
            storage.write(path, {"number": number}, {})
        if storage.read(path).settings != {"number": 2}:
            raise AssertionError("a file that was written twice has not what was written last")
