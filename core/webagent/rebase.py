"""Manifests of sites that are published below a path."""

from __future__ import annotations

import re

from webagent.parser import parse
from webagent.serializer import to_markdown
from webagent.types import Manifest, Tool

_PATHS = re.compile(r"(?im)^([ \t]*[-*+][ \t]+[`*_]*paths?[`*_]*[ \t]*:[ \t]*)(/[^\r\n]*)")


def rebased(manifest: str, base: str) -> str:
    """Return a manifest whose tools name the paths of their pages under a base.

    Every other character stays as it is, if the paths are in lines of their own; else it is printed
    anew.

    Args:
        manifest: Its text.
        base: Path under which the site is served, with a slash at both ends.
    """
    if base == "/":
        return manifest
    before = parse(manifest)
    if not any(tool.behavior.paths for tool in before.tools):
        return manifest
    expected = before.model_copy(update={"tools": [_moved(tool, base) for tool in before.tools]})
    edited = _PATHS.sub(
        lambda match: match[1] + re.sub(r"(^|,\s*)/", rf"\g<1>{base}", match[2]), manifest
    )
    if _same(parse(edited), expected):
        return edited
    return to_markdown(expected)


def _moved(tool: Tool, base: str) -> Tool:
    paths = [base + path[1:] if path.startswith("/") else path for path in tool.behavior.paths]
    behavior = tool.behavior.model_copy(update={"paths": tuple(paths)})
    return tool.model_copy(update={"behavior": behavior})


def _same(one: Manifest, other: Manifest) -> bool:
    return one.model_dump(exclude={"content"}) == other.model_dump(exclude={"content"})
