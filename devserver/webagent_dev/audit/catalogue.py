"""Whether a catalogue, and an index of skills, fit their specifications.

The catalogue is that of Agentic Resource Discovery 1.0 (agenticresourcediscovery.org), the index that of
the discovery of Agent Skills 0.2.0 (agentskills.io).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from webagent.schema import check_schema
from webagent_dev.publish.preflight.fetch import FetchedFile

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_TRUST: dict[str, Any] = {
    "type": "object",
    "required": ["identity"],
    "properties": {
        "identity": _TEXT,
        "identityType": {"enum": ["spiffe", "did", "https", "other"]},
    },
}
_ENTRY: dict[str, Any] = {
    "type": "object",
    "required": ["identifier", "displayName", "type"],
    "properties": {
        "identifier": {"type": "string", "pattern": "^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$"},
        "displayName": _TEXT,
        "type": _TEXT,
        "url": {"type": "string", "format": "uri"},
        "data": {"type": "object"},
        "description": {"type": "string"},
        "tags": _TEXTS,
        "capabilities": _TEXTS,
        "representativeQueries": _TEXTS | {"minItems": 2, "maxItems": 5},
        "version": {"type": "string"},
        "updatedAt": {"type": "string", "format": "date-time"},
        "metadata": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        },
        "trustManifest": _TRUST,
    },
}
_CATALOGUE: dict[str, Any] = {
    "type": "object",
    "required": ["specVersion", "entries"],
    "additionalProperties": False,
    "properties": {
        "specVersion": {"enum": ["1.0"]},
        "host": {
            "type": "object",
            "required": ["displayName"],
            "additionalProperties": False,
            "properties": {
                "displayName": {"type": "string"},
                "identifier": {"type": "string"},
                "documentationUrl": {"type": "string", "format": "uri"},
                "logoUrl": {"type": "string", "format": "uri"},
                "trustManifest": _TRUST,
            },
        },
        "entries": {"type": "array", "items": _ENTRY},
    },
}
_KNOWN_TYPES = frozenset(
    (
        "application/ai-catalog+json",
        "application/agent-card+json",
        "application/a2a-agent-card+json",
        "application/mcp-server-card+json",
        "application/agent-skills+zip",
        "application/agent-skills+gzip",
        'text/markdown; profile="urn:air:agent-skills"',
        "application/ai-registry",
        "application/ai-registry+json",
    )
)
"""The media types that the specification lists."""

_SKILLS: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "skills"],
    "properties": {
        "$schema": {"enum": ["https://schemas.agentskills.io/discovery/0.2.0/schema.json"]},
        "skills": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "type", "description", "url", "digest"],
                "properties": {
                    "name": {
                        "type": "string",
                        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                        "maxLength": 64,
                    },
                    "type": {"enum": ["skill-md", "archive"]},
                    "description": _TEXT | {"maxLength": 1024},
                    "url": _TEXT,
                    "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
                },
            },
        },
    },
}
_LONGEST = 80


def catalogue_errors(data: Any) -> list[str]:
    """Return where a catalogue does not fit, as sentences without a subject."""
    errors = [str(mismatch) for mismatch in check_schema(data, _CATALOGUE, "catalogue")]
    for place, entry in _entries(data):
        if ("url" in entry) == ("data" in entry):
            errors.append(f"{place}: it needs either `url` or `data`, and not both")
    return errors


def catalogue_gaps(data: Any) -> Iterator[str]:
    """Yield what an entry lacks that the specification recommends."""
    for place, entry in _entries(data):
        if entry.get("representativeQueries") is None:
            yield f"{place}: it has no `representativeQueries`"
        kind = entry.get("type")
        if isinstance(kind, str) and kind not in _KNOWN_TYPES:
            yield f"{place}: `{kind[:_LONGEST]}` is not one of the types that registries know"


def _entries(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    listed = data.get("entries") if isinstance(data, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(entry, dict):
            yield f"catalogue.entries[{index}]", entry


def skill_errors(data: Any, files: Mapping[str, FetchedFile]) -> list[str]:
    """Return where an index of skills does not fit, and which skill is not what its digest says.

    Args:
        data: The index.
        files: The skills that were fetched, by their address in it.
    """
    errors = [str(mismatch) for mismatch in check_schema(data, _SKILLS, "index")]
    listed = data.get("skills") if isinstance(data, dict) else None
    for index, skill in enumerate(listed if isinstance(listed, list) else ()):
        url = skill.get("url") if isinstance(skill, dict) else None
        file = files.get(url) if isinstance(url, str) else None
        if file is None:
            continue
        digest = f"sha256:{hashlib.sha256(file.body).hexdigest()}"
        if file.status != 200:
            errors.append(f"index.skills[{index}].url: it answers with status {file.status}")
        elif digest != skill.get("digest"):
            errors.append(f"index.skills[{index}].digest: the file has another one, `{digest}`")
    return errors
