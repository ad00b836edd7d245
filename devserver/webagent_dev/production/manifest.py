"""The manifest as it goes live: with the paths of its pages as they are there."""

from __future__ import annotations

import re

from webagent import parse
from webagent.serializer import to_markdown
from webagent.types import Manifest, Tool

_PATHS = re.compile(r"(?im)^([ \t]*[-*+][ \t]+[`*_]*paths?[`*_]*[ \t]*:[ \t]*)(/[^\r\n]*)")


def rebased(manifest: bytes, base: str) -> bytes:
    """Return a manifest whose tools name the paths of their pages under a base.

    Every other byte stays as it is, if the paths stand in lines of their own; else it is printed
    anew.

    Args:
        manifest: UTF-8.
        base: Path under which the site is served, with a slash at both ends.
    """
    if base == "/":
        return manifest
    text = manifest.decode("utf-8", "replace")
    before = parse(text)
    if not any(tool.behavior.paths for tool in before.tools):
        return manifest
    wanted = before.model_copy(update={"tools": [_moved(tool, base) for tool in before.tools]})
    edited = _PATHS.sub(
        lambda match: match[1] + re.sub(r"(^|,\s*)/", rf"\g<1>{base}", match[2]), text
    )
    if _same(parse(edited), wanted):
        return edited.encode()
    return to_markdown(wanted).encode()


def _moved(tool: Tool, base: str) -> Tool:
    paths = [base + path[1:] if path.startswith("/") else path for path in tool.behavior.paths]
    return tool.model_copy(update={"behavior": tool.behavior.model_copy(update={"paths": paths})})


def _same(one: Manifest, other: Manifest) -> bool:
    return one.model_dump(exclude={"content"}) == other.model_dump(exclude={"content"})
