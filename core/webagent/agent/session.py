"""Runs of the agent inside a page: the page's script supplies person, store and model."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any, Protocol

from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.broker import Outage
from webagent.agent.clock import SystemClock
from webagent.agent.cost import cost_at
from webagent.agent.driver import Driver
from webagent.agent.permissions import Policy
from webagent.agent.person import Answer, Files, GivenFile, Request
from webagent.agent.planner import OneCall
from webagent.agent.prompting import MessageBuilder, tokens_of
from webagent.agent.redact import Redactor, Vault
from webagent.agent.run import Budget, Run, Scene
from webagent.agent.storage import StoreFull
from webagent.agent.toolset import TOOL_TOKENS, definition_tokens, offered_tools, room_for_tools
from webagent.errors import Cancelled, Denied, InvalidArguments
from webagent.json_text import is_shallow
from webagent.llm.chat import Offer, ToolDefinition
from webagent.llm.page_model import PageModelBridge, page_models, page_offer, page_prices
from webagent.page.port import Isolation, Page
from webagent.page.values import FileValue
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask
from webagent.speech import Speech, speech


class SessionBridge(PageModelBridge, Protocol):
    """The part of a run in the page's script."""

    async def ask(self, request: str) -> str:
        """Return the person's answer to a request, both as JSON."""

    async def speech(self) -> str:
        """Return `{"language", "texts"?}` as JSON: the page's, and the site's own texts of the agent."""

    async def load(self) -> str:
        """Return the stored run of this tab as a text; empty if there is none."""

    async def save(self, text: str) -> str:
        """Store the run; return the kind of the error if that fails, else an empty text."""

    async def clear(self) -> None:
        """Remove the stored run."""

    async def recall(self) -> str:
        """Return what the last runs of this tab were about as a text; empty if there is nothing."""

    async def remember(self, text: str) -> str:
        """Store that, or remove it if the text is empty; return as `save`."""


