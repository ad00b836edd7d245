"""What the browser asks for while it looks for packages: files of the bundle, wheels, the index."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.request import Request, urlopen

from webagent_dev.content_types import content_type
from webagent_dev.http.paths import Kind, locate

if TYPE_CHECKING:
    from playwright.async_api import Route

ADDRESS = "http://localhost:7358/"
"""Where the bundle seems to be; nothing listens there."""
_WHEELS = "wheels/"
_FETCH_S = 60.0
_OPEN = {"access-control-allow-origin": "*", "access-control-allow-headers": "*"}


class Sources:
    """Answers a browser, and keeps the wheels that it was given.

    The package index is asked from here, not by the browser: with the certificates and the proxy that
    Python programs of this machine use.
    """

    def __init__(self, bundle: Path, wheels: list[Path]) -> None:
        self._bundle = bundle
        self._local = {f"{ADDRESS}{_WHEELS}{wheel.name}": wheel for wheel in wheels}
        self.wheels: dict[str, bytes] = {}
        """What the browser has fetched, by address."""
        self.unreachable: dict[str, str] = {}
        """Hosts that gave no answer, and why."""

    @property
    def local(self) -> list[str]:
        """Addresses of the wheels of this machine."""
        return list(self._local)

    async def answer(self, route: Route) -> None:
        """Hand the browser what it asked for."""
        url = urldefrag(route.request.url)[0]
        if url == ADDRESS:
            await route.fulfill(body="<!doctype html>", content_type="text/html")
        elif url in self._local:
            body = await asyncio.to_thread(self._local[url].read_bytes)
            self.wheels[url] = body
            await route.fulfill(body=body, content_type="application/octet-stream")
        elif url.startswith(ADDRESS):
            await self._file(route, url)
        else:
            await self._elsewhere(route, url)

    async def _file(self, route: Route, url: str) -> None:
        located = locate(self._bundle, unquote(urlsplit(url).path))
        if located.kind is not Kind.FILE:
            await route.fulfill(status=404, body="There is no such file.")
            return
        body = await asyncio.to_thread(located.path.read_bytes)
        await route.fulfill(body=body, content_type=content_type(located.path.name, body[:1024]))

    async def _elsewhere(self, route: Route, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" or route.request.method != "GET":
            await route.abort()
            return
        accept = route.request.headers.get("accept", "*/*")
        try:
            status, kind, body = await asyncio.to_thread(_fetch, url, accept)
        except OSError as error:
            reason = error.reason if isinstance(error, URLError) else error
            self.unreachable[parts.hostname or ""] = str(reason)
            await route.abort()
            return
        if status == 200 and parts.path.endswith(".whl"):
            self.wheels[url] = body
        await route.fulfill(status=status, headers={**_OPEN, "content-type": kind}, body=body)


def _fetch(url: str, accept: str) -> tuple[int, str, bytes]:
    """Return status, content type and body of an answer."""
    request = Request(url, headers={"accept": accept})  # noqa: S310 - https, as was looked at
    try:
        with urlopen(request, timeout=_FETCH_S) as answer:  # noqa: S310
            return answer.status, answer.headers.get("content-type", ""), answer.read()
    except HTTPError as error:
        return error.code, error.headers.get("content-type", ""), error.read()
