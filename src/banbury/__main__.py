"""The process of the command `banbury`; `python -m banbury` is the same.

A command that trains or predicts is done in some ten milliseconds, so what a process does besides its work counts.
"""

import atexit
import gc
import sys
from os import _exit as end_at_once

# New objects between two searches for garbage. Importing makes so many that Python's own 700 cost 6 ms of a start.
MANY_OBJECTS = 50_000


def run() -> None:
    """Run the command line, and leave the process."""
    gc.set_threshold(MANY_OBJECTS, *gc.get_threshold()[1:])
    leaving = Leaving()
    from banbury.cli import main

    leaving.code = main()
    sys.exit(leaving.code)


class Leaving:
    """Ends the process without taking apart what it holds: the system does that sooner.

    It is the first that asks to be called at exit, so it is called last, when all threads are done.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        atexit.register(self.end)

    def end(self) -> None:
        """End it, unless an error ends it or what was written does not get out: Python has words for these."""
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):
            return
        if self.code is not None:
            end_at_once(self.code)


if __name__ == "__main__":
    run()
