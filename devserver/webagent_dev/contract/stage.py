"""Where tools are proven: the port through which the prover gets pages, one fresh page at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from webagent.page.port import Page
from webagent_dev.testing.contract.noise import Noise


class Scene(Protocol):
    """One open page of the site."""

    @property
    def page(self) -> Page:
        """The page, as core sees it."""

    async def own_functions(self) -> Sequence[str]:
        """Return the names of the functions that the site's author seems to have written."""

    async def parameter_names(self, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the names of the parameters of functions, where their source text can be read."""

    async def watch(self, names: Sequence[str]) -> None:
        """Have it heard from now on when one of these functions throws what is no `Error`."""

    async def noise(self) -> list[Noise]:
        """Return what was heard since this was asked last."""

    async def settle(self) -> None:
        """Wait until what the last call has put into the page has had its effect."""


class Stage(Protocol):
    """Opens pages of a site; what visitors keep in their browser is empty in each."""

    async def open(self, path: str = "") -> Scene:
        """Open a fresh page instead of the last one.

        Args:
            path: Path of the page; empty for the first page of the site.

        Raises:
            Misuse: It cannot be opened.
        """

    async def reset(self) -> None:
        """Put the site's own data back to where they were before a writing tool was called.

        Raises:
            Misuse: What is configured for that failed.
        """
