"""The programs of a store, and their replay.

`Replay` is the planner and decider that takes the steps of a program, and leaves the run to another
planner and decider as soon as the program does not fit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.grants import quotable
from webagent.agent.planner import Decider, Planner
from webagent.agent.run import Done, Plan, PlanStep, Run, RunResult, Said, Scene
from webagent.agent.storage import MemoryStore, Store, StoreFull
from webagent.errors import NotReached
from webagent.json_text import read_json
from webagent.llm.chat import Reply, ToolCall
from webagent.page.snapshot import Element, Snapshot
from webagent.replay.program import CALLS, MARKS, TOUCHES, Given, Program, Step
from webagent.replay.recording import (
    Mask,
    NotRepeatable,
    calls_in,
    digest,
    elements_named,
    hashed,
    note_decision,
    notes_of,
    outcome,
    program_of,
)
from webagent.schema import check_value

MOST_PROGRAMS: Final = 20
"""Programs in a store; the oldest go first."""

_MOST_WAITS: Final = 3
"""Seconds that a step waits for its element."""

_WORDS: Final[Mapping[str, str]] = {
    "click": "press",
    "click_link": "follow the link",
    "communicate": "ask what was asked then",
    "enter_data": "fill in a form",
    "execute_js": "run the program that was written then",
    "goto_url": "open a page",
    "scroll": "scroll",
    "search": "search the site",
    "wait": "wait",
}
"""The words of a plan for each action but those that call a tool or look."""


class _Unfit(Exception):
    """A step of a program cannot be taken."""

    def __init__(self, reason: str, *, absent: bool = False) -> None:
        super().__init__(reason)
        self.absent = absent
        """Whether its element may still appear."""


@dataclass(frozen=True, slots=True)
class _Progress:
    """A program that runs: its values, and how far it is."""

    program: Program
    values: Mapping[str, Any]
    taken: Sequence[Done]
    """The action of each step so far."""
    waits: int
    """How often the next step has waited for its element."""

    @property
    def next(self) -> Step | None:
        """The step that is next; None at the end."""
        number = len(self.taken)
        return self.program.steps[number] if number < len(self.program.steps) else None

    def misfit(self) -> str:
        """Return why the last step is not as it was; empty if it is."""
        if not self.taken:
            return ""
        done, number = self.taken[-1], len(self.taken)
        if done.error is not None:
            return f"step {number} failed - {done.error.get('message', '')}"
        shape = self.program.steps[number - 1].returns
        found = check_value(outcome(done), shape) if shape else []
        return f"the result of step {number} has another shape: {found[0]}" if found else ""

    def arguments(self, snapshot: Snapshot, day: str, mask: Mask) -> dict[str, Any]:
        """Return the arguments of the next step.

        Raises:
            _Unfit: It was decided from something else, or refers to what is not there.
        """
        step = self.next
        assert step is not None
        if step.given is not None and not self.is_same(step.given, snapshot, day, mask):
            raise _Unfit("it was decided from other values or results")
        filled: dict[str, Any] = self.filled(step.arguments, snapshot)
        return filled

    def is_same(self, given: Given, snapshot: Snapshot, day: str, mask: Mask) -> bool:
        """Whether everything from which something was decided is the same."""
        outcomes = [outcome(done) for done in self.taken]
        page = hashed(snapshot.text) if given.page else ""
        same = digest(self.values, outcomes, page, mask) == given.digest
        return same and given.day in (None, day)

    def filled(self, template: Any, snapshot: Snapshot) -> Any:
        """Return a template with what its marks stand for.

        Raises:
            _Unfit: A result has no such part, or the page no such element.
        """
        if isinstance(template, list):
            return [self.filled(inner, snapshot) for inner in template]
        if not isinstance(template, Mapping):
            return template
        match next((mark for mark in MARKS if mark in template), None):
            case None:
                return {key: self.filled(inner, snapshot) for key, inner in template.items()}
            case "$parameter":
                return self.values[template["$parameter"]]
            case "$result":
                return self._part(template["$result"], template.get("path", []))
            case "$element":
                element = template["$element"]
                name = self.filled(element["name"], snapshot)
                return _only_element(snapshot, element["role"], str(name))
            case mark:
                return template[mark]

    def _part(self, step: int, path: Sequence[str | int]) -> Any:
        value = self.taken[step].value
        try:
            for key in path:
                if isinstance(value, list) is not isinstance(key, int):
                    raise TypeError
                value = value[key]
        except (LookupError, TypeError):
            text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
            raise _Unfit(f"the result of step {step + 1} lacks `{text.lstrip('.')}`") from None
        return value


class Programs:
    """The programs of a store, which keeps one text."""

    def __init__(self, store: Store) -> None:
        """Keep programs in a store."""
        self._store = store

    @classmethod
    def of(cls, origin: str, program: Program) -> Programs:
        """Return programs in memory that have one for a site.

        Args:
            origin: Origin of the site.
            program: The program.
        """
        return cls(MemoryStore(_store_text([(origin, program)])))

    def replay(
        self, planner: Planner | None, decider: Decider, mask: Mask, *, goes_on: bool
    ) -> Replay:
        """Return what runs them (`webagent.agent.planner.Programs.replay`)."""
        return Replay(self, planner, decider, mask, goes_on=goes_on)

    async def load(self) -> list[tuple[str, Program]]:
        """Return all programs, each with the origin of its site, the latest first.

        Others may write to the store, so an entry that cannot be read is left out.
        """
        try:
            data = read_json(await self._store.load() or "{}")
            entries = data["programs"][:MOST_PROGRAMS] if data.get("version") == 1 else []
        except (ValueError, TypeError, KeyError, AttributeError):
            return []
        found = []
        for entry in entries:
            try:
                found.append((str(entry["origin"]), Program.of(entry["program"])))
            except (ValueError, TypeError, KeyError):
                continue
        return found

    async def add(self, origin: str, program: Program) -> None:
        """Add a program, instead of one for the same goal; the oldest ones go."""
        known = await self.load()
        others = [(o, p) for o, p in known if o != origin or p.goal_text != program.goal_text]
        programs = [(origin, program), *others][:MOST_PROGRAMS]
        while programs:
            try:
                await self._store.save(_store_text(programs))
            except StoreFull:
                programs.pop()
            else:
                return


class Replay:
    """A planner and decider that runs programs."""

    def __init__(
        self,
        programs: Programs,
        planner: Planner | None,
        decider: Decider,
        mask: Mask,
        *,
        goes_on: bool,
    ) -> None:
        """Create it around another planner and decider; see `webagent.agent.planner.Programs`."""
        self._programs = programs
        self._planner = planner
        self._decider = decider
        self._mask = mask
        self._goes_on = goes_on

    async def plan(self, run: Run, scene: Scene) -> Plan | None:
        """Return the steps of the program for the goal; the other planner's plan if there is none.

        A program that only says something needs no plan.
        """
        notes = notes_of(run)
        notes["day"] = scene.now.date().isoformat()
        for origin, program in await self._programs.load():
            values = program.values_in(run.goal) if origin == run.origin else None
            if values is None or (not self._goes_on and _is_bound(program, values)):
                continue
            try:
                if program.steps:
                    progress = _Progress(program, values, (), 0)
                    progress.arguments(scene.snapshot, notes["day"], self._mask)
            except _Unfit:
                continue
            notes |= {"program": program.to_dict(), "values": values}
            for placeholder, kind in program.secrets.items():
                run.secrets.setdefault(placeholder, kind)
            return _plan(program, values, scene) if program.steps else None
        return None if self._planner is None else await self._planner.plan(run, scene)

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan | None:
        """Give the program up, and return the other planner's plan.

        Raises:
            NotReached: The other planner would begin anew, and the program has changed something.
        """
        self._give_up(run, scene, reason)
        return None if self._planner is None else await self._planner.revise(run, scene, reason)

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next step of the program; the other decider's reply if there is none."""
        if (progress := _progress(run)) is not None:
            if reason := self.problem(run, scene):
                self._give_up(run, scene, reason)
            elif (call := self._call(progress, run, scene)) is not None:
                reply = Reply(calls=(call,))
                note_decision(run, scene, reply)
                return reply
        reply = await self._decider.next(run, scene)
        note_decision(run, scene, reply)
        return reply

    def problem(self, run: Run, scene: Scene) -> str | None:
        """Return why the program does not fit any more; None if it does, or none runs."""
        progress = _progress(run)
        if progress is None:
            return None
        if misfit := progress.misfit():
            return misfit
        if any(done.call.id == _END and not done.ok for done in run.done()):
            return "its last words were not accepted"
        try:
            if progress.next is not None:
                progress.arguments(scene.snapshot, _day(scene), self._mask)
        except _Unfit as unfit:
            if not unfit.absent or progress.waits >= _MOST_WAITS:
                return f"step {len(progress.taken) + 1} does not fit - {unfit}"
        return None

    async def keep(self, run: Run, result: RunResult) -> None:
        """Store a finished run as a program, unless it was one, or cannot be repeated."""
        if _progress(run) is not None:
            return
        try:
            program = program_of(result, self._mask)
        except NotRepeatable:
            return
        await self._programs.add(run.origin, program)

    def _call(self, progress: _Progress, run: Run, scene: Scene) -> ToolCall | None:
        """Return the next call of a program that fits; None if the other decider has the last word."""
        number, step = len(progress.taken), progress.next
        if step is None:
            return self._finish(progress, run, scene)
        try:
            arguments = progress.arguments(scene.snapshot, _day(scene), self._mask)
        except _Unfit:
            # Its element may still appear.
            return ToolCall(f"{_id(number)}.{progress.waits + 1}", "wait", {"seconds": 1})
        return ToolCall(_id(number), step.action, arguments)

    def _finish(self, progress: _Progress, run: Run, scene: Scene) -> ToolCall | None:
        end = progress.program.end
        if progress.is_same(end.given, scene.snapshot, _day(scene), self._mask):
            with suppress(_Unfit):
                data = progress.filled(end.data, scene.snapshot)
                said = {"text": end.text} | ({} if data is None else {"data": data})
                return ToolCall(_END, "finish", {**said, "success": True})
        if self._goes_on:
            notes_of(run)["over"] = True
            words = (
                "the steps of the plan are done, with other results than before: finish with them"
            )
            run.entries.append(Said("driver", words))
            return None
        results = [done for done in progress.taken if done.call.name in CALLS]
        text = "All steps of the program were taken, with other results than before."
        last = {"data": outcome(results[-1])} if results else {}
        return ToolCall(_END, "finish", {"text": text, "success": True, **last})

    def _give_up(self, run: Run, scene: Scene, reason: str) -> None:
        progress = _progress(run)
        if progress is None:
            return
        notes_of(run)["over"] = True
        if not self._goes_on and any(_may_change(done, scene) for done in progress.taken):
            raise NotReached(
                f"the program does not fit any more: {reason}",
                help="look at what was done, and ask for the rest; a model could have gone on",
            )


