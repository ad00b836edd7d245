"""Results of a contract test: proofs, their tools and the site. Plain data, no page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from webagent.types import Effect
from webagent_dev.browser.native import Difference
from webagent_dev.reports.content import Place, Verdict

PROOFS: Mapping[str, str] = {
    "exists": "The page has the tool.",
    "arity": "The function takes as many arguments as are declared.",
    "names": "Parameters that function and manifest both name are in the same order.",
    "sample": "The sample code runs and calls the tool.",
    "arguments": "Generated arguments of the declared types are answered or refused in words.",
    "strings": "Empty, huge, foreign and hostile texts do no harm.",
    "types": "Arguments of wrong types neither hang nor break the page.",
    "result": "Every answer is of the declared type.",
    "errors": "It throws only an `Error` with a message.",
    "time": "Every answer comes in time.",
    "quiet": "Calls cause no uncaught errors and no failed requests.",
    "repeat": "The same call gives the same answer.",
    "effect": "A tool that only reads leaves what other tools read as it was.",
    "idempotent": "Calling it twice has the same effect as calling it once.",
    "native": "The browser's own WebMCP has the tool as ours has it.",
    "sequence": "Calls one after the other work in one page.",
}
"""Each proof in a sentence, in the order in which a report has them."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One promise of a tool, and how testing it came out."""

    name: str
    """A key of `PROOFS`."""
    verdict: Verdict
    message: str = ""
    """It has three parts: what happened - why that is - what to do. Empty where all is well."""
    place: Place | None = None
    """The line of the manifest that is not kept, or that is missing."""
    call: str = ""
    """The smallest call that shows it, as a program would write it."""
    declared: str = ""
    """The type that the manifest declares there."""
    path: str = ""
    """Where in the value: `items[2].price`; empty for the whole."""
    remarks: tuple[str, ...] = ()
    """Notes, though nothing is broken."""
    calls: int = 0
    """How many calls were made for it."""
    duration_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolReport:
    """All proofs of one tool."""

    name: str
    effect: Effect
    source: str
    """`manifest`, `modelContext`, `form` or `component`."""
    declaration: str
    """How it is declared, in TypeScript."""
    proofs: tuple[Proof, ...]
    place: Place | None = None
    """Its heading in the manifest."""
    allow: str = ""
    """What to write so that it is called; empty where it was."""
    observed: str = ""
    """The TypeScript type of its results; empty without any, or where their type is declared."""
    duration_ms: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Failed if any proof failed; skipped if it was not called for lack of permission."""
        found = {proof.verdict for proof in self.proofs}
        if Verdict.FAILED in found:
            return Verdict.FAILED
        if Verdict.NEEDS_LOGIN in found:
            return Verdict.NEEDS_LOGIN
        return Verdict.SKIPPED if self.allow else Verdict.PASSED

    @property
    def calls(self) -> int:
        """How many calls were made of it."""
        return sum(proof.calls for proof in self.proofs)

    @property
    def failures(self) -> Sequence[Proof]:
        """The proofs that failed."""
        return [proof for proof in self.proofs if proof.verdict is Verdict.FAILED]


_OF_TOOLS = (Verdict.PASSED, Verdict.FAILED, Verdict.NEEDS_LOGIN, Verdict.SKIPPED)


@dataclass(frozen=True, slots=True)
class SiteReport:
    """The results of one test of a site."""

    site: str
    """The folder or address, as typed."""
    manifest: str
    """Name of the manifest: its title."""
    tools: tuple[ToolReport, ...]
    seed: int
    """The seed of the generated arguments; the same seed generates the same ones."""
    started: str
    """When, in ISO 8601."""
    sequences: tuple[Proof, ...] = ()
    """Sample codes one after the other, and programs of notes."""
    remarks: tuple[str, ...] = ()
    """Notes on the site as a whole."""
    interrupted: bool = False
    """Whether it ended before all tools were proven."""
    duration_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether no promise is broken."""
        return not any(
            proof.verdict is Verdict.FAILED
            for proof in (*self.sequences, *(p for tool in self.tools for p in tool.proofs))
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is proven: no promise is broken, and no tool was called."""
        called = any(tool.calls and tool.verdict is Verdict.PASSED for tool in self.tools)
        return self.ok and not called and not any(proof.calls for proof in self.sequences)

    @property
    def tally(self) -> Mapping[Verdict, int]:
        """The number of tools with each verdict."""
        counted = Counter(tool.verdict for tool in self.tools)
        return {verdict: counted[verdict] for verdict in _OF_TOOLS}

    def to_dict(self) -> dict[str, Any]:
        """Return JSON data; empty fields are left out."""
        data = _plain(self)
        return {"ok": self.ok, "tally": dict(self.tally), **data}


def with_differences(report: SiteReport, found: Sequence[Difference]) -> SiteReport:
    """Return a report with the differences between the browser's own WebMCP and ours."""
    texts: dict[str, list[str]] = {}
    for one in found:
        if one.text not in texts.setdefault(one.tool, []):
            texts[one.tool].append(one.text)
    failed = {
        name: tuple(Proof("native", Verdict.FAILED, text) for text in each)
        for name, each in texts.items()
    }
    tools = [
        replace(tool, proofs=(*tool.proofs, *failed.pop(tool.name, ()))) for tool in report.tools
    ]
    tools += [
        ToolReport(name, "unknown", "modelContext", "", proofs) for name, proofs in failed.items()
    ]
    return replace(report, tools=tuple(tools))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        kept = {key: inner for key, inner in found.items() if not _is_empty(inner)}
        if isinstance(value, ToolReport):
            kept |= {"verdict": value.verdict.value, "calls": value.calls}
        return kept
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Verdict):
        return value.value
    return round(value, 1) if isinstance(value, float) else value


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [])


class Progress:
    """Receives the progress of a test, and ignores it."""

    def started(self, names: Collection[str]) -> None:
        """The tools that will be proven are known."""

    def begun(self, name: str) -> None:
        """A tool is about to be proven."""

    def proven(self, tool: ToolReport) -> None:
        """A tool was proven."""
