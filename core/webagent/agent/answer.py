"""The answer of a run: the schema that a caller gives for its data, and the check of its words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice, product
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from webagent.agent.deterministic.reading.language import clear_language, denies
from webagent.agent.run import Finish, PastRun, Run, Said, Scene, words_of_person
from webagent.errors import InvalidArguments, InvalidResult
from webagent.json_text import read_json
from webagent.llm.chat import ToolCall, ToolDefinition
from webagent.registry import ToolRegistry
from webagent.schema import check_schema

_LONGEST: Final = 20_000
"""Characters of a schema as JSON; a model is sent it with every message."""

_MOST_NAMED: Final = 3
"""Mismatches, or figures, that an error names."""

_LONGEST_FAULT: Final = 300

_SUBSCHEMA: Final = {"anyOf": [{"type": "boolean"}, {"$ref": "#"}]}
_NAMED: Final = {"type": "object", "additionalProperties": _SUBSCHEMA}
_SEVERAL: Final = {"type": "array", "items": _SUBSCHEMA, "minItems": 1}
_TYPE: Final = {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}

_SCHEMA_OF_SCHEMAS: Final = {
    "type": "object",
    "properties": {
        "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1}]},
        "enum": {"type": "array", "minItems": 1},
        "required": {"type": "array", "items": {"type": "string"}},
        "$ref": {"type": "string", "pattern": "^#"},
        "pattern": {"type": "string"},
        "items": {"anyOf": [_SUBSCHEMA, _SEVERAL]},
    }
    | dict.fromkeys(
        ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"), _NAMED
    )
    | dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _SEVERAL)
    | dict.fromkeys(
        (
            "additionalItems",
            "additionalProperties",
            "contains",
            "else",
            "if",
            "not",
            "propertyNames",
            "then",
        ),
        _SUBSCHEMA,
    ),
}
"""The keywords whose wrong use would let any data pass, or none."""


class AnswerSchema:
    """The shape of the data that a caller wants.

    Attributes:
        schema: The JSON Schema.
    """

    def __init__(self, given: Mapping[str, Any] | type[BaseModel]) -> None:
        """Read a schema.

        Args:
            given: A JSON Schema of draft 7 or 2020-12 without references to other documents, or a
                pydantic model.

        Raises:
            InvalidArguments: It is not a schema, or it is too long.
        """
        self._model = given if isinstance(given, type) and issubclass(given, BaseModel) else None
        self.schema = _checked(given if self._model is None else self._model.model_json_schema())

    def check(self, data: Any) -> None:
        """Check the data of an answer.

        Raises:
            InvalidResult: They do not fit; the error says where.
        """
        if found := check_schema(data, self.schema, "data"):
            raise _misfit("; ".join(map(str, found[:_MOST_NAMED])), found[0].path)
        self.read(data)

    def read(self, data: Any) -> Any:
        """Return the data as an object of the pydantic model; as they are if there is no model.

        Raises:
            InvalidResult: The model does not accept them.
        """
        if self._model is None:
            return data
        try:
            return self._model.model_validate_json(json.dumps(data))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            named = [(".".join(map(str, ("data", *each["loc"]))), each["msg"]) for each in faults]
            text = "; ".join(f"{path}: {message}" for path, message in named[:_MOST_NAMED])
            raise _misfit(text, named[0][0]) from None

    def in_finish(self, finish: ToolDefinition) -> ToolDefinition:
        """Return the definition of `finish` with this schema as that of its `data`."""
        parameters = dict(finish.parameters)
        data = {"description": "The data that the caller asked for; needed for success."}
        data |= {key: value for key, value in self.schema.items() if key not in _SHARED}
        properties = {**parameters.get("properties", {}), "data": _moved(data)}
        shared = {key: _moved(self.schema[key]) for key in _SHARED if key in self.schema}
        return replace(finish, parameters=parameters | {"properties": properties} | shared)


_SHARED: Final = ("$defs", "definitions")
"""Keywords at the root of a schema to which references lead."""

_VALUES: Final = frozenset(("const", "default", "enum", "examples"))
"""Keywords with values, in which `$ref` is a plain key."""


def _moved(schema: Any) -> Any:
    """Return a part of a schema with its references as they are inside `finish`."""
    if isinstance(schema, list):
        return [_moved(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {k: v if k in _VALUES else _moved(v) for k, v in schema.items()}
    target = schema.get("$ref")
    if isinstance(target, str) and not target.startswith(tuple(f"#/{key}/" for key in _SHARED)):
        moved["$ref"] = f"#/properties/data{target[1:]}"
    return moved


def _checked(given: Any) -> dict[str, Any]:
    """Return a schema as plain JSON data.

    Raises:
        InvalidArguments: It is not a schema, or it is too long.
    """
    try:
        text = json.dumps(given, allow_nan=False)
        schema = read_json(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_schema(f"it is not JSON: {str(error)[:_LONGEST_FAULT]}") from None
    if len(text) > _LONGEST:
        raise _no_schema(f"it has {len(text)} characters, and {_LONGEST} at most are taken")
    if found := check_schema(schema, _SCHEMA_OF_SCHEMAS):
        raise _no_schema("; ".join(map(str, found[:_MOST_NAMED])))
    return dict(schema)


def _no_schema(why: str) -> InvalidArguments:
    return InvalidArguments(
        f"the schema of the answer cannot be used - {why}",
        path="schema",
        help='write a JSON Schema: `{"type": "object", "properties": {…}}`',
    )


def _misfit(what: str, path: str) -> InvalidResult:
    return InvalidResult(
        f"the data of the answer do not fit the schema of the caller: {what}",
        path=path,
        help="call `finish` again with `data` that fit, or with `success` false if they cannot be had",
    )


def name_of(call: ToolCall) -> str:
    """Return what a model calls a call: the tool, or else the action."""
    return str(call.arguments.get("name")) if call.name == "call_tool" else call.name


_DOUBT = "before the run ends: "
"""Beginning of what a model reads about its answer. It reads that once."""

_ONCE = "do what is missing, or correct the answer; if all of it is right, give it again as it is"

_CONTROLS = frozenset(("click", "click_link", "enter_data", "search", "goto_url"))
"""Actions by which a page can do what a tool of it does."""

_TELLING_GOAL = 2
"""Words that say in which language a goal is."""

_TELLING_ANSWER = 5
"""Words that say in which language an answer is."""

_MOST_READ = 1_000_000
"""Characters of pages and results in which figures of an answer are looked for."""

_MOST_ASKED = 10
"""Different figures of an answer that are looked for."""

_MOST_FIGURES = 60
"""Different figures from which those of an answer may have been computed."""

_MOST_SUMS = 5_000

_MOST_TIMES = 5
"""How often one figure counts in a sum."""

_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}")

_FIGURE = re.compile(r"\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?")

_WORD = re.compile(r"[\w-]+")

_MEASURE = re.compile(r"\d+[a-z]{1,4}")
"""An amount with its unit: `1500kg`."""

_LONGEST_FIGURE = 20

_LONGEST_ID = 60

_LONGEST_CLAIM = 4_000
"""Characters of an answer in which claims are looked for."""

_BETWEEN = re.compile(r"[\s.,:;'’/()+_-]+")

_PARTS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
"""The words of a name: `addToBasket`."""

_SMALL = frozenset(("for", "from", "in", "into", "of", "on", "the", "to", "with"))

_PAST = {"buy": "bought", "make": "made", "pay": "paid", "put": "put", "send": "sent", "set": "set"}

_SENTENCES = re.compile(r"[.!?\n]+")


class AnswerGuard:
    """Looks for what nothing in a run speaks for in the answer of a model."""

    def __init__(self) -> None:
        self._pages: dict[int, str] = {}
        self._size = 0

    def look(self, scene: Scene) -> None:
        """Remember what a page shows."""
        text = f"{scene.snapshot.title}\n{scene.snapshot.url}\n{scene.snapshot.text}"
        if self._size <= _MOST_READ and hash(text) not in self._pages:
            self._pages[hash(text)] = text
            self._size += len(text)

    def check(
        self, finish: Finish, run: Run, registry: ToolRegistry, earlier: Sequence[PastRun]
    ) -> None:
        """Check an answer, unless one of this run was doubted before.

        Args:
            finish: The answer.
            run: The run that it ends.
            registry: The page's tools.
            earlier: The runs before this one.

        Raises:
            InvalidArguments: Something speaks against it.
        """
        if not finish.success or _was_doubted(run):
            return
        doubts = [
            *_undone_steps(run),
            *_unsupported_claims(finish.text, run, registry),
            *_hidden_failure(finish.text, run),
            *self._unknown_figures(finish.text, run, registry, earlier),
            *_other_language(finish.text, run.goal),
        ]
        if doubts:
            raise InvalidArguments(_DOUBT + "; ".join(doubts), help=_ONCE)

    def _unknown_figures(
        self, text: str, run: Run, registry: ToolRegistry, earlier: Sequence[PastRun]
    ) -> list[str]:
        """Return that ids or amounts appear nowhere, and cannot be computed from what does."""
        named = [*islice(dict.fromkeys(_figures(text)), _MOST_ASKED)]
        done = run.done()
        # Of pictures nobody knows what is on them, and pages before a resumption are forgotten.
        if not named or run.resumed or any(d.call.name == "take_screenshot" for d in done):
            return []
        results = [
            _json([d.call.arguments, d.value, d.error]) for d in done if d.call.name != "finish"
        ]
        words = [*words_of_person(run), *(_json(asdict(past)) for past in earlier)]
        read = "\n".join([*results, *self._pages.values(), *words])
        unknown = _unexplained(named, read)
        if unknown:
            manifest = registry.manifest.model_dump_json()
            unknown = _unexplained(unknown, "\n".join([read, manifest, registry.typescript()]))
        if not unknown:
            return []
        listed = ", ".join(f"`{each}`" for each in unknown[:_MOST_NAMED])
        return [f"{listed} in it appears neither in a result nor on a page nor in the goal"]


def _was_doubted(run: Run) -> bool:
    notes = [e.text for e in run.entries if isinstance(e, Said) and e.by == "driver"]
    ends = [done.error for done in run.done() if done.call.name == "finish" and done.error]
    errors = [str(error.get("message", "")) for error in ends]
    return any(text.startswith(_DOUBT) for text in (*notes, *errors))


def _outcomes(run: Run) -> Iterator[tuple[str, bool]]:
    """Yield each tool that was called, also by programs, and whether the call was a success."""
    for done in run.done():
        if done.call.name == "call_tool":
            yield str(done.call.arguments.get("name", "")), done.ok
        elif done.call.name == "execute_js" and isinstance(done.value, dict):
            calls = done.value.get("calls")
            for call in calls if isinstance(calls, list) else ():
                yield str(call.get("name")), call.get("ok") is True


def _undone_steps(run: Run) -> list[str]:
    """Return the steps of the plan that change something and were not even tried."""
    tried = {name for name, _ in _outcomes(run)}
    # A person could do the same with the page's own controls.
    if run.plan is None or any(done.ok and done.call.name in _CONTROLS for done in run.done()):
        return []
    steps = [s for s in run.plan.steps if s.tool and s.effect in ("write", "irreversible")]
    names = dict.fromkeys(step.tool for step in steps if step.tool not in tried)
    return [f"the plan has a step with `{name}`, which was not called" for name in names]


def _unsupported_claims(text: str, run: Run, registry: ToolRegistry) -> list[str]:
    """Return the tools that an answer says have changed something, although nothing was changed."""
    effects = {each.name: each.tool.behavior.effect for each in registry.list()}
    changed = any(ok and effects.get(name) != "read" for name, ok in _outcomes(run))
    if changed or any(done.ok and done.call.name in _CONTROLS for done in run.done()):
        return []
    writes = [name for name, effect in effects.items() if effect in ("write", "irreversible")]
    sentences = _SENTENCES.split(text[:_LONGEST_CLAIM])
    names = [n for n in writes if any(_claims(s, n) and not denies(s) for s in sentences)]
    return [f"it says that `{name}` was done, and no such call has succeeded" for name in names]


def _claims(sentence: str, tool: str) -> bool:
    """Whether a sentence has a tool's verb in the past, and the other words of its name."""
    words = {*re.findall(r"[a-z]+", sentence.lower())}
    parts = [part.lower() for part in _PARTS.findall(tool)]
    verb, *others = [part for part in parts if part not in _SMALL] or [""]
    doubled = f"{verb}{verb[-1:]}ed"
    past = {f"{verb}ed", f"{verb}d", doubled, f"{verb[:-1]}ied", _PAST.get(verb, "")}
    # A verb alone is too little: `the list is ordered by price`.
    return bool(verb and words & past) and all(
        any(word.startswith(other) for word in words) for other in others or ["i"]
    )


