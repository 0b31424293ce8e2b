"""The process that decodes a Parquet file: a program of its own, since a damaged file can end whoever reads it.

It writes messages to standard output: a letter, the length in 8 bytes, the content. `S` is an Arrow IPC stream with the
schema alone, `B` one with a batch of rows, `E` what went wrong, `.` the end. It imports nothing of banbury: it starts
as quickly as arro3 can be imported.
"""

import io
import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

Message = tuple[bytes, bytes]


def messages(path: str, batch_rows: int) -> Iterator[Message]:
    """What is to be written for a file."""
    try:
        from arro3.core import Table
        from arro3.io import read_parquet, write_ipc_stream

        def packed(batches: list[Any]) -> bytes:
            stream = io.BytesIO()
            write_ipc_stream(Table.from_batches(batches, schema=reader.schema), stream)
            return stream.getvalue()

        reader = read_parquet(path, batch_size=batch_rows)
        yield b"S", packed([])
        for batch in reader:
            yield b"B", packed([batch])
        yield b".", b""
    except BaseException as error:  # a panic of arro3 is no Exception
        yield b"E", str(error).encode(errors="replace")


def limit_memory(n_bytes: int) -> None:
    """Let this process take no more memory than that: a file can ask for any amount."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def main(arguments: list[str], output: BinaryIO) -> None:
    """Decode the file that the arguments name: where to import from, path, rows of a batch, bytes of memory."""
    imports, path, batch_rows, memory = arguments
    sys.path[:] = json.loads(imports)
    limit_memory(int(memory))
    for kind, content in messages(path, int(batch_rows)):
        output.write(kind + len(content).to_bytes(8, "little"))
        output.write(content)
        output.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1:], sys.stdout.buffer)
    except BrokenPipeError:  # nobody wants the rest
        sys.stderr.close()
