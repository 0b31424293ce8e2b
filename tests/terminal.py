"""A terminal to run the command in: keys go in, what would be on the screen comes out."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

from commands import environment

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


class Terminal:
    """The command in a pseudo-terminal of this size."""

    def __init__(self, *arguments: object, folder: Path, columns: int = 80, lines: int = 24, **variables: str) -> None:
        variables = environment(TERM="xterm-256color", COLUMNS="", LINES="", **variables)
        for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
            if not variables.get(name):
                variables.pop(name, None)
        self.raw = ""
        self._process, self._handle = pty.fork()
        if self._process == 0:  # the child
            os.chdir(folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execve(sys.executable, [sys.executable, "-m", "banbury", *map(str, arguments)], variables)
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    @property
    def screen(self) -> str:
        """What was written so far, without colours and movements."""
        return SEQUENCE.sub("", self.raw).replace("\r\n", "\n")

    def wait_for(self, text: str, seconds: float = 30) -> None:
        """Read until a text has appeared since the last key."""
        end = time.monotonic() + seconds
        while text not in SEQUENCE.sub("", self.raw[self._seen :]):
            assert time.monotonic() < end, f"{text!r} has not come; there is {self.screen!r}"
            if not self._read(0.2):
                assert text in SEQUENCE.sub("", self.raw[self._seen :]), f"it has ended with {self.screen!r}"

    _seen = 0

    def press(self, keys: str) -> None:
        self._seen = len(self.raw)
        os.write(self._handle, keys.encode())

    def interrupt(self) -> None:
        os.kill(self._process, signal.SIGINT)

    def end(self) -> int:
        """Wait until the command has ended; its exit code."""
        while self._read(30):
            pass
        _, status = os.waitpid(self._process, 0)
        os.close(self._handle)
        return os.waitstatus_to_exitcode(status)

    def _read(self, seconds: float) -> bool:
        """False where there is no more to come."""
        if not select.select([self._handle], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._handle, 65536)
        except OSError:  # Linux says it like this
            return False
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
