"""The announcements of a site that is being developed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, request_response
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent.html_tags import start_tags
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.state import Site
from webagent_dev.site.tree import is_html, site_files
from webagent_site.http.first_answer import first_answer
from webagent_site.http.html_head import is_document
from webagent_site.http.markdown_twin import page_text
from webagent_site.publish.announced_files import ANNOUNCED_PATHS, AnnouncedFiles

if TYPE_CHECKING:
    from webagent.announcements.llms_txt import SitePage

_NOT_LISTED = ("404.html", "200.html")
"""Pages that hosts answer with where there is no other."""


class Announced:
    """The files that a server makes of the manifest and the pages."""

    def __init__(self, config: ServeConfig, site: Site) -> None:
        """Make them for one site."""
        self._config = config
        self._site = site
        self._files = AnnouncedFiles(self._made, config.announce, lambda: site.state.read_s)

    def routes(self, theirs: ASGIApp) -> list[BaseRoute]:
        """Return the routes; the answer of the site comes first.

        Args:
            theirs: Answers with the site's own files.
        """
        ours = request_response(self._answer)

        class Endpoint:
            async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
                await first_answer(theirs, ours, scope, receive, send)

        wanted = filter(self._files.has, ANNOUNCED_PATHS)
        return [Route(path, Endpoint(), methods=["GET"]) for path in wanted]

    async def _answer(self, request: Request) -> Response:
        self._files.forget()
        return await run_sync(self._files.response, request, request.scope["path"])

    def _made(self, base: str) -> dict[str, bytes]:
        # The checks that this needs take a good part of the start to load.
        from webagent import parse
        from webagent.announcements.files import announcement_files
        from webagent.announcements.llms_txt import named_pages

        served = self._site.state.served
        if served is None:
            return {}
        manifest = parse(served.decode("utf-8", "replace"))
        files = site_files(self._site.root, self._site.allow_files)
        pages = [] if self._config.proxy else list(listed_pages(dict(files)))
        return announcement_files(
            manifest,
            base,
            pages or named_pages(manifest),
            self._config.announce,
            has_card=self._config.doors != "off",
        )


def listed_pages(files: Mapping[str, Path]) -> Iterable[SitePage]:
    """Yield the pages of a folder, the first one first, without those that are not to be found."""
    from webagent.announcements.llms_txt import SitePage
    from webagent.page_markdown import page_summary

    for name in sorted(files, key=lambda name: (name != "index.html", name)):
        if not is_html(name) or name in _NOT_LISTED:
            continue
        page = files[name].read_bytes()
        if not is_document(page):
            continue
        text = page_text(page)
        if not _is_hidden(text):
            title, description = page_summary(text)
            path = name.removesuffix("index.html") if name.endswith("index.html") else name
            yield SitePage(quote(path), title or name, description)


def _is_hidden(page: str) -> bool:
    """Whether a page asks not to be found."""
    return any(
        tag.attributes.get("name", "").strip().lower() == "robots"
        and "noindex" in tag.attributes.get("content", "").lower()
        for tag in start_tags(page)
        if tag.name == "meta"
    )
