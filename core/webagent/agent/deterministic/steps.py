"""One step after another through the parts of a goal: find, ask, call, report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.lookups import lookups
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.corrections import correction
from webagent.agent.deterministic.findings import (
    call_for_all,
    changed_place,
    compared,
    found_for,
    found_nothing,
    name_of_id,
    nearly_named,
    without_words,
)
from webagent.agent.deterministic.pages import PageActions, PageTask, what_there_is
from webagent.agent.deterministic.phrases import phrase_length
from webagent.agent.deterministic.questions import answer_from_texts, searches_texts
from webagent.agent.deterministic.references import (
    Reference,
    asked_of,
    give,
    in_full,
    is_condition,
    only_stands_for,
    reference,
    refers,
    says_which,
    shared,
    thing_of_page,
)
from webagent.agent.deterministic.replies import (
    agrees,
    asked_first,
    chosen,
    given_by,
    names_thing,
    read_answer,
    values_in,
    way_of,
)
from webagent.agent.deterministic.results import (
    answer,
    done,
    read_result,
    refusal_of,
)
from webagent.agent.deterministic.results.measures import written
from webagent.agent.deterministic.state import EARLIER, Found, Pending, State, Task
from webagent.agent.deterministic.wording import (
    asking,
    doing,
    failure,
    form,
    form_of_choices,
    form_of_ways,
    label,
    name_of,
    requested,
    whole,
)
from webagent.agent.run import Run, Scene
from webagent.llm.chat import Reply, ToolCall
from webagent.page.values import decode, is_pending
from webagent.registry.sentences import sentence
from webagent.speech import listed, say

_MOST_FINDERS: Final = 2
_MOST_CALLS: Final = 20
_MOST_TRIES: Final = 3
_MOST_CHOICES: Final = 12
_MOST_WAITS: Final = 6
_WAIT_S: Final = 0.5
_TOOL: Final = "tool"
"""The name of the answer to the question which tool is meant."""
_LIST: Final = re.compile(r"\s*:|\s[-–—]\s|\s*`(?=[^`]*`,? (?:(?:or|and) )?`)")
"""Begins the values that an error lists; ``no delivery to `Austria` `` lists none."""


class Steps:
    """Decides what comes next in one scene."""

    def __init__(
        self,
        state: State,
        sentence: Sentence,
        tools: Mapping[str, ToolWords],
        run: Run,
        scene: Scene,
    ) -> None:
        """Look at the run and the page as they are now."""
        self._state = state
        self._sentence = sentence
        self._tools = tools
        self._run = run
        self._scene = scene
        self._page = PageActions(sentence, scene.snapshot)

    def next(self) -> Reply:
        """Return the next call."""
        if reply := self._absorb():
            return reply
        for task in self._state.tasks:
            while task.state == "open" and not self._state.stopped:
                before = task.state, len(task.given), len(task.finders), task.stage
                if reply := self._step(task):
                    return reply
                if before == (task.state, len(task.given), len(task.finders), task.stage):
                    break
        for task in self._state.tasks:
            if task.state == "none" and (text := found_for(task, self._state, self._sentence, self._tools)):  # fmt: skip
                task.state, task.said = "done", text
        return self._finish()

    # What the last step gave

    def _absorb(self) -> Reply | None:
        """Take what came of the last call; return another one, where it gave only a part."""
        pending = self._state.pending
        if pending is None:
            return None
        last = next((d for d in reversed(self._run.done()) if d.call.id == pending.id), None)
        self._state.pending = None
        if pending.role == "show":
            return None
        task = self._state.tasks[pending.task]
        if last is None:
            # The page was left before it was allowed, so it is decided again.
            if task.queue:
                self._give_up(task, say("last_not_done"))
        elif last.error is not None:
            self._failed(task, pending, last.error)
        elif pending.role == "ask":
            self._take(task, last.value)
        elif pending.role == "page":
            self._take_page(task, decode(last.value))
        elif pending.role in ("call", "find"):
            arguments = last.call.arguments.get("arguments")
            given = dict(arguments) if isinstance(arguments, Mapping) else {}
            return self._take_result(task, pending, last.value, given)
        return None

    def _take_result(
        self, task: Task, pending: Pending, raw: Any, given: dict[str, Any]
    ) -> Reply | None:
        value = decode(raw)
        tool = self._tools.get(pending.tool)
        reason = refusal_of(pending.tool, given, value, reads=tool is not None and tool.reads)
        if reason is not None and pending.role == "call":
            self._failed(task, pending, {"message": reason}, value)
            return None
        if (
            tool
            and tool.reads
            and not task.misspelled
            and (every := without_words(self._sentence, tool, value, given))
        ):
            task.misspelled = next(str(given[name]) for name in given if given[name] != every[name])
            return self._call(task, tool.name, every, pending.role)
        if tool and (every := call_for_all(task, self._sentence, tool, value, given)):
            if not task.misspelled:
                self._remember(pending, value, given)
            return self._call(task, tool.name, every, pending.role)
        if task.misspelled and tool:
            value = nearly_named(read_result(value, tool.output, tool.name), task.misspelled)
        self._remember(pending, value, given)
        if pending.role != "call":
            return None
        if is_pending(raw):
            # The person sends the form from where it is.
            self._state.shown = True
            task.state, task.said = "done", say("filled_in", tool=self._named(pending.tool))
        else:
            told = self._report(task, pending.tool, value, given)
            # The answer names each of several calls.
            task.said = f"{task.said} {told}".strip() if told not in task.said else task.said
            task.state = task.state if task.queue else "done"
            if (
                tool
                and not task.queue
                and searches_texts(tool)
                and self._sentence.asks(task.first, task.end)
            ):
                result = read_result(value, tool.output, tool.name)
                task.said, shown = answer_from_texts(self._sentence, task, tool, result)
                task.state, self._state.results[-1].value = "done" if shown else "failed", shown
        return None

    def _remember(self, pending: Pending, value: Any, given: dict[str, Any]) -> None:
        tool = self._tools.get(pending.tool)
        self._state.remember(
            Found(pending.task, pending.tool, value, tool is None or tool.reads, given)
        )

    def _report(self, task: Task, name: str, value: Any, arguments: Mapping[str, Any]) -> str:
        tool = self._tools.get(name)
        result = read_result(value, tool.output if tool else None, name)
        binding = next((one for one in self._scene.tools if one.name == name), None)
        template = binding.tool.behavior.done if binding and binding.origin in ("", self._run.origin) else ""  # fmt: skip
        if own := sentence(template, arguments, [value, *self._run.results(self._scene.earlier)]):
            return own
        if tool is not None and not tool.reads:
            return done(
                name, arguments, result, schema=tool.schema, verbs=tool.verbs, title=tool.title,
                thing=name_of_id(self._state, arguments),
            )  # fmt: skip
        # What is named like the words of the search was not found by them.
        found_by = self._filled(task, tool) if tool and not task.misspelled else None
        asked = asked_of(self._sentence, (task.first, task.end), found_by=found_by)
        return answer(asked, result, arguments)

    def _failed(
        self, task: Task, pending: Pending, error: Mapping[str, str], result: Any = None
    ) -> None:
        kind, message = str(error.get("kind", "")), str(error.get("message", ""))[:1_000]
        if pending.role == "call" and kind != "denied" and self._corrects(task, message, result):
            return
        if pending.role == "find" and kind != "denied":
            # Another tool may find it.
            return
        deed, tool = (self._doing(pending.tool), self._named(pending.tool)) if pending.tool else ("", "")  # fmt: skip
        asked = pending.role == "ask"
        self._give_up(task, failure(kind, message, is_answer=asked, doing=deed, tool=tool))

    def _corrects(self, task: Task, message: str, result: Any) -> bool:
        """Use once what an error names as allowed: what was meant by an argument, or a choice of the person."""
        tool = self._tools.get(task.tool)
        last = next((d for d in reversed(self._run.done()) if d.call.name == "call_tool"), None)
        given = last.call.arguments.get("arguments") if last else None
        if tool is None or task.corrected or task.queue or not isinstance(given, Mapping):
            return False
        found = correction(tool, given, message if result is None else result)
        if found is None:
            return False
        path, values, is_sure = found
        task.corrected = True
        if is_sure:
            task.given.append([path, values[0]])
        else:
            task.asked, task.said = [path], message
            task.choices = [[one, one] for one in values[:_MOST_CHOICES]]
        return True

    # What the person answered

    def _take(self, task: Task, value: Any) -> None:
        """Take the person's answer into the task."""
        told = value.get("answer") if isinstance(value, Mapping) else value
        data = value.get("data") if isinstance(value, Mapping) else None
        text = str(told or "").strip()[:2_000]
        if not text:
            self._give_up(task, say("still_need", what=self._needed(task)))
            return
        said = read_answer(text, self._state.now, self._sentence.language)
        if task.page:
            page = PageTask(**task.page)
            self._page.answer(page, text, said, data)
            task.page = asdict(page)
            return
        tool = self._tools.get(task.tool)
        if tool is None:
            return
        if isinstance(data, Mapping):
            self._take_data(task, tool, data)
        elif task.rivals:
            self._take_tool(task, text, said)
        elif task.choices:
            values = chosen(task.choices, text, said)
            if values:
                task.given.append([task.asked[0], values[0]])
                task.choices = []
        elif names_thing(tool, task.asked, said):
            task.named, task.finders = text, []
        else:
            task.given += given_by(tool, task.asked, text, said)

    def _take_data(self, task: Task, tool: ToolWords, data: Mapping[str, Any]) -> None:
        """Take the values of a form, which need no reading."""
        if task.rivals:
            way = data.get(_TOOL)
            if way is not True and way not in task.rivals:
                deed, named = self._doing(task.tool), self._named(task.tool)
                self._give_up(task, say("said_no", doing=deed, tool=named))
                return
            task.tool, task.rivals = (task.tool if way is True else way), []
            return
        for path, value in values_in(tool, task.asked, data):
            said = read_answer(str(value), self._state.now, self._sentence.language)
            # An offered value is an id already.
            if isinstance(value, str) and not task.choices and names_thing(tool, [path], said):
                task.named, task.finders = value, []
            else:
                task.given.append([path, value])
        task.choices = []

    def _take_tool(self, task: Task, text: str, said: Sentence) -> None:
        """Take the tool that an answer names."""
        if agrees(said) is False:
            deed, tool = self._doing(task.tool), self._named(task.tool)
            self._give_up(task, say("said_no", doing=deed, tool=tool))
            return
        named = way_of({name: self._tools.get(name) for name in task.rivals}, text, said)
        if named:
            task.tool, task.rivals = named, []
        elif agrees(said):
            task.rivals = []
        elif len(task.rivals) == 1 and (own := self._tools.get(task.tool)):
            # A value for it is a yes too.
            paths = [[*p.path] for p in own.parameters if p.required and not p.names_thing]
            if given := given_by(own, paths, text, said) if paths else []:
                task.given, task.rivals = [*task.given, *given], []

    def _take_page(self, task: Task, value: Any) -> None:
        page = PageTask(**task.page)
        self._page.absorb(page, value)
        self._keep(task, page)

    def _keep(self, task: Task, page: PageTask) -> None:
        task.page = asdict(page)
        if page.state != "open":
            task.state, task.said = page.state, page.said

    # What comes next

    def _step(self, task: Task) -> Reply | None:
        if task.page:
            return self._step_page(task)
        tool = self._tools.get(task.tool)
        if tool is None:
            deed, named = self._doing(task.tool), self._named(task.tool)
            self._give_up(task, say("tool_gone", doing=deed, tool=named))
            return None
        if task.rivals and not task.unless_found:
            return self._ask_which(task)
        if tool.problem and tool.paths and task.stage <= _MOST_WAITS:
            task.stage += 1
            url = tool.paths[0].split("*")[0].rstrip("/") or "/"
            if task.stage == 1:
                return self._reply(task, "goto_url", {"url": url}, "move")
            # A frame of the page registers its tools after the page has come.
            return self._reply(task, "wait", {"seconds": _WAIT_S}, "move")
        if task.queue:
            return self._call(task, tool.name, task.queue.pop(0))
        if task.choices:
            return self._ask_choice(task, tool)
        filled = self._filled(task, tool)
        for parameter in self._references(filled, task):
            naming, place = self._naming(task)
            said = Filled(tool, [], [parameter]) if task.named else filled
            found = reference(self._state, self._tools, naming, task, place, tool, parameter, said)
            if (
                found.unknown
                and only_stands_for(naming, place)
                and (own := thing_of_page(self._scene.snapshot.url, parameter))
            ):
                # `it` is what the page is about.
                found = Reference((own,))
            if task.unless_found and (found.empty or (found.is_other and task.unless_found == "none")):  # fmt: skip
                return self._not_found(task)
            if found.empty:
                self._give_up(task, say("stopped_empty"))
                return None
            if found.choices:
                # Which of them is a question that says what is done, too.
                task.rivals, task.unless_found = [], ""
                named = next((str(f.value) for f in filled.fits if f.parameter is parameter), "")
                if found.is_other and named:
                    task.said = say("found_nothing", words=named[:120])
                pairs = list(zip(found.values, found.choices, strict=False))[:_MOST_CHOICES]
                task.choices, task.asked = [[v, text] for v, text in pairs], [[*parameter.path]]
                return self._ask_choice(task, tool)
            if not found.values:
                if reply := self._look_up(task, tool, parameter, said):
                    return reply
                if not parameter.names_thing:
                    continue
                if task.unless_found:
                    return self._not_found(task)
                if found_nothing(task, self._state):
                    words = requested(naming, *place)[:120]
                    self._give_up(task, say("found_nothing", words=words))
                    return None
                # A name is no id.
                filled.fits = [f for f in filled.fits if f.parameter is not parameter]
                if parameter.required and parameter not in filled.missing:
                    filled.missing.append(parameter)
                continue
            filled = self._take_reference(task, tool, parameter, found)
        if task.unless_found and not task.given:
            return self._not_found(task)
        task.rivals = []
        if filled.unsure:
            unsure = filled.unsure[0]
            task.choices = [[one, written(one)] for one in unsure.readings[:_MOST_CHOICES]]
            task.asked = [[*unsure.parameter.path]]
            return self._ask_choice(task, tool)
        if given := shared(self._state, self._tools, self._sentence, task, filled):
            task.given += given
            filled = self._filled(task, tool)
        if filled.missing:
            return self._ask(task, tool, asked_first(filled.missing))
        arguments = filled.arguments()
        for fit in filled.also[:_MOST_CALLS]:
            more = replace(
                filled, fits=[f for f in filled.fits if f.parameter is not fit.parameter] + [fit]
            )
            task.queue.append(more.arguments())
        return self._call(task, tool.name, arguments)

    def _not_found(self, task: Task) -> Reply | None:
        """Decide about a call that is only meant if the thing that it names is there."""
        doubt, task.unless_found = task.unless_found, ""
        if doubt == "asked":
            return self._ask_which(task)
        task.state = "none"
        return None

    def _filled(self, task: Task, tool: ToolWords) -> Filled:
        """Return the call of a task as far as it is known."""
        filled = fill(tool, self._sentence, task.first, task.end)
        known = [path for path, _ in task.given]
        for fit in [
            f for f in filled.fits
            if f.is_name and [*f.parameter.path] not in known and is_condition(self._sentence, f, self._tools)
        ]:  # fmt: skip
            filled.fits.remove(fit)
            filled.group_tokens |= fit.tokens
            if fit.parameter.required:
                filled.missing.append(fit.parameter)
        if any(p.names_thing for p in filled.missing):
            # `the first one` says which, not how many.
            telling = self._telling_which()
            filled.fits = [
                f for f in filled.fits if not (f.parameter.kind == "number" and f.tokens & telling)
            ]
        filled.fits = [
            in_full(self._state, self._tools, self._sentence, tool, fit) for fit in filled.fits
        ]
        # `same deadline` is not a text.
        filled.fits = [
            f for f in filled.fits
            if f.parameter.kind != "text" or not any(phrase_length(self._sentence, i, "same") for i in f.tokens)
        ]  # fmt: skip
        give(filled, task.given)
        return filled

    def _telling_which(self) -> frozenset[int]:
        """Return the numbers that say which things are meant: `the first two`, `the two cheapest`."""
        sentence = self._sentence
        ordinals = [v for v in sentence.values if v.kind == "ordinal"]
        first = {v.first for v in ordinals}
        behind = {v.end for v in ordinals}
        return frozenset(first).union(
            v.first for v in sentence.values
            if v.kind == "number" and (v.first in behind or (v.end < len(sentence.roles) and sentence.roles[v.end] == "superlatives"))
        )  # fmt: skip

    def _take_reference(
        self, task: Task, tool: ToolWords, parameter: Parameter, found: Reference
    ) -> Filled:
        """Put what results have into the call; where all are meant, into further calls."""
        values = list(found.values)[:_MOST_CALLS]
        as_list = parameter.is_list and not isinstance(values[0], list)
        task.given.append([[*parameter.path], values if as_list else values[0]])
        filled = self._filled(task, tool)
        if found.every and not parameter.is_list:
            filled.also = [Fit(parameter, value, frozenset(), 2.0) for value in values[1:]]
        return filled

    def _look_up(
        self, task: Task, tool: ToolWords, parameter: Parameter, filled: Filled
    ) -> Reply | None:
        """Call the next tool that may find what a parameter needs."""
        if len(task.finders) >= _MOST_FINDERS:
            return None
        naming, place = self._naming(task)
        says = says_which(naming, place, filled)
        for one in lookups([*self._tools.values()], tool, parameter, naming, *place, filled):
            # `the yoga class tomorrow` says which by what a search takes.
            takes = says or any(p.kind != "text" and p.path[0] in one.arguments for p in one.tool.parameters)  # fmt: skip
            if one.tool.name not in task.finders and takes:
                task.finders.append(one.tool.name)
                return self._call(task, one.tool.name, one.arguments, role="find")
        return None

    def _naming(self, task: Task) -> tuple[Sentence, tuple[int, int]]:
        """Return the words that name the thing of a task: those of the goal, or the person's answer."""
        if not task.named:
            return self._sentence, (task.first, task.end)
        said = read_answer(task.named, self._state.now, self._sentence.language)
        return said, (0, len(said.tokens))

    def _step_page(self, task: Task) -> Reply | None:
        page = PageTask(**task.page)
        act = self._page.next(page)
        self._keep(task, page)
        if act is None:
            return None
        if act.asks:
            self._state.asked = [label.rstrip(" *") for label in page.asked]
        return self._reply(task, act.name, act.arguments, "ask" if act.asks else "page")

    def _references(self, filled: Filled, task: Task) -> list[Parameter]:
        """Return the parameters that a result has to give: missing ids, and ids that got a name."""
        given = [path for path, _ in task.given]
        pointing = refers(self._sentence, (task.first, task.end))
        found = [
            p for p in filled.missing
            if p.names_thing or (pointing and p.kind in ("text", "id", "enum") and not p.is_query)
        ]  # fmt: skip
        return found + [
            f.parameter for f in filled.fits if f.is_name and [*f.parameter.path] not in given
        ]

    def _call(
        self, task: Task, tool: str, arguments: Mapping[str, Any], role: str = "call"
    ) -> Reply:
        return self._reply(
            task, "call_tool", {"name": tool, "arguments": dict(arguments)}, role, tool
        )

    # Questions

    def _ask(self, task: Task, tool: ToolWords, missing: Sequence[Parameter]) -> Reply | None:
        task.asked = [[*p.path] for p in missing]
        names = [p.path[-1] for p in missing]
        needed = say("need", what=self._needed(task))
        return self._question(task, names, needed, asking(tool, missing), form(tool, missing))

    def _ask_choice(self, task: Task, tool: ToolWords) -> Reply | None:
        """Ask which of several things is meant."""
        texts = [str(text)[:80] for _, text in task.choices]
        said, task.said = task.said[:300], ""
        before, why = (
            f"{whole(one)} " if one else "" for one in (said, _LIST.split(said, maxsplit=1)[0])
        )
        text = before + say("ask_which", choices=listed(texts, joint="or"))
        choices = [(value, text) for (value, _), text in zip(task.choices, texts, strict=True)]
        plain = all(isinstance(value, str | int | float) for value, _ in choices)
        path = task.asked[0]
        schema = form_of_choices(".".join(path), why + say("ask_one"), choices) if plain else None
        needed = say("need_which", doing=doing(tool), tool=name_of(tool))
        return self._question(task, [path[-1]], needed, text, schema)

    def _ask_which(self, task: Task) -> Reply | None:
        """Ask which of two tools is meant, or whether the only one is."""
        task.asked = []
        ways = {name: self._doing(name) for name in task.rivals}
        said = say("or_else").join(dict.fromkeys(ways.values()))
        text = say("shall_i", what=said)
        schema = form_of_ways(_TOOL, ways)
        return self._question(task, [_TOOL], say("could", what=said), text, schema)

    def _question(
        self,
        task: Task,
        names: Sequence[str],
        summary: str,
        text: str,
        schema: Mapping[str, Any] | None,
    ) -> Reply | None:
        task.tries += 1
        if task.tries > _MOST_TRIES:
            self._give_up(task, say("still_need", what=self._needed(task)))
            return None
        self._state.asked = list(names)
        if answer := self._state.answer:
            # The goal itself is the answer.
            self._state.answer = ""
            self._take(task, {"answer": answer})
            return self._step(task) if task.state == "open" else None
        asked = {"summary": summary, "question": text} | ({"schema": schema} if schema else {})
        return self._reply(task, "communicate", asked, "ask")

    # Words

    def _doing(self, name: str) -> str:
        return doing(self._tools.get(name), name)

    def _named(self, name: str) -> str:
        return name_of(self._tools.get(name), name)

    def _needed(self, task: Task) -> str:
        """Return what the person was asked for."""
        tool = self._tools.get(task.tool)
        asked = [p for p in tool.parameters if [*p.path] in task.asked] if tool else []
        known = [say("the", label=label(p)) for p in asked] or self._state.asked
        return listed(known) or say("to_know_more")

    # The end

    def _give_up(self, task: Task, said: str) -> None:
        task.state, task.said = "failed", said
        self._state.stopped = said

    def _reply(
        self, task: Task, action: str, arguments: Mapping[str, Any], role: str, tool: str = ""
    ) -> Reply:
        self._state.calls += 1
        call = ToolCall(f"{self._run.id}-{self._state.calls}", action, arguments)
        self._state.pending = Pending(call.id, self._state.tasks.index(task), role, tool)
        return Reply(calls=(call,))

    def _finish(self) -> Reply:
        tasks = self._state.tasks
        if tasks and (link := changed_place(self._state, self._tools, self._scene)) is not None:
            self._state.shown = True
            reply = self._reply(tasks[-1], "click_link", {"pp_id": link}, "show")
            return replace(reply, text=say("show_change"))
        said = [task.said for task in tasks if task.said]
        said += [
            say("cannot", words=requested(self._sentence, task.first, task.end)[:120])
            for task in tasks if task.state == "none" and not self._state.stopped
        ]  # fmt: skip
        things = compared(self._state, self._sentence, self._tools)
        if things is not None:
            said = [answer(asked_of(self._sentence, (0, len(self._sentence.tokens))), things)]
        if self._state.stopped and self._state.stopped not in said:
            said.append(self._state.stopped)
        if self._state.greeted:
            said.append(what_there_is([*self._tools.values()]))
        elif not said and not tasks:
            said.append(say("welcome" if self._state.closed else "cannot_that"))
        success = (
            self._state.greeted
            or self._state.closed
            or (bool(tasks) and all(task.state == "done" for task in tasks))
        )
        # What the page says stays as it is, if it is all there is to say.
        text = said[0] if len(said) == 1 and tasks and tasks[0].page else " ".join(map(whole, said))
        arguments: dict[str, Any] = {"text": text or say("done"), "success": success}
        if own := [found for found in self._state.results if found.task != EARLIER]:
            arguments["data"] = things.value if things else own[-1].value
        self._state.calls += 1
        call = ToolCall(f"{self._run.id}-{self._state.calls}", "finish", arguments)
        return Reply(calls=(call,))
