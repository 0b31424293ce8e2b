"""Who may ask for a page: forms of other sites may not."""

import pytest

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