def _store_text(programs: Sequence[tuple[str, Program]]) -> str:
    data = [{"origin": origin, "program": program.to_dict()} for origin, program in programs]
    return json.dumps({"version": 1, "programs": data}, ensure_ascii=False)


def _plan(program: Program, values: Mapping[str, Any], scene: Scene) -> Plan:
    """Return the plan of a program; effects are those that the page's tools have now."""
    effects = {binding.name: binding.tool.behavior.effect for binding in scene.tools}
    steps = []
    for step in program.steps:
        name = str(step.arguments.get("name", ""))
        if step.action == "call_tool":
            steps.append(
                PlanStep(f"call `{name}`", step.action, name, effects.get(name, "unknown"))
            )
        elif step.action in TOUCHES:
            label = quotable(_label(step.arguments, values))
            text = _WORDS[step.action] + (f" `{label}`" if label else "")
            steps.append(PlanStep(text, step.action, "", "unknown"))
        else:
            steps.append(PlanStep(_WORDS.get(step.action, "look at the page"), step.action))
        steps += [
            PlanStep(f"call `{tool}`", "call_tool", tool, effects.get(tool, "unknown"))
            for tool in step.tools
        ]
    return Plan("I will take the steps again that have led to this goal before.", tuple(steps))


def _is_bound(program: Program, values: Mapping[str, Any]) -> bool:
    """Whether a step was decided from other values, so that the program ends there."""
    return values != program.values and any(step.given for step in program.steps)


