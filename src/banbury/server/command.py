"""`banbury serve`: models over HTTP. The command line finds this file by name; surfaces do not import each other."""

from __future__ import annotations

import click

from banbury.errors import MissingExtra


@click.command(
    epilog="""\b
Examples:
  banbury serve spam.banbury --port 8000
  curl localhost:8000/v1/models/spam/predict -d '{"texts": ["Free entry, text WIN now"]}'
\b
  banbury serve models/ --journal learned.journal
  banbury serve spam.banbury --keys keys --add-key phone=learn     (prints the key, once)
  banbury serve spam.banbury --keys keys --host 0.0.0.0 --allow-host spam.example.org"""
)
@click.argument("models", nargs=-1, required=True, type=click.Path(exists=True), metavar="MODEL|FOLDER...")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, metavar="N", help="0: any.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="H", help="Others than this machine need --keys."
)
@click.option("--journal", metavar="FILE|URL", help="Learn, and keep it here: a file, or postgresql://…")
@click.option("--snapshots", type=click.Path(file_okay=False), metavar="FOLDER", help="Beside the journal's file.")
@click.option("--keys", type=click.Path(dir_okay=False), metavar="FILE", help="Only who has one of these keys may ask.")
@click.option("--add-key", metavar="NAME=SCOPE", help="Add a key to --keys and exit; read, learn or admin.")
@click.option("--allow-host", multiple=True, metavar="NAME", help="A name of this server, as in its Host header.")
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Pages of this origin may ask: https://example.org")
def serve(
    models: tuple[str, ...],
    port: int,
    host: str,
    journal: str | None,
    snapshots: str | None,
    keys: str | None,
    add_key: str | None,
    allow_host: tuple[str, ...],
    cors: tuple[str, ...],
) -> None:
    """Serve models over HTTP: predict, explain, learn.

    The name of a model is its file's name without the ending. Files that are replaced are loaded again. Without
    --journal nothing can be learned.
    """
    try:
        from banbury.server import access, app, process
        from banbury.server import keys as key_file
    except ImportError as error:
        raise MissingExtra(f"banbury serve needs {error.name}: pip install 'banbury[serve]'") from error
    if add_key is not None:
        if keys is None:
            raise click.UsageError("Say --keys FILE: where the new key is to be known.")
        name, _, scope = add_key.partition("=")
        click.echo(key_file.add_key(keys, name, scope or "read"))
        return
    if not access.is_loopback(host) and keys is None:
        raise click.UsageError(f"{host} can be reached by others: say --keys FILE (--add-key makes one).")
    hosts = [*access.LOOPBACK, host, *allow_host]
    application = app(models, journal=journal, snapshots=snapshots, keys=keys, hosts=hosts, origins=cors)
    process.run(application, host, port)
