"""The resources of a site (its manifest, declarations and notes), and the prompt for using it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
)
from pydantic import ValidationError

from webagent import generate_typescript
from webagent.agent.prompting import Fence
from webagent.tstypes.nodes import member_name
from webagent.types import Manifest, Param, Tool
from webagent_dev.site.state import Site

MANIFEST, DECLARATIONS, NOTES = (
    Resource(
        name="manifest",
        title="The manifest of the site",
        uri="webagent://manifest",
        description="webagents.md: what the site offers to agents, as its author wrote it.",
        mime_type="text/markdown",
    ),
    Resource(
        name="declarations",
        title="Declarations of the tools",
        uri="webagent://declarations",
        description="TypeScript declarations for programs of `execute_js`: the tools of the open page, or "
        "without one those of the manifest.",
        mime_type="text/x-typescript",
    ),
    Resource(
        name="notes",
        title="Notes of the site",
        uri="webagent://notes",
        description="Rules, limits and workflows that its author has written for agents.",
        mime_type="text/markdown",
    ),
)

PROMPT = Prompt(
    name="use_this_site",
    title="Work with the open page",
    description="The site, its author's notes to agents, and how to use its tools.",
    arguments=[PromptArgument(name="goal", description="The goal, in words.", required=False)],
)

_HOW = (
    "You work in a page of {site} that the user has open in a browser, with the user's session. Its "
    "tools do what the page itself can do; `page_state` shows what the page shows, and `execute_js` runs a "
    "program over several tools. Ask the user before you do what cannot be undone."
)


class SiteResources:
    """Answers requests for resources and prompts."""

    def __init__(
        self, site: Site, focused_tools: Callable[[], list[dict[str, Any]] | None]
    ) -> None:
        """Serve one site.

        Args:
            site: Has the manifest.
            focused_tools: Returns the tools of the page in focus, None without one.
        """
        self._site = site
        self._focused_tools = focused_tools

    def versions(self) -> dict[str, Any]:
        """Return for each resource what it is made from; it has changed when that is not equal."""
        file = self._site.state.file
        sources = {DECLARATIONS.uri: (file, self._focused_tools())}
        return {one.uri: sources.get(one.uri, file) for one in self._listed()}

    async def resources(self) -> ListResourcesResult:
        """Return the list of resources; it is empty without a manifest."""
        await self._site.checked.wait()
        return ListResourcesResult(resources=self._listed(), ttl_ms=0, cache_scope="private")

    async def read(self, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return a resource.

        Raises:
            MCPError: There is no such resource.
        """
        manifest = await self._manifest()
        resource = self.check(params.uri)
        assert manifest is not None
        text = {
            MANIFEST.uri: lambda: self._text,
            DECLARATIONS.uri: lambda: self._declarations(manifest),
            NOTES.uri: lambda: _notes(manifest),
        }[resource.uri]()
        contents = TextResourceContents(uri=resource.uri, mime_type=resource.mime_type, text=text)
        return ReadResourceResult(contents=[contents], ttl_ms=0, cache_scope="private")

    async def prompts(self) -> ListPromptsResult:
        """Return the list of prompts."""
        return ListPromptsResult(prompts=[PROMPT], ttl_ms=0, cache_scope="private")

    async def prompt(self, params: GetPromptRequestParams) -> GetPromptResult:
        """Return the prompt for working with the site.

        Raises:
            MCPError: There is no such prompt.
        """
        if params.name != PROMPT.name:
            raise MCPError(
                INVALID_PARAMS, f"there is no prompt `{params.name}` - `{PROMPT.name}` is"
            )
        manifest = await self._manifest()
        lines = [_HOW.format(site=manifest.name if manifest and manifest.name else "a site")]
        if manifest is not None:
            text = "\n\n".join(filter(None, (manifest.description, _notes(manifest))))
            if text:
                lines.append("Its author's notes to agents:\n" + Fence().around(text, "manifest"))
        if goal := (params.arguments or {}).get("goal"):
            lines.append(f"The user's goal: {goal}")
        message = PromptMessage(role="user", content=TextContent(text="\n\n".join(lines)))
        return GetPromptResult(description=PROMPT.description, messages=[message])

    def check(self, uri: str) -> Resource:
        """Return a resource of this address, as the list has it.

        Raises:
            MCPError: There is no such resource.
        """
        listed = {one.uri: one for one in self._listed()}
        if uri in listed:
            return listed[uri]
        advice = f"read one of {', '.join(listed)}" if listed else "the site has no manifest"
        message = f"there is no resource `{uri[:200]}` - {advice}"
        raise MCPError(INVALID_PARAMS, message, {"uri": uri})

    def _listed(self) -> list[Resource]:
        report = self._site.state.report
        if report is None:
            return []
        return [MANIFEST, DECLARATIONS, *([NOTES] if report.manifest.notes else [])]

    def _declarations(self, manifest: Manifest) -> str:
        """Return the declarations of the tools that can be called now, or else of the manifest."""
        if tools := self._focused_tools():
            return page_declarations(manifest, tools)
        return generate_typescript(manifest, docs=True)

    async def _manifest(self) -> Manifest | None:
        await self._site.checked.wait()
        report = self._site.state.report
        return None if report is None else report.manifest

    @property
    def _text(self) -> str:
        report = self._site.state.report
        return report.source.text if report else ""


def page_declarations(manifest: Manifest, tools: list[dict[str, Any]]) -> str:
    """Return one `declare const global` with the tools that can be called in a page now.

    Args:
        manifest: Of the site, for the types that its tools share, and for their notes and samples.
        tools: As the page lists them; anything that is not a tool is left out.
    """
    known = {tool.name: tool for tool in manifest.tools}
    read = (_tool(one, known) for one in tools if one.get("available") is not False)
    found = [tool for tool in read if tool is not None]
    return generate_typescript(manifest.model_copy(update={"tools": found}), docs=True)


def _tool(listed: dict[str, Any], known: dict[str, Tool]) -> Tool | None:
    """Return a tool with the parameters of its function; None for anything that is not a tool."""
    try:
        params = [Param.model_validate(param) for param in listed.get("params", ())]
        fields = {key: listed.get(key) or "" for key in ("name", "title", "description", "returns")}
        tool = Tool.model_validate({**fields, "params": _call_params(params, listed)})
    except (ValidationError, TypeError):
        return None
    if listed.get("source") == "manifest" and (own := known.get(tool.name)):
        return tool.model_copy(update={"sample_code": own.sample_code, "notes": own.notes})
    return tool


def _call_params(params: list[Param], listed: dict[str, Any]) -> list[Param]:
    """Return the parameters of the function: one object for a tool that takes its arguments by name."""
    if listed.get("calling") != "object":
        return params
    if not params:
        return [Param(name="input", type="Record<string, unknown>", required=False)]
    members = "; ".join(_member(param) for param in params)
    required = any(param.required for param in params)
    return [Param(name="input", type=f"{{ {members} }}", required=required)]


def _member(param: Param) -> str:
    words = " ".join(param.description.split()).replace("*/", "*\\/")
    doc = f"/** {words} */ " if words else ""
    return f"{doc}{member_name(param.name)}{'' if param.required else '?'}: {param.type}"


def _notes(manifest: Manifest) -> str:
    return "\n\n".join(f"## {note.title}\n\n{note.text}".strip() for note in manifest.notes)
