"""`llms.txt`: what a site is, and where its pages and its tools are (https://llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from webagent.announcements import SKILLS_INDEX
from webagent.markdown import Heading, ListBlock, Paragraph, Quote, scan
from webagent.page_markdown import plain_text
from webagent.types import Manifest

_MOST_PAGES = 200
_LONGEST_NOTE = 300
_LINK = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]\((?:[^()\s\\]|\\.)+\)(?:: \S.*)?", re.DOTALL)
_SAFE = "/!$&'*+,;=:@~-._%?"


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of a site, as it is listed."""

    path: str
    """Below the base of the site, as it is written in an address; empty for the first page."""
    title: str
    description: str = ""


def named_pages(manifest: Manifest) -> list[SitePage]:
    """Return the pages that a manifest names, where nobody has a list of them."""
    paths = dict.fromkeys(
        path.removeprefix("/")
        for tool in manifest.tools
        for path in tool.behavior.paths
        if path.startswith("/") and "*" not in path
    )
    named = [SitePage(quote(path, safe=_SAFE), f"/{path}") for path in paths if path]
    return [SitePage("", manifest.name or "/"), *named]


def llms_txt(manifest: Manifest, base: str, pages: Sequence[SitePage], *, has_skill: bool) -> str:
    """Return the file of a site.

    Args:
        manifest: Its manifest.
        base: Its address, or only the path of it, with a slash at the end.
        pages: Its pages; more than 200 are left out.
        has_skill: Whether it has a skill for agents.
    """
    summary, *details = [part for part in manifest.description.split("\n\n") if part.strip()] or [
        ""
    ]
    tools = manifest.tools
    lines = [f"# {_line(manifest.name) or 'Site'}"]
    lines += ["", f"> {_line(summary)}"] if summary else []
    for detail in details:
        lines += ["", _line(detail)]
    lines += ["", "## Pages", "", *(_entry(base, page) for page in pages[:_MOST_PAGES])]
    if tools:
        named = ", ".join(tool.title or tool.name for tool in tools)
        lines += ["", "## Agents", ""]
        lines.append(
            _entry(base, SitePage("webagents.md", "Tools", f"Functions of the pages: {named}."))
        )
    if has_skill:
        text = "How to use the tools, as an Agent Skill."
        lines.append(_entry(base, SitePage(SKILLS_INDEX, "Skill", text)))
    return "\n".join(lines) + "\n"


def llms_txt_problems(text: str) -> Iterator[str]:
    """Yield what is wrong with a file, one sentence each."""
    blocks = scan(text)
    headings = [block for block in blocks if isinstance(block, Heading)]
    if not blocks or not isinstance(blocks[0], Heading) or blocks[0].level != 1:
        yield "it does not begin with the name of the site - write `# Name` first"
    if sum(heading.level == 1 for heading in headings) > 1:
        yield "it has two titles - write `##` before the names of sections"
    if deep := next((heading for heading in headings if heading.level > 2), None):
        yield f"`{deep.text[:80]}` is a heading within a section - sections have lists of links only"
    section = ""
    has_link = False
    for place, block in enumerate(blocks):
        if isinstance(block, Heading):
            section = block.text if block.level == 2 else section
        elif not section:
            if isinstance(block, Quote) and place != 1:
                yield "the summary comes late - write it right below the title"
        elif not isinstance(block, ListBlock):
            yield f"`{section[:80]}` has more than a list - write `- [Name](address): what it is` lines"
        else:
            for item in block.items:
                inside = item.blocks
                written = inside[0].content if inside and isinstance(inside[0], Paragraph) else ()
                line = " ".join(part.text.strip() for part in written)
                if len(inside) == 1 and _LINK.fullmatch(line):
                    has_link = True
                else:
                    yield f"`{line[:80]}` is not a link - write `- [Name](address): what it is`"
    if not has_link:
        yield "it has no links - write a section with a list of them"


def _entry(base: str, page: SitePage) -> str:
    title = _line(page.title) or _line(page.path) or "/"
    note = f": {_line(page.description)}" if page.description.strip() else ""
    address = quote(f"{base}{page.path}", safe=_SAFE + "[]#")
    return f"- [{title}]({address}){note}"


def _line(text: str) -> str:
    """Return a text on one line, in which nothing is Markdown."""
    words = " ".join(text.split())
    cut = words if len(words) <= _LONGEST_NOTE else f"{words[: _LONGEST_NOTE - 1].rstrip()}…"
    return plain_text(cut)
