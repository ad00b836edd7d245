"""A run of the agent as data: its plan, its transcript, what it has spent, and its result.

A run is plain JSON data, so that it can be stored while the page navigates, shown, and replayed. It
opens an address without asking if a page, the person or the manifest showed it.
"""

from __future__ import annotations

import base64
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from webagent.agent.effects import control_of_link
from webagent.agent.person import GivenFile
from webagent.errors import Cancelled, Denied, InternalError, RateLimited, ToolError, ToolTimeout
from webagent.llm.chat import Replay, ToolCall, Usage
from webagent.llm.errors import ModelError
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import Binding, ToolSource
from webagent.results import Call
from webagent.types import Manifest
from webagent.urls import absolute, origin_of

_MOST_CHARACTERS: Final = 20_000
"""Characters of the addresses that a run keeps of earlier pages; the oldest go first."""

_WORD: Final = re.compile(r"""[^\s()<>\[\]{}"'`“”„»«|,;]+""")

_LONGEST_WORDS: Final = 200_000

_MOST_PAST_CALLS: Final = 6
"""Calls of a run that later runs may refer to."""

_MOST_NAMED: Final = 10
"""Tools that a sentence names."""

_DEEPEST: Final = 12
_MOST_ITEMS: Final = 40
_MOST_FIELDS: Final = 60
_LONGEST_TEXT: Final = 300
"""The most of long data that is kept: levels, items of lists, fields of objects, characters of texts."""


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call of an earlier run."""

    tool: str
    arguments: Mapping[str, Any]
    value: Any
    """Its result as `webagent.page.values` encodes it, long lists and texts cut."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """An earlier run of the tab, as far as a goal may refer to it: `the second one`, `it`."""

    goal: str
    text: str
    """The last words of the agent."""
    ok: bool
    question: str = ""
    """The question that the person did not answer, if it ended with one."""
    calls: Sequence[PastCall] = ()
    """The calls of tools that had no error, in order."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PastRun:
        """Return a run from the data of `dataclasses.asdict`.

        Raises:
            TypeError: These are not the data of a run.
        """
        return cls(**{**data, "calls": tuple(PastCall(**call) for call in data["calls"])})


@dataclass(frozen=True, slots=True)
class Scene:
    """The page and its tools at one moment."""

    snapshot: Snapshot
    tools: Sequence[Binding]
    now: datetime
    """Local time of the person, with its zone."""
    site: str = ""
    """Name of the site in its manifest."""
    earlier: Sequence[PastRun] = ()
    """The runs of the tab before this one, the last at the end."""
    remarks: Sequence[str] = ()
    """Sentences of the program about this step: what has changed, what is left of the budget."""

    def own_tool(self, name: str, origin: str) -> Binding | None:
        """Return a tool of this site's own manifest; None if it has none of that name."""
        for each in self.tools:
            if each.name == name and each.source is ToolSource.MANIFEST:
                return each if each.origin in ("", origin) else None
        return None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan."""

    text: str
    """Words for the person: `search for “harbour”`."""
    action: str = ""
    """Name of the action, if it is known already."""
    tool: str = ""
    """Name of the page's tool that it calls, if it is known already."""
    effect: str = ""
    """`read`, `write`, `irreversible` or `unknown`; empty if it is not known yet."""
    arguments: Mapping[str, Any] | None = None
    """The final arguments of that tool; None if they are not known yet."""

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        known = {} if self.arguments is None else {"arguments": dict(self.arguments)}
        step = {"text": self.text, "action": self.action, "tool": self.tool, "effect": self.effect}
        return step | known


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of an agent."""

    text: str
    """One sentence that starts with `I will`."""
    steps: Sequence[PlanStep] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return {"text": self.text, "steps": [step.to_dict() for step in self.steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """Return a plan from the data of `to_dict`."""
        return cls(str(data["text"]), tuple(PlanStep(**step) for step in data["steps"]))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a plan was accepted."""

    accepted: bool
    by: str
    """`policy`, `person` or `caller`."""
    reason: str = ""
    calls: Sequence[str] = ()
    """Keys of the calls that the person has allowed with it (`Intent.exact_key`)."""


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the model, of the person, or of the driver."""

    by: Literal["agent", "person", "driver"]
    text: str
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class Done:
    """An action that was taken, and its outcome."""

    call: ToolCall
    """The call; its name is the action's."""
    url: str
    """Address of the page on which it was taken."""
    value: Any = None
    """JSON, as `webagent.page.values` encodes it."""
    error: Mapping[str, str] | None = None
    """The data of `ToolError.to_dict`; None if there was no error."""
    duration_ms: float = 0.0
    kind: Literal["done"] = "done"

    @property
    def ok(self) -> bool:
        """Whether there was no error."""
        return self.error is None


