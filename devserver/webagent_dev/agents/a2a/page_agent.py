"""The agent of the open page, which works on the tasks of clients."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from webagent.errors import NoPage, ToolError
from webagent.page.values import encode
from webagent.urls import origin_of
from webagent_dev.agents.a2a.job import Job, Reply, agreed, answer, question
from webagent_dev.agents.a2a.requests import Sent, unsupported_media, wrong
from webagent_dev.agents.a2a.responses import Shape, of_files, of_value
from webagent_dev.agents.page_output import in_words, plain, tool_list
from webagent_dev.agents.tasks.task import State
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import USUAL_PORTS, is_local
from webagent_dev.live.messages import CallKind
from webagent_dev.live.open_pages import FOCUSED, OpenPage, OpenPages
from webagent_dev.live.relay import Relay, new_id

RUN_S = 3600.0
"""The agent has a budget of its own; the time that a question waits is in it."""
TOOL_S = 30.0
START_S = 20.0
"""How long a call waits for the agent of a page to start, to know the page's tools."""
CALLER = "A2A"
MOST_HEARD = 200
"""Steps that wait to be told, as while a question waits; what comes after them is left out."""
_LATE_LOOKS, _LATE_S = 40, 0.05
_STARTING = ("idle", "starting")
_LONGEST_WORDS = 4_000
_AFTER = ".,;:!?"
"""What ends a sentence, not an address."""
_URL = re.compile(r"\bhttps?://[^\s\"'<>`)\]}]+", re.IGNORECASE)


RunCrossOrigin = Callable[[Job, str, str], Awaitable[dict[str, Any]]]
"""Lets an agent reach the goal of a job, beginning at an address of another origin; returns its
outcome (`RunResult.to_dict`)."""


class PageAgent:
    """Works in the page that is open: it calls a tool, or lets the page's agent reach a goal."""

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

    def look(self, sent: Sent) -> Shape:
        """Return the tools of the page that is meant, as `metadata.tools`."""
        for at, part in enumerate(sent.parts):
            if "raw" in part:
                media = part.get("mediaType", "application/octet-stream")
                raise unsupported_media(media, f"params.message.parts[{at}].mediaType")
        _check_calls(sent)
        if _read(sent) == (None, ""):
            raise Reply(
                "This asks for nothing: write a goal in words, or call a tool with a data part "
                '{"tool": "its name", "arguments": {}}.'
            )
        try:
            page = self._pages.find(_page_id(sent))
        except NoPage:
            return {}
        return {"tools": plain(tool_list(page.tools))}

    async def work(self, job: Job) -> None:
        """Do what a message asks for, and say how it went."""
        call, goal = _read(job.sent)
        foreign = self._foreign(goal)
        if refused := self._refused(foreign):
            await job.end("rejected", _words(refused))
            return
        if call is None and not goal:
            said = (
                "the message asks for nothing - write a goal in words, or a data part with a `tool`"
            )
            await job.end("rejected", _words(said))
            return
        try:
            if foreign and self._run_cross_origin:
                await _finish(job, await self._run_cross_origin(job, foreign[0], goal))
                return
            page = await self._pages.wanted(_page_id(job.sent))
            if call is not None:
                await self._call(job, page, *call)
            else:
                await self._run(job, page, goal)
        except ToolError as error:
            await _fail(job, error.to_dict())

    async def _call(self, job: Job, page: OpenPage, name: str, arguments: dict[str, Any]) -> None:
        """Call a tool, after a yes if that cannot be undone."""
        tool = await self._tool(page, name)
        shown = json.dumps(job.hidden(arguments), ensure_ascii=False)
        if tool.get("effect") == "irreversible":
            asked = f"`{name}` cannot be undone. It is called with {shown}. Shall it be called?"
            details = {"tool": name, "arguments": arguments, "effect": "irreversible"}
            request = {"kind": "approval", "text": asked, "details": details}
            if not agreed(await job.ask(question(request))):
                await job.end("rejected", _words(f"`{name}` was not called: the answer was no"))
                return
        await job.say(f"calls `{name}`", tool=name)
        given = {key: encode(value) for key, value in arguments.items()}
        timeout_s = tool.get("timeout_s")
        limit = float(timeout_s) if isinstance(timeout_s, int | float) else TOOL_S
        result = await self._relayed(job, page, "tool", name, given, limit)
        if not result["ok"]:
            await _fail(job, result["error"])
            return
        await job.give(of_value(result["value"], name))
        await job.end("completed")

    async def _run(self, job: Job, page: OpenPage, goal: str) -> None:
        """Let the agent of the page reach a goal."""
        turn = self._turns.setdefault(page.page_id, asyncio.Lock())
        if turn.locked():
            await job.say("waits for another task in this tab")
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
        given: dict[str, Any],
        timeout_s: float,
    ) -> dict[str, Any]:
        """Make a call, tell the client what happens meanwhile, and let it answer questions."""
        call_id = new_id()
        heard: asyncio.Queue[tuple[str, dict[str, Any]] | None] = asyncio.Queue()

        def hear(what: str, data: dict[str, Any]) -> None:
            # A question finds room also behind the steps before it.
            if heard.qsize() < MOST_HEARD * (2 if what == "question" else 1):
                heard.put_nowait((what, data))

        calling = asyncio.ensure_future(
            self._relay.call(
                page.page_id,
                kind,
                name,
                given,
                timeout_s=timeout_s,
                caller=CALLER,
                call_id=call_id,
                hear=hear,
            )
        )
        calling.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while news := await heard.get():
                await self._tell(job, call_id, calling, *news)
            return await calling
        finally:
            calling.cancel()

    async def _tell(
        self,
        job: Job,
        call_id: str,
        calling: asyncio.Future[dict[str, Any]],
        what: str,
        data: dict[str, Any],
    ) -> None:
        """Tell a client of one thing that happens in a call."""
        if what == "question":
            asking = asyncio.ensure_future(job.ask(question(data["request"])))
            try:
                await asyncio.wait((asking, calling), return_when=asyncio.FIRST_COMPLETED)
                if asking.done():
                    said = answer(asking.result(), str(data["request"].get("kind", "")))
                    self._relay.answer(call_id, data["question"], said)
            finally:
                # The page went away, its run ended or the task, while nobody had answered.
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
            return
        words = data.get("message") if what == "progress" else in_words(data)
        if words:
            about = {"step": data["number"]} if isinstance(data.get("number"), int) else {}
            await job.say(plain(str(words))[:_LONGEST_WORDS], **about)

    async def _tool(self, page: OpenPage, name: str) -> dict[str, Any]:
        """Return what the page says of a tool; nothing of one that it does not offer."""
        if page.state in _STARTING:
            # Before its agent has started, no tools are known.
            await self._relay.call(
                page.page_id, "snapshot", "", {}, timeout_s=START_S, caller=CALLER
            )
            for _ in range(_LATE_LOOKS):
                if page.state not in _STARTING:
                    break
                await asyncio.sleep(_LATE_S)
        named = (tool for tool in page.tools if isinstance(tool, dict) and tool.get("name") == name)
        return next(named, {})

    def _foreign(self, text: str) -> list[str]:
        """Return the addresses in a text that are not of this site."""
        found = (match[0].rstrip(_AFTER) for match in _URL.finditer(text))
        return [url for url in found if not self._is_ours(url)]

    def _refused(self, foreign: list[str]) -> str:
        """Return why no agent goes to addresses of other origins; empty when one does."""
        for url in foreign:
            origin = origin_of(url)
            if self._run_cross_origin and origin in self._config.allow_origin:
                if origin == origin_of(foreign[0]):
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
            host, port = parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme]
        except ValueError:
            return False
        config = self._config
        if any(host == one or (one[0] == "." and host.endswith(one)) for one in config.allow_host):
            return True
        return port == config.port and (is_local(host) or host == config.host)


