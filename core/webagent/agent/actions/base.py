"""The interface of actions: a definition, an intent for the policy, and what is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from webagent.agent.permissions import Intent
from webagent.agent.person import Answer, GivenFile, Request
from webagent.agent.run import (
    Run,
    Scene,
    listed_in,
    local_part,
    named_in,
    shown_on,
    words_of_person,
)
from webagent.agent.work import Work
from webagent.errors import Denied, InvalidArguments, Navigated, PageGone, ToolError
from webagent.llm.chat import ToolCall, ToolDefinition
from webagent.page.port import Page
from webagent.registry import PreparedCall, ToolRegistry
from webagent.schema import check_schema
from webagent.speech import say
from webagent.types import Effect

ARRIVAL_S = 10.0
"""How long the next page may take to come."""
LOOK_S = 0.25
"""Time between two looks while it comes."""

ERROR_PAGES = ("chrome-error:", "about:neterror", "about:certerror")
"""Beginnings of the addresses that browsers show in place of a page that cannot be opened."""

_SENDING = frozenset(("click", "enter_data", "press_key", "upload", "search"))
"""Actions of a page that may submit a form."""


@dataclass(slots=True)
class Context:
    """The page, its tools and the run, for one action."""

    work: Work
    scene: Scene
    """The page when the step began."""
    call: ToolCall
    prepared: PreparedCall | None = None
    """The call of a tool, from when it is judged to when it is made."""
    to: str = ""
    """The other origin to which the action may send what is not a secret."""
    focused: int | None = None
    """The element that a key is for, from when it is judged to when it is pressed."""
    dialog: Mapping[str, Any] | None = None
    """The answer to a dialog that the action opens: `{kind, text, accept, answer?}`."""

    @property
    def page(self) -> Page:
        """The page."""
        return self.work.page

    @property
    def registry(self) -> ToolRegistry:
        """The page's tools."""
        return self.work.registry

    @property
    def run(self) -> Run:
        """The run so far."""
        return self.work.run

    def has_shown(self, url: str) -> bool:
        """Whether an address of this site was shown: by a page, the person or the manifest."""
        run, snapshot = self.run, self.scene.snapshot
        local = local_part(url)
        return (
            local in run.shown
            or local in shown_on(snapshot, run.origin)
            or local in named_in(words_of_person(run), snapshot.url)
            or local in listed_in(self.registry.manifest, snapshot.url)
        )

    async def permit(self, intent: Intent, also: Sequence[Intent] = ()) -> bool:
        """Return once something may be done; the value is whether the person was asked.

        Args:
            intent: What is about to be done.
            also: Further calls of the same tool that a yes covers too.

        Raises:
            Denied: The policy refuses it, or the person says no.
            Cancelled: The person has ended the run.
        """
        return await self.work.gate.permit(intent, self.run, self.scene, also)

    async def ask(self, request: Request) -> Answer:
        """Return the person's answer to a request."""
        return await self.work.person.ask(request)

    async def file(self, name: str) -> GivenFile:
        """Return a file of the person; ask for it if it was not given yet.

        Raises:
            Denied: The person did not give it.
        """
        files = self.work.files
        if file := files.get(name):
            return file
        request = Request("file", say("ask_file", name=name), {"filename": name})
        answer = await self.ask(request)
        if not answer.yes or not answer.files:
            said = f" and said: {answer.text}" if answer.text else ""
            raise Denied(
                f"the person did not give the file `{name}`{said}",
                help="go on without it, or ask what to do instead",
            )
        files.give(answer.files)
        # A person who is asked for `cv.pdf` may give `cv-2027.pdf`.
        return files.get(name) or answer.files[0]

    async def fill(self, value: Any, names: Sequence[str]) -> Any:
        """Return an argument with the person's secrets in place of their placeholders.

        The person is asked again for a secret that the vault lost with the last page.

        Args:
            value: The argument.
            names: Names of its field or parameter.

        Raises:
            InvalidArguments: A placeholder is where no secret belongs.
            Denied: The person gave no secret.
        """
        vault = self.work.vault
        for placeholder in vault.lost(value, names):
            request = Request("question", vault.question(placeholder), {"secret": True})
            answer = await self.ask(request)
            secret = vault.value_of(answer.text)
            if not answer.yes or not secret:
                said = f" and said: {answer.text}" if answer.text else ""
                raise Denied(f"the person did not give the secret of `{placeholder}`{said}")
            vault.restore(placeholder, secret)
        return vault.fill(value, names)

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Act on the page and return its reply; if this leaves the page, wait for the next one.

        Raises:
            ToolError: The page could not do it.
        """
        if self.to and action["type"] in _SENDING:
            action = {**action, "allow_origin": [self.to]}
        if self.dialog is not None:
            action = {**action, "dialog": self.dialog}
        try:
            reply = await self.page.act(action)
        except Navigated:
            reply = {"navigates": True}
        if not isinstance(reply, Mapping) or reply.get("navigates") is not True:
            return reply
        going_to = reply.get("url")
        wanted = going_to if isinstance(going_to, str) else ""
        url = await self.arrive(wanted)
        if url.startswith(ERROR_PAGES):
            raise PageGone(
                f"`{wanted or 'the next page'}` cannot be opened, or is not allowed here",
                help="check the address, and start again on a page of the site",
            )
        return {**reply, "navigated": True, "url": url}

    async def arrive(self, url: str) -> str:
        """Wait until the page shows another document; return its address.

        Inside a page this never returns: the interpreter goes with the page, and the run goes on in
        the next one.
        """
        work, before = self.work, self.scene.snapshot
        work.events.emit("navigating", url=url)
        deadline = work.clock.seconds() + ARRIVAL_S
        while True:
            try:
                now = await self.page.snapshot()
            except (Navigated, PageGone):
                pass
            else:
                if now.url in (url, "") or now.url != before.url or now.revision < before.revision:
                    return now.url or url
                if work.clock.seconds() >= deadline:
                    return now.url
            if work.clock.seconds() >= deadline:
                raise PageGone("the page was left, and no other can be seen in its place")
            await work.clock.sleep(LOOK_S)


class Action(Protocol):
    """Something an agent can do."""

    @property
    def definition(self) -> ToolDefinition:
        """Name, description, and the JSON Schema of the arguments."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Take the action and return its result as JSON; a `Finish` ends the run.

        Args:
            arguments: Arguments that fit the definition.
            context: The page, its tools, the run.

        Raises:
            ToolError: It could not be done; the agent reads why.
        """


@runtime_checkable
class ActionWithIntent(Protocol):
    """An action that says beforehand what it is about to do. Others count as unknown."""

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent | None:
        """Return what it is about to do, or None if it only talks and needs no permission.

        Raises:
            ToolError: It cannot be done.
        """


class PartlyDone(Exception):
    """An action failed, but has a result all the same."""

    def __init__(self, error: ToolError, value: Any) -> None:
        super().__init__(error.message)
        self.error = error
        self.value = value


class PageAction:
    """An action that is passed on to the page's script as it is."""

    def __init__(self, definition: ToolDefinition, kind: str, effect: Effect = "read") -> None:
        """Create the action.

        Args:
            definition: Its definition.
            kind: Its type in the page's script.
            effect: Its effect.
        """
        self.definition = definition
        self._kind = kind
        self._effect = effect

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the intent with the effect of this action."""
        return Intent(self.definition.name, self._effect, arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page do it."""
        return await context.act({"type": self._kind, **arguments})


def check_arguments(definition: ToolDefinition, call: ToolCall) -> Mapping[str, Any]:
    """Return the arguments of a call if they fit the definition.

    Raises:
        InvalidArguments: They do not fit; the error says which, and how to write them.
    """
    name = definition.name
    if call.fault:
        raise InvalidArguments(
            f"the arguments of `{name}` cannot be read - {call.fault}",
            help=f"write one JSON object: `{usage(definition)}`",
        )
    found = check_schema(dict(call.arguments), definition.parameters)
    if found:
        raise InvalidArguments(
            f"`{name}` cannot take this: {'; '.join(map(str, found[:3]))}",
            path=found[0].path or None,
            help=f"write `{usage(definition)}`",
        )
    return call.arguments


def usage(definition: ToolDefinition) -> str:
    """Return how an action is called: `scroll {direction, amount?}`."""
    required = definition.parameters.get("required", ())
    names = definition.parameters.get("properties", {})
    inner = ", ".join(name if name in required else f"{name}?" for name in names)
    return f"{definition.name} {{{inner}}}"


def define(name: str, description: str, required: str = "", /, **properties: Any) -> ToolDefinition:
    """Return the definition of an action; `required` names the required properties."""
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }
    return ToolDefinition(name, description, parameters)
