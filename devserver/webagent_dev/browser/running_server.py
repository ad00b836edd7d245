"""A running server of a site and its open pages, for other commands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

import httpx

from webagent_dev.browser.chromium import NoBrowser
from webagent_dev.browser.owner_auth import OwnerAuth
from webagent_dev.config.extras import MCP
from webagent_dev.config.owner import Note, Owner, read_note
from webagent_dev.config.resolve import resolve_config
from webagent_site.config.folders import state_folder
from webagent_site.config.urls import API_PATH, CONTROL_PATH, is_address
from webagent_site.errors import ConfigError, UsageError

ANSWER_S = 3.0
"""How long a server may take to answer the first request."""
_POLL_S = 0.1

OnEvent = Callable[[dict[str, Any]], None]
OnQuestion = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class RunningServer:
    """A connection to a running server, as its owner; an asynchronous context manager."""

    def __init__(self, note: Note) -> None:
        """Prepare a connection.

        Args:
            note: Of a running server.
        """
        assert note.url
        self.url = note.url
        self._http = httpx.AsyncClient(
            base_url=httpx.URL(note.url).join(API_PATH),
            auth=OwnerAuth(note),
            # The server is on this machine, with a certificate that it made itself.
            verify=False,  # noqa: S501
            # No proxy between two programs of one machine.
            trust_env=False,
            timeout=httpx.Timeout(ANSWER_S, read=None),
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._http.__aexit__(kind, error, traceback)

    async def state(self) -> dict[str, Any]:
        """Return the state of the server, with its open `pages`; empty if it does not answer."""
        return await self._get("/state")

    async def settled_state(self, tab: str) -> dict[str, Any]:
        """Return the state as soon as the tab that is meant is not between two pages.

        Args:
            tab: Beginning of its id; empty for the one that has the focus.
        """
        while True:
            state = await self.state()
            wanted = tab or state.get("focused") or ""
            is_there = any(page["page_id"].startswith(wanted) for page in state.get("pages", ()))
            if is_there or not any(one.startswith(wanted) for one in state.get("returning", ())):
                return state
            await asyncio.sleep(_POLL_S)

    async def endpoints(self) -> dict[str, Any]:
        """Return the endpoints for other programs; empty if the server does not answer."""
        return await self._get("/doors")

    async def inspector_url(self) -> str | None:
        """Return an address that opens the inspector once, None if the server does not answer."""
        try:
            code: str = _data_of(await self._http.post("/codes", timeout=ANSWER_S))["code"]
        except (httpx.HTTPError, UsageError, KeyError):
            return None
        return f"{self.url.rstrip('/')}{CONTROL_PATH}/#code={code}"

    async def _get(self, path: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = (await self._http.get(path, timeout=ANSWER_S)).json()
        except (httpx.HTTPError, ValueError):
            return {}
        return answer

    async def tools(self, page_id: str) -> list[dict[str, Any]]:
        """Return the tools of a page.

        Raises:
            UsageError: There is no such page, or it is not clear which one is meant.
        """
        answer = await self._http.get(f"/pages/{quote(page_id, safe='')}/tools")
        tools: list[dict[str, Any]] = _data_of(answer)["tools"]
        return tools

    async def call(
        self,
        page_id: str,
        name: str,
        arguments: dict[str, Any],
        *,
        on_question: OnQuestion | None = None,
    ) -> dict[str, Any]:
        """Call a tool of a page; return the result as data.

        Args:
            page_id: Which page.
            name: Name of the tool.
            arguments: Encoded, by name.
            on_question: Answers the tool's questions, as in `run`; None where nobody can.

        Raises:
            UsageError: The server returns an error, or goes away.
        """
        path = f"/pages/{quote(page_id, safe='')}/call"
        body = {"name": name, "arguments": arguments, "caller": "terminal"}
        if on_question is None:
            return _data_of(await self._http.post(path, json=body))
        return await self._attended(path, {**body, "ask": True}, lambda event: None, on_question)

    async def run(
        self, page_id: str, goal: dict[str, Any], *, on_event: OnEvent, on_question: OnQuestion
    ) -> dict[str, Any]:
        """Let the agent of a page work on a goal; return the result as data.

        Args:
            page_id: Which page.
            goal: `{"goal", "budget"?, "approve"?, "planner"?, "schema"?}`.
            on_event: Called with each event of the run.
            on_question: Answers a request `{"kind", "text", "details"}` with `{"yes", "text"?, "session"?, "grant"?,
                "stop"?}`.

        Raises:
            UsageError: The server returns an error, or goes away.
        """
        path = f"/pages/{quote(page_id, safe='')}/run"
        return await self._attended(path, {**goal, "caller": "terminal"}, on_event, on_question)

    async def _attended(
        self, path: str, body: dict[str, Any], on_event: OnEvent, on_question: OnQuestion
    ) -> dict[str, Any]:
        """Make a request whose events and questions are answered meanwhile; return its result."""
        run, name = "", ""
        try:
            async with self._http.stream("POST", path, json=body) as response:
                if response.is_error:
                    await response.aread()
                    _data_of(response)
                async for line in response.aiter_lines():
                    field, _, text = line.partition(": ")
                    if field == "event":
                        name = text
                    if field != "data":
                        continue
                    data = json.loads(text)
                    match name:
                        case "run":
                            run = data["run"]
                        case "agent":
                            on_event(data)
                        case "question":
                            answer = await on_question(data["request"])
                            await self._http.post(
                                f"/runs/{run}/answer", json={**answer, "question": data["question"]}
                            )
                        case "result":
                            result: dict[str, Any] = data
                            return result
        except httpx.HTTPError as error:
            raise _server_gone(self.url, error) from None
        raise _server_gone(self.url, None)


async def mcp_endpoints(site: str) -> dict[str, Any]:
    """Return the endpoints of the server that runs for a site; empty if none does.

    Raises:
        ConfigError: That server cannot answer over MCP, or one that is started here could not.
    """
    note = note_of(site)
    found: dict[str, Any] = {}
    if note is not None:
        async with RunningServer(note) as running:
            found = await running.endpoints()
    if "doors" not in found:
        MCP.require()
        return {}
    if problem := (found["mcp"] or {}).get("problem"):
        raise ConfigError(problem)
    return found


async def find_open_page(site: str, tab: str) -> tuple[RunningServer, dict[str, Any]] | None:
    """Return the running server of a site and one of its pages, None without one.

    Args:
        site: An address, or the path of a folder.
        tab: Id of the page; empty for the one that has the focus, or the only one.

    Raises:
        UsageError: `tab` is given and there is no such page, or several pages are open and it is not
            clear which one is meant.
    """
    note = note_of(site)
    state: dict[str, Any] = {}
    if note is not None:
        async with RunningServer(note) as running:
            state = await running.settled_state(tab)
    if note is None or "pages" not in state:
        if tab:
            raise UsageError(
                f"no server of `{site}` runs - `--tab` names a page that is open in it - "
                f"start one with `webagent-dev serve`, or leave `--tab` out"
            )
        return None
    if not state["pages"] and not tab:
        return None
    return RunningServer(note), _choose(state["pages"], tab or state["focused"] or "")


@contextmanager
def naming_server(site: str) -> Iterator[None]:
    """Where no browser can be started, name the running server, whose pages another browser can open.

    Raises:
        NoBrowser: As the block, with the address of the server if one runs for the site.
    """
    try:
        yield
    except NoBrowser as error:
        note = note_of(site)
        if note is None:
            raise
        raise NoBrowser(f"{error}, or open {note.url} in your browser") from None


def _choose(pages: list[dict[str, Any]], tab: str) -> dict[str, Any]:
    found = [page for page in pages if page["page_id"].startswith(tab)] if tab else pages
    if len(found) == 1:
        return found[0]
    listed = "".join(f"\n  {page['page_id']}  {page['url']}" for page in pages)
    if not found:
        advice = (
            f"write the id of one of these:{listed}" if listed else "open one, or leave `--tab` out"
        )
        raise UsageError(f"no page with the id `{tab}` is open - {advice}")
    raise UsageError(
        f"{len(found)} pages are open - it is not clear which one is meant - click into one, or write "
        f"`--tab` with its id, or `--headless`:{listed}"
    )


def note_of(site: str) -> Note | None:
    """Return the note of a site's server, if one seems to run."""
    if not is_address(site):
        try:
            return _running(read_note(resolve_config(None if site == "." else site).root))
        except ConfigError:
            return None
    for path in state_folder().glob("*.json"):
        try:
            note = read_note(Path(json.loads(path.read_text("utf-8"))["root"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if note and note.url and urlsplit(note.url)[:2] == urlsplit(site)[:2]:
            return _running(note)
    return None


def _running(note: Note | None) -> Note | None:
    """Return the note of a server that runs, with a token that is valid now."""
    if note is None or note.url is None:
        return None
    return replace(note, owner_token=Owner(Path(note.root)).token)


def _data_of(answer: httpx.Response) -> dict[str, Any]:
    try:
        data = answer.json()
    except ValueError:
        data = {}
    if answer.is_error:
        error = data.get("error", {}) if isinstance(data, dict) else {}
        raise UsageError(str(error.get("message", f"the server answered {answer.status_code}")))
    result: dict[str, Any] = data
    return result


def _server_gone(url: str, error: httpx.HTTPError | None) -> UsageError:
    reason = f"{error}" if error else "it ended in the middle of the run"
    return UsageError(f"the server at {url} went away - {reason} - start it again")
