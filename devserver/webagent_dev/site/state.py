"""The state of the site's manifest: immutable, and replaced as a whole on a save."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from webagent_dev.site.source import ManifestSource, ServedFile
from webagent_site.config.urls import MANIFEST_NAME, MANIFEST_PATH
from webagent_site.http.paths import Located, locate, shown

if TYPE_CHECKING:
    from webagent.checks import Report


@dataclass(frozen=True, slots=True)
class SiteState:
    """The manifest at one moment: the file, its findings, and the last version without errors."""

    revision: int = 0
    """The number of versions that were read."""
    file: bytes | None = None
    """The content of the file; None without a file."""
    report: Report | None = None
    """The findings on `file`; None without a file, and until the checks have run."""
    good: bytes | None = None
    """The last version without errors; None if there was none."""
    read_s: float = 0.0
    """When the file was read, in seconds since the epoch."""
    rules: frozenset[str] | None = None
    """The rules that it is checked by; None for all."""

    @property
    def broken(self) -> bool:
        """Whether the file has errors."""
        return self.report is not None and self.report.broken

    @property
    def served(self) -> bytes | None:
        """The content of `/webagents.md`: the last good version, or else the file as it is."""
        return self.file if self.good is None else self.good

    @property
    def stale(self) -> bool:
        """Whether what is served is older than the file."""
        return self.good is not None and self.good != self.file

    @property
    def manifest_path(self) -> str | None:
        """URL path of the manifest, None when the site has none."""
        return None if self.served is None else MANIFEST_PATH

    def after(self, file: bytes | None) -> SiteState:
        """Return the next state, after the file was saved or removed."""
        revision = self.revision + 1
        if file is None:
            return replace(self, revision=revision, file=None, report=None)
        report = check_manifest(file, self.rules)
        good = self.good if report.broken else file
        return SiteState(revision, file, report, good, time.time(), self.rules)


class Site:
    """A served site: its folder, and the state of its manifest."""

    def __init__(
        self,
        root: Path,
        *,
        rules: frozenset[str] | None = None,
        source: ManifestSource | None = None,
        allow_files: Sequence[str] = (),
    ) -> None:
        """Read the manifest.

        Args:
            root: Real path of the folder.
            rules: The rules that the manifest is checked by; None for all.
            source: Where the manifest comes from; by default from the folder.
            allow_files: The files that are served whatever their names.
        """
        self.root = root
        self.allow_files = tuple(allow_files)
        self._source = source or ServedFile(root)
        self.state = SiteState(file=self.read_manifest(), read_s=time.time(), rules=rules)
        """At first without findings, so that the first page does not wait for the checks."""
        self.checked = asyncio.Event()
        """Set once the checks have run for the first time."""

    def locate(self, url_path: str) -> Located:
        """Return what a decoded URL path leads to in the folder."""
        return locate(self.root, url_path, self.allow_files)

    def read_manifest(self) -> bytes | None:
        """Return the bytes of the manifest, None when there is no manifest that may be served."""
        return self._source.read()

    @property
    def manifest_file(self) -> Path | None:
        """The file in which the manifest can be edited; None if it comes from elsewhere."""
        return self._source.file()

    @property
    def manifest_name(self) -> str:
        """The path of that file from the folder, as people see it; empty without a manifest."""
        file = self.manifest_file
        if file and file.is_relative_to(self.root):
            return shown(self.root, file)
        return MANIFEST_NAME if self.state.file is not None else ""

    @property
    def manifest_places(self) -> list[str]:
        """Where the manifest is looked for, as people see it."""
        return self._source.places()


def check_manifest(file: bytes, rules: frozenset[str] | None = None) -> Report:
    """Return the findings on a manifest, only those of some rules if they are given."""
    # The checks take a good part of the start to load; nothing needs them before the first check.
    from webagent.checks import check_bytes

    report = check_bytes(file, path=MANIFEST_NAME)
    if rules is None:
        return report
    kept = tuple(finding for finding in report.findings if finding.rule in rules)
    return replace(report, findings=kept)
