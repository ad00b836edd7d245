"""Pages of other origins in a browser of the server's own: held where they may be, opened again."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio

from tests.chromium import find_chromium
from tests.e2e.test_headless import children_of, headless_of
from tests.upstream import RawServer, html, listening, reply
from webagent.errors import OriginMismatch
from webagent_dev.agents.goal_api.tab import CrossOriginActor
from webagent_dev.agents.headless import Headless

ANOTHER = "which is another site"


@pytest.fixture(name="outside")
def _outside() -> Iterator[RawServer]:
    """A site on which nobody may work."""
    with listening() as server:
        server.answer = html("<title>Inside the house</title><p>Not for tasks.")
        yield server


@pytest.fixture(name="site")
def _site() -> Iterator[RawServer]:
    with listening() as server:
        yield server


@pytest_asyncio.fixture(name="own", loop_scope="session")
async def _own(
    site: RawServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Headless]:
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))
    own = headless_of(tmp_path, site.url)
    yield own
    await own.close()


async def test_a_page_that_goes_elsewhere_by_itself_is_not_looked_at(
    own: Headless, site: RawServer, outside: RawServer
) -> None:
    """Nor is the other site asked for anything; frames of it are the page's own business."""
    async with own.cross_origin_page(f"{site.url}/") as port:
        async with port.page.expect_event("framenavigated"):
            await port.page.evaluate(f"setTimeout(() => location = '{outside.url}/')")
        with pytest.raises(OriginMismatch, match=f"`{outside.url}`, {ANOTHER}"):
            await port.snapshot()
        with pytest.raises(OriginMismatch, match=f"`{outside.url}`, {ANOTHER}"):
            await port.act({"type": "content"})
    assert outside.asked == []
    site.answer = html(f"<title>Here</title><iframe src='{outside.url}/'></iframe>")
    async with own.cross_origin_page(f"{site.url}/") as port:
        await port.page.wait_for_load_state()
        seen = await port.snapshot()

    assert seen.title == "Here"
    assert len(outside.pages) == 1


async def test_a_page_that_goes_nowhere_is_not_looked_at(own: Headless, site: RawServer) -> None:
    """No server is asked for a blank page, and no `restrict` applies to it."""
    async with own.cross_origin_page(f"{site.url}/") as port:
        await port.page.evaluate("setTimeout(() => location = 'about:blank')")
        await port.page.wait_for_url("about:blank")
        with pytest.raises(OriginMismatch, match=f"`about:blank`, {ANOTHER}"):
            await port.snapshot()


async def test_links_and_redirects_lead_to_no_other_site(
    own: Headless, site: RawServer, outside: RawServer
) -> None:
    """Not at the end of a chain either; what is followed on the site itself is."""
    moved = "HTTP/1.1 302 Found\nContent-Length: 0\nLocation: "
    answers = {
        "/": html("<title>First</title><a href=/second>Second</a>"),
        "/second": html(f"<title>Second</title><a href='{outside.url}/'>Away</a>"),
        "/chain": reply(f"{moved}/on"),
        "/on": reply(f"{moved}{outside.url}/"),
    }
    site.answer = lambda asked, to: answers.get(asked.line.split()[1], answers["/"])(asked, to)
    async with own.cross_origin_page(f"{site.url}/") as port:
        actor = CrossOriginActor(port)
        await actor.act({"type": "click_link", "text": "Second"})
        assert (await actor.snapshot()).title == "Second"
        with pytest.raises(OriginMismatch, match=f"`{outside.url}`, {ANOTHER}"):
            await actor.act({"type": "click_link", "text": "Away"})
    with pytest.raises(OriginMismatch, match=f"`{outside.url}` is not an origin"):
        async with own.cross_origin_page(f"{site.url}/chain"):
            pass

    assert outside.asked == []


@pytest.mark.conformance
async def test_a_browser_that_was_killed_is_started_again(own: Headless, site: RawServer) -> None:
    """By the next call, in which nothing of it is seen."""
    others = browsers()
    async with own.cross_origin_page(f"{site.url}/"):
        (killed,) = browsers() - others
        os.kill(killed, signal.SIGKILL)
    async with own.cross_origin_page(f"{site.url}/") as port:
        assert (await port.snapshot()).title == "Behind"


def browsers() -> set[int]:
    """Return the browsers that hang on pipes of this process."""
    found = set()
    for process in children_of(os.getpid()):
        with suppress(FileNotFoundError):
            words = (process / "cmdline").read_bytes()
            if b"--remote-debugging-pipe" in words and b"--type=" not in words:
                found.add(int(process.name))
    return found
