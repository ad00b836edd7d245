"""The Python side of `window.webagent`: the one module that the page's script imports.

Values cross between JavaScript and Python as JSON strings: at a megabyte that is 2.5 times cheaper
than converting objects.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from webagent.diagnostics.finding import finding_dict
from webagent.errors import InvalidArguments, ToolError, UnknownTool
from webagent.page.bridge import Bridge, BridgedPage, breathe
from webagent.page.pyodide import run_python
from webagent.page.values import decode, encode
from webagent.parser import Reading, read
from webagent.parser.gc_pause import paused_gc
from webagent.registry import Binding, ExecutionResult, ToolRegistry
from webagent.registry.drift import Drift
from webagent.registry.export import describe_tools, manifest_to_publish, model_context_tools
from webagent.serializer import to_markdown
from webagent.types import Manifest

if TYPE_CHECKING:
    from webagent.agent.session import Session, SessionBridge


class PageBridge(Bridge, Protocol):
    """The page's script, for an interpreter inside the page."""

    def emit(self, event: str, detail: str) -> None:
        """Fire an event at the page's listeners."""


class InPage:
    """The runtime inside a page: its manifest, its tools, its agent, its Python."""

    def __init__(self, bridge: PageBridge, development: bool) -> None:
        """Create a runtime without tools; `load_manifest` and `refresh` bring them.

        Args:
            bridge: The page.
            development: Whether to compare the page with its manifest.
        """
        self._bridge = bridge
        self._development = development
        self._reading = Reading.of(Manifest())
        self._drift = Drift(self._manifest, self._reading.tools)
        self._page = BridgedPage(bridge)
        self._registry = ToolRegistry(
            self._page,
            on_call=self._announce_call,
            on_result=self._check_result if development else None,
        )
        self._namespace: dict[str, Any] = {"page": PageApi(self._registry)}
        self._session: Session | None = None

    async def load_manifest(self, text: str, path: str) -> str:
        """Take `text` as the page's manifest; return `{"tools_changed"}`."""
        with paused_gc(text):
            self._reading = read(text, path=path)
        self._drift = Drift(self._manifest, self._reading.tools)
        return json.dumps({"tools_changed": await self._registry.bind(self._manifest)})

    def findings(self) -> str:
        """Check the manifest, and return its findings as JSON."""
        # The checks follow after the start: no visitor needs them, and in development the server
        # has checked the file already.
        from webagent.checks import check

        source = self._reading.source
        return json.dumps(check(source.text, path=source.path).to_dict()["findings"])

    def manifest_view(self) -> str:
        """Return the declarations, schemas and findings of the manifest, as JSON.

        Returns:
            `{"typescript", "schemas", "findings", "rules"}`; `rules` has the page of each rule that
            found something.
        """
        # As the checks; only the playground needs them together.
        from webagent.codegen.typescript import generate_typescript
        from webagent.rules import RULES, page
        from webagent.schema.tools import tool_schemas

        findings = json.loads(self.findings())
        view = {
            "typescript": generate_typescript(self._manifest, docs=True),
            "schemas": tool_schemas(self._manifest),
            "findings": findings,
            "rules": {rule: page(RULES[rule]) for rule in {one["rule"] for one in findings}},
        }
        return json.dumps(view)

    async def refresh(self) -> str:
        """Ask the page what it offers now; return `{"tools_changed"}`."""
        return json.dumps({"tools_changed": await self._registry.refresh()})

    def drift(self) -> str:
        """Return the differences between the manifest and the page at the last refresh."""
        found = self._drift.findings(self._registry.offers)
        return json.dumps([finding_dict(finding, self._reading.source) for finding in found])

    def manifest(self) -> str:
        """Return the manifest as JSON."""
        return self._manifest.model_dump_json()

    def typescript(self) -> str:
        """Return the declarations that a model writes code against."""
        return self._registry.typescript()

    def to_markdown(self, name: str, description: str) -> str:
        """Return the manifest that the site should publish, as Markdown.

        Args:
            name: Name of the site, if it has no manifest yet.
            description: Its description, if it has none yet.
        """
        manifest = self._manifest
        if not manifest.name:
            texts = {"name": name, "description": manifest.description or description}
            manifest = manifest.model_copy(update=texts)
        origin = self._registry.offers.origin
        return to_markdown(manifest_to_publish(manifest, self._registry.list(), origin=origin))

    def names(self) -> str:
        """Return the source of each tool by its name, as JSON."""
        return json.dumps({b.name: b.source.value for b in self._registry.list()})

    def describe(self, name: str) -> str:
        """Return the description of one tool, or with `null` of all, as a result in JSON.

        Args:
            name: The name, as JSON too.
        """
        bindings = self._registry.list()
        try:
            result = ExecutionResult(describe_tools(self._manifest, bindings, json.loads(name)))
        except UnknownTool as error:
            result = ExecutionResult(error=error)
        return json.dumps(result.to_dict())

    def exposed(self) -> str:
        """Return the manifest's tools for `document.modelContext`: `[{"name", "tool"}]`.

        `name` is the tool's name in the registry, `tool` the argument of `registerTool` without
        `execute`.
        """
        return json.dumps(model_context_tools(self._registry.list()))

    async def tools(self) -> str:
        """Return all tools as JSON, each with whether it can be called now."""
        await self._registry.refresh()
        return json.dumps([binding.describe() for binding in self._registry.list()])

    async def snapshot(self) -> str:
        """Return the `Snapshot` of the page as data with secrets masked, as a result in JSON."""
        try:
            shown = asdict(await self._page.snapshot())
            result = ExecutionResult(self._registry.secrets.mask_record(shown))
        except ToolError as error:
            result = ExecutionResult(error=error)
        return json.dumps(result.to_dict())

    async def call(self, name: str, arguments: str, group: int, for_program: bool) -> str:
        """Call a tool with a JSON list of encoded arguments; return the result as JSON."""
        given = json.loads(arguments)
        await breathe(arguments)
        result = await self._registry.call(name, given, group=group, for_program=for_program)
        return json.dumps(result.to_dict())

    async def invoke(self, name: str, arguments: str, group: int) -> str:
        """Call a tool with a JSON object of encoded arguments; return the result as JSON."""
        result = await self._registry.invoke(name, json.loads(arguments), group=group)
        return json.dumps(result.to_dict())

    async def cancel(self, group: int) -> int:
        """Cancel the running calls of a group, or of all groups if it is 0; return how many."""
        return await self._registry.cancel(group or None)

    def progress(self, call_id: int, message: str) -> None:
        """Pass on what the page reports about a running call."""
        self._registry.progress(call_id, message)

    async def answer(self, call_id: int, question: str) -> str:
        """Have a question of a tool that the agent has called answered; a result in JSON."""
        return await _outcome(self._registry.answer(call_id, json.loads(question)))

    def mask(self, data: str) -> str:
        """Return JSON data without the secrets that calls have shown."""
        return json.dumps(self._registry.secrets.mask(json.loads(data)))

    def prepare(self) -> None:
        """Import the agent, which the first run would wait for."""
        self._agent()

    async def run(self, goal: str, options: str, bridge: SessionBridge) -> str:
        """Let the agent work on a goal; return the result as JSON (`Session.run`)."""
        return await self._agent().run(goal, options, bridge)

    async def resume(self, bridge: SessionBridge, allowed: str) -> str:
        """Resume the run of the page before this one; return its result, or `null`."""
        return await self._agent().resume(bridge, allowed)

    async def prompt(self, goal: str, model: str) -> str:
        """Return the messages a model would get for a goal, as a result in JSON (`preview`).

        Args:
            goal: The goal in words.
            model: The options of the page's model as JSON; `null` for no model.
        """
        from webagent.agent.session import preview
        from webagent.llm.page_model import page_offer, page_window

        try:
            options = json.loads(model)
            shown = await preview(
                self._page,
                self._registry,
                goal,
                context_tokens=page_window(options),
                offer=page_offer(options),
            )
            result = ExecutionResult(shown)
        except ToolError as error:
            result = ExecutionResult(error=error)
        return json.dumps(result.to_dict())

    def stop_run(self, reason: str) -> None:
        """End the run under way, if there is one."""
        if self._session:
            self._session.stop(reason)

    def pause_run(self) -> None:
        """Let the visitor take over from the run under way, if there is one."""
        if self._session:
            self._session.pause()

    def continue_run(self) -> None:
        """Let a paused run go on."""
        if self._session:
            self._session.go_on()

    def abandon_run(self) -> None:
        """Drop the run under way without an event, because the page is left."""
        if self._session:
            self._session.abandon()

    def revoke(self, key: str) -> None:
        """Take back what the person has allowed the run under way, if there is one."""
        if self._session:
            self._session.revoke(key)

    async def set_definitions(self, definitions: str) -> str:
        """Offer the run under way other actions (`Session.set_definitions`); a result in JSON."""
        return await _outcome(self._agent().set_definitions(definitions))

    async def add_definitions(self, definitions: str) -> str:
        """Offer the run under way more actions; a result in JSON."""
        return await _outcome(self._agent().add_definitions(definitions))

    def transcript(self, form: str) -> str:
        """Return the last run as `json` or `markdown`; empty without one."""
        return self._session.transcript(form) if self._session else ""

    def file(self, run_id: str, name: str) -> str:
        """Return a screenshot or a file of a run as an encoded value; empty without one."""
        return self._session.file(run_id, name) if self._session else ""

    async def python(self, code: str) -> str:
        """Run Python with `page` in its namespace; return the last expression's value as JSON.

        Names that it defines stay for the next call, as at a prompt.
        """
        result = await run_python(code, self._namespace)
        return json.dumps(result.to_dict())

    def _agent(self) -> Session:
        # Imported with the first run, because pages that only call tools do not need it.
        from webagent.agent.session import Session

        if self._session is None:
            self._session = Session(self._page, self._registry, self._announce_agent)
        return self._session

    @property
    def _manifest(self) -> Manifest:
        return self._reading.manifest

    def _announce_call(self, event: dict[str, Any]) -> None:
        self._bridge.emit("call", json.dumps(event))

    def _announce_agent(self, event: str) -> None:
        self._bridge.emit("agent", event)

    def _check_result(self, binding: Binding, value: Any) -> None:
        if self._drift.check_result(binding, value):
            self._bridge.emit("mismatch", "null")


