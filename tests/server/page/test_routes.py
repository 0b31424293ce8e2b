"""Who may ask for a page: forms of other sites may not."""

from pathlib import Path
from typing import Any

import pytest

from browsing import Watched
from serving import Serving

FORM = {"content-type": "application/x-www-form-urlencoded"}


def test_the_root_leads_to_the_page(server: Serving) -> None:
    answer = server.get("/")
    assert (answer.status, answer.headers["location"]) == (303, "page/try")
    assert server.get("/page").headers["location"] == "page/try"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://example.org"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_form_of_another_site_is_refused(server: Serving, headers: dict[str, str]) -> None:
    answer = server.post("/page/try", b"model=mood&text=so+happy", headers=FORM | headers)
    assert answer.status == 403


def test_a_form_of_the_page_is_taken(server: Serving) -> None:
    own = {"origin": f"http://127.0.0.1:{server.port}", "sec-fetch-site": "same-origin"}
    answer = server.post("/page/try", b"model=mood&text=so+happy", headers=FORM | own | {"banbury-part": "result"})
    assert answer.status == 200
    assert answer.body.startswith(b'<div id="result"')
    assert b"positive" in answer.body


def test_a_page_that_there_is_not_and_a_body_too_long(server: Serving) -> None:
    assert server.get("/page/nowhere").status == 404
    own = {"origin": f"http://127.0.0.1:{server.port}"}
    assert server.post("/page/try", b"text=" + b"a" * (11 << 20), headers=FORM | own).status == 413


OUTER = """
import asyncio, socket, sys
from contextlib import asynccontextmanager
from pathlib import Path
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from banbury.server import app

folder = Path(sys.argv[2])
inner = app(folder, journal=str(folder / "journal"))

@asynccontextmanager
async def lifespan(outer):
    await inner.start()
    yield
    await inner.stop()

free = socket.create_server(("127.0.0.1", 0))
print(f"serves at http://127.0.0.1:{free.getsockname()[1]}", file=sys.stderr, flush=True)
outer = Starlette(routes=[Mount("/nb", inner)], lifespan=lifespan)
asyncio.run(uvicorn.Server(uvicorn.Config(outer, log_level="critical")).serve(sockets=[free]))
"""


def test_every_room_works_below_a_path_of_another_application(browser: Any, models: Path, tmp_path: Path) -> None:
    for path in models.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with Serving(tmp_path, program=OUTER) as server:
        origin = f"http://127.0.0.1:{server.port}"
        watched = Watched(browser, base_url=origin)
        page = watched.page
        page.goto("/nb/")
        assert page.url.startswith(f"{origin}/nb/page/try")
        page.fill("textarea[name=text]", "so happy")
        page.wait_for_selector(".verdict")
        for room in ("Teach", "Train", "Words", "Mistakes", "Health"):
            page.click(f"nav a:has-text('{room}')")
            assert page.url.startswith(f"{origin}/nb/page/{room.lower()}")
            page.wait_for_selector("#main")  # its address is known before the page is there
        page.goto("/nb/page/mistakes?model=mood")
        page.set_input_files(
            "input[type=file]",
            {"name": "few.csv", "mimeType": "text/csv", "buffer": b"text,label\nso happy,positive\nso sad,negative\n"},
        )
        page.wait_for_selector(".confusion")
        assert page.url.startswith(f"{origin}/nb/page/mistakes")
        page.goto("/nb/page/teach?model=mood&file=few.csv")
        page.click(".labels button:has-text('positive')")
        page.wait_for_selector("text=1 of 2 labelled")
        assert watched.strange(f"{origin}/nb") == []
        page.close()
