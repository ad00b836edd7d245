"""Where open pages are not what the manifest says, told in the terminal once each."""

from __future__ import annotations

from typing import Any

from webagent_dev.live.messages import PageDrift
from webagent_dev.terminal import Console, printable

_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}
_REMEMBERED_PATHS = 256
_MOST_FINDINGS = 50


class DriftReport:
    """Remembers what was told of each page, so that a reload says nothing twice."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told: dict[str, dict[str, None]] = {}

    def show(self, drift: PageDrift) -> None:
        """Write what is new, or that all is well again."""
        path = printable(drift.path, 200)
        before = self._told.pop(path, {})
        now: dict[str, None] = {}
        for finding in drift.findings[:_MOST_FINDINGS]:
            text = self._text(finding)
            if text is None:
                continue
            now[text] = None
            if text not in before:
                self._console.labelled("page", f"{path}  {text}", _STYLES[finding["severity"]])
        if before and not now:
            self._console.labelled("page", f"{path}  agrees with the manifest again", "green")
        self._told[path] = now
        if len(self._told) > _REMEMBERED_PATHS:
            del self._told[next(iter(self._told))]

    def _text(self, finding: Any) -> str | None:
        """Return a finding in one line; None for what is no finding, for any page may send one."""
        try:
            start = finding["span"]["start"]
            words = [finding[key] for key in ("path", "severity", "rule", "message", "help")]
            place = [start["line"], start["column"]]
        except (KeyError, TypeError):
            return None
        if not all(isinstance(word, str) for word in words) or words[1] not in _STYLES:
            return None
        if not all(type(number) is int for number in place):
            return None
        file, severity, rule, message, remedy = map(printable, words)
        return f"{file}:{place[0]}:{place[1]}: {severity}[{rule}]: {message} - {remedy}"
