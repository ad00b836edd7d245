"""TypeScript declarations of the tools that a page offers now."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from webagent import generate_typescript
from webagent.tstypes.nodes import member_name
from webagent.types import Manifest, Param, Tool


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
