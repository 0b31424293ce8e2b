"""`banbury studio`: a server for oneself, and a browser that shows its page."""

from __future__ import annotations

import os
import shutil
import sys
import webbrowser
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

import click

from banbury.errors import InputError, MissingExtra
from banbury.storage import ENDING

FOLDER = "banbury-studio"


@click.command(
    epilog="""\b
Examples:
  banbury studio                       (begin with a file that you drop)
  banbury studio reviews.csv           (train on it)
  banbury studio spam.banbury          (try it, teach it)"""
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[DATA|MODEL]...")
@click.option(
    "--folder", type=click.Path(file_okay=False), default=FOLDER, show_default=True, metavar="FOLDER",
    help="Where models, labels and dropped files are kept.",
)  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="A free one by default.")
@click.option("--no-browser", is_flag=True, help="Only say the address.")
def studio(paths: tuple[str, ...], folder: str, port: int, no_browser: bool) -> None:
    """Open a page to try, teach and train models in a browser.

    It runs on this machine alone. What is learned is kept in a journal in the folder, and nothing leaves it.
    """
    try:
        from banbury.server import access, app, process
    except ImportError as error:
        raise MissingExtra(f"banbury studio needs {error.name}: pip install 'banbury[serve]'") from error
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    models = [Path(path) for path in paths if path.endswith(ENDING)]
    data = [Path(path) for path in paths if not path.endswith(ENDING)]
    names = [offered(home, path) for path in data]
    elsewhere = [path for path in models if path.resolve().parent != home.resolve()]
    application = app(
        [home, *elsewhere], journal=str(home / "journal"), hosts=[*access.LOOPBACK], folder=home
    )  # fmt: skip
    place = _place(names, models)

    def ready(address: str) -> None:
        click.echo(f"banbury studio: {address}{place}")
        click.echo(f"Models and labels are kept in {home}. Ctrl-C ends it.", err=True)
        if not no_browser and has_browser():
            Thread(target=_open, args=(address + place,), daemon=True).start()

    process.run(application, "127.0.0.1", port, ready)


def offered(home: Path, path: Path) -> str:
    """The name under which a file or folder of data is found on the page: it is linked, or copied where that fails."""
    from banbury.server.page.files import Files

    target = Files(home).new(path.name)
    for known in target.parent.iterdir():
        if known.is_symlink() and known.resolve() == path.resolve():
            return known.name
    try:
        target.symlink_to(path.resolve(), target_is_directory=path.is_dir())
    except OSError:
        if path.is_dir():
            raise InputError(f"{path}: this system has no links; name a file, or drop a zip of the folder") from None
        shutil.copyfile(path, target)
    return target.name


def _place(names: list[str], models: list[Path]) -> str:
    """Where the page opens."""
    if names:
        return f"/page/train?{urlencode({'file': names[0]})}"
    if models:
        return f"/page/try?{urlencode({'model': models[0].name.removesuffix(ENDING)})}"
    return "/"


def has_browser() -> bool:
    """Whether a window can be opened; a browser in the terminal would take it from the server."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(address: str) -> None:
    try:
        webbrowser.open(address)
    except (webbrowser.Error, OSError):
        click.echo(f"No browser could be opened: {address}", err=True)
