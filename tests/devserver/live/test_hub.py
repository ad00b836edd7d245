"""News reaches every page, and no page holds up another."""

from __future__ import annotations

import asyncio
import json

from webagent_dev.live.hub import REMEMBERED, Hub
from webagent_dev.live.messages import ManifestChanged, Reload, ServerMessage, StylesheetChanged
from webagent_site.pages.connection import QUEUE_LENGTH

NEWS = Reload(reason="a", path=None)


async def test_every_page_receives_broadcasts() -> None:
    """Pages that have left do not."""
    hub = Hub()
    first, second, gone = hub.join(), hub.join(), hub.join()
    hub.leave(gone)
    hub.broadcast(NEWS)

    assert len(hub) == 2
    assert json.loads(await first.next()) == json.loads(await second.next())


async def test_a_page_that_does_not_read_is_disconnected() -> None:
    """Its queue is bounded; the others lose nothing."""
    hub = Hub()
    dead, alive = hub.join(), hub.join()
    for _ in range(QUEUE_LENGTH + 5):
        hub.broadcast(NEWS)
        await alive.next()

    await asyncio.wait_for(dead.lost(), 1)


def news(*messages: ServerMessage) -> Hub:
    hub = Hub()
    for message in messages:
        hub.broadcast(message)
    return hub


def test_a_page_gets_what_it_missed() -> None:
    """Of each stylesheet, and of the manifest, the latest; findings come with every greeting."""
    a, b = StylesheetChanged(path="/a.css"), StylesheetChanged(path="/b.css")
    old, new = (ManifestChanged(path="/webagents.md", revision=n, text=f"# {n}") for n in (1, 2))
    hub = news(a, old, b, new, a)

    assert hub.missed(0) == [a, new, b]
    assert hub.missed(3) == [new, a]
    assert hub.missed(5) == []


def test_a_reload_replaces_everything_else() -> None:
    """The new version of the page has everything."""
    assert news(StylesheetChanged(path="/a.css"), NEWS, NEWS).missed(0) == [NEWS]
    assert news(NEWS, StylesheetChanged(path="/a.css")).missed(1) == [
        StylesheetChanged(path="/a.css")
    ]


def test_a_page_that_missed_too_much_reloads() -> None:
    """So does one with a number from the future: it is of another process."""
    hub = news(*[StylesheetChanged(path="/a.css")] * (REMEMBERED + 1))

    assert [type(message) for message in hub.missed(0)] == [Reload]
    assert [type(message) for message in hub.missed(hub.seq + 1)] == [Reload]
    assert len(hub.missed(1)) == 1


async def test_news_are_numbered() -> None:
    """From 1 on."""
    hub = Hub()
    page = hub.join()
    hub.broadcast(NEWS)
    hub.broadcast(NEWS)

    assert [json.loads(await page.next())["seq"] for _ in range(2)] == [1, 2]
    assert hub.seq == 2
