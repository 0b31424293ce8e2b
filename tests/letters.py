"""Letters of two kinds for tests of reports, one of them with the wrong label."""

import json
from pathlib import Path


def write_pairs(path: Path, rows: list[tuple[str, str]]) -> None:
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))


def letters() -> list[tuple[str, str]]:
    """Two classes that are easily told apart, and one row with the wrong label."""
    rows = [(f"letter {n} from sender@example.org", "a") for n in range(90)]
    rows += [(f"letter {n} by nobody", "b") for n in range(90)]
    return [*rows, ("letter 1 by nobody", "a")]
