"""Pages that Playwright drives, for agents outside the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webagent.page.playwright.page import PlaywrightPage

__all__ = ["PlaywrightPage"]


def __getattr__(name: str) -> object:
    """Import the page when it is used; the sandbox in this package needs less."""
    if name != "PlaywrightPage":
        raise AttributeError(f"module `webagent.page.playwright` has no attribute `{name}`")
    from webagent.page.playwright.page import PlaywrightPage

    globals()[name] = PlaywrightPage
    return PlaywrightPage
