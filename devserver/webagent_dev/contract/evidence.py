"""The evidence on one tool: outcomes of calls, the faults that they show, and the proofs.

A `Judge` finds the faults of one outcome. `Evidence` gathers all outcomes of a tool, keeps the
first fault of each proof, and turns them into `Proof`s.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from webagent.errors import (
    InvalidArguments,
    Navigated,
    NotCloneable,
    NotLoggedIn,
    PageGone,
    TooLarge,
    ToolError,
    ToolThrew,
    ToolTimeout,
)
from webagent.schema import result_mismatches
from webagent.schema.inference import is_empty
from webagent_dev.contract.harness import PageEventKind
from webagent_dev.contract.places import Places
from webagent_dev.contract.proof import PROOFS, Proof
from webagent_dev.contract.session import Outcome, has_hidden_cause
from webagent_dev.reports.content import Place, Verdict


@dataclass(frozen=True, slots=True)
class Fault:
    """A promise that one call has shown to be broken."""

    proof: str
    """The key of the proof that it breaks."""
    message: str
    """The message has three parts: what happened - why that is wrong - what to do."""
    call: str
    place: Place | None = None
    declared: str = ""
    path: str = ""


_MOST_KEPT = 50
"""Values of a tool, and arguments of a parameter, that are kept."""

_FROM_CALLS = ("result", "errors", "time", "quiet")
"""Proofs that rest on all calls, whichever proof these were made for."""


class Evidence:
    """Gathers the outcomes of one tool, and keeps the first fault of each proof."""

    def __init__(self, tool: str, judge: Judge, places: Places) -> None:
        """Gather for a tool."""
        self.tool = tool
        self.faults: dict[str, Fault] = {}
        self.seen: dict[str, list[Any]] = {}
        """Encoded values that the site knows, by parameter: of answered calls, and of other tools."""
        self.answered: list[Outcome] = []
        self.values: list[Any] = []
        self.typical: list[Any] = []
        """Those values that show the type of its results: of calls with arguments that are not empty."""
        self.signed_out: Outcome | None = None
        """A call that was refused because nobody is signed in."""
        self.leads_on = False
        """Whether a call has led to another page."""
        self.held_back = False
        """Whether sample code called a tool that may not be called."""
        self.unexplained = False
        """Whether it failed and the reason is unknown."""
        self.tried: Mapping[str, Any] = {}
        """The last generated arguments."""
        self._judge = judge
        self._places = places
        self._settled: dict[str, Proof] = {}
        self._calls: Counter[str] = Counter()
        self._spent_ms: Counter[str] = Counter()
        self._remarks: dict[str, dict[str, None]] = {}

    @property
    def base(self) -> Mapping[str, Any]:
        """Encoded arguments by name of a call that was answered, or else of one that was tried."""
        return self.answered[0].named if self.answered else self.tried

    def is_signed_out(self) -> bool:
        """Whether it refused all calls because nobody is signed in."""
        return self.signed_out is not None and not self.answered

    @property
    def settled(self) -> Collection[str]:
        """The names of the proofs that have a verdict."""
        return self._settled.keys()

    @property
    def in_time(self) -> bool:
        """Whether no call took too long; after one that did, no more are worth waiting for."""
        return "time" not in self.faults

    def judged(self, proof: str, outcome: Outcome, *, declared: bool = True) -> list[Fault]:
        """Take an outcome of a call that was made for a proof; return its faults, not yet kept."""
        self._calls[proof] += 1
        self._spent_ms[proof] += round(outcome.result.duration_ms)
        error = outcome.result.error
        if isinstance(error, NotLoggedIn):
            self.signed_out = self.signed_out or outcome
            return []
        found = [*self._judge.faults(outcome, declared=declared)]
        self.unexplained |= has_hidden_cause(error) and not outcome.events(PageEventKind.THROWN)
        if error is None and declared:
            self._learn(outcome, proof)
        if outcome.led_to:
            self.leads_on = True
            self.remark(
                "exists", f"`{outcome.call}` leads to {outcome.led_to}", most=1 if declared else 0
            )
        for event in outcome.events(PageEventKind.CONSOLE, PageEventKind.FOREIGN_REQUEST):
            kind = "its console" if event.kind is PageEventKind.CONSOLE else "the network"
            self.remark(
                "quiet", f"{kind} reported during `{outcome.call}`: {event.text[:200]}", most=3
            )
        return found

    def take(self, proof: str, outcome: Outcome, *, declared: bool = True) -> list[Fault]:
        """Take an outcome, and keep its faults."""
        found = self.judged(proof, outcome, declared=declared)
        self.keep(found)
        return found

    def keep(self, faults: Iterable[Fault]) -> None:
        """Keep the faults of proofs that have none yet."""
        for fault in faults:
            self.faults.setdefault(fault.proof, fault)

    def remark(self, proof: str, text: str, *, most: int = 10) -> None:
        """Add a note on something that is not broken."""
        noted = self._remarks.setdefault(proof, {})
        if len(noted) < most:
            noted[text] = None

    def settle(
        self, proof: str, verdict: Verdict, message: str = "", place: Place | None = None
    ) -> None:
        """Set the verdict of a proof, unless it has a fault."""
        self._settled[proof] = Proof(proof, verdict, message, place)

    def passed(self, proof: str) -> None:
        """Let a proof pass, unless it has a fault."""
        self.settle(proof, Verdict.PASSED)

    def skipped(self, proof: str, message: str, place: Place | None = None) -> None:
        """Mark a proof as not tried, with a message that says how to have it tried."""
        self.settle(proof, Verdict.SKIPPED, message, place)

    def proofs(self) -> tuple[Proof, ...]:
        """Return the proofs of the tool, in the order of `PROOFS`."""
        made = sum(self._calls.values())
        return tuple(proof for name in PROOFS if (proof := self._proof(name, made)) is not None)

    def _proof(self, name: str, made: int) -> Proof | None:
        settled = self._settled.get(name)
        if settled is None and name in _FROM_CALLS and made and not self.is_signed_out():
            settled = Proof(name, Verdict.PASSED)
        fault = self.faults.get(name)
        verdict = Verdict.FAILED if fault else settled.verdict if settled else None
        if verdict is None:
            return None
        remarks = tuple(self._remarks.get(name, ()))
        calls, spent_ms = self._calls[name], float(self._spent_ms[name])
        if fault is not None:
            return Proof(
                name,
                verdict,
                fault.message,
                fault.place,
                fault.call,
                fault.declared,
                fault.path,
                remarks,
                calls,
                spent_ms,
            )
        assert settled is not None
        return Proof(
            name,
            verdict,
            settled.message,
            settled.place,
            remarks=remarks,
            calls=calls,
            duration_ms=spent_ms,
        )

    def know(self, name: str, value: Any) -> None:
        """Keep a value for a parameter of this name."""
        known = self.seen.setdefault(name, [])
        if value not in known and len(known) < _MOST_KEPT:
            known.append(value)

    def _learn(self, outcome: Outcome, proof: str) -> None:
        if len(self.values) < _MOST_KEPT:
            self.values.append(outcome.result.value)
            self.answered.append(outcome)
        if len(self.typical) < _MOST_KEPT and _is_typical(outcome, proof):
            self.typical.append(outcome.result.value)
        for name, value in outcome.named.items():
            self.know(name, value)


def _is_typical(outcome: Outcome, proof: str) -> bool:
    """Whether the result of a call shows the type: of sample code, or with arguments that are not empty."""
    if proof == "sample" or not outcome.binding.params:
        return True
    meant = not all(map(is_empty, outcome.named.values()))
    return proof != "strings" and meant and outcome.result.value != {"$type": "undefined"}


MARK = "webagent-markup-ran"
"""The console line of a page that has taken a caller's text for markup."""

