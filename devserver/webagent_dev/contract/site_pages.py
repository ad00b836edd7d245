"""The pages of a site, found by following its links, and the tools that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from webagent.errors import ToolError
from webagent.registry.catalogue import wrong_path
from webagent_dev.contract.session import PageSession
from webagent_dev.extract.crawl import Queue
from webagent_site.errors import UsageError

_MOST = 15
"""Pages that are opened in search of one that a pattern means, or that has a tool."""

_LATE_S = 1.0
"""How long the tools that are looked for may take to be there on each page."""


@dataclass(slots=True)
class _Crawl:
    """The pages that one kind of visitor has reached."""

    queue: Queue
    tools: dict[str, frozenset[str]] = field(default_factory=dict)
    """The names of the tools of each page, by its path."""
    opened: int = 0


class SitePages:
    """Finds the page for a tool: by an example of its author's, else by following links."""

    def __init__(
        self,
        session: Callable[[], PageSession],
        examples: Mapping[str, str],
        wanted: Callable[[], Collection[str]],
    ) -> None:
        """Find pages.

        Args:
            session: Returns a session to the site; no page is open in it yet.
            examples: The path of a page, by the pattern that it is an example of.
            wanted: Returns the names of the tools that no page was seen to have yet.
        """
        self._session = session
        self._examples = examples
        self._wanted = wanted
        self._crawls: dict[bool, _Crawl] = {}

    async def matching(self, patterns: Sequence[str], name: str, *, signed_in: bool) -> str | None:
        """Return the path of a page that patterns mean, None if there is none to be found.

        Of several, one that has the tool of a name.
        """
        for pattern in patterns:
            if pattern in self._examples:
                return self._examples[pattern]
        plain = [pattern for pattern in patterns if "*" not in pattern]
        if plain or not patterns or any(pattern in ("*", "/*", "/**") for pattern in patterns):
            return plain[0] if plain else ""

        def is_meant(path: str) -> bool:
            return wrong_path("", [*patterns], urlsplit(path).path) is None

        found = await self._find(lambda path, names: is_meant(path) and name in names, signed_in)
        # Perhaps the tool is late, or missing there.
        return found or await self._find(lambda path, _: is_meant(path), signed_in)

    async def having(self, name: str, *, signed_in: bool) -> str | None:
        """Return the path of a page that has a tool, None if no page is found that does."""
        return await self._find(lambda _, names: name in names, signed_in)

    async def _find(
        self, is_meant: Callable[[str, frozenset[str]], bool], signed_in: bool
    ) -> str | None:
        crawl = self._crawls.get(signed_in)
        if crawl is not None:
            for path, names in crawl.tools.items():
                if is_meant(path, names):
                    return path
        session = self._session()
        while crawl is None or crawl.opened < _MOST:
            if crawl is None:
                crawl = self._crawls[signed_in] = _Crawl(Queue(""))
                path = ""
            elif (url := crawl.queue.next()) is not None:
                path = _path_of(url)
            else:
                return None
            read = await self._read(session, crawl, path, signed_in)
            if read is not None and is_meant(path, read):
                return path
        return None

    async def _read(
        self, session: PageSession, crawl: _Crawl, path: str, signed_in: bool
    ) -> frozenset[str] | None:
        """Open a page; return the names of its tools, and add its links to those to follow."""
        crawl.opened += 1
        try:
            await session.open(path, signed_in=signed_in)
            await session.until_there(*self._wanted(), late_s=_LATE_S if path else 0.0)
        except (UsageError, ToolError):
            return None
        address = await session.open_page.address()
        if not path:
            crawl.queue = Queue(address)
            crawl.queue.next()
        crawl.queue.add(await session.open_page.links(), address)
        names = frozenset(
            binding.name for binding in session.registry.list() if binding.problem is None
        )
        crawl.tools[path] = names
        return names


def _path_of(url: str) -> str:
    return urlsplit(url)._replace(scheme="", netloc="").geturl()
