"""The report of a command, in the forms and to the files that were asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webagent_dev.cli.changes import write_output
from webagent_dev.cli.options import OUTPUT_FILE, Decorator, together
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent_dev.reports.content import Report


def form_options(forms: Sequence[str], what: str) -> Decorator:
    """Return the options for the forms of a report, and their files.

    The callback takes `styles` and `outputs`, which `ReportOutput.of` pairs.

    Args:
        forms: The values of `--format`.
        what: The help of `--format`.
    """
    return together(
        click.option(
            "--format",
            "styles",
            multiple=True,
            default=["full"],
            show_default=True,
            type=click.Choice(forms),
            help=what,
        ),
        click.option(
            "-o",
            "--output",
            "outputs",
            multiple=True,
            type=OUTPUT_FILE,
            help="The file to write the report to; the terminal then shows the outcomes too. "
            "With several forms, the first file is for the first, and so on.",
        ),
    )


report_options = form_options(
    ["full", "json", "html", "junit", "github", "markdown"],
    "The form of the report: for people, for programs, as a page, for code hosts, as annotations "
    "and as a summary of a pull request.",
)
"""The forms of a report of tools or cases."""


@dataclass(frozen=True, slots=True)
class ReportOutput:
    """Where a report goes, and in which forms."""

    terminal: str = "full"
    """The form in the terminal."""
    files: tuple[tuple[str, Path], ...] = ()
    """Each other form, with its file."""

    @classmethod
    def of(cls, styles: Sequence[str], outputs: Sequence[Path]) -> ReportOutput:
        """Return what the options mean.

        Args:
            styles: The values of `--format`.
            outputs: The values of `--output`.

        Raises:
            UsageError: A form has no place, or a file no form.
        """
        files = tuple(zip(styles, outputs, strict=False))
        left = styles[len(files) :]
        if len(outputs) > len(styles) or any(style == "full" for style, _ in files):
            raise UsageError(
                "`--output` is given without a format - the full report is for the terminal - "
                "write `--format` with another form before each `-o`"
            )
        if len(left) > 1:
            raise UsageError(
                f"`--format {left[0]}` and `--format {left[1]}` are both for the terminal - it shows "
                "one report - write `-o FILE` behind the other"
            )
        return cls(left[0] if left else "full", files)

    @property
    def is_full(self) -> bool:
        """Whether the terminal shows the outcomes."""
        return self.terminal == "full"

    def write(self, text_of: Callable[[str], str], console: Console) -> None:
        """Write a report, unless it is in the terminal already.

        Args:
            text_of: Returns the report in a form.
            console: The terminal.

        Raises:
            UsageError: A file cannot be written.
        """
        for style, path in self.files:
            write_output(path, text_of(style))
            if self.is_full:
                console.line(f"the report is in {path}")
        if not self.is_full:
            console.write(text_of(self.terminal))


FULL = ReportOutput()
"""For people, in the terminal."""


def report_text(style: str, data: Mapping[str, Any], report: Report) -> str:
    """Return a report of tools or cases in a form.

    Args:
        style: A value of `--format`, other than `full`.
        data: The report for programs.
        report: The report for people and code hosts.
    """
    from webagent_dev.reports.github import github_annotations
    from webagent_dev.reports.html import html_page
    from webagent_dev.reports.junit import junit_xml
    from webagent_dev.reports.markdown import markdown_summary

    if style == "json":
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    forms = {
        "html": html_page,
        "junit": junit_xml,
        "github": github_annotations,
        "markdown": markdown_summary,
    }
    return forms[style](report)
