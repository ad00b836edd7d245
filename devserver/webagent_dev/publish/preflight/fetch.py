"""The files of a published site: page, manifest and scripts of the agent, as they are served."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from webagent.html_tags import StartTag, start_tags
from webagent.source import Source, Span
from webagent.urls import absolute
from webagent_site.config.urls import MODEL_OPTIONS, model_url
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    import httpx

    from webagent_dev.config.saved_sessions import SavedSession

MOST_BYTES = 5_000_000
MOST_S = 60.0
"""How long an answer may take as a whole."""
MOST_SCRIPTS = 20
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """One answer: its head as text, so that findings have a place, and its body."""

    requested_url: str
    url: str
    """After redirects."""
    status: int
    headers: tuple[tuple[str, str], ...]
    """Names in lower case."""
    body: bytes

    @property
    def head(self) -> Source:
        """The status and the headers, one a line."""
        lines = [f"HTTP {self.status}", *(f"{name}: {value}" for name, value in self.headers)]
        return Source("\n".join(lines), path=f"{self.url} (headers)")

    @property
    def html(self) -> Source:
        """The body as a page."""
        return Source(self.body.decode("utf-8", "replace"), path=self.url)

    @property
    def is_local(self) -> bool:
        """Whether the server is of this machine."""
        host = urlsplit(self.url).hostname or ""
        return host in _LOCAL or host.endswith(".localhost")

    def header(self, name: str) -> str:
        """Return the values of a header, joined by commas; empty without it."""
        return ", ".join(value for key, value in self.headers if key == name)

    def span(self, name: str) -> Span:
        """Return the place of a header in the head, or of the status without it."""
        start = 0
        for line in self.head.text.split("\n"):
            if line.startswith(f"{name}:"):
                return Span(start, start + len(line))
            start += len(line) + 1
        return Span(0, len(f"HTTP {self.status}"))


@dataclass(frozen=True, slots=True)
class Script:
    """A script of the agent that a page names, and the file at its address."""

    tag: StartTag
    name: str
    """The file: `webagent.js`."""
    file: FetchedFile


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The files that agents need, as the server sends them."""

    page: FetchedFile
    tags: tuple[StartTag, ...]
    manifest: FetchedFile | None
    """None for a page without one."""
    scripts: tuple[Script, ...]
    sandbox: FetchedFile | None
    """The file in which programs run, None without an agent."""

    @property
    def has_agent(self) -> bool:
        """Whether the page has the agent's script."""
        return any(script.name == "webagent.js" for script in self.scripts)

    @property
    def model_options(self) -> Sequence[str]:
        """The values of `data-llm` and `data-llm-fallback`; empty where the page has none."""
        tags = (script.tag for script in self.scripts if script.name == "webagent.js")
        tag = next(tags, None)
        attributes = tag.attributes if tag else {}
        return [attributes.get(f"data-{name}", "") for name in MODEL_OPTIONS]

    @property
    def models(self) -> Sequence[str]:
        """Where the page asks its model and the fallback: addresses, or nothing of that kind."""
        return list(map(model_url, self.model_options))


NAMES = frozenset(("webagent.js", "global.js", "modelcontext.js", "components.js"))
"""The scripts of the bundle that a page may name."""


async def fetch_site(
    page_url: str,
    manifest_url: str | None,
    client: httpx.AsyncClient | None = None,
    session: SavedSession | None = None,
) -> SiteFiles:
    """Ask for everything that a visitor's browser would ask for first.

    Args:
        page_url: Address of the page.
        manifest_url: Address of its manifest; None without one.
        client: Asks for these two; by default one that follows redirects anywhere.
        session: The visitor that the default client asks for; None for one who is new.

    Raises:
        UsageError: The server does not answer.
    """
    import httpx

    async def identify(request: httpx.Request) -> None:
        # For each redirect too: httpx itself would send cookies to hosts below theirs.
        if session and (cookies := session.cookie_header(str(request.url))):
            request.headers["cookie"] = cookies

    hooks = {"request": [identify]}
    async with httpx.AsyncClient(timeout=30, follow_redirects=True, event_hooks=hooks) as own:
        page = await fetch_file(client or own, page_url)
        tags = tuple(start_tags(page.html.text))
        manifest = await fetch_file(client or own, manifest_url) if manifest_url else None
        scripts: list[Script] = []
        for tag in tags:
            name = _name(tag)
            url = absolute(page.url, tag.attributes.get("src", ""))
            if tag.name == "script" and name in NAMES and url and len(scripts) < MOST_SCRIPTS:
                scripts.append(Script(tag, name, await fetch_file(own, url)))
        agent = next((s.file for s in scripts if s.name == "webagent.js"), None)
        there = agent is not None and agent.status == 200
        sandbox = (
            await fetch_file(own, urljoin(agent.url, "sandbox.html")) if agent and there else None
        )
    return SiteFiles(page, tags, manifest, tuple(scripts), sandbox)


def _name(tag: StartTag) -> str:
    try:
        return urlsplit(tag.attributes.get("src", "").strip()).path.rsplit("/", 1)[-1]
    except ValueError:
        # Browsers load nothing from there.
        return ""


async def fetch_file(
    client: httpx.AsyncClient, url: str, method: str = "GET", **request: Any
) -> FetchedFile:
    """Return an answer, its body up to a limit.

    Args:
        client: Sends the request.
        url: Its address.
        method: Its method.
        **request: What else httpx takes: `headers`, `content`.

    Raises:
        UsageError: The server does not answer.
    """
    import httpx

    try:
        async with asyncio.timeout(MOST_S), client.stream(method, url, **request) as answer:
            body = bytearray()
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > MOST_BYTES:
                    break
    # A host in a redirect that cannot be a name is a `ValueError`.
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
        raise UsageError(
            f"`{url}` cannot be fetched - {error or type(error).__name__} - "
            "check the address, and whether the server runs"
        ) from None
    # A cookie is the visitor's own, and no finding is about one.
    headers = tuple(
        (name.lower(), value)
        for name, value in answer.headers.multi_items()
        if name.lower() != "set-cookie"
    )
    return FetchedFile(url, str(answer.url), answer.status_code, headers, bytes(body))
