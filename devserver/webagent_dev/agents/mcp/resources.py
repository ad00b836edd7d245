"""What there is to read of a site: its manifest, declarations and notes, and how to work with it."""

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


def declared(manifest: Manifest, tools: list[dict[str, Any]]) -> str:
    """Return one `declare const global` over the tools that can be called in a page now.

    Args:
        manifest: The site's, for the types that its tools share and for what else it says of them.
        tools: As the page lists them; what is none is left out.
    """
    known = {tool.name: tool for tool in manifest.tools}
    made = (_tool(one, known) for one in tools if one.get("available") is not False)
    found = [tool for tool in made if tool is not None]
    return generate_typescript(manifest.model_copy(update={"tools": found}), docs=True)


def _tool(listed: dict[str, Any], known: dict[str, Tool]) -> Tool | None:
    """Return a tool as it is called, None for what is no tool."""
    try:
        params = [Param.model_validate(param) for param in listed.get("params", ())]
        fields = {key: listed.get(key) or "" for key in ("name", "title", "description", "returns")}
        tool = Tool.model_validate({**fields, "params": _passed(params, listed)})
    except (ValidationError, TypeError):
        return None
    if listed.get("source") == "manifest" and (own := known.get(tool.name)):
        return tool.model_copy(update={"sample_code": own.sample_code, "notes": own.notes})
    return tool


def _passed(params: list[Param], listed: dict[str, Any]) -> list[Param]:
    """Return the parameters of a call: a tool that takes its arguments by name has them in one object."""
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
        description="What programs for `execute_js` are written against: the tools of the open page, or "
        "without one those of the manifest.",
        mime_type="text/x-typescript",
    ),
    Resource(
        name="notes",
        title="Notes of the site",
        uri="webagent://notes",
        description="Rules, limits and workflows that its author tells agents of.",
        mime_type="text/markdown",
    ),
)

PROMPT = Prompt(
    name="use_this_site",
    title="Work with the open page",
    description="What the site is, what its author tells agents, and how to use its tools.",
    arguments=[PromptArgument(name="goal", description="What is to be reached.", required=False)],
)

_HOW = (
    "You work in a page of {site} that the user has open in a browser, with the user's session. Its "
    "tools do what the page itself can do; `page_state` shows what the page shows, and `execute_js` runs a "
    "program over several tools. Ask the user before you do what cannot be undone."
)


class Documents:
    """Answers for resources and prompts."""

    def __init__(self, site: Site, offered: Callable[[], list[dict[str, Any]] | None]) -> None:
        """Read what there is at the time.

        Args:
            site: Its manifest.
            offered: Returns the registry of the page in focus, None without one.
        """
        self._site = site
        self._offered = offered

    def marks(self) -> dict[str, Any]:
        """Return for each resource what it is made from; it is another one when that is not equal."""
        file = self._site.state.file
        made_from = {DECLARATIONS.uri: (file, self._offered())}
        return {one.uri: made_from.get(one.uri, file) for one in self._listed()}

    async def resources(self) -> ListResourcesResult:
        """Return the list of what can be read; without a manifest, nothing."""
        await self._site.checked.wait()
        return ListResourcesResult(resources=self._listed(), ttl_ms=0, cache_scope="private")

    async def read(self, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return a resource.

        Raises:
            MCPError: There is none of that name.
        """
        manifest = await self._manifest()
        listed = (await self.resources()).resources
        resource = next((one for one in listed if one.uri == params.uri), None)
        if manifest is None or resource is None:
            uris = ", ".join(one.uri for one in listed) or "none"
            raise MCPError(
                INVALID_PARAMS,
                f"there is no such resource - these are: {uris}",
                {"uri": params.uri},
            )
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
        """Return the prompt that tells how to work with the site.

        Raises:
            MCPError: Another one is asked for.
        """
        if params.name != PROMPT.name:
            raise MCPError(
                INVALID_PARAMS, f"there is no prompt `{params.name}` - `{PROMPT.name}` is"
            )
        manifest = await self._manifest()
        lines = [_HOW.format(site=manifest.name if manifest and manifest.name else "a site")]
        if manifest is not None:
            told = "\n\n".join(filter(None, (manifest.description, _notes(manifest))))
            if told:
                lines.append("What its author tells agents:\n" + Fence().around(told, "manifest"))
        if goal := (params.arguments or {}).get("goal"):
            lines.append(f"What the user wants: {goal}")
        message = PromptMessage(role="user", content=TextContent(text="\n\n".join(lines)))
        return GetPromptResult(description=PROMPT.description, messages=[message])

    def has(self, uri: str) -> bool:
        """Whether there is a resource now."""
        return any(one.uri == uri for one in self._listed())

    def _listed(self) -> list[Resource]:
        report = self._site.state.report
        if report is None:
            return []
        return [MANIFEST, DECLARATIONS, *([NOTES] if report.manifest.notes else [])]

    def _declarations(self, manifest: Manifest) -> str:
        """Return what a program can really call: of a page that has told its tools, those."""
        if tools := self._offered():
            return declared(manifest, tools)
        return generate_typescript(manifest, docs=True)

    async def _manifest(self) -> Manifest | None:
        await self._site.checked.wait()
        report = self._site.state.report
        return None if report is None else report.manifest

    @property
    def _text(self) -> str:
        report = self._site.state.report
        return report.source.text if report else ""


def _notes(manifest: Manifest) -> str:
    return "\n\n".join(f"## {note.title}\n\n{note.text}".strip() for note in manifest.notes)
