"""Works on the tasks of A2A clients in the open page: with its tools, or with its agent."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from webagent.errors import NoPage, ToolError
from webagent.page.values import PENDING, encode, is_pending, plain
from webagent.registry.registry import ATTENDED_TIMEOUT_S
from webagent.urls import origin_of
from webagent_dev.agents.a2a.job import DirectReply, Job, is_yes, question_parts, read_answer
from webagent_dev.agents.a2a.task_shapes import file_artifacts, value_artifact
from webagent_dev.agents.tasks.task import State
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_site.config.urls import DEFAULT_PORTS, is_local
from webagent_site.http.a2a.requests import SendMessageRequest, unsupported_media
from webagent_site.http.a2a.responses import LONGEST_TEXT, Shape, error_parts
from webagent_site.http.a2a.tool_call import check_calls, read_work
from webagent_site.page_output import event_text, tool_list
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay, new_id
from webagent_site.pages.wire import CallKind

RUN_S = 3600.0
"""Limit of a run. The agent has a budget of its own; this includes the waiting for answers."""
TOOL_S = 30.0
CALLER = "A2A"
MOST_EVENTS = 200
"""Limit of events that wait to be reported, as while a question waits; more are left out."""
_SENTENCE_END = ".,;:!?"
_URL = re.compile(r"\bhttps?://[^\s\"'<>`)\]}]+", re.IGNORECASE)


RunCrossOrigin = Callable[[Job, str, str], Awaitable[dict[str, Any]]]
"""Lets an agent reach the goal of a job, beginning at an address of another origin; returns its
outcome (`RunResult.to_dict`)."""


class PageAgent:
    """Calls a tool of the open page, or lets the agent of the page reach a goal."""

    def __init__(
        self,
        config: ServeConfig,
        pages: OpenPages,
        relay: Relay,
        run_cross_origin: RunCrossOrigin | None,
    ) -> None:
        """Work for one server.

        Args:
            config: Where it is.
            pages: The open ones.
            relay: Makes calls to them.
            run_cross_origin: Works on goals of other origins; None where nothing does.
        """
        self._run_cross_origin = run_cross_origin
        # By page: the agent of a tab works on one goal at a time.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._config = config
        self._pages = pages
        self._relay = relay

    def task_metadata(self, request: SendMessageRequest) -> Shape:
        """Return the tools of the page of a message, as `metadata.tools`."""
        for at, part in enumerate(request.parts):
            if "raw" in part:
                media = part.get("mediaType", "application/octet-stream")
                raise unsupported_media(media, f"params.message.parts[{at}].mediaType")
        check_calls(request)
        if read_work(request) == (None, ""):
            raise DirectReply(
                "The message asks for nothing: write a goal in words, or call a tool with a data part "
                '{"tool": "its name", "arguments": {}}.'
            )
        try:
            page = self._pages.find(_page_id(request))
        except NoPage:
            return {}
        return {"tools": plain(tool_list(page.tools))}

    async def work(self, job: Job) -> None:
        """Do what a message asks for, and report how it went."""
        call, goal = read_work(job.request)
        urls = self._cross_origin_urls(goal)
        if refused := self._refused(urls):
            await job.end("rejected", _text_parts(refused))
            return
        if call is None and not goal:
            text = (
                "the message asks for nothing - write a goal in words, or a data part with a `tool`"
            )
            await job.end("rejected", _text_parts(text))
            return
        try:
            await self._relay.until_stopped(self._work(job, call, goal, urls))
        except ToolError as error:
            await _fail(job, error.to_dict())

    async def _work(
        self, job: Job, call: tuple[str, dict[str, Any]] | None, goal: str, urls: list[str]
    ) -> None:
        if urls and self._run_cross_origin:
            await _finish(job, await self._run_cross_origin(job, urls[0], goal))
            return
        page_id = _page_id(job.request)
        if call is not None:
            await self._call(job, await self._relay.started_page(page_id, CALLER), *call)
            return
        page = await self._pages.find_or_open(page_id)
        self._pages.check_write(page_id, page, CALLER)
        await self._run(job, page, goal)

    async def _call(self, job: Job, page: OpenPage, name: str, arguments: dict[str, Any]) -> None:
        """Call a tool; the client has to approve of a call that cannot be undone."""
        # Empty if the page does not offer it.
        tool = next((one for one in page.tools if one.get("name") == name), {})
        if tool.get("effect") != "read":
            self._pages.check_write(_page_id(job.request), page, CALLER)
        shown = json.dumps(job.masked(arguments), ensure_ascii=False)
        if tool.get("effect") == "irreversible":
            text = f"`{name}` cannot be undone. It is called with {shown}. Shall it be called?"
            details = {"tool": name, "arguments": arguments, "effect": "irreversible"}
            request = {"kind": "approval", "text": text, "details": details}
            if not is_yes(await job.ask(question_parts(request))):
                await job.end(
                    "rejected", _text_parts(f"`{name}` was not called: the answer was no")
                )
                return
        await job.report(f"calls `{name}`", tool=name)
        encoded = {key: encode(value) for key, value in arguments.items()}
        timeout_s = tool.get("timeout_s")
        # The page has a limit of its own; a person may have to send a form, or to answer the tool.
        limit = ATTENDED_TIMEOUT_S
        limit += float(timeout_s) if isinstance(timeout_s, int | float) else TOOL_S
        result = await self._relayed(job, page, "tool", name, encoded, limit)
        if not result["ok"]:
            await _fail(job, result["error"])
            return
        await job.add_artifact(value_artifact(result["value"], name))
        words = f"pending: {PENDING}" if is_pending(result["value"]) else ""
        await job.end("completed", _text_parts(words) if words else None)

    async def _run(self, job: Job, page: OpenPage, goal: str) -> None:
        """Let the agent of the page reach a goal."""
        turn = self._turns.setdefault(page.page_id, asyncio.Lock())
        if turn.locked():
            await job.report("waits for another task in this tab")
        async with turn:
            result = await self._relayed(job, page, "goal", "", {"goal": goal}, RUN_S)
        if not result["ok"]:
            await _fail(job, result["error"])
            return
        await _finish(job, result["value"] if isinstance(result["value"], dict) else {})

    async def _relayed(
        self,
        job: Job,
        page: OpenPage,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        timeout_s: float,
    ) -> dict[str, Any]:
        """Make a call, report its events to the client, and let the client answer questions."""
        call_id = new_id()
        events: asyncio.Queue[tuple[str, dict[str, Any]] | None] = asyncio.Queue()

        def add(name: str, data: dict[str, Any]) -> None:
            # A question still has room when other events have none left.
            if events.qsize() < MOST_EVENTS * (2 if name == "question" else 1):
                events.put_nowait((name, data))

        calling = asyncio.ensure_future(
            self._relay.call(
                page.page_id,
                kind,
                name,
                arguments,
                timeout_s=timeout_s,
                caller=CALLER,
                call_id=call_id,
                on_event=add,
            )
        )
        calling.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while event := await events.get():
                await self._report(job, call_id, calling, *event)
            return await calling
        finally:
            calling.cancel()

    async def _report(
        self,
        job: Job,
        call_id: str,
        calling: asyncio.Future[dict[str, Any]],
        name: str,
        data: dict[str, Any],
    ) -> None:
        """Report one event of a call to the client."""
        if name == "question":
            details = data["request"].get("details")
            secret = isinstance(details, dict) and details.get("secret") is True
            question = question_parts(data["request"])
            asking = asyncio.ensure_future(job.ask(question, secret=secret))
            try:
                await asyncio.wait((asking, calling), return_when=asyncio.FIRST_COMPLETED)
                if asking.done():
                    answer = read_answer(asking.result(), str(data["request"].get("kind", "")))
                    self._relay.answer(call_id, data["question"], answer)
            finally:
                # The page, the run or the task may end before there is an answer.
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
            return
        text = data.get("message") if name == "progress" else event_text(data)
        if text:
            about = {"step": data["number"]} if isinstance(data.get("number"), int) else {}
            await job.report(plain(str(text))[:LONGEST_TEXT], **about)

    def _cross_origin_urls(self, text: str) -> list[str]:
        """Return the addresses in a text that do not belong to this site."""
        found = (match[0].rstrip(_SENTENCE_END) for match in _URL.finditer(text))
        return [url for url in found if not self._is_ours(url)]

    def _refused(self, urls: list[str]) -> str:
        """Return why addresses of other origins are refused; empty if they are allowed."""
        for url in urls:
            origin = origin_of(url)
            if self._run_cross_origin and origin in self._config.allow_origin:
                if origin == origin_of(urls[0]):
                    continue
                return "the goal names two other origins - an agent works on one - send a task for each"
            return (
                f"`{url[:200]}` is of another origin - this agent works on the pages of "
                f"{self._config.url.rstrip('/')} - leave the address out, or start the server with "
                f"`--headless --allow-origin {origin or 'ORIGIN'}`"
            )
        return ""

    def _is_ours(self, url: str) -> bool:
        try:
            parts = urlsplit(url.lower())
            host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
        except ValueError:
            return False
        config = self._config
        if any(host == one or (one[0] == "." and host.endswith(one)) for one in config.allow_host):
            return True
        return port == config.port and (is_local(host) or host == config.host)


def _page_id(request: SendMessageRequest) -> str:
    page_id = request.message.get("metadata", {}).get("page_id")
    return page_id if isinstance(page_id, str) else FOCUSED


def _text_parts(text: str) -> list[Shape]:
    return [{"text": text}]


async def _finish(job: Job, outcome: dict[str, Any]) -> None:
    """Publish the outcome of a run, and how it ended."""
    text = str(plain(outcome.get("text") or ""))[:LONGEST_TEXT]
    for file in file_artifacts(outcome.get("files")):
        await job.add_artifact(file)
    if outcome.get("ok") is False and isinstance(error := outcome.get("error"), dict):
        await _fail(job, error, text, "failed")
        return
    value = outcome.get("value", outcome.get("data"))
    await job.add_artifact(value_artifact(value, "result", text))
    await job.end("completed", _text_parts(text) if text else None)


async def _fail(
    job: Job, error: dict[str, Any], text: str = "", state: State | None = None
) -> None:
    """End a task that has failed, with the error in words and as data.

    Args:
        job: The task.
        error: The error of the call or the run.
        text: The last text of the agent, which may be the same.
        state: How it ends; by default the task is cancelled if the call was, and else failed.
    """
    await job.end(
        state or ("cancelled" if error.get("kind") == "cancelled" else "failed"),
        error_parts(error, text),
    )
