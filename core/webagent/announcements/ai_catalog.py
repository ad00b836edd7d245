"""The AI Catalog of a site: what it has for agents, with whole addresses (https://ai-catalog.io/spec).

It also follows Agentic Resource Discovery, which asks for more: names of the form `urn:air:…`, and goals
by which an entry is found.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from webagent.announcements import SKILLS_FOLDER
from webagent.announcements.agent_skills import Skill, skill_name
from webagent.checks.suggestions import is_suggestions, suggestions_in
from webagent.types import Manifest

_SKILL_TYPE = 'text/markdown; profile="urn:air:agent-skills"'
"""The type by which readers of both specifications know a `SKILL.md` that is sent as `text/markdown`."""
_CARD_TYPE = "application/a2a-agent-card+json"
_CARD = ".well-known/agent-card.json"
_MOST_QUERIES = 5
_DOMAIN = re.compile(r"(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_LOCAL = "agent.localhost"
"""The name of a site that has no domain yet."""


def ai_catalog(manifest: Manifest, base: str, skill: Skill | None, *, has_card: bool) -> str:
    """Return the catalogue; empty where it would list nothing, or the origin is not known.

    Args:
        manifest: The manifest of the site.
        base: Address of the site with a slash at its end.
        skill: The skill of the site, if it has one.
        has_card: Whether it has an agent card of A2A.
    """
    host = (urlsplit(base).hostname or "").lower()
    if not host:
        return ""
    publisher = host if _DOMAIN.fullmatch(host) else _LOCAL
    name = " ".join(manifest.name.split()) or host
    about: dict[str, Any] = {
        "description": " ".join(manifest.description.split("\n\n")[0].split()) or name,
        "capabilities": [tool.name for tool in manifest.tools],
    }
    if len(queries := _queries(manifest)) > 1:
        about["representativeQueries"] = queries
    entries: list[dict[str, Any]] = []
    if skill:
        entries.append(
            {
                "identifier": f"urn:air:{publisher}:skill:{skill.name}",
                "displayName": name,
                "type": _SKILL_TYPE,
                "url": f"{base}{SKILLS_FOLDER}{skill.name}/SKILL.md",
                **about,
            }
        )
    if has_card:
        entries.append(
            {
                "identifier": f"urn:air:{publisher}:agent:{skill_name(manifest.name)}",
                "displayName": name,
                "type": _CARD_TYPE,
                "url": f"{base}{_CARD}",
                **about,
            }
        )
    catalog = {"specVersion": "1.0", "host": {"displayName": name}, "entries": entries}
    return json.dumps(catalog, indent=2, ensure_ascii=False) + "\n" if entries else ""


def _queries(manifest: Manifest) -> list[str]:
    """Return what people would ask: the goals that the site suggests, or else the names of its tools."""
    goals = [
        goal
        for note in manifest.notes
        if is_suggestions(note)
        for goal in suggestions_in(note.text).goals
    ]
    titles = [tool.title for tool in manifest.tools if tool.title]
    return list(dict.fromkeys(goals + titles))[:_MOST_QUERIES]
