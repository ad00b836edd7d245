"""Runs of the agent in a page: a driver for each, with what the page's side of a run brings."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.clock import SystemClock
from webagent.agent.driver import Driver
from webagent.agent.permissions import Policy
from webagent.agent.person import Answer, Files, GivenFile, Request
from webagent.agent.prompting import MessageBuilder, tokens_in, tokens_of
from webagent.agent.redact import Redactor
from webagent.agent.run import Budget, Run, Scene
from webagent.agent.storage import StoreFull
from webagent.agent.transcript import Transcript
from webagent.errors import Cancelled, InvalidArguments
from webagent.llm.a2a import A2AModel
from webagent.llm.builtin import BuiltinModel, ModelBridge
from webagent.llm.chat import ChatModel
from webagent.llm.http import BridgeFetch, FetchBridge
from webagent.llm.openai import OpenAIModel
from webagent.page.port import Isolation, Page
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask

_NAMELESS = "default"
"""What a model is asked for by where the page does not name one: the server knows which it means."""

CONTEXT_TOKENS = 32_000
"""What a model is taken to read where the page does not say."""


class SessionBridge(FetchBridge, ModelBridge, Protocol):
    """The page's side of a run."""

    async def ask(self, request: str) -> str:
        """Return what the person says to a request, both as JSON."""

    async def load(self) -> str:
        """Return the text of the run that this tab keeps; empty if there is none."""

    async def save(self, text: str) -> str:
        """Keep the text of the run; return a kind of error if it is not kept, else nothing."""

    async def clear(self) -> None:
        """Forget the run."""


class Session:
    """What an agent in a page lives on."""

    def __init__(self, page: Page, registry: ToolRegistry, emit: Callable[[str], None]) -> None:
        """Create a session in which nothing runs.

        Args:
            page: The page.
            registry: Its tools.
            emit: Hears each event as JSON.
        """
        self._page = page
        self._registry = registry
        self._emit = emit
        self._driver: Driver | None = None
        self._making: asyncio.Future[Driver] | None = None
        self._stopped = False
        self._transcript: Transcript | None = None

    async def run(self, goal: str, options: str, bridge: SessionBridge) -> str:
        """Work on a goal; return the result as JSON (`RunResult.to_dict`), or `null`.

        It is `null` when it was stopped before it began.

        Args:
            goal: What the person wants.
            options: `{"model", "budget", "isolation", "allow", "allow_writes", "accept",
                "allowed"}` as JSON; `allowed` are the keys of what the person has allowed for the
                session.
            bridge: The page's side.

        Raises:
            RuntimeError: Another run is under way.
        """
        return await self._live(json.loads(options), bridge, goal)

    async def resume(self, bridge: SessionBridge) -> str:
        """Go on with the run that the page before this one left; return its result, or `null`."""
        kept = await bridge.load()
        if not kept:
            return "null"
        try:
            options = dict(json.loads(kept)["options"])
        except (ValueError, TypeError, KeyError):
            # A page's own scripts may write there too.
            await bridge.clear()
            return "null"
        return await self._live(options, bridge, None)

    def stop(self, reason: str) -> None:
        """End the run under way, or about to be, if there is one."""
        if self._driver:
            self._driver.stop(reason)
        elif self._making:
            self._stopped = True
            self._making.cancel()

    def abandon(self) -> None:
        """Drop the run under way without a word: the page is left, and the next one has it."""
        if self._driver:
            self._driver.abandon()
            self._driver = None
        elif self._making:
            self._making.cancel()
            self._making = None

    def transcript(self, form: str) -> str:
        """Return the last run, or the one under way, as `json` or `markdown`; empty without one."""
        transcript = self._driver.transcript() if self._driver else self._transcript
        if transcript is None:
            return ""
        return transcript.to_markdown() if form == "markdown" else json.dumps(transcript.to_dict())

    async def _live(
        self, options: Mapping[str, Any], bridge: SessionBridge, goal: str | None
    ) -> str:
        if self._driver or self._making:
            raise RuntimeError("a run is under way - wait for its end, or stop it first")
        self._stopped = False
        making = self._making = asyncio.ensure_future(self._new_driver(options, bridge))
        try:
            driver = await making
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            await bridge.clear()
            return "null"
        finally:
            if self._making is making:
                self._making = None
        self._driver = driver
        try:
            result = await (driver.resume() if goal is None else driver.run(goal))
            self._transcript = driver.transcript()
            return "null" if result is None else json.dumps(result.to_dict())
        finally:
            if self._driver is driver:
                self._driver = None

    async def _new_driver(self, options: Mapping[str, Any], bridge: SessionBridge) -> Driver:
        budget: Mapping[str, Any] = options.get("budget") or {}
        isolation: Isolation = "page" if options.get("isolation") == "page" else "sandbox"
        return Driver(
            self._page,
            self._registry,
            model=await _model(options.get("model"), bridge),
            person=_AskedPerson(bridge),
            policy=Policy(
                allow=options.get("allow") or (),
                allow_writes=options.get("allow_writes") is True,
            ),
            allowed=options.get("allowed") or (),
            budget=Budget(**budget),
            store=_TabStore(bridge, options),
            isolation=isolation,
            accept="caller" if options.get("accept") == "caller" else "ask",
            on_event=lambda event: self._emit(json.dumps(event)),
        )