Entry = Said | Done
"""One entry of a transcript."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The calls of one reply of the model, as the model made them."""

    calls: Sequence[ToolCall]
    """A tool of the page has its own name here, while `Done.call` is the action that called it."""
    replay: Replay | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the turn as plain data."""
        data: dict[str, Any] = {"calls": [call.to_dict() for call in self.calls]}
        if self.replay is not None:
            blocks = [dict(block) for block in self.replay.blocks]
            data["replay"] = {"provider": self.replay.provider, "blocks": blocks}
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Turn:
        """Return a turn from the data of `to_dict`."""
        calls = tuple(ToolCall.from_dict(call) for call in data["calls"])
        replay = data.get("replay")
        if replay is None:
            return cls(calls)
        return cls(calls, Replay(str(replay["provider"]), tuple(map(dict, replay["blocks"]))))


@dataclass(slots=True)
class Spent:
    """The steps, time, tokens and money that a run has used up so far."""

    steps: int = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    usd: str | None = "0"
    """Decimal number; None as soon as one price is unknown."""


_CONTINUE = "say what was done so far, or start again with a larger budget"


_SCARCE = 5
"""A limit is scarce when a fifth of it is left."""

_FEW_STEPS = 3
"""Steps that are scarce whatever the limit."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run may use up; None sets no limit."""

    steps: int = 50
    tokens: int | None = None
    """Tokens of prompts and replies together."""
    seconds: float = 600.0
    """Seconds without the time that the person takes to answer."""
    usd: Decimal | None = None

    def problem(self, spent: Spent) -> ToolError | None:
        """Return why a run may not go on, or None if it may."""
        used = spent.usage.prompt + spent.usage.completion
        if spent.steps >= self.steps:
            return _used_up(f"{self.steps} steps")
        if spent.seconds >= self.seconds:
            message = f"the {self.seconds:g} s that the run may take are over"
            return ToolTimeout(message, help=_CONTINUE)
        if self.tokens is not None and used >= self.tokens:
            return _used_up(f"{self.tokens} tokens")
        if self.usd is None:
            return None
        if spent.usd is None:
            return Cancelled(
                f"what the model costs is not known, so {self.usd} USD cannot be kept to",
                help="give the prices of the model, or a budget of tokens instead",
            )
        return _used_up(f"{self.usd} USD") if Decimal(spent.usd) >= self.usd else None

    def scarce(self, spent: Spent) -> str:
        """Return what there is little left of, as a sentence; empty while there is enough of all."""
        steps, seconds = self.steps - spent.steps, self.seconds - spent.seconds
        left = []
        if steps <= max(_FEW_STEPS, self.steps // _SCARCE):
            left.append("1 step" if steps == 1 else f"{steps} steps")
        if seconds <= self.seconds / _SCARCE:
            left.append(f"{max(seconds, 0):.0f} s")
        if self.tokens is not None:
            tokens = self.tokens - spent.usage.prompt - spent.usage.completion
            if tokens <= self.tokens // _SCARCE:
                left.append(f"{max(tokens, 0)} tokens")
        if self.usd is not None and spent.usd is not None:
            usd = self.usd - Decimal(spent.usd)
            if usd <= self.usd / _SCARCE:
                left.append(f"{max(usd, Decimal(0)):.4f} USD")
        if not left:
            return ""
        return f"Left of the budget: {', '.join(left)}. `finish` before it is used up."


def _used_up(what: str) -> Cancelled:
    return Cancelled(f"the run's budget of {what} is used up", help=_CONTINUE)


def spent_dict(spent: Spent) -> dict[str, Any]:
    """Return what was spent as plain data; `usd` is None if a price is unknown."""
    return {
        "steps": spent.steps,
        "seconds": round(spent.seconds, 3),
        "prompt": spent.usage.prompt,
        "completion": spent.usage.completion,
        "cached": spent.usage.cached,
        "usd": spent.usd,
    }


VERSION = 6
"""Version of the data of `Run.to_dict`. A run of another version is not resumed."""


@dataclass(slots=True)
class Run:
    """One goal that an agent works on."""

    goal: str
    origin: str
    """Origin of the page it started on. The run acts on no other."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    started: float = field(default_factory=time.time)
    """Seconds since 1970."""
    plan: Plan | None = None
    entries: list[Entry] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    pending: ToolCall | None = None
    """The action under way, also when the page was left during it."""
    sends_form: bool = False
    """Whether that is a form, whose outcome is the data of the document that it leads to."""
    allowed: list[str] = field(default_factory=list)
    """Keys of what the person has allowed for the rest of the session (`Intent.key`)."""
    resumed: int = 0
    """How often it was resumed on another page."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Data of its planner, which is stored with the run; JSON."""
    shown: list[str] = field(default_factory=list)
    """Addresses of the site, from its root, that the pages so far have shown."""
    granted: list[str] = field(default_factory=list)
    """Those of `allowed` that the person gave during this run, knowing its plan."""
    refusals: dict[str, int] = field(default_factory=dict)
    """How often the person said no, by the tool or the control's key."""
    secrets: dict[str, str] = field(default_factory=dict)
    """The kind of the secret that each placeholder in the run is for. The secrets themselves are
    in the vault of the page, and are not stored."""
    turns: list[Turn] = field(default_factory=list)
    """The replies with calls, to be sent again to a model."""
    memory: list[str] = field(default_factory=list)
    """Facts that the model keeps for later steps."""
    switched: bool = False
    """Whether the second model decides, because the first has failed."""
    schema: dict[str, Any] | None = None
    """JSON Schema of the data that the caller wants; None if any will do."""
    accepted: list[str] = field(default_factory=list)
    """Calls that the person has allowed with the plan and that were not made yet, by their
    `Intent.exact_key`."""
    paused: bool = False
    """Whether the person has taken over."""
    changed: bool = False
    """Whether something was permitted that may have changed something."""
    modelless: bool = False
    """Whether the rest is decided without a model, because the model has failed."""

    def done(self) -> list[Done]:
        """Return the actions that were taken, in order."""
        return [entry for entry in self.entries if isinstance(entry, Done)]

    def results(self, earlier: Sequence[PastRun] = ()) -> list[Any]:
        """Return the results of the actions, then those of earlier runs, the latest first."""
        past = [call.value for one in reversed(earlier) for call in reversed(one.calls)]
        return [*(done.value for done in reversed(self.done())), *past]

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data."""
        entries = [_entry_dict(entry) for entry in self.entries]
        return {
            "version": VERSION,
            "id": self.id,
            "goal": self.goal,
            "origin": self.origin,
            "started": self.started,
            "plan": self.plan.to_dict() if self.plan else None,
            "entries": entries,
            "spent": asdict(self.spent),
            "pending": self.pending.to_dict() if self.pending else None,
            "sends_form": self.sends_form,
            "allowed": self.allowed,
            "resumed": self.resumed,
            "notes": self.notes,
            "shown": self.shown,
            "granted": self.granted,
            "refusals": self.refusals,
            "secrets": self.secrets,
            "turns": [turn.to_dict() for turn in self.turns],
            "memory": self.memory,
            "switched": self.switched,
            "schema": self.schema,
            "accepted": self.accepted,
            "paused": self.paused,
            "changed": self.changed,
            "modelless": self.modelless,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Run:
        """Return a run from the data of `to_dict`.

        Raises:
            ValueError: The data have another version, or are not those of a run.
        """
        try:
            if data["version"] != VERSION:
                raise ValueError(f"version {data['version']} of a run cannot be read")
            spent = dict(data["spent"])
            return cls(
                goal=str(data["goal"]),
                origin=str(data["origin"]),
                id=str(data["id"]),
                started=float(data["started"]),
                plan=Plan.from_dict(data["plan"]) if data["plan"] else None,
                entries=[_entry(entry) for entry in data["entries"]],
                spent=Spent(**(spent | {"usage": Usage(**spent["usage"])})),
                pending=ToolCall.from_dict(data["pending"]) if data["pending"] else None,
                sends_form=data["sends_form"] is True,
                allowed=[str(name) for name in data["allowed"]],
                resumed=int(data["resumed"]),
                notes=dict(data["notes"]),
                shown=[str(address) for address in data["shown"]],
                granted=[str(key) for key in data["granted"]],
                refusals={str(key): int(times) for key, times in data["refusals"].items()},
                secrets={str(name): str(kind) for name, kind in data["secrets"].items()},
                turns=[Turn.from_dict(turn) for turn in data["turns"]],
                memory=[str(fact) for fact in data["memory"]],
                switched=data["switched"] is True,
                schema=None if data["schema"] is None else dict(data["schema"]),
                accepted=[str(key) for key in data["accepted"]],
                paused=data["paused"] is True,
                changed=data["changed"] is True,
                modelless=data["modelless"] is True,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"this is not a run - {error!r}") from error


def _entry_dict(entry: Entry) -> dict[str, Any]:
    """Return an entry as plain data; results may be large, so they are not copied."""
    if isinstance(entry, Said):
        return {"by": entry.by, "text": entry.text, "kind": entry.kind}
    return {
        "call": entry.call.to_dict(),
        "url": entry.url,
        "value": entry.value,
        "error": None if entry.error is None else dict(entry.error),
        "duration_ms": entry.duration_ms,
        "kind": entry.kind,
    }


def _entry(data: Mapping[str, Any]) -> Entry:
    if data["kind"] == "said":
        return Said(**data)
    return Done(**(dict(data) | {"call": ToolCall.from_dict(data["call"])}))


@dataclass(frozen=True, slots=True)
class Finish:
    """The result of an action that ends the run."""

    text: str
    success: bool = True
    data: Any = None
    failure: ToolError | None = None
    """The failure of the model that ends the run, after something was changed."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The outcome of one run."""

    ok: bool
    text: str
    """The agent's last words."""
    run: Run
    """The run with its transcript, and what it has spent."""
    data: Any = None
    """The data that it found; JSON."""
    error: ToolError | None = None
    """Why the goal was not reached; None if it was."""
    files: tuple[GivenFile, ...] = ()
    """Screenshots that were taken since the page was opened."""
    calls: tuple[Call, ...] = ()
    """The calls of tools, including those of programs."""
    value: Any = None
    """The data as an object of the pydantic model that the caller gave; else the same as `data`."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the fields of the result of a call, and more."""
        outcome: dict[str, Any] = (
            {"ok": True, "value": self.data}
            if self.error is None
            else {"ok": False, "error": self.error.to_dict()}
        )
        return {
            **outcome,
            "text": self.text,
            "run_id": self.run.id,
            "goal": self.run.goal,
            "steps": self.run.spent.steps,
            "spent": spent_dict(self.run.spent),
            "files": [
                {"name": f.name, "type": f.type, "data": base64.b64encode(f.data).decode()}
                for f in self.files
            ],
            "logs": [],
            "calls": [
                {"id": c.id, "name": c.name, "source": c.source, "arguments": c.arguments}
                for c in self.calls
            ],
            "duration_ms": round(self.run.spent.seconds * 1000, 3),
        }


def calls_of(run: Run, sources: Mapping[str, str]) -> tuple[Call, ...]:
    """Return the calls of tools in a run, in order.

    Args:
        run: The run with its actions.
        sources: The source of each tool by its name.
    """
    made = [call for done in run.done() for call in _calls(done)]
    return tuple(
        Call(number, name, sources.get(name, ""), arguments)
        for number, (name, arguments) in enumerate(made, 1)
    )


def _calls(done: Done) -> list[tuple[str, Any]]:
    if done.call.name == "call_tool":
        given = done.call.arguments
        return [(str(given.get("name", "")), given.get("arguments") or {})]
    calls = done.value.get("calls") if isinstance(done.value, dict) else None
    if done.call.name != "execute_js" or not isinstance(calls, list):
        return []
    return [(str(call["name"]), call["arguments"]) for call in calls]


def calls_made(run: Run) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Yield each call of a tool without an error: its name, its arguments, and its result if known."""
    for done in run.done():
        if done.ok and done.call.name == "call_tool":
            yield (*_calls(done)[0], done.value)
        elif done.call.name == "execute_js" and isinstance(done.value, dict):
            for call in done.value.get("calls") or ():
                if call["ok"]:
                    yield call["name"], call["arguments"], None


_AS_TOOL_ERROR: dict[str, type[ToolError]] = {
    "rate_limited": RateLimited,
    "timeout": ToolTimeout,
    "credentials_refused": Denied,
    "quota_exhausted": Denied,
}
"""The kinds of a model's failures for callers of the agent, whose kinds are a closed set."""


def tool_error_of(error: ModelError) -> ToolError:
    """Return the failure of a model as callers of the agent get it."""
    return _AS_TOOL_ERROR.get(error.kind, InternalError)(f"the model gave no reply - {error}")


def past_of(run: Run, text: str, *, ok: bool) -> PastRun:
    """Return what later runs may refer to.

    Args:
        run: A run that has ended.
        text: What the agent said in the end.
        ok: Whether the goal was reached.
    """
    taken = [done for done in run.done() if done.call.name != "finish"]
    asked = taken[-1].call if taken and taken[-1].call.name == "communicate" else None
    calls = [
        PastCall(name, shortened(given), shortened(done.value))
        for done in taken
        if done.ok and done.call.name == "call_tool"
        for name, given in _calls(done)
    ]
    question = str(asked.arguments.get("question") or "") if asked and not taken[-1].ok else ""
    return PastRun(run.goal, text, ok, question, tuple(calls[-_MOST_PAST_CALLS:]))


def shortened(value: Any, deep: int = 0) -> Any:
    """Return data with long lists, objects and texts cut."""
    if deep > _DEEPEST:
        return None
    if isinstance(value, list):
        return [shortened(item, deep + 1) for item in value[:_MOST_ITEMS]]
    if isinstance(value, Mapping):
        return {key: shortened(item, deep + 1) for key, item in list(value.items())[:_MOST_FIELDS]}
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value


_ROUTE = re.compile(r"[/!?=&]")


def local_part(url: str) -> str:
    """Return what makes an address the same one within its site: path, query, and a route.

    A fragment such as `#/pay` is a route, which a script of the page opens; `#top` is a place.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    route = f"#{parts.fragment}" if _ROUTE.search(parts.fragment) else ""
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "") + route


def shown_on(snapshot: Snapshot, origin: str) -> Iterator[str]:
    """Yield the addresses of this site that a page shows: its own, and those of its plain links."""
    if origin_of(snapshot.url) == origin:
        yield local_part(snapshot.url)
    for element in snapshot.elements:
        url = absolute(snapshot.url, element.href) if element.href else None
        if url is not None and origin_of(url) == origin:
            local = local_part(url)
            if control_of_link(element, local).effect == "read":
                yield local


def remember(kept: list[str], snapshot: Snapshot, origin: str) -> None:
    """Add the addresses that a page shows to those that a run keeps."""
    fresh = [*dict.fromkeys(shown_on(snapshot, origin))]
    known = {*fresh}
    both = [address for address in kept if address not in known] + fresh
    size = 0
    kept.clear()
    for address in reversed(both):
        size += len(address)
        if size > _MOST_CHARACTERS:
            break
        kept.append(address)
    kept.reverse()


def changes(before: Scene, now: Scene) -> str:
    """Return how a page differs from the one of the step before, as a sentence; empty if it does not.

    Only names of tools are quoted, since all other words of a page are data.
    """
    was, shown = before.snapshot, now.snapshot
    found = [
        *(["its address"] if was.url != shown.url else ()),
        *(["its title"] if was.title != shown.title else ()),
    ]
    dialogs, open_before = _dialogs(shown), _dialogs(was)
    found += ["a dialog has opened"] if dialogs - open_before else []
    found += ["a dialog has closed"] if open_before - dialogs else []
    here, there = _callable(now), _callable(before)
    found += [f"tools that came: {_names(here - there)}"] if here - there else []
    found += [f"tools that went: {_names(there - here)}"] if there - here else []
    return f"The page has changed since the last step: {'; '.join(found)}." if found else ""


def _dialogs(snapshot: Snapshot) -> set[int]:
    return {each.id for each in snapshot.elements if each.role.endswith("dialog")}


def _callable(scene: Scene) -> set[str]:
    return {each.name for each in scene.tools if each.problem is None}


def _names(names: set[str]) -> str:
    shown = sorted(name for name in names if name.isidentifier())[:_MOST_NAMED]
    more = len(names) - len(shown)
    return ", ".join([*(f"`{name}`" for name in shown), *([f"{more} more"] if more else ())])


def words_of_person(run: Run) -> list[str]:
    """Return the person's own words in a run: the goal, and what they answered."""
    said = [entry.text for entry in run.entries if isinstance(entry, Said) and entry.by == "person"]
    values = [done.value for done in run.done() if done.call.name == "communicate"]
    answers = [value for value in values if isinstance(value, Mapping)]
    chosen = [str(each) for value in answers for each in (value.get("data") or {}).values()]
    return [run.goal, *said, *(str(value.get("answer", "")) for value in answers), *chosen]


def named_in(texts: Sequence[str], base: str) -> Iterator[str]:
    """Yield the addresses of this site that words name: `/contact`, `shop.example/contact`."""
    origin = origin_of(base)
    host = origin.partition("//")[2]
    for text in texts:
        for match in _WORD.finditer(text[:_LONGEST_WORDS]):
            word = match[0].rstrip(".:!?…")
            if "/" not in word and "." not in word:
                continue
            named = word == host or word.startswith(f"{host}/")
            full = f"{origin}{word[len(host) :]}" if named else word
            url = absolute(base, full)
            if url is not None and origin_of(url) == origin:
                yield local_part(url)


def listed_in(manifest: Manifest, base: str) -> Iterator[str]:
    """Yield the addresses of this site that its manifest lists: pages of tools, and links."""
    paths = [path for tool in manifest.tools for path in tool.behavior.paths]
    pages = [path.split("*")[0].rstrip("/") or "/" for path in paths]
    notes = [*manifest.notes, *(note for tool in manifest.tools for note in tool.notes)]
    words = [manifest.description, *(tool.description for tool in manifest.tools)]
    yield from named_in([*pages, *words, *(note.text for note in notes)], base)
