"""Supply chain: an SBOM of all dependencies, their licences, and known advisories. `make audit` runs it.

`sbom.json` is CycloneDX 1.5: the Python packages of constraints.txt as they are installed, and the crates of
kernel/Cargo.lock. Advisories are asked of pip-audit and cargo-deny; what cannot be asked is said, and is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def python_packages() -> list[dict[str, Any]]:
    """The pinned packages, with the licence that each one states."""
    components = []
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        name, _, version = line.partition("#")[0].strip().partition("==")
        if not version:
            continue
        try:
            found = metadata(name)
        except PackageNotFoundError:
            continue
        classifiers = [value for key, value in found.items() if key == "Classifier" and value.startswith("License")]
        licence = found["License-Expression"] or ", ".join(value.rpartition(":: ")[2] for value in classifiers)
        licence = licence or (found["License"] or "unknown").splitlines()[0]
        components.append(component(name, found["Version"], licence, f"pkg:pypi/{name.lower()}@{found['Version']}"))
    return components


def crates() -> list[dict[str, Any]]:
    """The crates that the kernel is built from."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", "kernel/Cargo.toml"]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
    others = [package for package in found["packages"] if package["source"]]
    return [
        component(package["name"], package["version"], package["license"], f"pkg:cargo/{package['name']}@{version}")
        for package in others
        if (version := package["version"])
    ]


def component(name: str, version: str, licence: str, url: str) -> dict[str, Any]:
    """An entry of the SBOM."""
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": url,
        "licenses": [{"license": {"name": licence or "unknown"}}],
    }


def advisories() -> list[str]:
    """What the tools say that can be run; a line for each that cannot, or that found something."""
    problems = []
    for tool, command in {
        "pip-audit": ["pip-audit", "--requirement", "constraints.txt", "--no-deps", "--disable-pip"],
        "cargo-deny": ["cargo-deny", "--manifest-path", "kernel/Cargo.toml", "check"],
    }.items():
        path = shutil.which(tool) or shutil.which(tool, path=str(Path(sys.executable).parent))
        if path is None:
            problems.append(f"{tool} is not installed: advisories were not looked up by it")
            continue
        done = subprocess.run([path, *command[1:]], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            reason = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
            problems.append(f"{tool} failed: {reason[-1]}")
    return problems


def main() -> int:
    """Write the SBOM, and say what is not known."""
    components = python_packages() + crates()
    sbom = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}
    (ROOT / "sbom.json").write_text(json.dumps(sbom, indent=1) + "\n")
    print(f"sbom.json: {len(components)} components")
    unknown = [part["name"] for part in components if part["licenses"][0]["license"]["name"] == "unknown"]
    problems = advisories() + [f"{name} states no licence" for name in unknown]
    print("\n".join(problems) or "no advisories")
    return min(len(problems), 1)


if __name__ == "__main__":
    sys.exit(main())