class PageApi:
    """The page's tools for Python in the page: `await page.call("search", "red")`."""

    def __init__(self, registry: ToolRegistry) -> None:
        """Offer the tools of a registry, with plain Python values."""
        self._registry = registry

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools as plain data, each with whether it can be called now."""
        await self._registry.refresh()
        return [binding.describe() for binding in self._registry.list()]

    async def call(self, name: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a tool as it takes its arguments, or with all of them by name; return its value.

        Raises:
            ToolError: The call failed; its `kind` says how.
        """
        if named:
            if arguments:
                raise InvalidArguments(
                    f"`{name}` was given arguments in order and by name – choose one", tool=name
                )
            return await self.invoke(name, named)
        encoded = [encode(argument) for argument in arguments]
        return _value(await self._registry.call(name, encoded))

    async def invoke(
        self, name: str, arguments: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Any:
        """Call a tool with named arguments and return its value.

        Raises:
            ToolError: The call failed; its `kind` says how.
        """
        encoded = {key: encode(argument) for key, argument in arguments.items()}
        return _value(await self._registry.invoke(name, encoded, timeout_s=timeout_s))


async def _outcome(work: Awaitable[Any]) -> str:
    """Do something; return its result as JSON."""
    try:
        result = ExecutionResult(await work)
    except ToolError as error:
        result = ExecutionResult(error=error)
    return json.dumps(result.to_dict())


def _value(result: ExecutionResult) -> Any:
    if result.error is not None:
        raise result.error
    return decode(result.value)
