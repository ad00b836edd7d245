"""Pages as they go live: the tag of the manifest, and the scripts of the agent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

from webagent.discovery import NAME, announced_in_html
from webagent.html_tags import StartTag, start_tags
from webagent.site import meta_tag
from webagent_site.config.urls import CONTROL_PATH, MANIFEST_PATH
from webagent_site.http.html_head import text_of, with_lines
from webagent_site.http.html_inject import byte_order_mark
from webagent_site.publish.published_bundle import PublishedBundle

_OURS = re.compile(
    rf"{CONTROL_PATH}/((?:components|dom|global|modelcontext|screenshot|webagent)\.js)(?=[\"'`])".encode()
)
"""Where the development server has the scripts that a site may ask for by itself."""

_ADDRESSES = ("href", "src", "action")


class OwnTools(Protocol):
    """Gives pages the script of an application's own tools."""

    def tag(self, base: str, nonce: str) -> str:
        """Return the tag that loads it."""


@dataclass(frozen=True, slots=True)
class Publication:
    """How the pages of one site are published."""

    base: str
    """Path under which the site is served, with a slash at both ends."""
    bundle: PublishedBundle
    has_manifest: bool
    uses_model_context: bool
    """Whether scripts of the site offer tools on `document.modelContext`."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Attributes of the page's script, without `data-`."""
    tools: OwnTools | None = None
    """Tools that are functions of the site's application."""
    by_account: bool = False
    """Whether the options differ by the account of the visitor."""
    catalog: str = ""
    """Where its AI Catalog is, below the base, for pages that name it; empty without."""

    def scripts(self, nonce: str | None = None, announced: str | None = None) -> Sequence[str]:
        """Return the tags of the agent, in the order in which a page must have them.

        Args:
            nonce: The nonce that scripts need by the policy of the page, None if they need none.
            announced: The address of the manifest that the page names itself.
        """
        allowed = f' nonce="{_ascii(nonce)}"' if nonce else ""
        names = ["global.js", "modelcontext.js"] if self.uses_model_context else ["global.js"]
        manifest = announced or self._manifest
        named = {"manifest": manifest} if self.has_manifest else {}
        data = "".join(
            f' data-{name}="{_ascii(value)}"'
            for name, value in (named | dict(self.options)).items()
        )
        module = (
            f'<script type="module" src="{self._url("webagent.js")}"'
            f"{self._hash('webagent.js')}{allowed}"
        )
        return [
            *(
                f'<script src="{self._url(name)}"{self._hash(name)}{allowed}></script>'
                for name in names
            ),
            *([self.tools.tag(self.base, nonce or "")] if self.tools else []),
            f"{module}{data}></script>",
        ]

    def loads_tools_from(self, path: str) -> bool:
        """Whether a path is that of the script of the application's own tools."""
        return self.tools is not None and f'"{path}"' in self.tools.tag(self.base, "")

    def page(self, page: bytes) -> bytes:
        """Return a page as it goes live."""
        page = self._rebased(page)
        return with_lines(page, self.lines(page))

    def lines(self, page: bytes, nonce: str | None = None) -> Sequence[str]:
        """Return the tags that a page lacks; none where it has those of the agent by itself.

        Args:
            page: An HTML document, or its beginning.
            nonce: The nonce that scripts need by the policy of the page, None if they need none.
        """
        text = text_of(page)
        module = self._url("webagent.js")
        # Reading all tags of a large page takes longer than everything else.
        if module in text and any(
            tag.name == "script" and tag.attributes.get("src", "").strip() == module
            for tag in start_tags(text)
        ):
            return ()
        announced = announced_in_html(text) if NAME in text.lower() else None
        lines = list(self.scripts(nonce, announced))
        if self.has_manifest and not announced:
            lines.insert(0, meta_tag(self._manifest))
        if self.catalog:
            lines.insert(0, f'<link rel="ai-catalog" href="{self.base}{self.catalog}">')
        return lines

    def with_published_urls(self, code: bytes) -> bytes:
        """Return a script or a page with the addresses of our scripts in production."""
        there = f"{self.base}{self.bundle.folder}".encode()
        return _OURS.sub(lambda match: there + match[1], code)

    def urls_outside_base(self, page: bytes) -> list[str]:
        """Return the addresses in a page that begin at the root, outside of the base."""
        found = []
        for tag in start_tags(text_of(page)):
            for name in _ADDRESSES:
                value = tag.attributes.get(name, "").strip()
                if self._is_outside_base(value) and not _announces(tag):
                    found.append(value)
        return found

    def _rebased(self, page: bytes) -> bytes:
        """Let the tag that announces the manifest name where it will be."""
        if self.base == "/":
            return page
        mark, codec = byte_order_mark(page)
        wide = codec if codec and codec.startswith("utf-16") else "latin-1"
        text = text_of(page)
        for tag in filter(_announces, start_tags(text)):
            address = tag.attributes.get("content" if tag.name == "meta" else "href", "").strip()
            if not self._is_outside_base(address):
                continue
            written = re.compile(rf"=\s*[\"']?\s*{re.escape(address)}")
            if found := written.search(text, tag.start, tag.end):
                start = found.end() - len(address)
                changed = f"{text[:start]}{self.base}{address[1:]}{text[found.end() :]}"
                return page[:mark] + changed.encode(wide)
        return page

    def _is_outside_base(self, address: str) -> bool:
        """Whether an address begins at the root of the host, outside of the base."""
        return address.startswith("/") and not address.startswith(("//", self.base))

    @property
    def _manifest(self) -> str:
        return self.base + MANIFEST_PATH[1:]

    def _url(self, name: str) -> str:
        return f"{self.base}{self.bundle.folder}{name}"

    def _hash(self, name: str) -> str:
        return f' integrity="{self.bundle.integrity_of(name)}"'


def _announces(tag: StartTag) -> bool:
    """Whether a tag names the manifest."""
    if tag.name == "meta":
        return tag.attributes.get("name", "").strip().lower() == NAME
    return tag.name == "link" and NAME in tag.attributes.get("rel", "").lower().split()


def _ascii(value: str) -> str:
    """Return text for an attribute of a page in any encoding."""
    return escape(value).encode("ascii", "xmlcharrefreplace").decode()