class Session:
    """The agent of a page; it works on one run at a time."""

    def __init__(self, page: Page, registry: ToolRegistry, emit: Callable[[str], None]) -> None:
        """Create a session in which nothing runs.

        Args:
            page: The page.
            registry: Its tools.
            emit: Receives each event as JSON.
        """
        self._page = page
        self._registry = registry
        self._emit = emit
        self._driver: Driver | None = None
        self._starting: asyncio.Future[Driver] | None = None
        self._options: dict[str, Any] = {}
        self._stopped = False
        self._last: Driver | None = None
        self._outage: tuple[Any, Outage] = (None, Outage())

    async def run(self, goal: str, options: str, bridge: SessionBridge) -> str:
        """Work on a goal and return the result as JSON (`RunResult.to_dict`).

        The result is `null` if the run was stopped before it began, and `{"ok": false, "error"}` if
        the goal, the schema or the model cannot be used.

        Args:
            goal: The goal in the person's words.
            options: `{"model", "budget", "isolation", "allow", "allow_writes", "accept",
                "allowed", "schema"?, "call"?}` as JSON; `allowed` has the keys of what the person
                has allowed for the session, `schema` the JSON Schema of the data that are wanted,
                `call` the only call of the run: `{tool, arguments}`.
            bridge: The page's script.

        Raises:
            RuntimeError: Another run is under way.
        """
        try:
            return await self._work(json.loads(options), bridge, goal)
        except InvalidArguments as error:
            await bridge.clear()
            return json.dumps({"ok": False, "error": error.to_dict()})

    async def resume(self, bridge: SessionBridge, allowed: str = "null") -> str:
        """Resume the run of the page before this one; return its result, or `null`.

        Args:
            bridge: The page's script.
            allowed: A list of what the person allows in the session now, as JSON; `null` for what the
                run was allowed.
        """
        kept = await bridge.load()
        if not kept:
            return "null"
        now = {"allowed": json.loads(allowed)}
        try:
            return await self._work(_options_of(kept) | now, bridge, None)
        except InvalidArguments:
            # The page's own scripts can write to this storage too.
            await bridge.clear()
            return "null"

    def stop(self, reason: str) -> None:
        """End the run that is under way or starting, if there is one."""
        if self._driver:
            self._driver.stop(reason)
        elif self._starting:
            self._stopped = True
            self._starting.cancel()

    def pause(self) -> None:
        """Let the person take over from the run under way, if there is one."""
        if self._driver:
            self._driver.pause()

    def go_on(self) -> None:
        """Let a paused run go on."""
        if self._driver:
            self._driver.go_on()

    def abandon(self) -> None:
        """Drop the run without an event, because the page is left: the next page resumes it."""
        if self._driver:
            self._driver.abandon()
            self._driver = None
        elif self._starting:
            self._starting.cancel()
            self._starting = None

    def revoke(self, key: str) -> None:
        """Take back what the person has allowed the run under way, by its key."""
        if self._driver:
            self._driver.revoke(key)

    async def set_definitions(self, definitions: str) -> None:
        """Offer the run these actions and no others from its next step on, also on later pages.

        Args:
            definitions: `[{"name", "description"?, "parameters"?}]` as JSON; what is left out
                stays as the action has it.

        Raises:
            InvalidArguments: These are no definitions.
            UnknownTool: There is no action of a name; nothing is changed.
            Denied: There is no run.
        """
        await self._offer(Driver.set_definitions, definitions)

    async def add_definitions(self, definitions: str) -> None:
        """Offer the run these actions too; else as `set_definitions`."""
        await self._offer(Driver.add_definitions, definitions)

    async def _offer(
        self, change: Callable[[Driver, Sequence[ToolDefinition]], None], definitions: str
    ) -> None:
        if self._starting:
            await asyncio.wait([self._starting])
        if self._driver is None:
            raise Denied("the run is over", help="give the definitions to the next run")
        change(self._driver, _definitions(json.loads(definitions)))
        # Kept with the run: what was withheld must not come back with the next page.
        self._options["definitions"] = [asdict(each) for each in self._driver.definitions]

    def transcript(self, form: str) -> str:
        """Return the last run, or the one under way, as `json` or `markdown`; empty without one."""
        driver = self._driver or self._last
        transcript = driver.transcript() if driver else None
        if transcript is None:
            return ""
        return transcript.to_markdown() if form == "markdown" else json.dumps(transcript.to_dict())

    def file(self, run_id: str, name: str) -> str:
        """Return a screenshot, or a file of a tool, as an encoded value; empty without one.

        Args:
            run_id: The last run, or the one under way; other runs have no files any more.
            name: As the result of a step has it, in `file`.
        """
        driver = self._driver or self._last
        file = driver.file(run_id, name) if driver else None
        return json.dumps(FileValue(file.name, file.type, file.data).encoded()) if file else ""

    async def _work(
        self, options: Mapping[str, Any], bridge: SessionBridge, goal: str | None
    ) -> str:
        if self._driver or self._starting:
            raise RuntimeError("a run is under way - wait for its end, or stop it first")
        self._stopped = False
        self._options = {**options}
        # Kept with the run itself.
        schema = self._options.pop("schema", None)
        starting = self._starting = asyncio.ensure_future(self._new_driver(self._options, bridge))
        try:
            driver = await starting
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            await bridge.clear()
            return "null"
        finally:
            if self._starting is starting:
                self._starting = None
        self._driver = driver
        try:
            result = await (driver.resume() if goal is None else driver.run(goal, schema=schema))
            self._last = driver
            if result is None:
                return "null"
            return json.dumps(self._registry.secrets.mask_record(result.to_dict()))
        finally:
            if self._driver is driver:
                self._driver = None

    async def _new_driver(self, options: Mapping[str, Any], bridge: SessionBridge) -> Driver:
        isolation: Isolation = "page" if options.get("isolation") == "page" else "sandbox"
        price, fallback_price = page_prices(options.get("model"))
        model, fallback = await page_models(options.get("model"), bridge)
        call = None if options.get("call") is None else _one_call(options["call"])
        if self._outage[0] != options.get("model"):
            # Of another model nothing is known.
            self._outage = (options.get("model"), Outage())
        driver = Driver(
            self._page,
            self._registry,
            model=model,
            fallback=fallback,
            goes_on=True,
            outage=self._outage[1],
            planner=call,
            decider=call,
            cost=cost_at(price),
            fallback_cost=cost_at(fallback_price),
            offer=page_offer(options.get("model")),
            person=_PagePerson(bridge),
            speech=await _speech(bridge),
            policy=Policy(
                allow=options.get("allow") or (),
                allow_writes=options.get("allow_writes") is True,
            ),
            allowed=options.get("allowed"),
            budget=_budget(options.get("budget")),
            store=_TabStore(bridge, options),
            recent=_RecentStore(bridge),
            isolation=isolation,
            accept="caller" if options.get("accept") == "caller" else "ask",
            on_event=lambda event: self._emit(json.dumps(event)),
        )
        if "definitions" in options:
            driver.set_definitions(_definitions(options["definitions"]))
        return driver


