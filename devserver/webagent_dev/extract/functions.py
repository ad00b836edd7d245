"""Functions of a page as tools: their parameters, and what their authors wrote above them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webagent.agent.effects import effect_of_words
from webagent.types import Behavior, Effect, Param, Tool
from webagent_dev.extract.forms import name_as_sentence
from webagent_dev.extract.function_code import FunctionCode
from webagent_dev.extract.naming import READING, words_of
from webagent_dev.extract.page_scripts import COMMENTS, FUNCTIONS, PARAMETERS
from webagent_dev.extract.side_effects import changes_nothing

if TYPE_CHECKING:
    from playwright.async_api import Page

_DRAWS = re.compile(
    "(?:render|rerender|redraw|paint|hydrate|mount|unmount|init|initialize|setup|bootstrap|teardown"
    "|handle|debounce|throttle|escape|unescape|sanitize)(?![a-z])"
)
"""Verbs of what draws a page or starts it."""
_SERVES = re.compile(
    "(?:draw|format|parse|stringify|serialize|normalize|capitalize|slugify|clamp|pad|is|has|to|noop"
    "|sleep|wait|delay|bind|attach|detach|delegate)(?![a-z])"
)
"""Verbs of what only serves other functions."""
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


@dataclass(frozen=True, slots=True)
class PageFunction:
    """A function that scripts of a page have made global."""

    name: str
    params: Sequence[Mapping[str, Any]]
    """Each with `name` and `fallback`, the code of its default."""
    code: str
    is_assigned: bool
    """Whether it is made for others to call: `globalThis.find = …`."""

    @property
    def unfit(self) -> str:
        """Why its author seems to have written it for the page alone; empty if it may be a tool."""
        code = FunctionCode(self.code)
        if _DRAWS.match(self.name):
            return "draws or starts the page, by its name"
        if code.makes_markup:
            return "makes markup"
        if self.is_assigned:
            return ""
        if not code.returns:
            return "gives nothing back"
        return "serves other functions, by its name" if _SERVES.match(self.name) else ""


async def page_functions(page: Page, known: Collection[str] = ()) -> list[PageFunction]:
    """Return the functions of an open page, those that were assigned first.

    Args:
        page: The page.
        known: Names that are left out.
    """
    found = {one["name"]: bool(one["assigned"]) for one in await page.evaluate(FUNCTIONS)}
    names = [name for name in found if name not in known]
    return [
        PageFunction(one["name"], one["params"], str(one["code"]), found[one["name"]])
        for one in await page.evaluate(PARAMETERS, names)
    ]


async def read_functions(page: Page, known: Collection[str]) -> tuple[list[Tool], dict[str, str]]:
    """Return the functions of an open page as tools, and why others are not, by their names.

    Args:
        page: The page.
        known: Names that are left out.
    """
    functions = await page_functions(page, known)
    names = [one.name for one in functions]
    comments = await page.evaluate(COMMENTS, names) if names else {}
    tools = []
    left_out = {}
    for one in functions:
        # A name that no script of the site's own mentions comes from a library.
        if one.name not in comments:
            continue
        by_control = any(
            param["fallback"] is None and _TAKES_NO_DATA.fullmatch(str(param["name"]))
            for param in one.params
        )
        if why := one.unfit or ("takes an event, an element or a callback" if by_control else ""):
            left_out[one.name] = why
        else:
            tools.append(function_tool(one.name, one.params, str(comments[one.name]), one.code))
    return tools, left_out


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
    read = FunctionCode(code)
    params: list[Param] = []
    for one in given:
        if all(one["name"] != param.name for param in params):
            param = _param(str(one["name"]), one["fallback"])
            if param.required and read.does_without(param.name):
                param = param.model_copy(update={"required": False})
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
