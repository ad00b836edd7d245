"""Acts on the open page step by step, with the actions of the agent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.agent.actions.base import ARRIVAL_S, ActionWithIntent, Context, check_arguments
from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.clock import SystemClock
from webagent.agent.events import Events
from webagent.agent.permissions import Gate, Intent, Policy
from webagent.agent.person import Files, GivenFile, Nobody, PersonChannel
from webagent.agent.redact import Redactor, Vault
from webagent.agent.run import Run, Scene
from webagent.agent.storage import MemoryStore, RunStorage
from webagent.agent.work import Work
from webagent.errors import (
    Denied,
    InvalidArguments,
    Navigated,
    OriginMismatch,
    PageGone,
    ToolTimeout,
)
from webagent.llm.chat import ToolCall
from webagent.page.bridge import BridgedPage, error_of
from webagent.page.snapshot import Element, Snapshot
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask
from webagent.types import Effect
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.site.state import Site
from webagent_site.http.paths import Kind
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay

ACT_S = 30.0
"""Limit of one action in the page."""
WAIT_S = 30.0
"""How long words may take to appear, or to go."""
APPEARS_S = 2.0
"""How long an element that is named may take to appear."""

_SETTLE = {"type": "wait", "seconds": 0}
"""Returns once the page no longer changes."""
_LOOK_S = 0.1
"""Time between two looks while words are waited for."""
_MOST_BYTES = 2 << 20
"""Of a file that is uploaded; the message to the page has a limit."""
_MOST_NAMED = 5
_MOST_LINES = 30
"""Lines of a page's changes after one step."""
_LONGEST_LINE = 300
_STRUCTURE = frozenset(
    (
        *("heading", "banner", "navigation", "main", "contentinfo", "complementary", "region"),
        *("search", "form", "iframe"),
    )
)
"""Roles of elements that are meant only if nothing that can be used has the name."""


