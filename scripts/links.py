"""Check the links of a built site: `python scripts/links.py FOLDER /base/`.

Each link leads to a file of the site, and its fragment to an element there. Scripts, styles,
pictures and frames come from the site itself. Links to other hosts are counted and not followed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href"}
"""The elements by which a page loads something, each with the attribute that names it."""
SAFE = ("https", "mailto", "tel")
HOST = "https://site.invalid"
FOREIGN = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//")


@dataclass
class Page(HTMLParser):
    """The links of a page, the files that it loads, and the names of its elements.

    Nothing is loaded for `data:`, which is in the page itself.
    """

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what a tag names."""
        given = {name: value or "" for name, value in attrs}
        self.names.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif LOADED.get(tag) in given and not given[LOADED[tag]].startswith("data:"):
            self.loads.append((tag, given[LOADED[tag]]))


def check(root: Path, base: str) -> int:
    """Print what leads nowhere, and the totals; return the exit code.

    Args:
        root: The folder of the site.
        base: The path of its address.
    """
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(root.rglob("*.html"))}
    totals: Counter[str] = Counter(pages=len(pages))
    wrong = []
    for path, page in pages.items():
        here = f"{HOST}{base}{path.relative_to(root).as_posix()}"
        for tag, target in [*(("a", link) for link in page.links), *page.loads]:
            url = urlsplit(urljoin(here, target))
            outside = f"{url.scheme}://{url.netloc}" != HOST
            kind = "links to other hosts" if outside else NAMES[tag]
            totals[kind] += 1
            if outside and tag != "a":
                why = "is loaded from another host"
            elif outside:
                why = (
                    "" if url.scheme in SAFE or url.hostname == "127.0.0.1" else f"is {url.scheme}"
                )
            else:
                why = unreached(pages, root, base, unquote(url.path), unquote(url.fragment))
                totals["fragments"] += bool(url.fragment)
            if why:
                wrong.append(f"{path.relative_to(root).as_posix()}: {target} {why}")
    wrong += [
        f"{path.relative_to(root).as_posix()} loads from another host"
        for path in sorted(root.rglob("*.css"))
        if FOREIGN.search(path.read_text("utf-8"))
    ]
    print("\n".join([*wrong, ", ".join(f"{number:,} {name}" for name, number in totals.items())]))
    return 1 if wrong else 0


NAMES = {
    "a": "links",
    "img": "pictures",
    "source": "pictures",
    "iframe": "frames",
    "script": "scripts",
    "link": "styles and other heads",
}


def unreached(pages: dict[Path, Page], root: Path, base: str, place: str, name: str) -> str:
    """Return why an address of the site leads nowhere, or an empty text."""
    if not place.startswith(base):
        return "leaves the site"
    path = root / place.removeprefix(base)
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return "is missing"
    return f"has no #{name}" if name and path in pages and name not in pages[path].names else ""


if __name__ == "__main__":
    raise SystemExit(check(Path(sys.argv[1]), sys.argv[2]))
