"""The live channel, as a page uses it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.devserver.conftest import INDEX, MANIFEST
from tests.devserver.site.test_state import BROKEN, GOOD
from tests.server import Server, hosting
from webagent_dev import __version__
from webagent_site.pages.connection import PAGE_MESSAGE_BYTES

MORE = MANIFEST.replace("Sells books.", "Sells books and maps.")


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("live")
    (root / "index.html").write_bytes(INDEX)
    (root / "style.css").write_text("p {}", encoding="utf-8")
    (root / "webagents.md").write_bytes(GOOD)
    with hosting(root) as server:
        yield server


@pytest.fixture(autouse=True)
async def _reset(server: Server) -> None:
    (server.root / "webagents.md").write_bytes(GOOD)
    async with page(server) as live:
        while (await told(live))["findings"]:
            pass
    # The last test's manifest may have no findings either.
    for _ in range(500):
        if served(server).content == GOOD:
            break
        await asyncio.sleep(0.01)


def save(server: Server, text: str) -> None:
    (server.root / "webagents.md").write_text(text, encoding="utf-8")


def served(server: Server) -> httpx.Response:
    return httpx.get(f"{server.url}/webagents.md")


def source(server: Server) -> str:
    return httpx.get(server.url).text


def page(server: Server) -> connect:
    live = re.search(r"/__webagent__/live\?token=[\w-]+", httpx.get(server.url).text)
    assert live
    return connect(f"ws{server.url.removeprefix('http')}{live[0]}", origin=server.url)  # type: ignore[arg-type]


async def heard(live: ClientConnection) -> dict[str, Any]:
    """Wait for the next message."""
    message: dict[str, Any] = json.loads(await asyncio.wait_for(live.recv(), 5))
    return message


async def told(live: ClientConnection, kind: str = "findings") -> dict[str, Any]:
    """Wait for the next message of a type."""
    while (message := await heard(live))["type"] != kind:
        pass
    return message


def says(**fields: object) -> str:
    return json.dumps({"v": 1, **fields})


def hello(version: str, page_id: str) -> str:
    return says(
        type="hello",
        page_id=page_id,
        document_id="d",
        url="/",
        title="",
        focused=True,
        version=version,
    )


async def test_a_page_is_greeted_with_the_state(server: Server) -> None:
    """The version of the server, and the findings of the manifest."""
    async with page(server) as live:
        first, second = await heard(live), await heard(live)

    assert first["type"] == "hello"
    assert first["version"] == __version__
    assert first["manifest_path"] == "/webagents.md"
    assert (second["type"], second["findings"]) == ("findings", [])


async def test_a_save_reaches_every_page(server: Server) -> None:
    """The manifest without a reload, a stylesheet, another file."""
    async with page(server) as one, page(server) as two:
        for live in (one, two):
            await told(live)
        (server.root / "webagents.md").write_bytes(MORE.encode())
        for live in (one, two):
            assert (await heard(live))["text"] == MORE
            assert (await heard(live))["findings"] == []
        (server.root / "style.css").write_text("b {}", encoding="utf-8")
        for live in (one, two):
            assert (await heard(live))["path"] == "/style.css"
        (server.root / "index.html").write_bytes(INDEX + b"<p>")
        for live in (one, two):
            assert (await heard(live))["path"] == "/index.html"


async def test_a_broken_save_keeps_the_last_good_manifest(server: Server) -> None:
    """Pages get findings, later pages too; the terminal shows the place."""
    async with page(server) as live:
        await told(live)
        (server.root / "webagents.md").write_bytes(BROKEN)
        broken = await heard(live)
        meanwhile = served(server)
        async with page(server) as later:
            assert (await told(later))["findings"] == broken["findings"]
        server.wait_for_output(r"webagents\.md:9:\d+: error\[duplicate-tool\]")
        server.wait_for_output("pages keep the last good manifest")

        assert broken["type"] == "findings"
        assert meanwhile.text == MANIFEST
        assert meanwhile.headers["webagent-manifest"] == "stale"

        (server.root / "webagents.md").write_bytes(GOOD)

        assert (await heard(live))["type"] == "manifest"
        assert (await heard(live))["findings"] == []
    assert "webagent-manifest" not in served(server).headers


async def test_a_page_of_another_version_reloads_once(server: Server) -> None:
    """A reload that does not help is not repeated."""
    async with page(server) as live:
        await told(live)
        await live.send(hello("0.0.1", "d1"))
        assert "the page runs webagent 0.0.1" in (await heard(live))["reason"]
        await live.send(hello("0.0.1", "d1"))
        await live.send(hello(__version__, "d2"))
        await live.send(hello("0.0.1", "d3"))
        assert (await heard(live))["type"] == "reload"
        (server.root / "style.css").write_text("i {}", encoding="utf-8")

        assert (await heard(live))["type"] == "css"


async def test_an_error_in_the_page_is_shown_in_the_terminal(server: Server) -> None:
    """As text: it cannot clear the screen."""
    async with page(server) as live:
        await live.send(hello(__version__, "failing"))
        await live.send(says(type="error", phase="start", message="\x1b[2Jno \ud800 wheels"))
        server.wait_for_output(r"page +start: �\[2Jno . wheels\n")

    assert "\x1b" not in server.output


async def test_nonsense_is_ignored(server: Server) -> None:
    """Text, bytes, unknown types: the channel stays open."""
    async with page(server) as live:
        await told(live)
        for nonsense in ("", "{", b"\0\1", says(type="nothing"), "[" * 60_000, says(type="css")):
            await live.send(nonsense)
        await live.send(hello("0.0.2", "nonsense"))

        assert (await heard(live))["type"] == "reload"


async def test_a_message_that_is_too_long_ends_the_channel(server: Server) -> None:
    """Before it is read as a whole."""
    async with page(server) as live:
        # The head of a frame alone: text, masked, its length in eight bytes.
        length = (PAGE_MESSAGE_BYTES + 1).to_bytes(8, "big")
        live.transport.write(b"\x81\xff" + length + b"mask")
        await live.wait_closed()

    assert live.close_code == 1009


@pytest.mark.hostile
async def test_a_page_that_does_not_read_holds_up_no_other(server: Server) -> None:
    """It is disconnected when its queue is full; the others receive everything."""
    big = MANIFEST.replace("Sells books.", "Sells books. " * 40_000)
    async with page(server) as live:
        await told(live)
        async with page(server) as stuck:
            stuck.transport.pause_reading()
            for number in range(12):
                save(server, f"{big}<!-- {number} -->")

                assert f"<!-- {number} -->" in (await told(live, "manifest"))["text"]
            stuck.transport.abort()


async def test_a_page_that_was_away_gets_what_it_missed(server: Server) -> None:
    """It sends the number of the latest broadcast that it has seen."""
    async with page(server) as live:
        seen = (await told(live, "hello"))["seq"]
    async with page(server) as other:
        (server.root / "style.css").write_text("p { color: blue }", encoding="utf-8")
        await told(other, "css")
        save(server, MORE)
        await told(other, "manifest")
    address = page(server).uri
    async with connect(f"{address}&seen={seen}", origin=server.url) as back:  # type: ignore[arg-type]
        missed = [await heard(back) for _ in range(4)]

    assert [message["type"] for message in missed] == ["css", "manifest", "hello", "findings"]
    assert missed[1]["text"] == MORE
    assert all("seq" not in message for message in missed[:2])
    assert missed[2]["seq"] > seen


async def test_a_page_knows_the_news_of_the_moment_that_it_was_made(server: Server) -> None:
    """A save between its making and its first connection is not lost."""
    made = re.search(r"(/__webagent__/live\?token=[\w-]+)&amp;seen=(\d+)", source(server))
    assert made
    async with page(server) as other:
        (server.root / "late.txt").write_text("x", encoding="utf-8")
        await told(other, "reload")
    address = f"ws{server.url.removeprefix('http')}{made[1]}&seen={made[2]}"
    async with connect(address, origin=server.url) as late:  # type: ignore[arg-type]
        assert (await heard(late))["type"] == "reload"


@pytest.mark.parametrize("seen", ["", "-1", "x", "1e3", "9" * 400, "%00"])
async def test_a_malformed_number_means_a_new_page(server: Server, seen: str) -> None:
    """It is greeted like any other."""
    async with connect(f"{page(server).uri}&seen={seen}", origin=server.url) as live:  # type: ignore[arg-type]
        assert (await heard(live))["type"] == "hello"