HOSTILE: dict[str, str] = {
    "the empty text": "",
    "a space": " ",
    "a huge text": "a" * 100_000,
    "a text of many lines": "line\n" * 2_000,
    "markup": f'<img src="data:," onerror="console.error(\'{MARK}\')">',
    "markup behind a quote": f'"><img src="data:," onerror="console.error(\'{MARK}\')">',
    "a script": f"</script><script>console.error('{MARK}')</script>",
    "the beginning of a pattern": "([*+?",
    "the name of a prototype": "__proto__",
    "the name of a method": "constructor",
    "a quote": "' OR 1=1 --",
    "a template": "${7*7}{{7*7}}",
    "a path upwards": "../../../../etc/passwd",
    "a broken escape": "%E0%A4%A",
    "the word for nothing": "undefined",
    "a number": "-1",
    "a null character": "a\0b",
    "letters of several marks": "Z̶̢̛̪̈́͝á̷",
    "joined emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "text from right to left": "שלום \u202eabc\u202c عالم",
    "letters that change their length": "ıİßﬁǅ",
    "a line separator": "a\u2028b\ufeff",
}
"""Texts by their names in reports."""

_LONGEST = 300

_CRASH = re.compile(
    r"ReferenceError: |SyntaxError: |InternalError: |RangeError: (?:Maximum call stack|Invalid (?:array|"
    r"string|typed array|array buffer) length|Invalid (?:time value|date)|to\w+\(\) )"
    r"|TypeError: (?:Cannot (?:read|set|convert|destructure|use|mix|create|assign|delete|add) |"
    r".{1,200} is not (?:a function|iterable|a constructor|an object)|.{1,200} is (?:undefined|null)$|"
    r"can't access|Reduce of empty|Assignment to constant|Invalid attempt|Failed to execute)"
)
"""Messages of JavaScript engines about mistakes in a program, not of authors about arguments."""


