"""The endpoint that opens an editor: only for pages of this server on this machine."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from webagent_dev.api.editor import OpenEditor
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

ASKED = {"path": "webagents.md", "line": 12, "column": 5}
TOKEN = {"x-webagent-token": "secret-token"}


class Desk:
    """The endpoint alone, with an editor that only records its arguments."""

    def __init__(
        self, root: Path, editor: str | None = "/bin/sh --at {line}:{column} {file}"
    ) -> None:
        self.opened: list[list[str]] = []
        self.now = 0.0
        config = ServeConfig(root=root, page_token="secret-token", editor=editor)
        endpoint = OpenEditor(
            config,
            Console(io.StringIO()),
            Site(root),
            open_with=lambda arguments, _: self.opened.append(arguments),
            clock=lambda: self.now,
        ).endpoint
        self._app = Starlette(routes=[Route("/editor", endpoint, methods=["POST"])])

    async def ask(
        self,
        body: Any = ASKED,
        headers: dict[str, str] | None = None,
        *,
        url: str = "http://127.0.0.1:8000",
        client: str = "127.0.0.1",
    ) -> tuple[int, str]:
        sent = TOKEN if headers is None else headers
        way = httpx.ASGITransport(self._app, client=(client, 5))
        async with httpx.AsyncClient(transport=way, base_url=url) as page:
            answer = await page.post("/editor", json=body, headers=sent)
        return answer.status_code, answer.text


@pytest.fixture(name="desk")
def _desk(root: Path) -> Desk:
    return Desk(root)


async def test_a_place_of_the_manifest_is_opened(desk: Desk, root: Path) -> None:
    """Once for each click, with nothing in the answer."""
    assert await desk.ask() == (204, "")
    desk.now += 1
    assert await desk.ask(url="http://[::1]:8000", client="::ffff:127.0.0.1") == (204, "")

    assert desk.opened == [["/bin/sh", "--at", "12:5", str(root / "webagents.md")]] * 2


@pytest.mark.parametrize(
    "headers", [{}, {"x-webagent-token": "wrong"}, {"x-webagent-token": "secret-tokenü".encode()}]
)
async def test_without_the_token_of_the_page_nothing_is_opened(desk: Desk, headers: Any) -> None:
    """The token is in pages of this server only."""
    status, said = await desk.ask(headers=headers)

    assert (status, desk.opened) == (403, [])
    assert "the token that is in the page" in said


@pytest.mark.parametrize(
    "where",
    [
        {"client": "192.0.2.7"},
        {"url": "https://shop.tunnel.test"},
        {"url": "http://192.0.2.1:8000"},
    ],
)
async def test_a_page_on_another_machine_opens_nothing(desk: Desk, where: dict[str, str]) -> None:
    """The window would open in front of somebody else."""
    status, said = await desk.ask(**where)

    assert (status, desk.opened) == (403, [])
    assert "on the machine where the server runs" in said


async def test_a_form_of_a_page_opens_nothing(desk: Desk) -> None:
    """Only JSON is read, for which another site needs a preflight request."""
    status, _ = await desk.ask(headers={**TOKEN, "content-type": "text/plain"})

    assert (status, desk.opened) == (415, [])


@pytest.mark.parametrize(
    "body",
    [
        "",
        [],
        {},
        {**ASKED, "path": ""},
        {**ASKED, "path": 3},
        {**ASKED, "line": 0},
        {**ASKED, "line": "1"},
        {**ASKED, "line": True},
        {**ASKED, "column": -1},
        {**ASKED, "column": 10**9},
        {**ASKED, "column": 1.5},
        {**ASKED, "path": "x" * 10_000},
    ],
)
async def test_a_malformed_place_is_refused(desk: Desk, body: Any) -> None:
    """With the shape of a correct one."""
    status, said = await desk.ask(body)

    assert (status, desk.opened) == (400, [])
    assert '"line": 1' in said


async def test_errors_are_one_sentence(desk: Desk, root: Path) -> None:
    """A file that is not served, an editor that needs a terminal."""
    status, said = await desk.ask({**ASKED, "path": ".env"})
    assert (status, desk.opened) == (409, [])
    assert "only the manifest and files that are served" in said

    status, said = await Desk(root, "vim").ask()
    assert status == 409
    assert "`editor` is `vim`, which needs a terminal" in said


async def test_a_script_in_a_loop_opens_few_windows(desk: Desk) -> None:
    """The next window opens after a pause."""
    assert [(await desk.ask())[0] for _ in range(5)] == [204, 429, 429, 429, 429]
    desk.now += 1
    assert (await desk.ask())[0] == 204
    assert len(desk.opened) == 2