def _read(sent: Sent) -> tuple[tuple[str, dict[str, Any]] | None, str]:
    """Return the tool that a message calls, if it does, and else the goal that it names."""
    said = []
    for part in sent.parts:
        data = part.get("data")
        if isinstance(data, dict) and isinstance(data.get("tool"), str):
            arguments = data.get("arguments")
            return (data["tool"], arguments if isinstance(arguments, dict) else {}), ""
        said.append(part["text"] if "text" in part else json.dumps(data, ensure_ascii=False))
    return None, "\n".join(filter(None, (text.strip() for text in said)))


def _check_calls(sent: Sent) -> None:
    """Refuse data that is meant as the call of a tool and is none, or is more than one."""
    calls = 0
    for at, part in enumerate(sent.parts):
        data, path = part.get("data"), f"params.message.parts[{at}].data"
        if not isinstance(data, dict) or "tool" not in data:
            if "data" in part and not any("text" in other for other in sent.parts):
                raise wrong(path, 'an object {"tool": "its name", "arguments": {}}')
            continue
        calls += 1
        if not isinstance(data["tool"], str) or not data["tool"]:
            raise wrong(f"{path}.tool", "the name of a tool")
        if not isinstance(data.get("arguments", {}), dict):
            raise wrong(f"{path}.arguments", "an object")
        if more := data.keys() - {"tool", "arguments"}:
            raise wrong(f"{path}.{min(more)}", "absent: a call has `tool` and `arguments` alone")
        if calls > 1:
            raise wrong(path, "absent: one message calls one tool")


def _page_id(sent: Sent) -> str:
    page_id = sent.message.get("metadata", {}).get("page_id")
    return page_id if isinstance(page_id, str) else FOCUSED


def _words(text: str) -> list[Shape]:
    return [{"text": text}]


async def _finish(job: Job, outcome: dict[str, Any]) -> None:
    """Give what a run of the agent has come to, and say how it ended."""
    text = str(plain(outcome.get("text") or ""))[:_LONGEST_WORDS]
    for file in of_files(outcome.get("files")):
        await job.give(file)
    if outcome.get("ok") is False and isinstance(error := outcome.get("error"), dict):
        await _fail(job, error, text, "failed")
        return
    value = outcome.get("value", outcome.get("data"))
    await job.give(of_value(value, "result", text))
    await job.end("completed", _words(text) if text else None)


async def _fail(
    job: Job, error: dict[str, Any], text: str = "", state: State | None = None
) -> None:
    """Say that a task has failed, in words and as data.

    Args:
        job: The task.
        error: Why.
        text: What the agent says of it, which may be the same.
        state: Left out, a call that was cancelled is a task that was.
    """
    told = plain(error)
    said = dict.fromkeys(filter(None, (text, told.get("message"), told.get("help"))))
    words = " - ".join(said)
    await job.end(
        state or ("cancelled" if told.get("kind") == "cancelled" else "failed"),
        [{"text": words[:_LONGEST_WORDS]}, {"data": {"error": told}}],
    )
