"""Addresses that a run may open without asking: those that a page, the person or the manifest showed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from webagent.agent.effects import control_of_link
from webagent.agent.run import Run, Said
from webagent.page.snapshot import Snapshot
from webagent.types import Manifest
from webagent.urls import absolute, origin_of

_MOST_CHARACTERS: Final = 20_000
"""Characters of the addresses that a run keeps of earlier pages; the oldest go first."""

_WORD: Final = re.compile(r"""[^\s()<>\[\]{}"'`“”„»«|,;]+""")

_LONGEST_WORDS: Final = 200_000


def local_part(url: str) -> str:
    """Return path and query of an address: what makes it the same one within its site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def shown_on(snapshot: Snapshot, origin: str) -> Iterator[str]:
    """Yield the addresses of this site that a page shows: its own, and those of its plain links."""
    if origin_of(snapshot.url) == origin:
        yield local_part(snapshot.url)
    for element in snapshot.elements:
        url = absolute(snapshot.url, element.href) if element.href else None
        if url is not None and origin_of(url) == origin:
            local = local_part(url)
            if control_of_link(element, local).effect == "read":
                yield local


def remember(kept: list[str], snapshot: Snapshot, origin: str) -> None:
    """Add the addresses that a page shows to those that a run keeps."""
    fresh = [*dict.fromkeys(shown_on(snapshot, origin))]
    known = {*fresh}
    both = [address for address in kept if address not in known] + fresh
    size = 0
    kept.clear()
    for address in reversed(both):
        size += len(address)
        if size > _MOST_CHARACTERS:
            break
        kept.append(address)
    kept.reverse()


def words_of_person(run: Run) -> list[str]:
    """Return the person's own words in a run: the goal, and what they answered."""
    said = [entry.text for entry in run.entries if isinstance(entry, Said) and entry.by == "person"]
    values = [done.value for done in run.done() if done.call.name == "communicate"]
    answers = [str(value.get("answer", "")) for value in values if isinstance(value, Mapping)]
    return [run.goal, *said, *answers]


def named_in(texts: Sequence[str], base: str) -> Iterator[str]:
    """Yield the addresses of this site that words name: `/contact`, `shop.example/contact`."""
    origin = origin_of(base)
    host = origin.partition("//")[2]
    for text in texts:
        for match in _WORD.finditer(text[:_LONGEST_WORDS]):
            word = match[0].rstrip(".:!?…")
            if "/" not in word and "." not in word:
                continue
            named = word == host or word.startswith(f"{host}/")
            full = f"{origin}{word[len(host) :]}" if named else word
            url = absolute(base, full)
            if url is not None and origin_of(url) == origin:
                yield local_part(url)


def listed_in(manifest: Manifest, base: str) -> Iterator[str]:
    """Yield the addresses of this site that its manifest lists: pages of tools, and links."""
    paths = [path for tool in manifest.tools for path in tool.behavior.paths]
    pages = [path.split("*")[0].rstrip("/") or "/" for path in paths]
    notes = [*manifest.notes, *(note for tool in manifest.tools for note in tool.notes)]
    words = [manifest.description, *(tool.description for tool in manifest.tools)]
    yield from named_in([*pages, *words, *(note.text for note in notes)], base)
