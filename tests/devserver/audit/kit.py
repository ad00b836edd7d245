"""A site and its files as a server sends them, for audits that ask nobody."""

from __future__ import annotations

import base64
import json
from typing import Any

from webagent.html_tags import start_tags
from webagent_dev.audit.announced_files import CATALOGUE, SKILLS, AnnouncedFiles
from webagent_dev.audit.announcements import file_findings
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles

SITE = "https://shop.example"
LLMS = (
    "# Shop\n\n> Books by post.\n\n## Pages\n\n- [Search](https://shop.example/search): all books\n"
)
ENTRY: dict[str, Any] = {
    "identifier": "urn:air:shop.example:shop:books",
    "displayName": "Books",
    "type": "application/mcp-server-card+json",
    "url": "https://shop.example/card.json",
    "representativeQueries": ["find a book", "order a book"],
}
META = "<meta name=webagents-md content=/webagents.md>"


def sent(path: str, body: str = "", status: int = 200, **headers: str) -> FetchedFile:
    """Return an answer of the site."""
    given = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return FetchedFile(SITE + path, SITE + path, status, given, body.encode())


def site(body: str = META, *, manifest: bool = True, **headers: str) -> SiteFiles:
    """Return a page with its manifest."""
    page = sent("/", body, **headers)
    own = sent("/webagents.md") if manifest else None
    return SiteFiles(page, tuple(start_tags(body)), own, (), None)


def missing(path: str) -> FetchedFile:
    """Return the answer for what is not there."""
    return sent(path, status=404)


def announced(**files: Any) -> AnnouncedFiles:
    """Return the files that a site has, but for those that are given, none."""
    none: dict[str, Any] = {
        "llms": missing("/llms.txt"),
        "robots": missing("/robots.txt"),
        "catalogue": missing(CATALOGUE),
        "catalogue_signals": (),
        "skills": missing(SKILLS),
        "skill_files": {},
        "twin": sent("/", "<p>Shop", content_type="text/html"),
    }
    return AnnouncedFiles(**(none | files))


def catalogue(
    *entries: Any, signals: tuple[str, ...] = ("the page",), **keys: Any
) -> AnnouncedFiles:
    """Return the files of a site with a catalogue."""
    text = json.dumps({"specVersion": "1.0", "entries": [*entries]} | keys)
    return announced(catalogue=sent(CATALOGUE, text), catalogue_signals=signals)


def token(**payload: Any) -> str:
    """Return a token for a trial; its signature is nobody's."""
    text = json.dumps({"origin": f"{SITE}:443", "feature": "WebMCP"} | payload).encode()
    return base64.b64encode(b"\x03" + bytes(64) + len(text).to_bytes(4) + text).decode()


def rules(files: AnnouncedFiles | None = None, *, of: SiteFiles | None = None) -> list[str]:
    """Return the rules of the findings."""
    return [one.finding.rule for one in file_findings(of or site(), files or announced())]
