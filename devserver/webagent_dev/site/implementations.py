"""Where the files of a site define the tools that its pages offer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from webagent_dev.site.tree import saved_files
from webagent_site.http.paths import HTML_SUFFIXES

_SUFFIXES = {
    *HTML_SUFFIXES,
    ".js",
    ".mjs",
    ".cjs",
    ".jsx",
    ".ts",
    ".mts",
    ".tsx",
    ".vue",
    ".svelte",
}
_LONGEST = 2_000_000
"""Characters of a file; longer ones are bundles."""
_MOST = 20
_NEAR = 80
"""Characters before a function in which its name is: `globalThis.searchBooks = `."""


class Place(NamedTuple):
    """A place in a file of the site."""

    path: Path
    text: str
    offset: int


def implementations(root: Path, tools: Sequence[Mapping[str, Any]]) -> list[Place]:
    """Return where the files of a folder define a tool, as open pages list it.

    A page says how its function begins, and in no way in which file that is: so no page can name
    a file that is not of the site. A function that a build has rewritten is found by its name, and
    so is a tool that a script registers.
    """
    root = root.resolve()
    files = [*_scripts(root)]
    exact = [place for tool in tools for place in _written(files, tool)]
    found = exact or [place for tool in tools for place in _named(files, tool)]
    return list(dict.fromkeys(found))[:_MOST]


def _scripts(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that may have scripts, with their texts; links out of the root are left out."""
    for _, path in saved_files(root):
        if path.suffix.lower() not in _SUFFIXES or not path.resolve().is_relative_to(root):
            continue
        try:
            if path.stat().st_size <= _LONGEST:
                yield path, path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue


def _written(files: Sequence[tuple[Path, str]], tool: Mapping[str, Any]) -> list[Place]:
    """Return where a function is written as its page has it; under its name, if that is anywhere."""
    code = str(tool.get("code") or "").replace("\r\n", "\n")
    name = str(tool.get("name"))
    if not code:
        return []
    found = [
        Place(path, text, match.start())
        for path, text in files
        for match in islice(re.finditer(re.escape(code), text), _MOST)
    ]
    named = [one for one in found if name in one.text[max(0, one.offset - _NEAR) : one.offset]]
    return named or ([] if len(found) > 1 and name not in code else found)


def _named(files: Sequence[tuple[Path, str]], tool: Mapping[str, Any]) -> Iterator[Place]:
    """Yield where a name is given to a function, or to a tool that is registered."""
    name = re.escape(str(tool.get("name")))
    registers = tool.get("source") in ("modelContext", "component")
    pattern = rf"\bname\s*:\s*([\"'`]){name}\1" if registers else (
        rf"\b(?:globalThis|window|self|global)\.{name}\s*=(?!=)|\bfunction\s+{name}\s*\("
    )  # fmt: skip
    for path, text in files:
        if not registers or "registerTool" in text:
            yield from (Place(path, text, one.start()) for one in re.finditer(pattern, text))
