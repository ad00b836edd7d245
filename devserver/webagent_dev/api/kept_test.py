"""A finished run as a test and as a case of an evaluation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

from webagent.agent import Done, Run, RunResult, default_actions
from webagent.agent.actions.base import check_arguments
from webagent.agent.actions.table import ActionTable
from webagent.errors import NotReached, ToolError
from webagent.json_text import utf8_json
from webagent.llm.chat import ToolCall
from webagent.page.values import plain
from webagent.registry.secrets import MASK
from webagent.replay.recording import Mask, NotRepeatable, program_of
from webagent_dev.api.kept_test_writer import PytestWriter, TestWriter

_LONGEST_NAME: Final = 60

_LONGEST_MOCK: Final = 20_000
"""Characters of the result of a call that a case has for runs without a page."""

_MOST_EVENTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class KeptTest:
    """A run as two files.

    Attributes:
        name: Of both files, without their endings: `search_for_books`.
        test: The test.
        case: The file of cases.
    """

    name: str
    test: str
    case: str


def kept_test(
    result: RunResult, mask: Mask, path: str = "", writer: type[TestWriter] = PytestWriter
) -> KeptTest:
    """Return a finished run as a test and a case.

    Args:
        result: The run, of a driver with the option `programs`.
        mask: Masks secrets in a record.
        path: Path of the page on which it began; empty for the first page.
        writer: Writes the test.

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
    test = writer(program, result.run, mask({"goal": result.run.goal})["goal"], path)
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


def _file_name(goal: str) -> str:
    """Return a name for the files of a goal: ASCII letters, digits and `_`."""
    ascii_only = normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", ascii_only).strip("_")[:_LONGEST_NAME].strip("_") or "run"
