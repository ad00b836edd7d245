"""The report of a command, in the form and to the file that were asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webagent_dev.cli.changes import write_output
from webagent_dev.cli.options import OUTPUT_FILE, together
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent_dev.reports.content import Report

report_options = together(
    click.option(
        "--format",
        "style",
        default="full",
        show_default=True,
        type=click.Choice(["full", "json", "html", "junit"]),
        help="The form of the report: for people, for programs, as a page, for code hosts.",
    ),
    click.option(
        "-o",
        "--output",
        type=OUTPUT_FILE,
        help="The file to write the report to; the terminal then shows the outcomes too.",
    ),
)
"""The form of a report, and its file: the callback takes `style` and `output`."""


@dataclass(frozen=True, slots=True)
class ReportOutput:
    """Where a report goes, and in which form."""

    style: str = "full"
    """The value of `--format`."""
    path: Path | None = None
    """The file; None for the terminal."""

    def __post_init__(self) -> None:
        """Refuse a file for the full report.

        Raises:
            UsageError: There is a file, and no form for it.
        """
        if self.path is not None and self.style == "full":
            raise UsageError(
                "`--output` is given without a format - the full report is for the terminal - "
                "write `--format html`, `json` or `junit` too"
            )

    @property
    def is_full(self) -> bool:
        """Whether the terminal shows the outcomes."""
        return self.style == "full" or self.path is not None

    def write(
        self, data: Callable[[], Mapping[str, Any]], report: Callable[[], Report], console: Console
    ) -> None:
        """Write a report, unless it is in the terminal already.

        Args:
            data: Returns the report for programs.
            report: Returns the report for people and code hosts.
            console: The terminal.

        Raises:
            UsageError: The file cannot be written.
        """
        if self.style == "full":
            return
        text = _text(self.style, data, report)
        if self.path is None:
            console.write(text)
            return
        write_output(self.path, text)
        console.line(f"the report is in {self.path}")


FULL = ReportOutput()
"""For people, in the terminal."""


def _text(style: str, data: Callable[[], Mapping[str, Any]], report: Callable[[], Report]) -> str:
    from webagent_dev.reports.html import html_page
    from webagent_dev.reports.junit import junit_xml

    if style == "json":
        return json.dumps(data(), indent=2, ensure_ascii=False) + "\n"
    return html_page(report()) if style == "html" else junit_xml(report())
