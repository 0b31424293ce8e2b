"""Turns: many readers or one writer, and a writer that waits is not passed by."""

import asyncio

from banbury.server.turns import Turns


def test_readers_share_and_a_writer_is_alone() -> None:
    order: list[str] = []

    async def read(turns: Turns, name: str) -> None:
        async with turns.reading():
            order.append(f"{name} begins")
            await asyncio.sleep(0.01)
            assert not turns.is_changing
            order.append(f"{name} ends")

    async def write(turns: Turns) -> None:
        async with turns.changing():
            assert turns.is_changing
            assert not turns.is_free
            order.append("change begins")
            await asyncio.sleep(0.01)
            order.append("change ends")

    async def all_at_once() -> None:
        turns = Turns()
        first = [asyncio.create_task(read(turns, name)) for name in "ab"]
        await asyncio.sleep(0)
        await asyncio.sleep(0.002)
        change = asyncio.create_task(write(turns))
        await asyncio.sleep(0.002)
        late = asyncio.create_task(read(turns, "c"))
        await asyncio.gather(*first, change, late)
        await turns.whole()
        assert turns.is_free

    asyncio.run(all_at_once())
    assert order.index("b begins") < order.index("a ends"), "readers share"
    assert order[-4:] == ["change begins", "change ends", "c begins", "c ends"], "who comes later waits for the writer"


def test_an_error_ends_a_turn() -> None:
    async def fail() -> None:
        turns = Turns()
        for turn in (turns.reading(), turns.changing()):
            try:
                async with turn:
                    raise RuntimeError
            except RuntimeError:
                pass
            assert turns.is_free

    asyncio.run(fail())
