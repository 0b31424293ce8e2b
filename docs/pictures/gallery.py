"""Draws the gallery of docs/gallery.md: runs every example on the public sets and keeps the picture in which it ends.

BANBURY_DATA=… python docs/pictures/gallery.py [EXAMPLE …]
"""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
GALLERY = Path(__file__).with_name("gallery")


def main(names: list[str]) -> None:
    """Run the examples that are named, or all that have a picture."""
    for path in sorted(EXAMPLES.glob("*.py")):
        if "\n    picture(" in path.read_text(encoding="utf-8") and path.stem in (names or [path.stem]):
            environment = {**os.environ, "BANBURY_PICTURES": str(GALLERY), "MPLBACKEND": "Agg"}
            subprocess.run([sys.executable, str(path)], env=environment, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
