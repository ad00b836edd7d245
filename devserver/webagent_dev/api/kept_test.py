"""A finished run as a pytest test and as a case of an evaluation."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import urlsplit

from webagent.agent import Done, Run, RunResult, default_actions
from webagent.agent.actions.base import check_arguments
from webagent.agent.actions.table import ActionTable
from webagent.errors import NotReached, ToolError
from webagent.json_text import utf8_json
from webagent.llm.chat import ToolCall
from webagent.page.values import plain
from webagent.registry.secrets import MASK
from webagent.replay.program import MARKS, Program, Step
from webagent.replay.recording import Mask, NotRepeatable, program_of

_LONGEST_NAME: Final = 60

_LONGEST_MOCK: Final = 20_000
"""Characters of the result of a call that a case has for runs without a page."""

_MOST_EVENTS: Final = 10_000

_TAKEN: Final = ("agent_page", "assert_matches", "pytest", "tools", "urljoin", "urlsplit")
"""Names that a test has, so that no parameter may."""


@dataclass(frozen=True, slots=True)
class KeptTest:
    """A run as two files.

    Attributes:
        name: Of both files, without their endings: `search_for_books`.
        test: The pytest test.
        case: The file of cases.
    """

    name: str
    test: str
    case: str


def kept_test(result: RunResult, mask: Mask, path: str = "") -> KeptTest:
    """Return a finished run as a test and a case.

    Args:
        result: The run, of a driver with the option `programs`.
        mask: Masks secrets in a record.
        path: Path of the page on which it began; empty for the first page.

    Raises:
        NotRepeatable: The run has done what a test cannot do.
    """
    program = program_of(result, mask)
    if program.secrets or MASK in str([step.arguments for step in program.steps]):
        raise NotRepeatable(
            "the run has used a secret, which is not kept, and a test would need it"
        )
    if any(done.call.name == "call_tool" and not done.ok for done in result.run.done()):
        raise NotRepeatable("a call of the run failed, and its case would fail with it")
    name = _file_name(result.run.goal)
    case = json.dumps([mask(_case(result.run))], indent=2, ensure_ascii=False) + "\n"
    test = _TestWriter(program, result.run, mask({"goal": result.run.goal})["goal"], path)
    return KeptTest(name, test.text(name), utf8_json(case).decode())


def result_of(events: Any) -> RunResult:
    """Return the result of a run from its events, as the page of a browser has them.

    Args:
        events: The events of one run, in order; they are not trusted.

    Raises:
        NotRepeatable: They are not those of a finished run.
    """
    found = events[:_MOST_EVENTS] if isinstance(events, list) else []
    known = [event for event in found if isinstance(event, Mapping)]
    goal = next((e.get("goal") for e in known if e.get("type") == "started"), None)
    end = next((e for e in known if e.get("type") == "finished"), {})
    if not isinstance(goal, str) or not isinstance(end.get("text"), str):
        raise NotRepeatable("these are not the events of a finished run")
    run = Run(goal, "")
    actions = ActionTable(default_actions())
    notes: dict[str, Any] = {}
    # Where an action left the page, the next page reports its end, and no longer knows the element.
    elements = {
        str(e.get("id")): e["element"] for e in known if isinstance(e.get("element"), Mapping)
    }
    for event in known:
        ended = event.get("type") == "step" and event.get("state") in ("finished", "failed")
        action, arguments = event.get("action"), event.get("arguments")
        if not ended or "parent" in event or not isinstance(arguments, Mapping):
            continue
        element, tool = elements.get(str(event.get("id"))), str(event.get("tool") or "")
        if element and element.get("name") and "pp_id" in arguments:
            named = [str(element.get("role")), str(element["name"])]
            notes[str(len(run.entries))] = {"elements": {str(arguments["pp_id"]): named}}
        given = {"name": tool, "arguments": dict(arguments)} if tool else dict(arguments)
        error = event.get("error")
        call = ToolCall(str(event.get("id")), str(action), given)
        try:
            check_arguments(actions.get(call.name).definition, call)
        except ToolError as fault:
            raise NotRepeatable(f"these are not the events of a run - {fault.message}") from None
        failure = {k: str(v) for k, v in error.items()} if isinstance(error, Mapping) else None
        run.entries.append(Done(call, "", event.get("value"), failure))
    run.notes["replay"] = {"decisions": notes}
    ok = end.get("ok") is True
    error = None if ok else NotReached(end["text"])
    return RunResult(ok, end["text"], run, end.get("data"), error)


def _case(run: Run) -> dict[str, Any]:
    """Return the case in which an agent makes the calls of a run for its goal."""
    message = {"role": "user", "type": "message", "content": run.goal}
    calls = [call for done in run.done() for call in _expected(done)]
    return {"name": run.goal[:_LONGEST_NAME], "messages": [message], "expectedCall": calls or None}


def _expected(done: Done) -> Iterator[dict[str, Any]]:
    if done.call.name == "call_tool":
        given = done.call.arguments.get("arguments") or {}
        call = {"functionName": done.call.arguments["name"], **_compared(given)}
        value = plain(done.value)
        short = len(json.dumps(value, default=str)) <= _LONGEST_MOCK
        yield call | ({"mockOutput": value} if short else {})
    elif done.call.name == "execute_js" and isinstance(done.value, Mapping):
        for made in done.value.get("calls") or ():
            yield {"functionName": made["name"], **_compared(made["arguments"])}


def _compared(arguments: Any) -> dict[str, Any]:
    """Return arguments to compare; without those in which a case would read a constraint."""
    constraint = re.search(r'"\$\w', json.dumps(arguments, default=str))
    return {} if constraint else {"arguments": arguments}


class _TestWriter:
    """Writes the steps of a program as statements of a test."""

    def __init__(self, program: Program, run: Run, goal: str, path: str) -> None:
        self._program = program
        self._path = path
        self._goal = goal
        self._outcomes = [*_in_order(program.steps, run)]
        self._parameters = {name: _variable(name) for name in program.parameters}
        self._imports: set[str] = set()
        self._fixtures: set[str] = set()

    def text(self, name: str) -> str:
        """Return the file with a test of this name."""
        lines = [
            f"{variable} = {_literal(self._program.parameters[parameter].value)}"
            for parameter, variable in self._parameters.items()
        ]
        for number, step in enumerate(self._program.steps):
            lines += self._statements(number, step)
        if not self._fixtures:
            raise NotRepeatable("the run has called nothing, so there is nothing to test")
        mark = []
        if self._path:
            self._imports.add("import pytest")
            mark = [f"@pytest.mark.webagent(path={_literal(self._path)})"]
        goal = "".join(filter(str.isprintable, " ".join(self._goal.split())))
        goal = goal.replace("\\", "\\\\").replace('"', '\\"')
        head = [
            f'"""{goal}',
            "",
            "Written from a run of the agent.",
            '"""',
            "",
            *self._import_lines(),
            "",
        ]
        signature = f"def test_{name}({', '.join(sorted(self._fixtures, reverse=True))}):"
        return "\n".join([*head, *mark, signature, *(f"    {line}" for line in lines), ""])

    def _import_lines(self) -> Iterator[str]:
        """Yield the imports: those of the standard library, and below them the others."""
        for own in (True, False):
            lines = [line for line in self._imports if line.startswith("from urllib") is own]
            yield from sorted(lines, reverse=True)
            yield from [""] if lines else []

    def _statements(self, number: int, step: Step) -> Iterator[str]:
        arguments = step.arguments
        match step.action:
            case "call_tool":
                self._fixtures.add("tools")
                name, given = arguments["name"], arguments.get("arguments") or {}
                call = f"tools[{_literal(name)}]({self._named(given)})"
                yield from self._checked(number, call, step.returns)
            case "execute_js":
                self._fixtures.add("tools")
                yield from self._checked(
                    number, f"tools.run({_literal(arguments['code'])})", step.returns
                )
            case "communicate":
                yield f"step_{number + 1} = {_literal(self._outcomes[number].value)}"
            case "goto_url":
                self._fixtures.add("agent_page")
                self._imports.add("from urllib.parse import urljoin")
                address = self._value(arguments["url"])
                yield f"agent_page.goto(urljoin(agent_page.url, {address}))"
            case "click" | "click_link":
                self._fixtures.add("agent_page")
                yield f"{self._control(arguments)}.click()"
                yield from self._arrival(number)
            case "enter_data":
                self._fixtures.add("agent_page")
                yield from self._form(arguments)
                yield from self._arrival(number)
            case "scroll" | "wait":
                # A browser that is driven scrolls and waits by itself.
                return
            case _:
                raise NotRepeatable(f"the run has used `{step.action}`, which a test does not have")

    def _checked(self, number: int, call: str, returns: str) -> Iterator[str]:
        yield f"step_{number + 1} = {call}"
        if returns:
            self._imports.add("from webagent_dev.testing.asserting import assert_matches")
            yield f"assert_matches(step_{number + 1}, {_literal(returns)})"

    def _arrival(self, number: int) -> Iterator[str]:
        """Yield the wait for the page that an action has led to."""
        value = self._outcomes[number].value
        if isinstance(value, Mapping) and value.get("navigated") is True:
            path = urlsplit(str(value.get("url"))).path
            self._imports.add("from urllib.parse import urlsplit")
            yield f"agent_page.wait_for_url(lambda url: urlsplit(url).path == {_literal(path)})"

    def _control(self, arguments: Mapping[str, Any]) -> str:
        mark = arguments.get("pp_id")
        if isinstance(mark, Mapping):
            element = mark["$element"]
            name = self._value(element["name"])
            return f"agent_page.get_by_role({_literal(element['role'])}, name={name}, exact=True)"
        if "text" not in arguments:
            raise NotRepeatable("the run has used a link that its action does not name")
        name = self._value(arguments["text"])
        return f'agent_page.get_by_role("link", name={name}, exact=True)'

    def _form(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        field = ""
        for entry in arguments["form_data"]:
            if "pp_id" in entry:
                field = self._control(entry)
            elif "name" not in entry and "label" not in entry:
                raise NotRepeatable("the run has filled in a field that its action does not name")
            elif "label" in entry:
                field = f"agent_page.get_by_label({_literal(entry['label'])}, exact=True)"
            else:
                selector = f"[name={json.dumps(entry['name'])}]"
                field = f"agent_page.locator({_literal(selector)})"
            if "text" in entry:
                yield f"{field}.fill({self._value(entry['text'])})"
            elif "select" in entry:
                yield f"{field}.select_option({self._value(entry['select'])})"
            elif "check" in entry:
                yield f"{field}.set_checked({_literal(entry['check'])})"
            else:
                raise NotRepeatable(
                    "the run has filled in a field in a way that a test does not have"
                )
        if arguments.get("submit") and field:
            yield f'{field}.evaluate("field => field.form.requestSubmit()")'

    def _named(self, arguments: Any) -> str:
        """Return named arguments, also of names that are not identifiers."""
        plain_names = {name for name in arguments if _is_name(name)}
        written = [
            f"{name}={self._value(arguments[name])}" for name in arguments if name in plain_names
        ]
        odd = {name: value for name, value in arguments.items() if name not in plain_names}
        return ", ".join([*written, *([f"**{self._value(odd)}"] if odd else [])])

    def _value(self, template: Any) -> str:
        """Return a template as an expression."""
        if isinstance(template, list):
            return f"[{', '.join(map(self._value, template))}]"
        if not isinstance(template, Mapping):
            return _literal(template)
        match next((mark for mark in MARKS if mark in template), None):
            case None:
                members = (
                    f"{_literal(key)}: {self._value(inner)}" for key, inner in template.items()
                )
                return f"{{{', '.join(members)}}}"
            case "$parameter":
                return self._parameters[template["$parameter"]]
            case "$result":
                path = self._path_in(template["$result"], template.get("path", []))
                if "$type" in json.dumps(self._outcomes[template["$result"]].value, default=str):
                    raise NotRepeatable("the run has passed on a part of a result that is not JSON")
                keys = "".join(f"[{_literal(key)}]" for key in path)
                return f"step_{template['$result'] + 1}{keys}"
            case mark:
                return _literal(template[mark])

    def _path_in(self, number: int, path: Sequence[str | int]) -> Sequence[str | int]:
        """Return a path in the value that a statement has: of a program that is its value alone."""
        if self._program.steps[number].action != "execute_js":
            return path
        if path[:1] != ["value"]:
            raise NotRepeatable("the run has passed on what a program has logged")
        return path[1:]


def _literal(value: Any) -> str:
    """Return JSON data as Python, with texts in double quotes where they can be read."""
    if isinstance(value, str) and value.isprintable():
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def _in_order(steps: Sequence[Step], run: Run) -> Iterator[Done]:
    """Yield the action of a run that each step was made from."""
    left = iter([done for done in run.done() if done.ok])
    for step in steps:
        made = (step.action, step.arguments.get("name"))
        yield next(
            done for done in left if (done.call.name, done.call.arguments.get("name")) == made
        )


def _file_name(goal: str) -> str:
    """Return a name for the files of a goal: ASCII letters, digits and `_`."""
    ascii_only = normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", ascii_only).strip("_")[:_LONGEST_NAME].strip("_") or "run"


def _variable(name: str) -> str:
    free = _is_name(name) and name not in _TAKEN and not name.startswith("step_")
    return name if free else f"{name}_"


def _is_name(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
