"""The files of the page: in the package, small, kept by browsers, and without an address of another host."""

import re

from banbury.server.page import assets
from serving import Serving


def test_the_page_weighs_less_than_150_kilobytes(server: Serving) -> None:
    html = server.get("/page/try?model=mood&text=I+love+this+wonderful+day")
    assert html.status == 200
    assert len(html.body) + sum(map(len, assets.contents().values())) < 150_000


def test_a_file_is_kept_for_as_long_as_it_is_the_same(server: Serving) -> None:
    found = server.get("/page/" + assets.address("page.js"))
    assert found.status == 200
    assert found.headers["content-type"].startswith("text/javascript")
    assert "immutable" in found.headers["cache-control"]
    old = server.get("/page/assets/0123/page.js")
    assert (old.status, old.headers["cache-control"]) == (200, "no-store")
    assert server.get("/page/assets/0123/..%2f..%2fvisit.py").status == 404


def test_no_file_names_another_host_or_evaluates_texts() -> None:
    for name, content in assets.contents().items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]|@import|\beval\b|new Function|innerHTML|document\.write", text), name
