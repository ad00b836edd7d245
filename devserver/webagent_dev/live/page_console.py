"""What pages write to their consoles, do not catch and let their agents do, told in the terminal."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from webagent_dev.config.urls import MANIFEST_NAME
from webagent_dev.live.messages import PageDrift, PageEvent, PageLog, PageRegistry
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, printable

WAIT_S = 1.0
"""A line that comes again within this time is counted; each time it does, the time doubles."""

MOST_WAIT_S = 60.0

LINES_PER_S = 30
"""How many lines all pages together may write; of the others only the number is told."""

_REMEMBERED = 300

_MOST_TEXT = 2_000

_MOST_VALUE = 200

_STYLES = {"warn": "yellow", "error": "red", "uncaught": "red", "unhandled": "red", "debug": "dim"}

_WORDS = {"warn": "warning: ", "error": "error: ", "uncaught": "uncaught: "}

_WORDS["unhandled"] = "unhandled rejection: "

_BAD = ("uncaught", "unhandled")

Later = Callable[[float, Callable[[], None]], object]
"""Calls something after so many seconds."""


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    text: str
    style: str


@dataclass(slots=True)
class _Told:
    """A line that was written lately."""

    due_s: float
    """Until then it is counted and not written."""
    wait_s: float
    again: int = 0


def _later(wait_s: float, call: Callable[[], None]) -> object:
    return asyncio.get_running_loop().call_later(wait_s, call)


class PageLogReport:
    """Writes one line for each thing that pages say; what is repeated is counted."""

    def __init__(
        self,
        console: Console,
        *,
        clock: Callable[[], float] = time.monotonic,
        later: Later = _later,
    ) -> None:
        """Begin with nothing told.

        Args:
            console: Where it is written.
            clock: Seconds that only grow.
            later: Calls something after a time.
        """
        self._console = console
        self._clock = clock
        self._later = later
        self._told: dict[_Line, _Told] = {}
        self._second = -1.0
        self._written = 0
        self._left_out = 0
        self._waits = False

    def log(self, log: PageLog) -> None:
        """Tell what a page wrote to its console, or did not catch."""
        place = shown_place(log.place)
        word = _WORDS.get(log.level, "")
        text = f"{f'{place}: ' if place else ''}{word}{printable(log.text, _MOST_TEXT)}"
        label = "page" if log.level in _BAD else "console"
        self._take(_Line(label, text, _STYLES.get(log.level, "cyan")), max(1, log.count))

    def event(self, event: PageEvent) -> None:
        """Tell what the agent does in a page; events of single calls are none of its."""
        text, style = _event_text(event.detail) if event.name == "agent" else ("", "")
        if text:
            self._take(_Line("agent", text, style), 1, counted=False)

    def _take(self, line: _Line, count: int, *, counted: bool = True) -> None:
        now = self._clock()
        told = self._told.get(line)
        if told is not None:
            told.again += count
        elif self._has_room(now, line):
            self._write(line, count)
            if counted:
                self._told[line] = _Told(now + WAIT_S, WAIT_S)
            if len(self._told) > _REMEMBERED:
                self._forget(next(iter(self._told)))
        else:
            self._left_out += count
        if self._told or self._left_out:
            self._tick()

    def _has_room(self, now: float, line: _Line) -> bool:
        """Whether another line may be written in this second.

        What a page did not catch has room where what it logs has none any more.
        """
        if now >= self._second + 1:
            self._second, self._written = now, 0
        most = LINES_PER_S * (1 if line.label == "console" else 2)
        if self._written >= most:
            return False
        self._written += 1
        return True

    def _write(self, line: _Line, count: int, *, more: bool = False) -> None:
        word = " more" if more else ""
        times = f"  (×{count}{word})" if count > 1 or more else ""
        self._console.labelled(line.label, line.text + times, line.style)

    def _forget(self, line: _Line) -> None:
        told = self._told.pop(line)
        if told.again:
            self._write(line, told.again, more=True)

    def _tick(self) -> None:
        """See to it that what is counted is told, though no page says anything any more."""
        if not self._waits:
            self._waits = True
            self._later(WAIT_S, self._look)

    def _look(self) -> None:
        """Tell the counts whose time has come, and how much was left out."""
        self._waits = False
        now = self._clock()
        for line, told in list(self._told.items()):
            if told.due_s > now:
                continue
            if told.again == 0:
                del self._told[line]
                continue
            self._write(line, told.again, more=True)
            wait_s = min(told.wait_s * 2, MOST_WAIT_S)
            self._told[line] = _Told(now + wait_s, wait_s)
        if self._left_out:
            lines = "line is" if self._left_out == 1 else "lines are"
            text = f"{self._left_out} more {lines} not shown - pages write more than can be read"
            self._console.labelled("console", text, "yellow")
            self._left_out = 0
        if self._told:
            self._tick()


def shown_place(place: str) -> str:
    """Return a place for people: `shop.js:12:3` for a file of this site, else the whole address."""
    address, *numbers = place.rsplit(":", 2)
    if len(numbers) != 2 or not all(number.isdigit() for number in numbers):
        return printable(place, 200)
    try:
        parts = urlsplit(address)
    except ValueError:
        return printable(place, 200)
    name = unquote(parts.path).lstrip("/") or "index.html"
    known = parts.scheme in ("http", "https")
    return printable(":".join([name if known else address, *numbers]), 200)


def _event_text(detail: Mapping[str, Any]) -> tuple[str, str]:
    """Return what to write of an event, and how; nothing of those that say little."""
    match detail:
        case {"type": "started", "goal": str(goal)}:
            again = "goes on: " if detail.get("resumed") is True else ""
            return f"{again}{_short(goal)}", "cyan"
        case {"type": "planned", "plan": {"text": str(text)}}:
            return f"plan: {_short(text)}", "cyan"
        case {"type": "step", "state": "started", "action": "finish"}:
            # Its words are told at the end.
            return "", ""
        case {"type": "step", "state": "started", "action": str(action)}:
            tool = detail.get("tool")
            name = tool if isinstance(tool, str) else action
            return f"{_short(name)} {_short(detail.get('arguments', {}))}", "cyan"
        case {"type": "step", "state": "failed", "action": str(action), "error": {**error}}:
            tool = detail.get("tool")
            name = tool if isinstance(tool, str) else action
            return f"{_short(name)} failed: {_short(error.get('message', ''))}", "yellow"
        case {"type": "asked", "request": {"text": str(text)}}:
            return f"asks: {_short(text)}", "yellow"
        case {"type": "answered"}:
            return "answer: " + ("yes" if detail.get("yes") is True else "no"), "cyan"
        case {"type": "finished", "text": str(text)}:
            done = detail.get("ok") is True
            return f"{'done' if done else 'failed'}: {_short(text)}", "green" if done else "red"
    return "", ""


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable(text, _MOST_VALUE)


_STYLES_drift = {"error": "red", "warning": "yellow", "info": "cyan"}

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
                self._console.labelled(
                    "page", f"{path}  {text}", _STYLES_drift[finding["severity"]]
                )
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
        if not all(isinstance(word, str) for word in words) or words[1] not in _STYLES_drift:
            return None
        if not all(type(number) is int for number in place):
            return None
        file, severity, rule, message, remedy = map(printable, words)
        return f"{file}:{place[0]}:{place[1]}: {severity}[{rule}]: {message} - {remedy}"


_MOST_NAMES = 10

_MOST_REMEMBERED = 1_000

_WAYS = {"modelContext": "scripts", "form": "forms", "component": "components"}


class OfferReport:
    """Tells of each such tool once: without a manifest nothing else says that it is found."""

    def __init__(self, console: Console, site: Site) -> None:
        """Begin with nothing told."""
        self._console = console
        self._site = site
        self._told: set[str] = set()

    def hear(self, registry: PageRegistry) -> None:
        """Write one line on the tools of a page that are new."""
        if self._site.state.manifest_path is not None or len(self._told) > _MOST_REMEMBERED:
            return
        named: dict[str, str] = {}
        # Whatever a page has sent.
        tools: list[Any] = registry.tools
        for tool in tools:
            if not isinstance(tool, dict):
                continue
            name, source = tool.get("name"), tool.get("source")
            if isinstance(name, str) and isinstance(source, str) and name not in self._told:
                named[name] = source
        if not named:
            return
        self._told |= named.keys()
        names = ", ".join(f"`{printable(name, 60)}`" for name in list(named)[:_MOST_NAMES])
        more = f" and {len(named) - _MOST_NAMES} more" if len(named) > _MOST_NAMES else ""
        ways = " and ".join(sorted({_WAYS.get(way, "other ways") for way in named.values()}))
        self._console.labelled(
            "page", f"agents find {names}{more} by its {ways}, without {MANIFEST_NAME}", "green"
        )
