"""Functions of a page as tools: their parameters, and what their authors wrote above them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webagent.agent.effects import effect_of_words
from webagent.types import Behavior, Effect, Param, Tool
from webagent_dev.extract.forms import name_as_sentence
from webagent_dev.extract.naming import READING, words_of
from webagent_dev.extract.page_scripts import COMMENTS, PARAMETERS
from webagent_dev.extract.side_effects import changes_nothing

if TYPE_CHECKING:
    from playwright.async_api import Page

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?")
_TAKES_NO_DATA = re.compile(
    "event|evt|ev|e|el|element|elem|node|form|btn|callback|cb|fn|done|resolve",
    re.IGNORECASE,
)
"""Parameters of functions that the page's own controls call."""
_TYPES = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "string[]": "string[]",
    "number[]": "number[]",
    "Array<string>": "string[]",
    "Array<number>": "number[]",
    "integer": "number",
    "int": "number",
    "bool": "boolean",
}
_PARAM_TAG = re.compile(
    r"@param\s+(?:\{([^}]{1,100})\}\s+)?(\[?)([A-Za-z_$][\w$]*)(?:\s*=[^\]]*)?\]?\s*(?:[-–—:]\s*)?"
    r"([^@]*)"
)


async def read_functions(page: Page, names: Sequence[str]) -> list[Tool]:
    """Return the functions of an open page that take data, as tools.

    Args:
        page: The page.
        names: Their names.
    """
    given = await page.evaluate(PARAMETERS, [*names])
    comments = await page.evaluate(COMMENTS, [*names]) if names else {}
    return [
        function_tool(one["name"], one["params"], str(comments[one["name"]]), str(one["code"]))
        for one in given
        # A name that no script of the site's own mentions comes from a library.
        if one["name"] in comments
        and not any(
            param["fallback"] is None and _TAKES_NO_DATA.fullmatch(str(param["name"]))
            for param in one["params"]
        )
    ]


def function_tool(
    name: str, given: Sequence[Mapping[str, Any]], comment: str, code: str = ""
) -> Tool:
    """Return the tool of a function.

    Args:
        name: Its name.
        given: Its parameters, each with `name` and `fallback`, the code of its default.
        comment: The comment above it, without its marks.
        code: Its source text.
    """
    text = " ".join(re.sub(r"(?m)^[ \t]*\*+", " ", comment).split())
    words = text.partition(" @")[0] if not text.startswith("@") else ""
    documented = {match[3]: match for match in _PARAM_TAG.finditer(text)}
    params: list[Param] = []
    for one in given:
        if all(one["name"] != param.name for param in params):
            param = _param(str(one["name"]), one["fallback"])
            params.append(_documented_param(param, documented.get(param.name)))
    tool = Tool(name=name, description=words[:1_000] or name_as_sentence(name), params=params)
    tool = tool.model_copy(update={"behavior": Behavior(effect=_effect(name, code))})
    if any(param.required for param in params):
        return tool
    return tool.model_copy(update={"sample_code": f"const result = await global.{name}();"})


def _documented_param(param: Param, said: re.Match[str] | None) -> Param:
    """Return a parameter with what a comment says of it."""
    if said is None:
        return param
    kind = _TYPES.get((said[1] or "").strip().rstrip("=?"), param.type)
    optional = bool(said[2]) or (said[1] or "").strip().endswith("=")
    return param.model_copy(
        update={
            "type": kind,
            "description": said[4].strip()[:500],
            "required": param.required and not optional,
        }
    )


def _effect(name: str, code: str) -> Effect:
    """Return the effect that the name says; that nothing is changed, the code has to show too."""
    words = words_of(name)
    if words and words[0] in READING and changes_nothing(code):
        return "read"
    said = effect_of_words(" ".join(words))
    return "unknown" if said == "read" else said


def _param(name: str, fallback: str | None) -> Param:
    if fallback is None:
        return Param(name=name, type="unknown")
    kind, default = _literal(fallback)
    return Param(name=name, type=kind, required=False, default=default)


def _literal(code: str) -> tuple[str, str | None]:
    """Return the type of a default, and the default if the format can hold it."""
    if _NUMBER.fullmatch(code):
        return "number", code
    if code in ("true", "false"):
        return "boolean", code
    if len(code) >= 2 and code[0] == code[-1] and code[0] in "\"'`" and "\\" not in code:
        inner = code[1:-1]
        return "string", json.dumps(inner) if inner.isprintable() and "`" not in inner else None
    return {"[": "unknown[]", "{": "Record<string, unknown>"}.get(code[:1], "unknown"), None