class RelayedPage(BridgedPage):
    """The page of a tab behind the relay: it is seen and touched.

    Tools and programs have calls of their own.
    """

    def __init__(self, pages: OpenPages, relay: Relay, page: OpenPage, caller: str) -> None:
        """Reach the page of a tab.

        Args:
            pages: The open ones.
            relay: Makes calls to them.
            page: The page that the tab shows now.
            caller: Name of the caller, for people.
        """
        self._pages = pages
        self._relay = relay
        self._page = page
        self._caller = caller
        self._clock = SystemClock()

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would; if this leaves the page, wait for the next one."""
        given = {"action": dict(action)}
        result = await self._relay.call(
            self._page.page_id, "act", "", given, timeout_s=ACT_S, caller=self._caller
        )
        if result["ok"]:
            reply = result["value"]
            if isinstance(reply, dict) and reply.get("navigates") is True:
                await self._arrive()
            return reply
        if result["error"]["kind"] == "no_page":
            # The tab is between two pages.
            raise PageGone(result["error"]["message"])
        if result["error"]["kind"] == "navigated":
            await self._arrive()
        raise error_of(result["error"])

    async def _arrive(self) -> None:
        """Wait until the tab shows another page; a download leaves it where it is."""
        deadline = self._clock.seconds() + ARRIVAL_S
        while (latest := self._pages.latest_in_tab(self._tab)) in (None, self._page):
            if self._clock.seconds() >= deadline:
                return
            await self._clock.sleep(_LOOK_S)
        self._page = latest or self._page

    @property
    def _tab(self) -> str:
        return self._page.hello.page_id

    async def read(self, action: Mapping[str, Any]) -> Any:
        """Read something of the page, or of the next one if this one is being left."""
        try:
            return await self.act(action)
        except (Navigated, PageGone):
            return await self.act(action)

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""
        found = await self.read({"type": "snapshot"})
        return Snapshot.read(found if isinstance(found, dict) else {})


@dataclass(slots=True)
class Step:
    """One step that is about to be taken: an action of the agent, and what it does."""

    context: Context
    arguments: Mapping[str, Any]
    intent: Intent

    @property
    def effect(self) -> Effect:
        """Its effect; a page asks with `confirm` before something that cannot be taken back."""
        dialog = self.context.dialog
        accepts = dialog is not None and dialog["kind"] == "confirm"
        return "irreversible" if accepts else self.intent.effect

    @property
    def name(self) -> str:
        """The step in words for people: `click Delete`."""
        return f"{self.intent.action} {self.intent.label}".strip()

    @property
    def shown(self) -> str:
        """Everything that it is called with, as JSON."""
        given = {
            **self.arguments,
            **({"dialog": self.context.dialog} if self.context.dialog else {}),
        }
        return json.dumps(given, ensure_ascii=False, indent=1)


@dataclass(slots=True)
class PageSteps:
    """Takes steps in one tab.

    Attributes:
        lines: What was done, and what changed; the page has written most of it.
    """

    page: RelayedPage
    site: Site
    origin: str
    lines: list[str] = field(default_factory=list)
    _work: Work = field(init=False)

    def __post_init__(self) -> None:
        """Gather what the actions of an agent work with; there is nobody to be asked here."""
        run, registry = Run("", self.origin), ToolRegistry(self.page)
        mask = Mask(registry.secrets, Redactor())
        events, clock = Events(mask), SystemClock()
        vault = Vault(registry.secrets, run.secrets)
        person = PersonChannel(Nobody(), events, clock, vault)
        self._work = Work(
            run,
            self.page,
            registry,
            ActionTable(default_actions()),
            Gate(Policy(), person),
            person,
            events,
            Files(),
            RunStorage(MemoryStore(), mask.data),
            clock,
            vault,
        )

    async def prepare(self, step: Mapping[str, Any]) -> Step:
        """Return a step with its effect; nothing is done yet.

        Args:
            step: As the arguments of `page_act` have it.

        Raises:
            InvalidArguments: It cannot be taken on this page.
            OriginMismatch: It leads to another origin.
        """
        snapshot, name, arguments = await self._resolved(step)
        scene = Scene(snapshot, (), self._work.clock.now())
        action = self._work.actions.get(name)
        call = ToolCall("", name, arguments)
        context = Context(self._work, scene, call)
        checked = check_arguments(action.definition, call)
        intent = None
        if isinstance(action, ActionWithIntent):
            intent = await action.intent(checked, context)
        intent = intent or Intent(name)
        if intent.to:
            raise OriginMismatch(
                f"`{name}` leads to `{intent.to}`, which is another site",
                help=f"these tools work on `{self.origin}`; do it in the browser",
            )
        if "accept" in step:
            kind = "prompt" if "answer" in step else "confirm"
            context.dialog = {"kind": kind, "text": step["accept"], "accept": True} | (
                {"answer": step["answer"]} if "answer" in step else {}
            )
        return Step(context, checked, intent)

    async def take(self, step: Step) -> None:
        """Take a step, and note what it did.

        Raises:
            ToolError: The page could not do it.
        """
        action = self._work.actions.get(step.context.call.name)
        reply = await action.perform(step.arguments, step.context)
        reply = reply if isinstance(reply, Mapping) else {}
        if reply.get("navigated") is True:
            # The scripts of the next page may still be at work.
            await self.page.read(_SETTLE)
        self._note(reply)

    async def wait(self, words: str, *, gone: bool) -> None:
        """Wait until the page shows words, or no longer shows them.

        Raises:
            InvalidArguments: There are no words.
            ToolTimeout: They did not come or go in time.
        """
        if not words:
            raise InvalidArguments("it is not said what to wait for", help="write it as `text`")
        clock = self._work.clock
        deadline = clock.seconds() + WAIT_S
        while True:
            try:
                text = (await self.page.snapshot()).text
            except PageGone:
                text = ""
            if (words in text) is not gone:
                self.lines.append(f"`{words}` {'is gone' if gone else 'is there'}")
                return
            if clock.seconds() >= deadline:
                raise ToolTimeout(
                    f"the page {'still shows' if gone else 'does not show'} `{words}` "
                    f"after {WAIT_S:g} s",
                    help="look at the page with `page_state`",
                )
            await clock.sleep(_LOOK_S)

    async def _resolved(self, step: Mapping[str, Any]) -> tuple[Snapshot, str, dict[str, Any]]:
        """Return the page, the action that a step means there, and its arguments.

        The element may still be on its way.
        """
        clock = self._work.clock
        deadline = clock.seconds() + APPEARS_S
        while True:
            snapshot = await self.page.snapshot()
            try:
                return snapshot, *self._action(step, snapshot)
            except InvalidArguments:
                if clock.seconds() >= deadline:
                    raise
            await clock.sleep(_LOOK_S)

    def _action(self, step: Mapping[str, Any], snapshot: Snapshot) -> tuple[str, dict[str, Any]]:
        """Return the action of the agent that a step means, and its arguments."""
        text, on = step.get("text"), step.get("on")
        element = named(on, snapshot) if on is not None else None
        target = {"pp_id": element.id} if element else {}
        match step["do"]:
            case "click" | "hover" as do if element:
                return do, target
            case "fill" if element and text is not None:
                entry = {**target, **_entered(element, text)}
                return "enter_data", {"form_data": [entry], "submit": False}
            case "press" if text:
                return "press_key", {"key": text, **target}
            case "drag" if element and "to" in step:
                return "drag", {**target, "to": named(step["to"], snapshot).id}
            case "scroll":
                return "scroll", {"direction": text or "down", **target}
            case "upload" if element and step.get("files"):
                self._work.files.give(map(self._file, step["files"]))
                return "upload", {**target, "files": step["files"]}
            case "goto" if text:
                return "goto_url", {"url": text}
        raise InvalidArguments(
            f"`{step['do']}` lacks what it is for",
            help="`on` names the element, `text` is what is entered, the key, the direction, the "
            "address or the words; `drag` takes `to`, and `upload` takes `files`",
        )

    def _file(self, name: str) -> GivenFile:
        """Return a file of the folder that is served; no other may be uploaded."""
        located = self.site.locate("/" + name.removeprefix("/"))
        if located.kind is not Kind.FILE:
            raise Denied(
                f"`{name}` is not a file that this server serves",
                help="name one by its path from the folder that is served",
            )
        if located.path.stat().st_size > _MOST_BYTES:
            raise Denied(
                f"`{name}` is larger than {_MOST_BYTES:,} bytes",
                help="take a smaller file, or do it in the browser",
            )
        return GivenFile(name, "", located.path.read_bytes())

    def _note(self, reply: Mapping[str, Any]) -> None:
        """Note the reply of the page, which may have written anything into it."""
        changed = reply.get("changed")
        changed = changed if isinstance(changed, Mapping) else {}
        self.lines.append(_line(reply.get("did") or "done"))
        if left_out := reply.get("left_out"):
            self.lines.append(f"  left out: {_line(left_out)}")
        if reply.get("new_tab") is True:
            self.lines.append("  it opens a new tab, which `list_pages` has if it is of this site")
        for dialog in _listed(reply.get("dialogs")):
            if isinstance(dialog, Mapping):
                said = "accepted" if dialog.get("accepted") is True else "dismissed"
                said = "closed" if dialog.get("kind") == "alert" else said
                self.lines.append(
                    f"  {_line(dialog.get('kind'))} {said}: {_line(dialog.get('text'))}"
                )
        if reply.get("navigated") is True:
            self.lines.append(f"  the page is now {_line(reply.get('url'))}")
        alerts = [f"  alert: {_line(text)}" for text in _listed(changed.get("alerts"))]
        appeared = [f"  + {_line(text)}" for text in _listed(changed.get("appeared"))]
        self.lines += alerts + appeared[:_MOST_LINES]
        if len(appeared) > _MOST_LINES:
            self.lines.append(f"  … {len(appeared) - _MOST_LINES} more lines are new")


def named(on: str, snapshot: Snapshot) -> Element:
    """Return the element of a number, or of a name.

    Raises:
        InvalidArguments: There is none, or it is not clear which one is meant.
    """
    if on.isdecimal():
        # As text: Python reads no number of thousands of digits.
        if element := next((one for one in snapshot.elements if str(one.id) == on), None):
            return element
        raise InvalidArguments(
            f"there is no element {_line(on)} on the page now", help="look again with `page_state`"
        )
    wanted = on.strip().casefold()
    usable = [e for e in snapshot.elements if e.role not in _STRUCTURE]
    for among in (usable, snapshot.elements):
        exact = [e for e in among if e.name.strip().casefold() == wanted]
        if found := exact or [e for e in among if wanted in e.name.casefold()]:
            break
    if len(found) == 1:
        return found[0]
    shown = ", ".join(f"[{e.id}] {e.role} `{_line(e.name)}`" for e in found[:_MOST_NAMED])
    raise InvalidArguments(
        f"{len(found) or 'no'} elements are called `{_line(on)}`" + (f": {shown}" if found else ""),
        help="name one by its number, which `page_state` shows",
    )


def _entered(element: Element, text: str) -> dict[str, Any]:
    """Return what goes into a field, as `enter_data` has it."""
    if element.options:
        return {"select": [text]}
    if element.role in ("checkbox", "switch", "radio"):
        return {"check": text.casefold() not in ("false", "off", "no", "")}
    return {"text": text}


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _line(value: Any) -> str:
    return " ".join(str(value).split())[:_LONGEST_LINE]
