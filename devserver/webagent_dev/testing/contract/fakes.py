"""A stage of Python functions, for tests of the prover and for trying it without a browser."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from webagent.page.fakes import FakePage
from webagent_dev.testing.contract.noise import Noise


class FakeScene:
    """An open page made of a `FakePage`."""

    def __init__(self, page: FakePage, heard: list[Noise]) -> None:
        """Take a page, and a list into which its functions write what is to be heard of them."""
        self.page = page
        self.heard = heard
        self.watched: list[str] = []

    async def own_functions(self) -> Sequence[str]:
        """Return the names of all its functions, and of those that it says nobody declared."""
        return [*self.page.functions, *self.page.undeclared]

    async def parameter_names(self, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the names that the Python functions have for their parameters."""
        functions = {
            name: self.page.functions[name] for name in names if name in self.page.functions
        }
        return {name: [*inspect.signature(fn).parameters] for name, fn in functions.items()}

    async def watch(self, names: Sequence[str]) -> None:
        """Remember which functions are watched."""
        self.watched = [*names]

    async def noise(self) -> list[Noise]:
        """Return what was heard since the last time."""
        found = [*self.heard]
        self.heard.clear()
        return found

    async def settle(self) -> None:
        """Return at once: Python functions do all they do while they are called."""


class FakeStage:
    """Opens pages that a function makes, one for each visit.

    Attributes:
        opened: The paths that were opened.
        scene: The page that was opened last.
        resets: How often the site was put back.
    """

    def __init__(self, make: Callable[[list[Noise]], FakePage]) -> None:
        """Open pages that `make` gives; it is handed the list that noise is written into."""
        self._make = make
        self.opened: list[str] = []
        self.scene: FakeScene
        self.resets = 0

    async def open(self, path: str = "") -> FakeScene:
        """Open a new page."""
        heard: list[Noise] = []
        page = self._make(heard)
        if path:
            page.address = path
        self.opened.append(path)
        self.scene = FakeScene(page, heard)
        return self.scene

    async def reset(self) -> None:
        """Count that the site was put back."""
        self.resets += 1
