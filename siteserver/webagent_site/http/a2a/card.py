"""The card of an agent of a site, as A2A 1.0 has it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from webagent.types import Manifest, Tool
from webagent_site.http.a2a.requests import VERSIONS
from webagent_site.http.a2a.responses import Shape

INPUT_MODES = ("text/plain", "application/json")
OUTPUT_MODES = ("text/plain", "application/json")
MOST_SKILLS = 200
_LONGEST_TEXT = 1_000


def card_v1_0(
    manifest: Manifest | None,
    *,
    host: str,
    version: str,
    urls: Mapping[str, str],
    skills: Iterable[Shape],
    security: Shape,
) -> dict[str, Any]:
    """Return the card for clients of 1.0, without any field that their schema does not have.

    Args:
        manifest: Of the site, if it has one; each of its tools is a skill.
        host: Of the site.
        version: Of the agent, where the manifest has none.
        urls: The address of each binding.
        skills: The skills besides the tools.
        security: The fields that say how a client shows who it is; empty if nothing is needed.
    """
    description = manifest.description if manifest else ""
    tools = manifest.tools if manifest else []
    return {
        "name": (manifest.name if manifest else "") or host,
        "description": description[:_LONGEST_TEXT] or f"The agent of the pages at {host}.",
        "version": manifest.version if manifest else version,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": each}
            for each in VERSIONS
            for binding, url in urls.items()
        ],
        "capabilities": {"streaming": True, "pushNotifications": False},
        "defaultInputModes": list(INPUT_MODES),
        "defaultOutputModes": list(OUTPUT_MODES),
        "skills": [*skills, *map(_skill, tools[:MOST_SKILLS])],
        **security,
    }


def _skill(tool: Tool) -> Shape:
    example = json.dumps({"tool": tool.name, "arguments": {}})
    return {
        "id": tool.name,
        "name": tool.title or tool.name,
        "description": tool.description[:_LONGEST_TEXT] or tool.name,
        "tags": ["tool", tool.behavior.effect],
        "examples": [f"A data part: {example}"],
        "inputModes": list(INPUT_MODES),
        "outputModes": list(OUTPUT_MODES),
    }
