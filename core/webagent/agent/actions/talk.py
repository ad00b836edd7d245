"""Actions toward the person: say or ask something, make a plan, finish."""

from __future__ import annotations

import json
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
        schema={
            "type": "object",
            "description": "JSON Schema of the values to ask for, for a form.",
        },
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: words need no permission."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{answer, data?}` to a question, and None if there is no question."""
        summary, question = (
            printable(arguments["summary"]),
            printable(arguments.get("question", "")),
        )
        if summary:
            context.work.events.emit("text", text=summary, final=True)
        if not question:
            return None
        details: dict[str, Any] = {"summary": summary}
        form = answer_form(arguments.get("schema"))
        fields = form["properties"].items() if form else ()
        asked = [f"{name} {field.get('title', '')}" for name, field in fields]
        if any(map(asks_for_secret, (question, *asked))):
            # A secret is asked for alone, in a field that hides it.
            details["secret"] = True
        elif form:
            details["schema"] = form
        answer = await context.ask(Request("question", question, details))
        if not answer.yes:
            said = answer.text or "the question was put aside"
            raise Denied(
                f"there is no answer to `{question}` - {said}",
                help="go on without it, or finish and say what is missing",
            )
        # Of a secret the model gets the placeholder, and writes it where the secret belongs.
        data = {} if answer.data is None else {"data": dict(answer.data)}
        return {"answer": answer.text, **data}


_MOST_FIELDS = 12

_MOST_CHOICES = 50

_LONGEST_WORDS = 200

_FORMATS = frozenset(("date", "time", "date-time", "email", "uri"))

_BOUNDS = ("minimum", "maximum", "multipleOf", "minLength", "maxLength")


def answer_form(schema: Any) -> dict[str, Any] | None:
    """Return the schema of an answer as a form shows it, or None if no form can.

    A model or a page may have written it, so only the keys of a form are kept.

    Args:
        schema: JSON Schema of an object whose properties are texts, numbers, booleans or choices.

    Returns:
        `{type, title?, properties: {name: {type?, title?, description?, format?, oneOf?, …bounds}},
        required}`; choices are `oneOf: [{const, title?, description?}]`.
    """
    given = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(given, Mapping) or not 0 < len(given) <= _MOST_FIELDS:
        return None
    fields = {str(name)[:_LONGEST_WORDS]: _field(inner) for name, inner in given.items()}
    if not all(fields.values()):
        return None
    required = schema.get("required")
    needed = [name for name in fields if isinstance(required, list) and name in required]
    return {"type": "object", **_words(schema), "properties": fields, "required": needed}


def _field(schema: Any) -> dict[str, Any]:
    """Return a property as a form shows it; empty if no form can."""
    if not isinstance(schema, Mapping):
        return {}
    field = _words(schema)
    enum, one_of = schema.get("enum"), schema.get("oneOf")
    options = one_of if isinstance(one_of, list) else []
    options = options or [{"const": each} for each in (enum if isinstance(enum, list) else ())]
    if options and len(options) <= _MOST_CHOICES:
        if not all(isinstance(o, Mapping) and _is_scalar(o.get("const")) for o in options):
            return {}
        choices = {json.dumps(o["const"]): {"const": o["const"], **_words(o)} for o in options}
        return field | {"oneOf": [*choices.values()]}
    kind = schema.get("type", "string")
    if kind not in ("string", "number", "integer", "boolean"):
        return {}
    if schema.get("format") in _FORMATS:
        field["format"] = schema["format"]
    bounds = {key: schema[key] for key in _BOUNDS if _is_number(schema.get(key))}
    return {"type": kind, **field, **bounds}


def _words(schema: Mapping[str, Any]) -> dict[str, Any]:
    words = ((key, schema.get(key)) for key in ("title", "description"))
    return {
        key: printable(text)[:_LONGEST_WORDS]
        for key, text in words
        if isinstance(text, str) and text.strip()
    }


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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

_QUOTED = re.compile(r"`([^`\n]{1,400})`")

_MOST_STEPS = 50

_LONGEST = 500


class MakePlan:
    """Replaces the plan, and has the new one accepted."""

    definition = define(
        "make_plan",
        "Say what you mean to do: one sentence that starts with `I will`, then one line for each "
        'step, `- …`, with the tool it calls in backticks, and final arguments: `save({"id": 7})`.',
        "plan",
        plan={"type": "string", "minLength": 1, "maxLength": 10_000},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Return None: a plan changes nothing, and its steps are judged later."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return that the plan was accepted; otherwise the error has the person's reason."""
        plan = plan_of(arguments["plan"], context.scene.tools)
        await context.work.accept(plan, context.scene)
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
    if not sentence.lower().startswith("i will") and spoken().is_english:
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
    """Return a line of a plan as steps: one for each call of a tool that it names in backticks."""
    quoted = [match[1].removeprefix("global.") for match in _QUOTED.finditer(text)]
    named = [each.split("(")[0] for each in quoted]
    known = {binding.name: binding for binding in tools}
    line = text[:_LONGEST]
    steps: list[PlanStep] = []
    for each in dict.fromkeys(quoted):
        name, _, given = each.partition("(")
        binding, final = known.get(name), _arguments(given)
        if binding and (final is not None or all(step.tool != name for step in steps)):
            shown = line if not steps else f"also `{name}`"
            effect = binding.tool.behavior.effect
            steps.append(PlanStep(shown, "call_tool", name, effect, final))
    action = next((name for name in named if name in _ACTIONS), "")
    if not steps and named:
        # Of a control the plan knows the words; what it changes is known when it is used.
        steps = [PlanStep(line, action or "click", "", "unknown")]
    return steps or [PlanStep(line)]


def _arguments(text: str) -> dict[str, Any] | None:
    """Return the arguments in `{"id": "7"})`; None where it is anything else."""
    try:
        found = json.loads(text.removesuffix(")"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
