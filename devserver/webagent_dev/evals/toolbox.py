"""Tools without a page: those of a manifest, or of a file of WebMCP definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webagent.codegen.types_section import shared_types
from webagent.json_text import read_json
from webagent.modelcontext import from_model_context
from webagent.page.offers import PageTool, Target
from webagent.schema import output_schema
from webagent.types import Manifest
from webagent_dev.site.documents import read_manifest
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError

_EXAMPLE = '{"tools": [{"name": "…", "description": "…", "inputSchema": {…}}]}'
_MOST_BYTES = 5_000_000
_MOST_TOOLS = 1_000


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools that an agent is offered."""

    name: str
    """Where it was read."""
    manifest: Manifest = field(default_factory=Manifest)
    registered: tuple[PageTool, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """The schema of what a tool gives, for those that say."""

    @property
    def tools(self) -> list[str]:
        """The names of all tools."""
        return [*self.manifest.tool_names, *(tool.target.name for tool in self.registered)]


def read_toolbox(target: str) -> Toolbox:
    """Return the tools at a target: a manifest, its folder, an address, or a JSON file of tools.

    Raises:
        UsageError: There is none, or it has no tools; the message says what to write instead.
    """
    if not is_address(target) and target.lower().endswith(".json"):
        box = _definitions(Path(target))
    else:
        box = of_manifest(read_manifest(target), target)
    if not box.tools:
        raise UsageError(
            f"`{target}` has no tools - an agent would have nothing to call - "
            f"write the path of a webagents.md, or of a JSON file `{_EXAMPLE}`"
        )
    return box


def of_manifest(manifest: Manifest, name: str) -> Toolbox:
    """Return the tools of a manifest.

    Where they may be called, and how often, is left out: there is neither page nor time.
    """
    types = shared_types(manifest)
    outputs = {tool.name: output_schema(tool, types=types) for tool in manifest.tools}
    anywhere = {"paths": (), "rate": "", "requires_login": False}
    tools = [
        tool.model_copy(update={"behavior": tool.behavior.model_copy(update=anywhere)})
        for tool in manifest.tools
    ]
    return Toolbox(name, manifest.model_copy(update={"tools": tools}), (), outputs)


def _definitions(path: Path) -> Toolbox:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
        found = read_json(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(
            f"`{path}` cannot be read - {error.strerror or error} - write the path of a file of tools"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"`{path}` is not text - tools are JSON - save it as UTF-8") from None
    except ValueError as error:
        raise UsageError(f"`{path}` cannot be read as JSON - {error} - mend it there") from None
    entries = found.get("tools") if isinstance(found, dict) else found
    if not isinstance(entries, list):
        raise UsageError(f"`{path}` holds no list of tools - write `{_EXAMPLE}`")
    if len(entries) > _MOST_TOOLS:
        raise UsageError(
            f"`{path}` has {len(entries):,} tools - {_MOST_TOOLS:,} are read - split it"
        )
    registered, outputs = [], {}
    for index, entry in enumerate(entries):
        tool = _registered(entry, f"`{path}`: `tools[{index}]`")
        if tool.target.name in outputs:
            raise UsageError(
                f"`{path}`: `tools[{index}].name` is `{tool.target.name}` again - "
                "a name stands for one tool - give it another"
            )
        registered.append(tool)
        outputs[tool.target.name] = entry.get("outputSchema")
    return Toolbox(path.as_posix(), Manifest(), tuple(registered), outputs)


def _registered(entry: Any, where: str) -> PageTool:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        raise UsageError(f"{where} is not a tool - each has a name - write `{_EXAMPLE}`")
    try:
        from_model_context(entry)
    except ValueError as error:
        raise UsageError(
            f"{where} has a schema that cannot be read - {error} - mend it there"
        ) from None
    schema, hints = entry.get("inputSchema"), entry.get("annotations")
    if isinstance(schema, str):
        schema = read_json(schema)
    return PageTool(
        Target("modelContext", entry["name"]),
        str(entry.get("description") or ""),
        str(entry.get("title") or ""),
        schema,
        hints if isinstance(hints, dict) else {},
    )
