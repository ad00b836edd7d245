"""What the development server sends to pages, besides calls: a closed union.

The page has the same union in TypeScript; the examples in `tests/cases/messages.json` hold for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from webagent_site.config.urls import MANIFEST_NAME, MANIFEST_PATH

if TYPE_CHECKING:
    from webagent_dev.site.state import Site, SiteState

SOCKET_MESSAGE_BYTES = 16 << 20
"""Limit of a message of a site's own WebSocket that is passed on to the upstream, or from it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of every connection."""

    type: ClassVar[str] = "hello"
    version: str
    """Version of the server; a page of another version has to reload."""
    build: str
    """Build of the page bundle that is served, empty when there is none."""
    manifest_path: str | None
    """URL path of the manifest, null when the site has none."""
    seq: int
    """Number of the latest broadcast."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of the checks in the manifest as it is now."""

    type: ClassVar[str] = "findings"
    path: str
    revision: int
    findings: list[dict[str, Any]]
    lines: dict[str, str]
    """Text of each line that a finding starts on, by its 1-based number."""
    editable: bool
    """Whether the manifest is a file that an editor can open, through `/__webagent__/editor`."""


@dataclass(frozen=True, slots=True)
class ManifestChanged:
    """A new manifest without errors."""

    type: ClassVar[str] = "manifest"
    path: str
    """URL path of the manifest."""
    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class StylesheetChanged:
    """A stylesheet to swap without a reload."""

    type: ClassVar[str] = "css"
    path: str
    """URL path of the stylesheet."""


@dataclass(frozen=True, slots=True)
class Reload:
    """The page must load itself again."""

    type: ClassVar[str] = "reload"
    reason: str
    path: str | None
    """URL path of the file that changed, if it is one file."""


ServerMessage = Hello | Findings | ManifestChanged | StylesheetChanged | Reload


def findings_message(state: SiteState, *, editable: bool = True) -> Findings:
    """Return what the checks say about the manifest file.

    Args:
        state: Of the manifest.
        editable: Whether it is a file that an editor can open.
    """
    lines: dict[str, str] = {}
    findings: list[dict[str, Any]] = []
    if state.report:
        # Imported late: a report means that the language is loaded.
        from webagent.diagnostics import finding_dict

        source = state.report.source
        for finding in state.report.findings:
            number = source.position(finding.span.start).line
            lines[str(number)] = source.line(number)
            findings.append(finding_dict(finding, source))
    return Findings(
        path=MANIFEST_NAME,
        revision=state.revision,
        findings=findings,
        lines=lines,
        editable=editable,
    )


def current_findings(site: Site) -> Findings:
    """Return what the checks say about the manifest of a site as it is now."""
    return findings_message(site.state, editable=site.manifest_file is not None)


def manifest_message(state: SiteState) -> ManifestChanged:
    """Return the last version of the manifest without errors; there has to be one."""
    assert state.good is not None
    return ManifestChanged(
        path=MANIFEST_PATH, revision=state.revision, text=state.good.decode("utf-8")
    )
