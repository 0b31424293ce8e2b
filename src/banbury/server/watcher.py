"""Model files that are replaced: the new one is loaded while the old one answers; a damaged one is not taken."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from banbury.errors import BanburyError
from banbury.server.models import ServedModel, stamp

if TYPE_CHECKING:
    from banbury.server.application import Application

SECONDS_BETWEEN_LOOKS = 1.0  # between two looks
log = logging.getLogger("banbury.server")


class Watcher:
    """Looks at the files of models and of keys every second."""

    def __init__(self, server: Application) -> None:
        self._server = server
        self._task: asyncio.Task[None] | None = None
        self._keys_stamp = None if server.access.keys is None else stamp(server.access.keys.path)
        self._damaged: dict[str, object] = {}
        """Files that could not be loaded, as they were then: they are not tried again until they change."""

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            try:
                await self.look()
            except (OSError, BanburyError) as error:
                log.warning("the files of the models cannot be looked at: %s", error)

    async def look(self) -> None:
        """Take what is new or has changed."""
        self._look_at_keys()
        models, files = self._server.models, self._server.models.files()
        for name, path in files.items():
            if not path.exists():
                continue  # it is being replaced, or gone; what is in memory still answers
            current = stamp(path)
            is_new = name not in models or current != models[name].stamp
            if is_new and self._damaged.get(name) != current:
                await self._load(name, path, current)
        for name in [name for name in models if name not in files]:
            log.info("%s is gone and served no more", models[name].path)
            models.remove(name)

    async def _load(self, name: str, path: Path, current: object) -> None:
        try:
            fresh = await asyncio.to_thread(ServedModel, name, path)
        except (BanburyError, OSError) as error:
            log.error("%s is not taken: %s", path, error)
            self._damaged[name] = current
            if name in self._server.models:
                self._server.models[name].refused = str(error)
            self._server.metrics.reloaded.labels("refused").inc()
            return
        self._damaged.pop(name, None)
        await self._server.exchange(fresh)
        self._server.metrics.reloaded.labels("taken").inc()
        log.info("%s is loaded", path)

    def _look_at_keys(self) -> None:
        keys = self._server.access.keys
        if keys is not None and (current := stamp(keys.path)) != self._keys_stamp:
            self._keys_stamp = current
            try:
                keys.load()
            except (BanburyError, OSError) as error:
                log.error("the keys stay as they were: %s", error)