class _TabStore:
    """The run of this tab, with the options it was started with, which the next page needs."""

    def __init__(self, bridge: SessionBridge, options: Mapping[str, Any]) -> None:
        self._bridge = bridge
        self._options = options

    async def load(self) -> str | None:
        kept = await self._bridge.load()
        return str(json.loads(kept)["run"]) if kept else None

    async def save(self, text: str) -> None:
        fault = await self._bridge.save(json.dumps({"options": self._options, "run": text}))
        if fault == "too_large":
            raise StoreFull("the tab keeps no run that long")
        if fault:
            raise Cancelled("the run cannot be kept in this tab", help="start it again")

    async def clear(self) -> None:
        await self._bridge.clear()


class _AskedPerson:
    """The person in front of the page."""

    def __init__(self, bridge: SessionBridge) -> None:
        self._bridge = bridge

    async def ask(self, request: Request) -> Answer:
        data = json.loads(await self._bridge.ask(json.dumps(request.to_dict())))
        return Answer(
            data.get("yes") is True,
            str(data.get("text") or ""),
            data.get("session") is True,
            tuple(_file(file) for file in data.get("files") or ()),
        )


def _file(data: Mapping[str, Any]) -> GivenFile:
    try:
        content = base64.b64decode(str(data["data"]), validate=True)
    except binascii.Error:
        raise InvalidArguments(f"the file `{data['name']}` arrived broken") from None
    return GivenFile(str(data["name"]), str(data.get("type") or ""), content)


async def _model(options: Mapping[str, Any] | None, bridge: SessionBridge) -> ChatModel | None:
    """Return the model that the page's options name (`ModelOptions` in `run/runs.ts`)."""
    if not options:
        return None
    url, name = str(options.get("url") or ""), str(options.get("name") or _NAMELESS)
    match options.get("kind"):
        case "openai":
            return OpenAIModel(
                url,
                name,
                BridgeFetch(bridge),
                headers=options.get("headers") or {},
                context_tokens=int(options.get("context_tokens") or CONTEXT_TOKENS),
            )
        case "builtin":
            model = BuiltinModel(bridge)
            # It is downloaded now, shortly after the person has pressed something, or never.
            await model.prepare()
            return model
        case "a2a":
            return A2AModel(url, BridgeFetch(bridge), headers=options.get("headers") or {})
    raise InvalidArguments(
        f"`{options.get('kind')}` is no kind of model", help="write openai, builtin or a2a"
    )


async def preview(
    page: Page, registry: ToolRegistry, goal: str, *, context_tokens: int
) -> dict[str, Any]:
    """Return the first message to a model, taken apart; no model is asked.

    Args:
        page: What it would work on.
        registry: The page's tools.
        goal: What is wanted, in words; it may be empty.
        context_tokens: How much the model reads.

    Returns:
        `{"messages": [{"role", "text"}], "tools": [{"name", "description", "parameters"}],
        "typescript", "tokens": {"system", "goal", "page", "tools", "total"}}`; tokens are estimated.

    Raises:
        ToolError: The page cannot be looked at.
    """
    await registry.refresh()
    snapshot = await page.snapshot()
    scene = Scene(snapshot, registry.list(), SystemClock().now(), registry.manifest.name)
    tools = ActionTable(default_actions()).definitions()
    builder = MessageBuilder(registry, Files(), context_tokens=context_tokens)
    system, asked, shown = builder.build(Run(goal, ""), scene, tools)
    mask = Mask(registry.secrets, Redactor())
    parts = {"system": tokens_of(system), "goal": tokens_of(asked), "page": tokens_of(shown)}
    offered = [
        {"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools
    ]
    parts["tools"] = sum(tokens_in(json.dumps(tool)) for tool in offered)
    messages = [
        {"role": message.role.value, "text": mask.text(message.text)}
        for message in (system, asked, shown)
    ]
    return {
        "messages": messages,
        "tools": offered,
        "typescript": registry.typescript(),
        "tokens": {**parts, "total": sum(parts.values())},
    }