def _hidden_failure(text: str, run: Run) -> list[str]:
    """Return that the last action has failed, if the answer denies nothing and does not name it."""
    taken = [done for done in run.done() if done.call.name != "finish"]
    error = taken[-1].error if taken else None
    if error is None or error.get("kind") in ("cancelled", "denied"):
        # A refusal of the person is theirs to know.
        return []
    name = name_of(taken[-1].call)
    if name in text or denies(text):
        return []
    return [f"the last call, `{name}`, has failed, and it does not say so"]


def _other_language(text: str, goal: str) -> list[str]:
    """Return that an answer is clearly in another language than the goal."""
    if len(text.split()) < _TELLING_ANSWER:
        return []
    wanted, given = clear_language(goal, _TELLING_GOAL), clear_language(text, _TELLING_ANSWER)
    if not wanted or not given or wanted == given:
        return []
    return [
        f"it seems to be in `{given}`, and the goal in `{wanted}`: answer in the goal's language"
    ]


def _figures(text: str) -> Iterator[str]:
    """Yield the ids and the amounts of a text; dates, years and small whole numbers are left out."""
    yield from (word for word in _WORD.findall(text) if _is_id(word))
    rest = _WORD.sub(lambda match: " " if _is_id(match[0]) else match[0], text)
    for match in _FIGURE.finditer(_DATE.sub(" ", rest)):
        values = _values_of(match[0])
        if any(value % 1 or (value >= 1000 and not 1900 <= value <= 2100) for value, _ in values):
            yield match[0]


