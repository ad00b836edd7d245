"""Copies of the bundle's files in content codings, which lie beside them since the build."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from webagent_dev.negotiation import IDENTITY, choose

SUFFIXES = {"zstd": ".zst", "br": ".br", "gzip": ".gz"}
"""The end of a copy's name by its coding, best first: browsers unpack zstd faster than brotli."""

INDEX = "bundle.json"

_State = tuple[int, int, int]


class Variants:
    """The copies that a bundle's index names.

    A copy is used only where both its bytes and those of its file are the ones that the index was
    written for: not after one of them was saved by hand, or only half copied.
    """

    def __init__(self, bundle: Path) -> None:
        self._bundle = bundle
        self._read: tuple[_State | None, Mapping[str, Mapping[str, str]]] = (None, {})
        self._digests: dict[Path, tuple[_State, str]] = {}

    def codings(self, name: str) -> list[str]:
        """Return the codings in which a file can be had, best first."""
        digests = self._index().get(name, {})
        return [coding for coding in SUFFIXES if coding in digests]

    def path(self, name: str, coding: str) -> Path | None:
        """Return a copy, None where it is not, or is not what it should be."""
        digests = self._index().get(name, {})
        original = self._bundle / name
        copy = original.with_name(original.name + SUFFIXES[coding])
        for path, digest in ((original, digests.get(IDENTITY)), (copy, digests.get(coding))):
            if digest is None or self._digest(path) != digest:
                return None
        return copy

    def chosen(self, name: str, accept_encoding: str) -> tuple[str, Path] | None:
        """Return what a client is sent, as its coding and path; None if it takes nothing there is."""
        offered = self.codings(name)
        while (coding := choose(accept_encoding, offered)) in SUFFIXES:
            if (copy := self.path(name, coding)) is not None:
                return coding, copy
            offered.remove(coding)
        return None if coding is None else (coding, self._bundle / name)

    def _index(self) -> Mapping[str, Mapping[str, str]]:
        """Return the digests of each file and its copies; read again when a build has replaced them."""
        path = self._bundle / INDEX
        try:
            state = _state(path)
            if state != self._read[0]:
                named = json.loads(path.read_text("utf-8")).get("variants", {})
                self._read = state, {name: dict(digests) for name, digests in named.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            self._read = None, {}
        return self._read[1]

    def _digest(self, path: Path) -> str | None:
        """Return the SHA-256 of a file, which is worked out once for each version of it."""
        try:
            state = _state(path)
            known = self._digests.get(path)
            if known is None or known[0] != state:
                with path.open("rb") as file:
                    known = state, hashlib.file_digest(file, "sha256").hexdigest()
                self._digests[path] = known
        except OSError:
            return None
        return known[1]


def _state(path: Path) -> _State:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino
