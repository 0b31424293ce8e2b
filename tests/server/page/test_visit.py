"""The fields of a form, and the addresses that have them."""

from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from hypothesis import given

from banbury.server.page.visit import POLICY, path_of
from hostile import HOSTILE, hostile_texts
from serving import Serving


@given(hostile_texts())
def test_what_is_written_into_an_address_can_be_read_again(text: str) -> None:
    address = path_of("try", [("text", text)])
    assert address.isascii()
    assert dict(parse_qsl(urlsplit(address).query, keep_blank_values=True)) == {
        "text": text.encode("utf-8", "replace").decode()
    }


def test_every_page_has_a_policy_and_is_in_no_frame(server: Serving) -> None:
    for room in ("try", "words"):
        headers = server.get(f"/page/{room}").headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY


def test_too_many_fields_are_said(server: Serving) -> None:
    assert server.get("/page/try?" + "a=1&" * 3000).status == 413


@pytest.mark.parametrize("name", [one for one in HOSTILE if one.strip()][:20])
def test_an_unknown_model_is_named_and_nothing_else_happens(server: Serving, name: str) -> None:
    answer = server.get(f"/page/try?model={quote(name, errors='replace')}")
    assert answer.status == 404
    assert b"there is no model" in answer.body