def _label(arguments: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the words on the control that an action uses."""
    mark = arguments.get("pp_id")
    element = mark.get("$element") if isinstance(mark, Mapping) else None
    name = element.get("name") if isinstance(element, Mapping) else arguments.get("text")
    if isinstance(name, Mapping):
        name = values.get(str(name.get("$parameter")), "")
    return str(name or "")


def _progress(run: Run) -> _Progress | None:
    """Return the program that runs, None if there is none any more."""
    notes = notes_of(run)
    if "program" not in notes or notes.get("over"):
        return None
    try:
        program = Program.of(notes["program"])
        values = {name: notes["values"][name] for name in program.parameters}
    except (ValueError, TypeError, LookupError):
        # The page's own scripts can write to the storage of a run.
        return None
    by_id = {done.call.id: done for done in run.done()}
    taken: list[Done] = []
    while (done := by_id.get(_id(len(taken)))) is not None:
        taken.append(done)
    waits = sum(number.startswith(f"{_id(len(taken))}.") for number in by_id)
    return _Progress(program, values, taken, waits)


_END: Final = "program-end"


def _id(number: int) -> str:
    return f"program-{number + 1}"


def _may_change(done: Done, scene: Scene) -> bool:
    """Whether an action may have changed something."""
    reads = {b.name for b in scene.tools if b.tool.behavior.effect == "read"}
    if done.call.name == "call_tool":
        return done.call.arguments.get("name") not in reads
    return done.call.name in TOUCHES or not reads.issuperset(calls_in(done))


def _only_element(snapshot: Snapshot, role: str, name: str) -> int:
    found = elements_named(snapshot, Element(0, role, name))
    if len(found) == 1:
        return found[0]
    count = len(found) or "no"
    raise _Unfit(f"the page has {count} {role} named `{name}`", absent=not found)


def _day(scene: Scene) -> str:
    return scene.now.date().isoformat()
