"""Reads declarations from the page's TypeScript, wherever their file is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "browser_bundle" / "src"
_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)


@cache
def source_with(text: str) -> str:
    """Return the one source that holds a text, without its comments."""
    sources = [path.read_text("utf-8") for path in sorted(SOURCES.rglob("*.ts"))]
    (found,) = [source for source in sources if text in source]
    return _COMMENT.sub("", found)


def script_attributes(source: str) -> list[str]:
    """Return the attributes that a script reads from its tag, without `data-`."""
    names = re.findall(r'(?:dataset\[|choice\(script, )"(\w+)"', source)
    return [re.sub("[A-Z]", lambda match: f"-{match[0].lower()}", name) for name in names]


def declaration(head: str, *, beside: str = "") -> str:
    """Return a declaration from its head to the semicolon or the brace that ends it.

    Args:
        head: How it begins.
        beside: Another text of the same file, where several files have such a declaration.
    """
    source = source_with(beside or head)
    start = source.index(head)
    depth = 0
    for end in range(start, len(source)):
        depth += (source[end] in "{([") - (source[end] in "})]")
        ended = source[end] == ";" or (source[end] == "}" and not head.startswith("export type"))
        if ended and depth == 0:
            return source[start : end + 1]
    raise AssertionError(f"`{head}` has no end")


def messages(head: str) -> dict[str, set[str]]:
    """Return the fields of each message of a union, but for `v` and `type`, by its type."""
    found: dict[str, set[str]] = {}
    union = declaration(head)
    named = re.findall(r"^  \| ([A-Z]\w*)$", union, re.MULTILINE)
    for text in (union, *(declaration(f"export interface {name} ", beside=head) for name in named)):
        for body in _objects(text):
            if match := re.search(r'\btype: "(\w+)"', body):
                found.setdefault(match[1], set()).update(_fields(body) - {"v", "type"})
    return found


def members(head: str, *, beside: str = "") -> set[str]:
    """Return the names of the members of an interface, or of a type that picks some and adds some."""
    text = declaration(head, beside=beside)
    picked = set(re.findall(r'"(\w+)"', text)) if "Pick<" in text else set()
    return picked.union(*map(_fields, _objects(text)))


def class_members(head: str) -> dict[str, str]:
    """Return `property` or `method` for each public member of a class."""
    body = declaration(head)
    found = {}
    for match in re.finditer(r"^  (readonly |get |async )?(\w+)([(<:]| =)", body, re.MULTILINE):
        before, name, after = match.groups()
        if name != "constructor":
            is_method = before != "get " and after in "(<"
            found[name] = "method" if is_method else "property"
    return found


def exports(source: str) -> dict[str, str]:
    """Return `value` or `type` for each name that a source exports."""
    heads = re.findall(
        r"^export (?:async )?(const|function|class|interface|type) (\w+)", source, re.MULTILINE
    )
    found = {name: "type" if kind in ("interface", "type") else "value" for kind, name in heads}
    for kind, group in re.findall(r"^export (type )?\{([^}]*)\} from", source, re.MULTILINE):
        for name in map(str.strip, group.split(",")):
            is_type = kind or name.startswith("type ")
            found[name.removeprefix("type ")] = "type" if is_type else "value"
    return found


def _objects(text: str) -> list[str]:
    """Return what is in each pair of braces that has no other around it."""
    found, depth, start = [], 0, 0
    for place, char in enumerate(text):
        if char == "{":
            depth += 1
            start = place + 1 if depth == 1 else start
        elif char == "}":
            depth -= 1
            if depth == 0:
                found.append(text[start:place])
    return found


def _fields(body: str) -> set[str]:
    """Return the names of the members of a type, but for those inside of members."""
    while re.search(r"\{[^{}]*\}", body):
        body = re.sub(r"\{[^{}]*\}", "", body)
    return set(re.findall(r"(?:^|;)\s*(\w+)\??:", body))
