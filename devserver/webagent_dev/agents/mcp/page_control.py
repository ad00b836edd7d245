"""Reads open pages and acts on them for clients: state, steps, and what they have logged."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, TextContent

from webagent.errors import Denied, InternalError, ToolError
from webagent.page.values import FileValue
from webagent.urls import origin_of
from webagent_dev.agents.mcp.page_steps import PageSteps, RelayedPage, Step
from webagent_dev.agents.mcp.page_views import PROBLEMS, console_lines, excerpt, request_lines
from webagent_dev.live.messages import current_findings
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.report_lines import finding_text
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_site.mcp.results import success_result, tool_error_result
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay

LOGGED_S = 0.15
"""How long a page gathers lines of its log before it sends them, and a moment for the way."""

Ask = Callable[[str, str], Awaitable[InputRequiredResult | None]]
"""Asks the user about a step that cannot be undone: takes what it is, and with which arguments."""


class PageControl:
    """Reads open pages and acts on them."""

    def __init__(self, site: Site, pages: OpenPages, relay: Relay, timeline: Timeline) -> None:
        """Reach the pages of one site.

        Args:
            site: Its folder, and the findings about its manifest.
            pages: The open ones.
            relay: Makes calls to them.
            timeline: Has what they log.
        """
        self._site = site
        self._pages = pages
        self._relay = relay
        self._timeline = timeline

    async def read(
        self, page: OpenPage, arguments: Mapping[str, Any], caller: str
    ) -> CallToolResult:
        """Return the parts of a page that have words in them, or a picture with the numbers.

        Args:
            page: The page.
            arguments: Of `page_state`.
            caller: Name of the client, for people.
        """
        seen = RelayedPage(self._pages, self._relay, page, caller)
        snapshot = await seen.snapshot()
        words = arguments.get("find")
        text = excerpt(snapshot.text, words) if words is not None else snapshot.text
        state = {
            "page_id": page.page_id,
            "url": snapshot.url,
            "title": snapshot.title,
            "text": text,
            "truncated": snapshot.truncated,
            "tools": [],
        }
        files = [await _picture(seen)] if arguments.get("picture") else []
        shown = f"{snapshot.url} {snapshot.title}\n{text}"
        return success_result(shown, structured=state, untrusted_from=page.hello.url, files=files)

    async def act(
        self, page: OpenPage, arguments: Mapping[str, Any], caller: str, ask: Ask
    ) -> CallToolResult | InputRequiredResult:
        """Take steps in a page; return what they did, or a question about one.

        Args:
            page: The page.
            arguments: Of `page_act`.
            caller: Name of the client, for people.
            ask: Asks the user.
        """
        logged = self._timeline.seq
        seen = RelayedPage(self._pages, self._relay, page, caller)
        steps = PageSteps(seen, self._site, origin_of(page.hello.url))
        given = arguments["steps"]
        found: list[str] = []
        failure: ToolError | None = None
        try:
            for number, step in enumerate(given, 1):
                if step["do"] in ("wait", "wait_gone"):
                    await steps.wait(step.get("text", ""), gone=step["do"] == "wait_gone")
                    continue
                prepared = await steps.prepare(step)
                if prepared.effect == "irreversible":
                    _check_alone(prepared, number, len(given))
                    if question := await ask(prepared.name, prepared.shown):
                        return question
                await steps.take(prepared)
            if words := arguments.get("find"):
                found = ["", excerpt((await seen.snapshot()).text, words)]
        except ToolError as error:
            failure = error
        await asyncio.sleep(LOGGED_S)
        logged_since = console_lines(self._timeline, page.page_id, after=logged, levels=PROBLEMS)
        lines = [*steps.lines, *logged_since, *found]
        if failure is None:
            return _fenced("\n".join(lines) or "done", page)
        # The page may have written the words of the error, too.
        result = tool_error_result(failure)
        lines += [part.text for part in result.content if isinstance(part, TextContent)]
        result.content = _fenced("\n".join(lines), page).content
        return result

    async def log(self, page: OpenPage, of: str, caller: str) -> CallToolResult:
        """Return what a page has logged, its requests, or the findings.

        Args:
            page: The page.
            of: `console`, `network` or `findings`.
            caller: Name of the client, for people.
        """
        match of:
            case "console":
                lines = console_lines(self._timeline, page.page_id)
            case "network":
                seen = RelayedPage(self._pages, self._relay, page, caller)
                lines = request_lines(await seen.read({"type": "requests"}), page.hello.url)
            case _:
                found = [*current_findings(self._site).findings, *self._pages.drift(page)]
                name = self._site.manifest_name
                lines = [text for each in found if (text := finding_text(each, name)) is not None]
        return _fenced("\n".join(lines) or "nothing", page)


def _check_alone(step: Step, number: int, count: int) -> None:
    """Raise `Denied` for a step that cannot be undone among others.

    A client may send the same call again with the answer of its user, and the steps before it must
    not be taken twice.
    """
    if count > 1:
        raise Denied(
            f"step {number}, {step.name}, cannot be undone - it was not taken, nor those after it",
            help="call `page_act` with this step alone; the user may be asked about it",
        )


async def _picture(page: RelayedPage) -> FileValue:
    """Return a picture that the page draws of itself, with the numbers of what can be used."""
    reply = await page.read({"type": "screenshot", "marks": True})
    try:
        data = base64.b64decode(reply["data"], validate=True)
    except (TypeError, KeyError, ValueError):
        raise InternalError("the page gave no picture") from None
    return FileValue("page.png", "image/png", data)


def _fenced(text: str, page: OpenPage) -> CallToolResult:
    result = success_result(text, untrusted_from=page.hello.url)
    (part,) = result.content
    # Some clients show their model the structured content alone; it needs the marks, too.
    result.structured_content = {"text": part.text if isinstance(part, TextContent) else ""}
    return result
