"""Actions toward the person: say or ask something, make a plan, finish."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.person import Request
from webagent.agent.redact import asks_for_secret, printable
from webagent.agent.run import Finish, Plan, PlanStep
from webagent.errors import Denied
from webagent.registry import Binding
from webagent.speech import spoken


class Communicate:
    """Says something to the person, or asks a question."""

    definition = define(
        "communicate",
        "Tell the person what you found or do; with a question, wait for the answer.",
        "summary",
        summary={"type": "string", "description": "What to tell."},
        question={"type": "string", "description": "What to ask."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: words need no permission."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{answer}` to a question, and None if there is no question."""
        summary, question = (
            printable(arguments["summary"]),
            printable(arguments.get("question", "")),
        )
        if summary:
            context.work.events.emit("text", text=summary, final=True)
        if not question:
            return None
        details = {"summary": summary} | ({"secret": True} if asks_for_secret(question) else {})
        answer = await context.ask(Request("question", question, details))
        if not answer.yes:
            said = answer.text or "the question was put aside"
            raise Denied(
                f"there is no answer to `{question}` - {said}",
                help="go on without it, or finish and say what is missing",
            )
        # Of a secret the model gets the placeholder, and writes it where the secret belongs.
        return {"answer": answer.text}


_MOST_FACTS = 20

_LONGEST_FACT = 500


class TakeNote:
    """Keeps a fact for later steps."""

    definition = define(
        "take_note",
        "Keep a fact for later steps, such as an id or a price from a page that you leave. Notes are "
        f"shown in each message, also when older steps are left out; {_MOST_FACTS} are kept.",
        "text",
        text={"type": "string", "minLength": 1, "maxLength": _LONGEST_FACT},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: a note changes nothing on the page."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{notes, dropped?}`: how many there are, and the oldest that had to go."""
        facts, fact = context.run.memory, printable(arguments["text"])
        if fact not in facts:
            facts.append(fact)
        if len(facts) <= _MOST_FACTS:
            return {"notes": len(facts)}
        return {"notes": _MOST_FACTS, "dropped": facts.pop(0)}


class FinishRun:
    """Ends the run."""

    definition = define(
        "finish",
        "End: tell the person what was done or found, and whether the goal was reached.",
        "text success",
        text={"type": "string", "description": "The answer, for the person."},
        success={"type": "boolean", "description": "Whether the goal was reached."},
        data={"description": "Data that was found, for a program."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: words need no permission."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return the end of the run, if it may end so."""
        finish = Finish(printable(arguments["text"]), arguments["success"], arguments.get("data"))
        return context.work.check_finish(finish)


_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(\S.*)")

_QUOTED = re.compile(r"`([^`\n]{1,200})`")

_MOST_STEPS = 50

_LONGEST = 500


class MakePlan:
    """Replaces the plan, and has the new one accepted."""

    definition = define(
        "make_plan",
        "Say what you mean to do: one sentence that starts with `I will`, then one line for each "
        "step, `- …`, with the name of the tool it calls in backticks.",
        "plan",
        plan={"type": "string", "minLength": 1, "maxLength": 10_000},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: a plan changes nothing, and its steps are judged later."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return that the plan was accepted; otherwise the error has the person's reason."""
        plan = plan_of(arguments["plan"], context.scene.tools)
        await context.work.accept(plan)
        return {"accepted": True}


def plan_of(text: str, tools: Sequence[Binding]) -> Plan:
    """Return the plan in a text: a sentence, then a line for each step.

    Args:
        text: The text; `I will` is put before a sentence that does not begin with it.
        tools: The page's tools, for the effects of steps that name one.
    """
    steps, sentences = [], []
    for line in printable(text).splitlines():
        if match := _BULLET.match(line):
            steps += _steps(match[1].strip(), tools)
        elif line.strip() and not steps:
            sentences.append(line.strip())
    sentence = " ".join(sentences)[:_LONGEST] or "do this"
    if spoken().is_english and not sentence.lower().startswith("i will"):
        first = sentence.split(maxsplit=1)[0]
        keep = first.isupper() or any(letter.isupper() for letter in first[1:])
        sentence = f"I will {sentence if keep else sentence[0].lower() + sentence[1:]}"
    return Plan(sentence, tuple(steps[:_MOST_STEPS]))


_ACTIONS = frozenset(
    (
        "click",
        "click_link",
        "enter_data",
        "drag",
        "press_key",
        "answer_dialog",
        "upload",
        "goto_url",
        "search",
        "execute_js",
    )
)
"""Actions that a step may name, besides tools."""


def _steps(text: str, tools: Sequence[Binding]) -> list[PlanStep]:
    """Return a line of a plan as steps: one for each tool that it names in backticks."""
    named = [match[1].split("(")[0].removeprefix("global.") for match in _QUOTED.finditer(text)]
    known = {binding.name: binding for binding in tools}
    line = text[:_LONGEST]
    steps: list[PlanStep] = []
    for name in dict.fromkeys(named):
        if binding := known.get(name):
            shown = line if not steps else f"also `{name}`"
            steps.append(PlanStep(shown, "call_tool", name, binding.tool.behavior.effect))
    action = next((name for name in named if name in _ACTIONS), "")
    if not steps and named:
        # Of a control the plan knows the words; what it changes is known when it is used.
        steps = [PlanStep(line, action or "click", "", "unknown")]
    return steps or [PlanStep(line)]
