"""Where files are dropped: on the form, by a mouse or by its button."""

from browsing import Watched

DROP = """([form, name]) => {
    const data = new DataTransfer();
    data.items.add(new File(["text,label\\nso happy,positive\\nso sad,negative\\n"], name));
    form.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def test_a_file_that_is_dropped_is_sent(watched: Watched) -> None:
    page = watched.page
    page.goto("/page/mistakes?model=mood")
    page.wait_for_timeout(200)
    page.evaluate(DROP, [page.query_selector("form.drop"), "<img src=x onerror=alert(1)>.csv"])
    page.wait_for_selector(".confusion")
    assert "file=img-src-x-onerror-alert-1-.csv" in page.url
    page.goto("/page/mistakes?model=mood")
    page.click("[aria-label='Remove img-src-x-onerror-alert-1-.csv']")
    assert "is removed" in page.inner_text("#said")