class _TabStore:
    """The store of this tab. With the run it keeps the options, which the next page needs."""

    def __init__(self, bridge: SessionBridge, options: Mapping[str, Any]) -> None:
        self._bridge = bridge
        self._options = options

    async def load(self) -> str | None:
        kept = await self._bridge.load()
        return str(json.loads(kept)["run"]) if kept else None

    async def save(self, text: str) -> None:
        fault = await self._bridge.save(json.dumps({"options": self._options, "run": text}))
        if fault == "too_large":
            raise StoreFull("the run is too long for the storage of this tab")
        if fault:
            raise Cancelled("the run cannot be stored in this tab", help="start it again")

    async def clear(self) -> None:
        await self._bridge.clear()


class _RecentStore:
    """The store of what the last runs of this tab were about."""

    def __init__(self, bridge: SessionBridge) -> None:
        self._bridge = bridge

    async def load(self) -> str | None:
        return await self._bridge.recall() or None

    async def save(self, text: str) -> None:
        if await self._bridge.remember(text):
            raise StoreFull("the tab has no room for what its last runs were about")

    async def clear(self) -> None:
        await self._bridge.remember("")


class _PagePerson:
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
            str(data.get("grant") or ""),
            data.get("stop") is True,
            data["data"] if isinstance(data.get("data"), dict) else None,
            data.get("approvals") is True,
            data.get("pause") is True,
        )


async def _speech(bridge: SessionBridge) -> Speech:
    data = json.loads(await bridge.speech())
    own = data.get("texts")
    return speech(str(data["language"]), own if isinstance(own, dict) else None)


def _definitions(data: Any) -> list[ToolDefinition]:
    """Return the definitions that a page gives, completed by those of the actions themselves."""
    if not isinstance(data, list):
        raise _no_definition("", data)
    known = {each.name: each for each in ActionTable(default_actions()).definitions()}
    definitions = []
    for number, given in enumerate(data):
        fields = given if isinstance(given, dict) else {}
        name = fields.get("name")
        if not isinstance(name, str):
            raise _no_definition(f"[{number}]", given)
        changes = {key: fields[key] for key in ("description", "parameters") if key in fields}
        for key, value in changes.items():
            if not (_is_schema(value) if key == "parameters" else isinstance(value, str)):
                raise _no_definition(f"[{number}].{key}", value)
        definitions.append(replace(known.get(name) or ToolDefinition(name, "", {}), **changes))
    return definitions


def _options_of(kept: str) -> dict[str, Any]:
    """Return the options of a run from the text that `_TabStore` has saved."""
    try:
        data = json.loads(kept)
        if isinstance(data["run"], str):
            return dict(data["options"])
    except (ValueError, TypeError, KeyError):
        pass
    raise InvalidArguments("this is not a stored run")


