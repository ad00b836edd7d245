"""Pages that calls lead away from, in a browser: it is noticed, and foreign pages are asked nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route

from webagent import parse
from webagent.errors import OriginMismatch
from webagent_dev.browser.open_site import FOLDER_URL, open_site_page, route_to_site
from webagent_dev.contract.browser_harness import BrowserHarness
from webagent_dev.contract.harness import PageEventKind
from webagent_dev.contract.session import PageSession, SessionMemory

FIRST = """\
<!doctype html><title>First</title><script>
  window.stay = () => { location.hash = "a"; history.pushState(null, "", "/b"); return 1; };
  window.keep = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["a"]));
    link.download = "a.txt";
    link.click();
    return 2;
  };
  window.go = () => { location.href = "/next.html"; return 3; };
</script>
"""
NEXT = """\
<!doctype html><title>Next</title><script>
  window.go = () => { location.href = "https://elsewhere.example/"; return 4; };
</script>
"""
FOREIGN = "<!doctype html><script>window.go = () => document.body.append('called');</script>"
MANIFEST = "# Pages\n" + "".join(f"\n## {name}\n\n### Params\n" for name in ("stay", "keep", "go"))


async def test_a_page_that_was_left_is_noticed(browser: Browser, tmp_path: Path) -> None:
    """Also after the answer; the next page is waited for, and asked if it is of the same origin."""
    (tmp_path / "index.html").write_text(FIRST)
    (tmp_path / "next.html").write_text(NEXT)
    pages: list[Page] = []

    async def foreign(route: Route) -> None:
        await route.fulfill(body=FOREIGN, content_type="text/html")

    async def fresh(saved: bool) -> Page:
        pages.append(await browser.new_page())
        await route_to_site(pages[-1], str(tmp_path))
        await pages[-1].route("https://elsewhere.example/", foreign)
        return pages[-1]

    async def first(page: Page, path: str) -> None:
        await open_site_page(page, FOLDER_URL, path)

    async def reset() -> None:
        """Nothing is kept."""

    harness = BrowserHarness(fresh, first, reset)
    session = PageSession(
        harness, parse(MANIFEST), timeout_s=10.0, late_s=5.0, memory=SessionMemory()
    )
    await session.open()

    for name, value, address in [
        ("stay", 1, f"{FOLDER_URL}b"),
        ("keep", 2, f"{FOLDER_URL}b"),
        ("go", 3, f"{FOLDER_URL}next.html"),
        ("go", 4, "https://elsewhere.example/"),
    ]:
        outcome = await session.call(name, [])
        left = [Path(event.text).name for event in outcome.events(PageEventKind.NAVIGATION)]

        assert outcome.result.value == value
        assert pages[-1].url == address
        assert left == ([Path(address).name] if name == "go" else [])

    with pytest.raises(OriginMismatch):
        await session.call("go", [])
    assert await pages[-1].inner_text("body") == ""
    assert (await session.call("go", [])).result.value == 3, "the first page, opened anew"
    assert len(pages) == 2
    await pages[-1].close()
