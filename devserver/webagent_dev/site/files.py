"""Serves the site itself: its files, its manifest, and a page for what does not exist."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.config.model import ServeConfig
from webagent_dev.http.pages import missing_page
from webagent_dev.site.state import Site
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.http.file_response import NO_CACHE, Content, respond
from webagent_site.http.html_inject import document_type, insertion
from webagent_site.http.markdown_twin import asks_for_markdown, page_text
from webagent_site.http.paths import (
    HTML_SUFFIXES,
    Kind,
    Located,
    content_type,
    is_file_name,
    shown,
)
from webagent_site.http.sentences import sentence, wants_html
from webagent_site.publish.announced_files import catalog_link
from webagent_site.text import printable


class Files:
    """Serves the folder of the site."""

    def __init__(self, config: ServeConfig, site: Site, live_path: Callable[[], str]) -> None:
        """Serve one site.

        Args:
            config: Where it is, and what its pages get.
            site: Its folder and the state of its manifest.
            live_path: Returns the URL path of the live channel for a page that is made now.
        """
        self._config = config
        self._site = site
        self._live_path = live_path

    async def manifest(self, request: Request) -> Response:
        """Respond with the manifest: the last version without errors, if there was one."""
        state = self._site.state
        if state.served is None:
            return sentence(
                f"there is no `{MANIFEST_NAME}` in the folder that is served - "
                "agents find only what pages offer by themselves - create the file and it is served",
                404,
            )
        headers = {"content-type": "text/markdown; charset=utf-8", "cache-control": NO_CACHE}
        if state.stale:
            headers["webagent-manifest"] = "stale"
        return respond(request, Content.of(state.served, state.read_s), headers)

    async def file(self, request: Request) -> Response:
        """Respond with the file that the path of the URL leads to."""
        path: str = request.scope["path"]
        located = await asyncio.to_thread(self._locate, path)
        if located.kind is Kind.DIRECTORY and not path.endswith("/"):
            # The path as it was sent, not decoded. The guard lets no path with two leading `/` pass.
            target = request.scope["raw_path"].decode("ascii") + "/"
            query = request.scope["query_string"].decode("ascii")
            location = f"{target}?{query}" if query else target
            return Response(
                status_code=307, headers={"location": location, "cache-control": NO_CACHE}
            )
        if located.kind is Kind.DENIED:
            return sentence(_denial(located.denied), 403)
        if located.kind is not Kind.FILE:
            return await self._missing(request, path)
        try:
            return await self._send(request, located.path)
        except FileNotFoundError:
            return await self._missing(request, path)
        except OSError as error:
            return sentence(
                f"`{shown(self._site.root, located.path)}` cannot be read - "
                f"{error.strerror or error} - change the permissions of the file",
                403,
            )

    def _locate(self, path: str) -> Located:
        """Return what a path leads to; for a folder with `/` at its end, its `index.html`."""
        located = self._site.locate(path)
        if located.kind is Kind.DIRECTORY:
            index = self._site.locate(f"{path.rstrip('/')}/index.html")
            if path.endswith("/") or index.kind is not Kind.FILE:
                return index
        return located

    async def _send(self, request: Request, path: Path, *, status: int = 200) -> Response:
        content = await asyncio.to_thread(Content.read, path)
        if path.suffix.lower() not in HTML_SUFFIXES:
            kind = content_type(path.name, content.start, whole=content.rest is None)
            headers = {"content-type": kind, "cache-control": NO_CACHE}
            return respond(request, content, headers, status=status)
        is_wanted = "markdown" in self._config.announce and content.rest is None and status == 200
        if is_wanted and asks_for_markdown(request.method, request.headers.raw):
            # Imported late: what reads pages takes a part of the start to load.
            from webagent.page_markdown import page_markdown

            page = page_text(content.start)
            url = str(request.url.replace(query=""))
            markdown = await asyncio.to_thread(page_markdown, page, url)
            if markdown is not None:
                as_markdown = Content.of(markdown.encode(), content.modified_s)
                headers = self._page_headers() | {"content-type": "text/markdown; charset=utf-8"}
                return respond(request, as_markdown, headers)
        try:
            return await asyncio.to_thread(self._document, request, content, status)
        except BaseException:
            content.close()
            raise

    def _document(self, request: Request, content: Content, status: int) -> Response:
        """Respond with a page and our tags; of a large one only the beginning is looked at."""
        page = content.start
        place, tags = insertion(
            page,
            live_path=self._live_path(),
            manifest_path=self._site.state.manifest_path,
            component_origins=self._config.component_origins,
            page_options=self._config.script_options,
            forward_console=bool(self._config.forward_console),
        )
        headers = self._page_headers() | {"content-type": document_type(page)}
        return respond(request, content.with_insertion(place, tags), headers, status=status)

    def _page_headers(self) -> dict[str, str]:
        headers = {"cache-control": NO_CACHE}
        if "markdown" in self._config.announce:
            headers["vary"] = "accept"
        if "ai-catalog" in self._config.announce and self._site.state.manifest_path:
            headers["link"] = catalog_link("/")
        return headers

    async def _missing(self, request: Request, path: str) -> Response:
        if (
            self._config.spa
            and _is_route(request, path)
            and (await asyncio.to_thread(self._site.locate, "/index.html")).kind is Kind.FILE
        ):
            return await self._send(request, self._site.root / "index.html")
        if not wants_html(request):
            return sentence("this file does not exist in the served folder", 404)
        own = await asyncio.to_thread(self._site.locate, "/404.html")
        if own.kind is Kind.FILE:
            try:
                return await self._send(request, own.path, status=404)
            except OSError:
                # It was removed just now; our own page is sent instead.
                pass
        page = missing_page(path, index=path.endswith("/"))
        return self._document(request, Content.of(page, time.time()), 404)


def _is_route(request: Request, path: str) -> bool:
    """Whether the page of an application answers a path: for people, and for programs alike.

    A script, a style or a picture that is missing stays missing.
    """
    is_program = request.headers.get("sec-fetch-dest", "empty") == "empty"
    return wants_html(request) or (is_program and not is_file_name(path))


def _denial(denied: str) -> str:
    """Return why a file is not served, and what to do if it should be."""
    if not denied:
        return (
            "this is not served - it is a link that leads out of the folder - "
            "move the file into the folder if it is part of the site"
        )
    entry = json.dumps([printable(denied, 300)], ensure_ascii=False)
    return (
        "this is not served - files with such names often hold keys or data, or are tests of the site - "
        f"if it is part of the site, write `allow_files = {entry}` under `[site]` in `webagent.toml`"
    )
