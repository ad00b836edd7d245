"""What the server knows of the site's manifest: an immutable state, swapped as a whole on a save."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from webagent_dev.config.urls import MANIFEST_NAME, MANIFEST_PATH
from webagent_dev.site.source import ManifestSource, ServedFile

if TYPE_CHECKING:
    from webagent.checks import Report


@dataclass(frozen=True, slots=True)
class SiteState:
    """The manifest at one moment: the file as it is, and the last version without errors."""

    revision: int = 0
    """Counts the versions that were read."""
    file: bytes | None = None
    """The file as it is now; None when there is none."""
    report: Report | None = None
    """What the checks say about `file`; None without a file, and until they have run."""
    good: bytes | None = None
    """The last version that had no errors; None when there never was one."""
    read_s: float = 0.0
    """When the file was read, in seconds since the epoch."""
    rules: frozenset[str] | None = None
    """The rules it is checked by; None means all."""

    @property
    def broken(self) -> bool:
        """Whether the file has errors."""
        return self.report is not None and self.report.broken

    @property
    def served(self) -> bytes | None:
        """What `/webagents.md` answers: the last good version, or else the file as it is."""
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
        """Return the state once the file holds these bytes, or is gone."""
        revision = self.revision + 1
        if file is None:
            return replace(self, revision=revision, file=None, report=None)
        report = judge(file, self.rules)
        good = self.good if report.broken else file
        return SiteState(revision, file, report, good, time.time(), self.rules)


class Site:
    """A served site: its folder, and the state that is swapped."""

    def __init__(
        self,
        root: Path,
        *,
        rules: frozenset[str] | None = None,
        source: ManifestSource | None = None,
    ) -> None:
        """Read the manifest.

        Args:
            root: Real path of the folder.
            rules: What the manifest is checked by; None means all.
            source: Where the manifest comes from; by default it lies in the folder.
        """
        self.root = root
        self._source = source or ServedFile(root)
        self.state = SiteState(file=self.read_manifest(), read_s=time.time(), rules=rules)
        """Not checked yet, so that the first page does not wait for the checks."""
        self.checked = anyio.Event()
        """Set once the checks have run for the first time."""

    def read_manifest(self) -> bytes | None:
        """Return the bytes of the manifest, None when there is none that may be served."""
        return self._source.read()

    @property
    def manifest_file(self) -> Path | None:
        """Where the manifest can be edited; None when it comes from a command or another server."""
        return self._source.file()


def judge(file: bytes, rules: frozenset[str] | None = None) -> Report:
    """Return what the checks say about the bytes of a manifest, as far as rules are wanted."""
    # A good part of the time to start; no page and no command needs it before the first check.
    from webagent.checks import check_bytes

    report = check_bytes(file, path=MANIFEST_NAME)
    if rules is None:
        return report
    kept = tuple(finding for finding in report.findings if finding.rule in rules)
    return replace(report, findings=kept)
