"""What an outcome says against the manifest: faults, each for the proof that it breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webagent.errors import (
    InvalidArguments,
    MissingFunction,
    Navigated,
    NotCloneable,
    PageGone,
    TooLarge,
    ToolError,
    ToolThrew,
    ToolTimeout,
)
from webagent.schema import result_mismatches
from webagent_dev.contract.report import Place
from webagent_dev.contract.session import Outcome
from webagent_dev.testing.contract.hostile import MARK
from webagent_dev.testing.contract.noise import NoiseKind
from webagent_dev.testing.contract.places import Places

_LONGEST = 300

_CRASH = re.compile(
    r"ReferenceError: |SyntaxError: |InternalError: |RangeError: (?:Maximum call stack|Invalid (?:array|"
    r"string|typed array|array buffer) length|Invalid (?:time value|date)|to\w+\(\) )"
    r"|TypeError: (?:Cannot (?:read|set|convert|destructure|use|mix|create|assign|delete|add) |"
    r".{1,200} is not (?:a function|iterable|a constructor|an object)|.{1,200} is (?:undefined|null)$|"
    r"can't access|Reduce of empty|Assignment to constant|Invalid attempt|Failed to execute)"
)
"""What engines say of mistakes in a program, as opposed to what an author says of arguments."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A promise that one call has shown to be broken."""

    proof: str
    """The key of the proof that it breaks."""
    message: str
    """What happened - why that is wrong - what to do."""
    call: str
    place: Place | None = None
    declared: str = ""
    path: str = ""


def is_crash(error: ToolError | None) -> bool:
    """Whether a tool failed by a mistake in its program, not by an answer of its author's."""
    return isinstance(error, ToolThrew) and _CRASH.match(error.message) is not None


class Judge:
    """Holds outcomes against a manifest."""

    def __init__(self, places: Places) -> None:
        """Judge by a manifest with these places."""
        self._places = places

    def faults(self, outcome: Outcome, *, declared: bool = True) -> Iterator[Fault]:
        """Yield what an outcome breaks.

        Args:
            outcome: What came of a call.
            declared: Whether its arguments are such as the manifest allows; of others, answers are
                not judged.
        """
        error, name = outcome.result.error, outcome.binding.name
        if isinstance(error, ToolTimeout):
            yield self._late(outcome)
        elif isinstance(error, PageGone):
            yield Fault(
                "result",
                f"`{name}` took its page away: {_line(error.message)} - nobody got an answer - "
                "give the answer first",
                outcome.call,
                self._places.heading(name),
            )
        elif outcome.heard(NoiseKind.THROWN):
            yield self._thrown(outcome)
        elif error is not None and not _line(error.message):
            yield Fault(
                "errors",
                f"`{name}` throws an error without a message - an agent cannot tell what to do "
                'instead - write `throw new Error("what is wrong, and what to pass instead")`',
                outcome.call,
                self._places.heading(name),
            )
        elif declared:
            yield from self._answer(outcome)
        yield from self._noise(outcome, declared=declared)

    def _answer(self, outcome: Outcome) -> Iterator[Fault]:
        """Judge what came of arguments that the manifest allows."""
        error, name = outcome.result.error, outcome.binding.name
        tool = outcome.binding.tool
        if error is None:
            found, declared = result_mismatches(
                tool, outcome.result.value, types=outcome.binding.types
            )
            if found:
                told = "; ".join(map(str, found[:3]))
                yield Fault(
                    "result",
                    f"`{name}` gives something else than it declares: {told} - programs are written "
                    "against the declared type - correct the type, or what the function returns",
                    outcome.call,
                    self._places.output(name, found[0].path),
                    declared,
                    found[0].path,
                )
        elif is_crash(error):
            yield Fault(
                "arguments",
                f"`{name}` crashes on arguments that it declares: {_line(error.message)} - an agent may "
                "pass whatever the types allow - answer, or refuse in words with `throw new "
                "Error(…)`; or declare more narrowly what it takes",
                outcome.call,
                self._places.heading(name),
            )
        elif isinstance(error, NotCloneable | TooLarge):
            where = f" at `{error.path}`" if error.path else ""
            yield Fault(
                "result",
                f"`{name}` gives what no agent can be handed{where}: {_line(error.message)} - only data "
                "crosses out of a page - return plain objects, lists, texts and numbers",
                outcome.call,
                self._places.output(name, error.path or ""),
                tool.returns,
                error.path or "",
            )
        elif isinstance(error, Navigated) and tool.returns.strip() not in ("", "void", "undefined"):
            yield Fault(
                "result",
                f"`{name}` leaves the page before it answers - its answer is lost - return first and "
                "leave then, or declare `void` under `### Output`",
                outcome.call,
                self._places.output(name),
                tool.returns,
            )
        elif isinstance(error, MissingFunction):
            yield Fault(
                "exists",
                f"`{name}` is gone after some calls: {_line(error.message)} - agents keep calling it - "
                "leave it defined",
                outcome.call,
                self._places.heading(name),
            )

    def _late(self, outcome: Outcome) -> Fault:
        name = outcome.binding.name
        own = outcome.binding.tool.behavior.timeout_s
        said = _line(outcome.result.error.message if outcome.result.error else "")
        why = "an endless loop stops the whole page" if outcome.stuck else "agents give up waiting"
        remedy = (
            "answer sooner, or allow it more there"
            if own
            else "answer sooner, or say under `### Behavior` how long it takes: `- timeout: 30s`"
        )
        place = self._places.behavior(name, "timeout") if own else self._places.heading(name)
        return Fault("time", f"{said} - {why} - {remedy}", outcome.call, place)

    def _thrown(self, outcome: Outcome) -> Fault:
        name = outcome.binding.name
        what = outcome.heard(NoiseKind.THROWN)[0].text
        return Fault(
            "errors",
            f"`{name}` throws {_line(what)}, which is no `Error` - programs that ask for `message` find "
            "none - write `throw new Error(…)` around the text",
            outcome.call,
            self._places.heading(name),
        )

    def _noise(self, outcome: Outcome, *, declared: bool) -> Iterator[Fault]:
        name = outcome.binding.name
        marked = [n for n in outcome.heard(NoiseKind.CONSOLE) if n.text == MARK]
        if marked:
            yield Fault(
                "strings",
                f"the page takes a text given to `{name}` for markup and runs the script in it - whoever "
                "writes that text acts as the visitor - use `textContent` instead of `innerHTML`, or "
                "escape it",
                outcome.call,
                self._places.heading(name),
            )
        heard = outcome.heard(NoiseKind.EXCEPTION, NoiseKind.REQUEST)
        if not heard or not declared or isinstance(outcome.result.error, InvalidArguments):
            return
        what = (
            "an error that nobody catches"
            if heard[0].kind is NoiseKind.EXCEPTION
            else ("a request that fails")
        )
        yield Fault(
            "quiet",
            f"a call of `{name}` causes {what}: {_line(heard[0].text)} - a part of the page is broken "
            "though the call may look well - catch it, and tell the caller by `throw new Error(…)`",
            outcome.call,
            self._places.heading(name),
        )


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
