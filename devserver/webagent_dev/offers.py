"""What pages offer by themselves in a site without a manifest, told in the terminal."""

from __future__ import annotations

from typing import Any

from webagent_dev.config.model import MANIFEST_NAME
from webagent_dev.live.messages import PageRegistry
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, printable

_MOST_NAMES = 10
_MOST_REMEMBERED = 1_000
_WAYS = {"modelContext": "scripts", "form": "forms", "component": "components"}


class OfferReport:
    """Tells of each such tool once: without a manifest nothing else says that it is found."""

    def __init__(self, console: Console, site: Site) -> None:
        """Begin with nothing told."""
        self._console = console
        self._site = site
        self._told: set[str] = set()

    def hear(self, registry: PageRegistry) -> None:
        """Write one line on the tools of a page that are new."""
        if self._site.state.manifest_path is not None or len(self._told) > _MOST_REMEMBERED:
            return
        named: dict[str, str] = {}
        # Whatever a page has sent.
        tools: list[Any] = registry.tools
        for tool in tools:
            if not isinstance(tool, dict):
                continue
            name, source = tool.get("name"), tool.get("source")
            if isinstance(name, str) and isinstance(source, str) and name not in self._told:
                named[name] = source
        if not named:
            return
        self._told |= named.keys()
        names = ", ".join(f"`{printable(name, 60)}`" for name in list(named)[:_MOST_NAMES])
        more = f" and {len(named) - _MOST_NAMES} more" if len(named) > _MOST_NAMES else ""
        ways = " and ".join(sorted({_WAYS.get(way, "other ways") for way in named.values()}))
        self._console.labelled(
            "page", f"agents find {names}{more} by its {ways}, without {MANIFEST_NAME}", "green"
        )
