"""What was done, with the thing it was done to and what the result confirms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.results.answer import of_many
from webagent.agent.deterministic.results.clauses import (
    LONGEST,
    LONGEST_NAME,
    clause_of,
    sentence_of,
)
from webagent.agent.deterministic.results.deeds import deed
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    Result,
    stems_of_name,
)
from webagent.agent.deterministic.results.measures import clean, written
from webagent.agent.deterministic.results.question import question_of
from webagent.speech import say

_DOING: Final = frozenset(("status", "state", "ok", "success", "result", "message"))
_EMPTY: Final = frozenset(("", "ok", "okay", "done", "success", "true", "none", "null"))


def done(
    tool: str,
    arguments: Mapping[str, Any],
    result: Result,
    *,
    schema: Any = None,
    verbs: frozenset[str] = frozenset(),
    title: str = "",
    thing: str = "",
) -> str:
    """Return that something was done, with the thing's name and what the result confirms.

    Args:
        tool: The tool's name.
        arguments: What it was called with.
        result: What it gave back.
        schema: The tool's input schema, which says what is a code.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of the thing, if an argument is only its id.
    """
    text = deed(tool, verbs, title, clean(thing, LONGEST_NAME) or _thing(arguments, schema))
    if result.is_list and result.count:
        text += " " + of_many(result.items, result.count, result.noun, question_of(None), ())
    elif len(result.items) == 1 and result.items[0].fields:
        item = result.items[0]
        own = item.fields[0]
        said = str(own.value).strip().lower()
        if own.path:
            text += _told([field for field in _confirmed(item) if field.path])
        elif not isinstance(own.value, bool) and said not in _EMPTY and said not in text.lower():
            text += " " + say("it_says", text=written(own.value))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _told(fields: Sequence[Field]) -> str:
    clauses = [clause_of(field, question_of(None)) for field in fields[:4]]
    return f" {sentence_of(clauses)}" if clauses else ""


def _confirmed(item: Item) -> list[Field]:
    fields = [
        field
        for field in item.fields
        if field.value is not None and not isinstance(field.value, bool)
    ]
    fields = [
        field
        for field in fields
        if len(str(field.value)) <= 160 and not str(field.value).startswith("http")
    ]
    fields = [field for field in fields if str(field.value).strip().lower() not in _EMPTY]
    telling = [
        field
        for field in fields
        if field.meanings & {"id", "price", "date"} or field.words & _DOING
    ]
    return [*telling, *(field for field in fields if field not in telling)]


def _thing(arguments: Mapping[str, Any], schema: Any) -> str:
    """Return what the arguments call the thing: the first text that is a name, not a code."""
    best = code = ""
    for at, (key, value) in enumerate(arguments.items()):
        if at == 20:
            break
        if not isinstance(value, str) or not value.strip() or len(value) > 80:
            continue
        stems = stems_of_name(str(key)[:80])
        if _is_code(schema, key, value):
            code = code or (
                clean(value, LONGEST_NAME) if value.islower() and len(value) > 2 else ""
            )
            continue
        if stems & MEANINGS["name"]:
            return clean(value, LONGEST_NAME)
        if not best and not stems & MEANINGS["id"] and not any(sign.isdigit() for sign in value):
            best = clean(value, LONGEST_NAME)
    return best or code


def _is_code(schema: Any, key: Any, value: str) -> bool:
    """Whether a value is one of those a schema lists, or looks like a code."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    own = properties.get(key) if isinstance(properties, Mapping) else None
    return (isinstance(own, Mapping) and "enum" in own) or (value.isupper() and len(value) <= 5)