def _is_id(word: str) -> bool:
    """Whether a word has letters and three digits or more, as `A-10482` does."""
    return (
        len(word) <= _LONGEST_ID
        and sum(map(str.isdigit, word)) >= 3
        and any(map(str.isalpha, word))
        and not _MEASURE.fullmatch(word)
    )


def _values_of(figure: str) -> list[tuple[float, int]]:
    """Return what a figure may mean, with its decimals: `1.234` may be more than a thousand.

    A longer one than people write has no meaning here.
    """
    if len(figure) > _LONGEST_FIGURE:
        return []
    plain = re.sub(r"[ '’\u00a0\u202f]", "", figure)
    whole, mark, end = plain.replace(",", ".").rpartition(".")
    if not mark:
        return [(float(plain), 0)]
    decimal = (float(f"{whole.replace('.', '')}.{end}"), len(end))
    grouped = (float(f"{whole}{end}".replace(".", "")), 0)
    if len(end) != 3:
        return [decimal]
    return [decimal, grouped] if "." not in whole else [grouped]


def _unexplained(figures: Sequence[str], read: str) -> list[str]:
    """Return the figures that a text neither has nor gives by computing."""
    if len(read) > _MOST_READ:
        return []
    squeezed = _BETWEEN.sub("", read).casefold()
    left = [each for each in figures if _BETWEEN.sub("", each).casefold() not in squeezed]
    if not left:
        return []
    seen = {value for match in _FIGURE.finditer(read) for value, _ in _values_of(match[0])}
    return [
        each
        for each in dict.fromkeys(left)
        if not _FIGURE.fullmatch(each)
        or not any(_is_computed(value, digits, seen) for value, digits in _values_of(each))
    ]


def _is_computed(value: float, digits: int, seen: set[float]) -> bool:
    """Whether a figure is one that was seen, rounded, or may be a result of a few of them."""
    if any(round(each, digits) == value for each in seen) or len(seen) > _MOST_FIGURES:
        return True
    for one, other in product(seen, repeat=2):
        results = (one + other, one - other, one * other, one * other / 100, one / (other or 1))
        if any(round(result, digits) == value for result in results):
            return True
    unit = 10**digits
    wanted, sums = round(value * unit), {0}
    for each in seen:
        amount = round(each * unit)
        sums |= {s + n * amount for s in sums for n in range(1, _MOST_TIMES + 1) if amount}
        if len(sums) > _MOST_SUMS:
            return True
    return wanted in sums or any(wanted + round(each * unit) in sums for each in seen)


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
