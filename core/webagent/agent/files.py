"""The files of a session: what the person gave, and pictures that were taken."""

from __future__ import annotations

from collections.abc import Iterable

from webagent.agent.person import GivenFile

_MOST = 50


class Files:
    """Files by name, in memory only: they do not outlive the page."""

    def __init__(self) -> None:
        """Start with none."""
        self._given: dict[str, GivenFile] = {}
        self._pictures: dict[str, GivenFile] = {}

    def give(self, files: Iterable[GivenFile]) -> None:
        """Take what the person gave."""
        for file in files:
            self._given[file.name] = file
            while len(self._given) > _MOST:
                del self._given[next(iter(self._given))]

    def get(self, name: str) -> GivenFile | None:
        """Return a file that the person gave."""
        return self._given.get(name)

    @property
    def names(self) -> list[str]:
        """The names of the files that the person gave."""
        return [*self._given]

    def picture(self, data: bytes) -> str:
        """Keep a PNG file; return the name by which it is found again."""
        name = f"screenshot-{len(self._pictures) + 1}.png"
        self._pictures[name] = GivenFile(name, "image/png", data)
        return name

    def find_picture(self, name: str) -> GivenFile | None:
        """Return a picture by its name."""
        return self._pictures.get(name)

    @property
    def pictures(self) -> tuple[GivenFile, ...]:
        """All pictures, in the order in which they were taken."""
        return tuple(self._pictures.values())

    def forget_pictures(self) -> None:
        """Drop the pictures of an earlier run."""
        self._pictures.clear()