def _budget(data: Any) -> Budget:
    """Return the limits of a run from plain data; None and what is left out are the defaults."""
    given = {} if data is None else data
    if not isinstance(given, dict):
        raise _wrong_limit("budget", given)
    limits = {name: most for name, most in given.items() if most is not None}
    for name, most in limits.items():
        kinds = _LIMITS.get(name)
        if kinds is None or isinstance(most, bool) or not isinstance(most, kinds):
            raise _wrong_limit(f"budget.{name}", most)
    if "usd" in limits:
        limits["usd"] = Decimal(str(limits["usd"]))
    return Budget(**limits)


_LIMITS: Mapping[str, tuple[type, ...]] = {
    "steps": (int,),
    "tokens": (int,),
    "seconds": (int, float),
    "usd": (int, float),
}


def _wrong_limit(path: str, value: Any) -> InvalidArguments:
    return InvalidArguments(
        f"{json.dumps(value)[:80]} is not a limit of a run",
        path=path,
        help="write `{steps, tokens, seconds, usd}`, each a number or left out",
    )


def _one_call(data: Any) -> OneCall:
    fields = data if isinstance(data, dict) else {}
    tool, arguments = fields.get("tool"), fields.get("arguments", {})
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise InvalidArguments(
            f"{json.dumps(data)[:80]} is not a call", path="call", help="write `{tool, arguments}`"
        )
    return OneCall(tool, arguments)


def _is_schema(value: Any) -> bool:
    """Whether a value can be read as the schema of an object."""
    return (
        isinstance(value, dict)
        and is_shallow(value)
        and isinstance(value.get("properties", {}), dict)
        and isinstance(value.get("required", []), list)
    )


def _no_definition(path: str, value: Any) -> InvalidArguments:
    return InvalidArguments(
        f"{json.dumps(value)[:80]} is no definition of an action",
        path=f"definitions{path}",
        help="write a list of `{name, description?, parameters?}`",
    )


def _file(data: Mapping[str, Any]) -> GivenFile:
    try:
        content = base64.b64decode(str(data["data"]), validate=True)
    except binascii.Error:
        raise InvalidArguments(f"the file `{data['name']}` arrived damaged") from None
    return GivenFile(str(data["name"]), str(data.get("type") or ""), content)


async def scene_of(page: Page, registry: ToolRegistry) -> Scene:
    """Return what a planner sees of a page now.

    Raises:
        ToolError: The page cannot be read.
    """
    await registry.refresh()
    return Scene(
        await page.snapshot(), registry.list(), SystemClock().now(), registry.manifest.name
    )


async def preview(
    page: Page, registry: ToolRegistry, goal: str, *, context_tokens: int, offer: Offer = "both"
) -> dict[str, Any]:
    """Return the first messages to a model and their size, without asking a model.

    Args:
        page: The page.
        registry: Its tools.
        goal: The goal in words; it may be empty.
        context_tokens: The model's window.
        offer: How the model uses the page's tools.

    Returns:
        `{"messages": [{"role", "text"}], "tools": [{"name", "description", "parameters"}],
        "typescript", "tokens": {"system", "goal", "page", "tools", "total"}}`; tokens are estimated.

    Raises:
        ToolError: The page cannot be read.
    """
    scene = await scene_of(page, registry)
    run = Run("", "")
    run.goal = Vault(registry.secrets, run.secrets).take(goal)
    tools, toolset = offered_tools(
        ActionTable(default_actions()).definitions(),
        registry.manifest,
        scene.tools,
        run.goal,
        offer=offer,
        most=room_for_tools(TOOL_TOKENS, context_tokens),
    )
    built = MessageBuilder(registry, Files(), context_tokens=context_tokens).build(
        run, scene, tools, toolset
    )
    mask = Mask(registry.secrets, Redactor())
    parts = {
        "system": sum(tokens_of(message) for message in built[:-2]),
        "goal": tokens_of(built[-2]),
        "page": tokens_of(built[-1]),
        "tools": sum(map(definition_tokens, tools)),
    }
    definitions = [
        {"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools
    ]
    messages = [{"role": message.role.value, "text": mask.text(message.text)} for message in built]
    return {
        "messages": messages,
        "tools": definitions,
        "typescript": registry.typescript(),
        "tokens": {**parts, "total": sum(parts.values())},
    }