class Judge:
    """Compares outcomes with a manifest."""

    def __init__(self, places: Places) -> None:
        """Judge by a manifest with these places."""
        self._places = places

    def faults(self, outcome: Outcome, *, declared: bool = True) -> Iterator[Fault]:
        """Yield the promises that an outcome breaks.

        Args:
            outcome: The outcome of a call.
            declared: Whether the manifest allows its arguments; otherwise its answer is not judged.
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
        elif outcome.events(PageEventKind.THROWN):
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
        """Judge the outcome of a call whose arguments the manifest allows."""
        error, name = outcome.result.error, outcome.binding.name
        tool = outcome.binding.tool
        if error is None:
            found, declared, in_schema = result_mismatches(
                tool, outcome.result.value, types=outcome.binding.types
            )
            if found:
                mismatches = "; ".join(map(str, found[:3]))
                yield Fault(
                    "result",
                    f"`{name}` gives something else than it declares: {mismatches} - programs are written "
                    "against the declared type - correct the type, or what the function returns",
                    outcome.call,
                    self._places.output(name, found[0].path, in_schema=in_schema),
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
        elif isinstance(error, Navigated) and outcome.promises_answer:
            yield Fault(
                "result",
                f"`{name}` leaves the page before it answers, and declares an answer - programs wait "
                "for it in vain - return first and leave then, or declare `void` under `### Output` if "
                "the page that comes is all that it gives",
                outcome.call,
                self._places.output(name),
                tool.returns,
            )
        elif outcome.gone:
            yield Fault(
                "exists",
                f"`{name}` is gone after some calls: {_line(error.message)} - agents keep calling it, "
                "and the page shows nothing else - leave it defined",
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
        what = outcome.events(PageEventKind.THROWN)[0].text
        return Fault(
            "errors",
            f"`{name}` throws {_line(what)}, which is not an `Error` - programs that ask for `message` find "
            "nothing - write `throw new Error(…)` around the text",
            outcome.call,
            self._places.heading(name),
        )

    def _noise(self, outcome: Outcome, *, declared: bool) -> Iterator[Fault]:
        name = outcome.binding.name
        marked = [n for n in outcome.events(PageEventKind.CONSOLE) if n.text == MARK]
        if marked:
            yield Fault(
                "strings",
                f"the page takes a text given to `{name}` for markup and runs the script in it - the "
                "author of that text acts as the visitor - use `textContent` instead of `innerHTML`, or "
                "escape it",
                outcome.call,
                self._places.heading(name),
            )
        events = outcome.events(PageEventKind.EXCEPTION, PageEventKind.REQUEST)
        if not events or not declared or isinstance(outcome.result.error, InvalidArguments):
            return
        what = (
            "an error that nobody catches"
            if events[0].kind is PageEventKind.EXCEPTION
            else ("a request that fails")
        )
        yield Fault(
            "quiet",
            f"a call of `{name}` causes {what}: {_line(events[0].text)} - a part of the page is broken "
            "though the call may look well - catch it, and report it to the caller with `throw new Error(…)`",
            outcome.call,
            self._places.heading(name),
        )


def is_crash(error: ToolError | None) -> bool:
    """Whether a tool failed by a mistake in its program, not by an answer of its author's."""
    return isinstance(error, ToolThrew) and _CRASH.match(error.message) is not None


def _line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
