"""The needs of an application of one page: the manifest, and an answer to deep links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from webagent.discovery import announced_in_html
from webagent.html_tags import start_tags
from webagent.types import Manifest
from webagent.urls import absolute
from webagent_dev.site.tree import is_html
from webagent_site.http.html_head import text_of
from webagent_site.http.paths import is_file_name

FALLBACKS = ("404.html", "200.html")
"""The pages that hosts answer with where there is no file: GitHub Pages and others, and Surge."""
REDIRECTS = "_redirects"

_TO_FIRST_PAGE = re.compile(
    r"^[ \t]*\S*/\*[ \t]+\S*/(?:index(?:\.html)?)?[ \t]+200\b", re.MULTILINE
)
"""A line of Netlify's, Cloudflare's and GitLab's file that answers with the first page."""
_ORIGIN = "https://site.invalid"


def missing_manifests(
    files: Mapping[str, Path], base: str, published: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield the addresses of manifests of the site that are not published, and who announces them.

    Args:
        files: The files of the site by name.
        base: Path under which it is served.
        published: The names of all files that are published.
    """
    for name, path in files.items():
        if not is_html(name):
            continue
        written = announced_in_html(text_of(path.read_bytes()))
        address = absolute(f"{_ORIGIN}/{quote(name)}", written) if written else None
        if written is None or address is None or not address.startswith(f"{_ORIGIN}/"):
            continue
        place = unquote(urlsplit(address).path)
        if published.isdisjoint((place.removeprefix("/"), place.removeprefix(base))):
            yield written, name


def deep_links(manifest: Manifest, names: frozenset[str]) -> list[str]:
    """Return the paths of tools that no file of the site answers."""
    paths = {path for tool in manifest.tools for path in tool.behavior.paths}
    return sorted(path for path in paths if not is_file_name(path) and not _is_there(path, names))


def has_fallback(files: Mapping[str, Path]) -> bool:
    """Whether a file of the site has its host answer deep links with the first page."""
    if (rules := files.get(REDIRECTS)) and _TO_FIRST_PAGE.search(
        rules.read_text("utf-8", "replace")
    ):
        return True
    first = files.get("index.html")
    scripts = set(_scripts(first)) if first else set()
    # A page that only says that something is missing has other scripts, or no script.
    return any(
        bool(scripts) and scripts <= set(_scripts(files[name]))
        for name in FALLBACKS
        if name in files
    )


def relative_script(files: Mapping[str, Path]) -> str | None:
    """Return a script of the first page whose address means another file at a deep link."""
    if (first := files.get("index.html")) is None:
        return None
    if any(tag.name == "base" for tag in start_tags(text_of(first.read_bytes()))):
        return None
    return next(
        (s for s in _scripts(first) if not s.startswith("/") and not urlsplit(s).scheme), None
    )


def _scripts(page: Path) -> list[str]:
    tags = start_tags(text_of(page.read_bytes()))
    addresses = (tag.attributes.get("src", "").strip() for tag in tags if tag.name == "script")
    return [address for address in addresses if address]


def _is_there(path: str, names: frozenset[str]) -> bool:
    """Whether a file answers a path; for one with `*`, any page below what comes before it."""
    plain = path.strip("/")
    if "*" in plain:
        start = plain.partition("*")[0]
        return any(is_html(n) and n.startswith(start) for n in names if n != "index.html")
    return not plain or not names.isdisjoint((plain, f"{plain}.html", f"{plain}/index.html"))
