"""The single writer: changes are written to the journal in groups, applied to the models, then acknowledged.

While a group is being written, the next one gathers: the slower the disk, the larger the groups. Everything that
changes a model happens here, one after another: groups, entries of other servers, models that were prepared aside.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from copy import copy
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from banbury.errors import BanburyError
from banbury.server import snapshots
from banbury.server.journal import is_file, open_journal
from banbury.server.journal.entries import FORGET, LEARN, REFIT, Change, Entry, JournalError, Written
from banbury.server.journal.sql import SqlJournal
from banbury.server.limits import INLINE, LEARNING, LEARNING_BYTES
from banbury.server.models import Learned, ServedModel, n_documents
from banbury.server.problems import Problem, problem_of
from banbury.server.replay import Built, Step, apply, build, choose, follow, steps_of
from banbury.server.snapshots import Place

if TYPE_CHECKING:
    from banbury.server.application import Application

GROUP = 512  # changes that are written together …
GROUP_BYTES = 4 << 20  # … and their bytes
RETRY_SECONDS = 2.0  # until a journal that could not be opened is tried again
POLL_SECONDS = 2.0  # until the journal is looked at even if nobody tells of new entries
SNAPSHOT_ENTRIES = 10_000  # between two snapshots
COMPACT_SECONDS = 300
EXPORTED = 200  # documents that are read at a time
FEWEST_TO_CHOOSE_AGAIN = 50  # documents: settings are not chosen again for fewer than twice as many
log = logging.getLogger("banbury.server")


class Waiting(NamedTuple):
    """A change whose sender waits."""

    change: Change
    size: int
    done: asyncio.Future[Written]


class Learner:
    """Follows a journal, and writes to it."""

    def __init__(self, server: Application, address: str, folder: Path | None) -> None:
        self._server = server
        self._address = address
        self._folder = Path(f"{address}-snapshots") if folder is None and is_file(address) else folder
        self._journal: SqlJournal | None = None
        self.failure: str | None = "the journal is not open yet"
        self.sequence = 0
        """The last entry that the models have."""
        self._identity = ""
        self._snapshot_at = 0
        self._counters = {act: server.metrics.learned.labels(act) for act in (LEARN, FORGET)}
        self._waiting: deque[Waiting] = deque()
        self._n_waiting = self._bytes_waiting = 0
        server.metrics.waiting.set_function(lambda: self._n_waiting)
        self._errands: deque[Callable[[], Awaitable[None]]] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._choosing: dict[str, int] = {}
        """Models whose settings are being chosen, and as of which entry."""
        self._aside: set[asyncio.Task[None]] = set()
        self._saving = asyncio.Lock()
        self._touched: set[str] = set()
        """Models that have changed since it was last considered whether their settings still do."""
        self._is_stopping = False

    async def start(self) -> None:
        """Bring the models up to the end of the journal; where it cannot be read, to their snapshots."""
        await self._open()
        if self._journal is None and self._folder is not None:
            for model in list(self._server.models.values()):
                snapshot = await asyncio.to_thread(snapshots.load, self._folder, model.name, model.file)
                if snapshot is not None:
                    model.take(snapshot[0], model.file, chosen_at=snapshot[1].chosen_at)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Write what waits, take snapshots, let go of the journal."""
        self._is_stopping = True
        self._wake.set()
        if self._task is not None:
            await self._task
        if self._journal is not None:
            with suppress(JournalError, OSError):
                await self._snapshot()
            self._journal.close()

    # Changes

    async def submit(self, change: Change, size: int) -> Written:
        """Write a change, apply it, and say where it stands; a problem where that is not possible."""
        if self.failure is not None or self._is_stopping:
            raise Problem(503, f"nothing can be learned now: {self.failure or 'the server stops'}", retry=5)
        n = change.n_documents
        if self._n_waiting + n > LEARNING or self._bytes_waiting + size > LEARNING_BYTES:
            raise Problem(429, f"{self._n_waiting} documents are waiting to be learned already", retry=1)
        done: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(change, size, done))
        self._n_waiting += n
        self._bytes_waiting += size
        self._wake.set()
        return await done

    async def _run(self) -> None:
        while not (self._is_stopping and not self._waiting):
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._wake.wait()
            self._wake.clear()
            try:
                if self._journal is None:
                    await self._try_again()
                    continue
                while self._errands:
                    await self._errands.popleft()()
                while self._waiting:
                    await self._write(self._next_group())
                if not is_file(self._address):
                    await self._catch_up()
            except JournalError as error:
                self._fail(error)
            except Exception as error:
                log.exception("learning failed")
                self._fail(error)

    async def _try_again(self) -> None:
        if not self._is_stopping:
            await self._open()
        if self._journal is None:
            problem = Problem(503, f"nothing can be learned now: {self.failure}", retry=5)
            while self._waiting:
                self._finish(self._waiting.popleft(), problem)
            if not self._is_stopping:
                await asyncio.sleep(RETRY_SECONDS)
                self._wake.set()

    def _next_group(self) -> list[Waiting]:
        group, size = [self._waiting.popleft()], 0
        while self._waiting and len(group) < GROUP and size < GROUP_BYTES:
            group.append(self._waiting.popleft())
            size += group[-1].size
        return group

    async def _write(self, group: list[Waiting]) -> None:
        """Write a group, apply it, and tell its senders."""
        assert self._journal is not None
        try:
            outcomes = await asyncio.to_thread(self._journal.append, [one.change for one in group])
            refused = await self._apply_written(group, outcomes)
        except BaseException as error:
            problem = Problem(503, f"nothing was acknowledged: {error}", retry=5)
            for one in group:
                self._finish(one, problem)
            raise
        for one, outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, Written) and not outcome.is_repeat and outcome.first in refused:
                self._finish(one, problem_of(refused[outcome.first]))
            else:
                self._finish(one, outcome)

    def _finish(self, one: Waiting, outcome: Written | Problem) -> None:
        self._n_waiting -= one.change.n_documents
        self._bytes_waiting -= one.size
        if one.done.done():  # nobody waits for it any more
            return
        if isinstance(outcome, Written):
            self._counters[one.change.act].inc(one.change.n_documents)
            one.done.set_result(outcome)
        else:
            one.done.set_exception(outcome)

    async def _apply_written(self, group: list[Waiting], outcomes: list[Written | Problem]) -> dict[int, BanburyError]:
        """Apply what was just written; what others wrote before it comes first."""
        self._server.metrics.commits.inc()
        new = [
            (one.change, outcome)
            for one, outcome in zip(group, outcomes, strict=True)
            if isinstance(outcome, Written) and not outcome.is_repeat
        ]
        if not new:
            return {}
        if new[0][1].first != self.sequence + 1 or any(change.act != LEARN for change, _ in new):
            return await self._catch_up()  # a forget by number has its document in the journal
        refused: dict[int, BanburyError] = {}
        by_model: dict[str, list[Step]] = {}
        for change, written in new:
            step = Step(written.first, change.act, change.documents, change.labels)
            by_model.setdefault(change.model, []).append(step)
        for name, steps in by_model.items():
            refused |= await self._apply(name, steps)
        self.sequence = new[-1][1].last
        await self._after(refused)
        return refused

    async def _catch_up(self) -> dict[int, BanburyError]:
        """Apply all entries that the models do not have yet, whoever wrote them."""
        assert self._journal is not None
        head = await asyncio.to_thread(self._journal.head)
        if head.identity != self._identity or head.compacted > self.sequence or head.sequence < self.sequence:
            await self._build_all(self._journal)
            return {}
        refused: dict[int, BanburyError] = {}
        while self.sequence < head.sequence:
            entries = await asyncio.to_thread(self._journal.entries, self.sequence, head.sequence)
            for (name, is_refit), group in groupby(entries, key=lambda entry: (entry.model, entry.act == REFIT)):
                run = list(group)
                if is_refit:
                    self.sequence = run[-1].sequence
                    await self._choose(name, run[-1].sequence)
                else:
                    refused |= await self._apply(name, steps_of(run))
            self.sequence = entries[-1].sequence if entries else head.sequence
        await self._after(refused)
        return refused

    async def _apply(self, name: str, steps: list[Step]) -> dict[int, BanburyError]:
        """Apply changes to one model; those that may take long in a thread, while nobody reads it."""
        model = self._server.models.get(name)
        if model is None:
            return {}  # it is served elsewhere; should it come here, it starts from the whole journal
        self._touched.add(name)
        size = sum(len(one) if isinstance(one, str) else 1000 for step in steps for one in step.documents)
        if size <= INLINE and not model.copies and model.turns.is_free:
            return apply(model.learned, steps)
        async with model.turns.changing():
            return await asyncio.to_thread(apply, model.learned, steps)

    async def _after(self, refused: dict[int, BanburyError]) -> None:
        assert self._journal is not None
        for change in refused:
            await asyncio.to_thread(self._journal.refuse, change)
        if self.sequence - self._snapshot_at >= SNAPSHOT_ENTRIES:
            self._snapshot_at = self.sequence
            self._errands.append(self._begin_snapshot)
            self._wake.set()
        for name in self._touched:
            if (model := self._server.models.get(name)) is not None:
                self._consider(model)
        self._touched.clear()

    # Settings

    def _consider(self, model: ServedModel) -> None:
        """Have the settings of a model chosen again, where it has twice the documents that they were chosen with."""
        if model.name in self._choosing or n_documents(model.learned) < 2 * max(
            model.chosen_at, FEWEST_TO_CHOOSE_AGAIN
        ):
            return
        self._choosing[model.name] = 0
        self._errands.append(lambda: self._propose(model.name))
        self._wake.set()

    async def _propose(self, name: str) -> None:
        """Write to the journal that settings are chosen as of here, so that every server does the same."""
        assert self._journal is not None
        known = await asyncio.to_thread(self._journal.last_refit, name, self.sequence)
        await asyncio.to_thread(self._journal.append, [Change(name, REFIT, ids=[known])])
        await self._catch_up()
        if self._choosing.get(name) == 0:
            del self._choosing[name]

    async def _choose(self, name: str, sequence: int) -> None:
        """Choose the settings of a copy, aside; it takes the model's place when it is ready."""
        model, journal = self._server.models.get(name), self._journal
        if model is None or journal is None:
            return
        self._choosing[name] = sequence
        original, chosen = model.learned, copy(model.learned)

        def work() -> Built:
            chosen.threads = 1  # the others go on being served
            choose(chosen, journal, name, sequence)
            chosen.threads = None
            return Built(chosen, sequence, n_documents(chosen))

        async def aside() -> None:
            try:
                built = await asyncio.to_thread(work)
            except JournalError as error:
                log.warning("the settings of %s are not chosen: %s", name, error)
                self._choosing.pop(name, None)
                return
            self._errands.append(lambda: self._swap(name, built, original))
            self._wake.set()

        self._set_aside(model, aside())

    def _set_aside(self, model: ServedModel, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start some work with a copy of a model. While it lasts, changes of the model may have to copy it first."""
        model.copies += 1
        task = asyncio.create_task(work)

        def end(task: asyncio.Task[None]) -> None:
            model.copies -= 1
            self._aside.discard(task)

        self._aside.add(task)
        task.add_done_callback(end)
        return task

    async def _swap(self, name: str, built: Built, original: Learned) -> None:
        """Let a model with new settings take the place of the old one, after what was learned meanwhile."""
        if self._choosing.get(name) != built.sequence:
            return  # they were chosen again since
        del self._choosing[name]
        model = self._server.models.get(name)
        if model is None or model.learned is not original or self._journal is None:
            return  # it was replaced, by one that has chosen for itself
        followed = await asyncio.to_thread(follow, built, self._journal, name, self.sequence)
        async with model.turns.changing():
            model.take(followed.classifier, model.file, chosen_at=followed.chosen_at)
        self._server.metrics.chosen.inc()
        log.info("the settings of %s are chosen by %d documents", name, followed.chosen_at)

    # Files

    async def exchange(self, fresh: ServedModel) -> None:
        """Serve the model of a new file, with all that was learned on top of it."""
        journal = self._journal
        if journal is None:
            self._server.models.add(fresh)
            self._identity = ""  # it follows the journal from its beginning, once there is one
            return
        arguments = fresh.path, fresh.file, self._folder, journal, fresh.name
        built = await asyncio.to_thread(build, *arguments, self.sequence)
        swapped = asyncio.get_running_loop().create_future()

        async def swap() -> None:
            followed = await asyncio.to_thread(follow, built, journal, fresh.name, self.sequence)
            fresh.take(followed.classifier, fresh.file, chosen_at=followed.chosen_at)
            self._choosing.pop(fresh.name, None)
            self._server.models.add(fresh)
            swapped.set_result(None)

        self._errands.append(swap)
        self._wake.set()
        await swapped

    async def compact(self) -> tuple[int, int]:
        """Take snapshots, and remove from the journal what no longer matters: up to where, and how much."""
        done: asyncio.Future[tuple[int, int]] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            assert self._journal is not None
            try:
                removed = await asyncio.to_thread(self._journal.compact, self.sequence)
                await self._snapshot()
            except (JournalError, OSError) as error:
                problem = Problem(503, str(error), retry=5)
                if not done.done():
                    done.set_exception(problem)
                raise
            if not done.done():
                done.set_result((self.sequence, removed))

        if self.failure is not None:
            raise Problem(503, self.failure, retry=5)
        self._errands.append(work)
        self._wake.set()
        try:
            async with asyncio.timeout(COMPACT_SECONDS):
                return await done
        except TimeoutError:
            raise Problem(503, f"the journal was not ready after {COMPACT_SECONDS} seconds", retry=5) from None

    def examples(self, model: str, after: int) -> list[Entry]:
        """The next documents that were learned and not forgotten, after an entry."""
        if self._journal is None:
            raise Problem(503, f"the journal cannot be read: {self.failure}", retry=5)
        return self._journal.examples(model, self.sequence, after=after, limit=EXPORTED)

    def latest(self, model: str, containing: str) -> list[Entry]:
        """The documents that were learned last and not forgotten; with a text, those that contain it."""
        if self._journal is None:
            raise Problem(503, f"the journal cannot be read: {self.failure}", retry=5)
        return self._journal.latest(model, self.sequence, containing=containing)

    def written_since(self, moment: int) -> dict[tuple[str, str], int]:
        """How many entries of each model and act were written since a moment."""
        return {} if self._journal is None else self._journal.written_since(moment)

    async def _snapshot(self) -> None:
        """Write the models as they are, and wait for that."""
        await asyncio.gather(*self._save_all())

    async def _begin_snapshot(self) -> None:
        """Write the models as they are, aside; unless that is still being done for an earlier entry."""
        if not self._saving.locked():
            self._save_all()

    def _save_all(self) -> list[asyncio.Task[None]]:
        """Begin to write the models; one whose settings are being chosen would lack what comes of that."""
        if self._folder is None:
            return []
        self._snapshot_at = self.sequence
        tasks = []
        for model in self._server.models.values():
            if model.name not in self._choosing:
                place = Place(self._identity, self.sequence, model.file, model.chosen_at)
                saving = self._save(self._folder, model.name, copy(model.learned), place)
                tasks.append(self._set_aside(model, saving))
        return tasks

    async def _save(self, folder: Path, name: str, classifier: Learned, place: Place) -> None:
        async with self._saving:  # one after the other: the last is the newest
            try:
                await asyncio.to_thread(lambda: snapshots.save(folder, name, classifier.parts(), place))
            except OSError as error:
                log.warning("no snapshot of %s could be written: %s", name, error)

    # Opening

    async def _open(self) -> None:
        try:
            journal = await asyncio.to_thread(open_journal, self._address)
        except BanburyError as error:
            self._say(str(error))
            return
        try:
            if self._identity:
                self._journal = journal
                await self._catch_up()
            else:
                await self._build_all(journal)
            loop = asyncio.get_running_loop()

            def wake() -> None:
                loop.call_soon_threadsafe(self._wake.set)

            await asyncio.to_thread(journal.listen, wake)
        except JournalError as error:
            self._journal = None
            journal.close()
            self._say(str(error))
            return
        self._journal, self.failure = journal, None
        self._server.metrics.journal_up.set(1)
        log.info("the journal is open; %d entries", self.sequence)

    async def _build_all(self, journal: SqlJournal) -> None:
        """Make every model anew, of its file and the journal."""
        head = await asyncio.to_thread(journal.head)
        for model in list(self._server.models.values()):
            arguments = model.path, model.file, self._folder, journal, model.name
            built = await asyncio.to_thread(build, *arguments, head.sequence)
            async with model.turns.changing():
                model.take(built.classifier, model.file, chosen_at=built.chosen_at)
        self._identity, self.sequence = head.identity, head.sequence
        self._snapshot_at = self.sequence

    def _fail(self, error: Exception) -> None:
        """Close the journal; it is opened again, and what was written but not applied is caught up with."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._say(str(error))
        self._wake.set()

    def _say(self, reason: str) -> None:
        if self.failure != reason:
            log.error("nothing can be learned: %s", reason)
        self.failure = reason
        self._server.metrics.journal_up.set(0)
