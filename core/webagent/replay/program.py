"""Kept programs: a finished run as data, with the values that came from its goal as parameters.

A program may come from a stranger, so all of it is checked when it is read. `webagent.replay.programs`
makes programs of runs, and runs them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from webagent.errors import InvalidArguments
from webagent.json_text import read_json
from webagent.registry.credentials import Kind
from webagent.registry.secrets import MASK

LONGEST: Final = 1_000_000
"""Characters of a program as JSON."""

MOST_STEPS: Final = 100

MOST_PARAMETERS: Final = 20

LONGEST_SHAPE: Final = 20_000
"""Characters of the type of an outcome."""

LONGEST_VALUE: Final = 1_000
"""Characters of the value of a parameter."""

CALLS: Final = ("call_tool", "execute_js", "communicate")
"""Actions whose outcome is data of the site, or an answer of the person."""

LOOKS: Final = (
    "find_code",
    "form_details",
    "get_summary",
    "navigation_outline",
    "read_file",
    "section_outline",
    "table_details",
)
"""Actions that only look; a program has those to whose outcome a later step refers."""

MOVES: Final = ("goto_url", "scroll", "wait")

TOUCHES: Final = ("click", "click_link", "enter_data", "search")
"""Actions that use a control, which may change something."""

MARKS: Final = ("$parameter", "$result", "$element", "$literal")
"""Keys of the objects of `Step.arguments` that are not data themselves."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,49}$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Parameter(_Part):
    """A value that came from the goal."""

    type: Literal["string", "number"]
    value: Annotated[str, Field(min_length=1, max_length=LONGEST_VALUE)] | int | float
    """The value in the run that was kept."""


class Blank(_Part):
    """The place of a parameter in the goal."""

    parameter: Name = Field(alias="$parameter")


class Given(_Part):
    """The ground of a decision of the agent, which is repeated only on the same ground."""

    digest: Digest
    """Of the values of the parameters, the outcomes before, and the page's text if `page` is true."""
    page: bool = False
    day: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")] | None = None
    """The day, if a date was decided."""


class Step(_Part):
    """One action."""

    action: Annotated[str, Field(max_length=50)]
    arguments: dict[str, JsonValue]
    """Its arguments. `{"$parameter": name}` is the value of a parameter, `{"$result": step, "path":
    [...]}` a part of the outcome of an earlier step, `{"$element": {"role", "name"}}` the number of
    the only element of that role and name, and `{"$literal": value}` the value as it is."""
    returns: Annotated[str, Field(max_length=LONGEST_SHAPE)] = ""
    """TypeScript type of its outcome; empty if any outcome fits."""
    tools: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=50)] = ()
    """The tools that the code of `execute_js` has called."""
    given: Given | None = None


class End(_Part):
    """The agent's last words."""

    text: Annotated[str, Field(max_length=50_000)]
    data: JsonValue = None
    """The data that were found, with the marks of `Step.arguments`."""
    given: Given


class Program(_Part):
    """A finished run as data."""

    version: Literal[1] = 1
    goal: Annotated[
        tuple[Annotated[str, Field(min_length=1)] | Blank, ...],
        Field(min_length=1, max_length=2 * MOST_PARAMETERS + 1),
    ]
    """The goal: texts, and the places of parameters between them."""
    parameters: Annotated[dict[Name, Parameter], Field(max_length=MOST_PARAMETERS)] = {}
    secrets: Annotated[dict[str, Kind], Field(max_length=20)] = {}
    """The kind of the secret that each placeholder is for."""
    steps: Annotated[tuple[Step, ...], Field(max_length=MOST_STEPS)]
    end: End

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the program in a JSON text.

        Raises:
            InvalidArguments: It is not a program; the error says where, and why.
        """
        try:
            if len(text) > LONGEST:
                raise ValueError(f"it has more than {LONGEST:,} characters")
            return cls.of(read_json(text))
        except ValueError as error:
            raise InvalidArguments(
                f"this is not a program - {error}",
                help="write the file that `webagent-dev run --save-program` has written",
            ) from None

    @classmethod
    def of(cls, data: Any) -> Self:
        """Return the program in plain data.

        Raises:
            ValueError: It is not a program.
        """
        try:
            program = cls.model_validate_json(json.dumps(data))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ValueError(f"`{place[:200]}`: {first['msg'].lower()[:200]}") from None
        program._check()
        return program

    def _check(self) -> None:
        """Check what refers to something.

        Raises:
            ValueError: A parameter or a result does not exist, or texts and parameters do not alternate.
        """
        holes = [part.parameter for part in self.goal if isinstance(part, Blank)]
        texts = [isinstance(part, str) for part in self.goal]
        if any(one is other for one, other in pairwise(texts)):
            raise ValueError("`goal`: texts and parameters take turns")
        if sorted(holes) != sorted(self.parameters):
            raise ValueError("`goal`: each parameter has one place")
        if [*self.secrets] != [MASK, *(f"{MASK}{n}" for n in range(2, 21))][: len(self.secrets)]:
            raise ValueError("`secrets`: their placeholders are `•••`, `•••2` and so on")
        for name, parameter in self.parameters.items():
            if isinstance(parameter.value, str) is not (parameter.type == "string"):
                raise ValueError(f"`parameters.{name}.value`: it is not a {parameter.type}")
        for index, step in enumerate(self.steps):
            if step.action not in (*CALLS, *LOOKS, *MOVES, *TOUCHES):
                raise ValueError(f"`steps.{index}.action`: a program has none of this name")
            _check_marks(step.arguments, index, self.parameters, f"steps.{index}.arguments")
        _check_marks(self.end.data, len(self.steps), self.parameters, "end.data")

    def to_dict(self) -> dict[str, Any]:
        """Return the program as plain data."""
        data = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return {"version": self.version, **data}

    @property
    def values(self) -> dict[str, Any]:
        """The values of the parameters in the run that was kept."""
        return {name: parameter.value for name, parameter in self.parameters.items()}

    @property
    def goal_text(self) -> str:
        """The goal of the run that was kept."""
        return "".join(
            part if isinstance(part, str) else written(self.parameters[part.parameter].value)
            for part in self.goal
        )

    def values_in(self, goal: str) -> dict[str, Any] | None:
        """Return the values of the parameters in a goal; None if it is another goal.

        A goal that can be read in two ways is another goal.
        """
        texts = [part for part in self.goal if isinstance(part, str)]
        first = texts.pop(0) if isinstance(self.goal[0], str) else ""
        if not self.parameters:
            return {} if goal == first else None
        last = texts.pop() if isinstance(self.goal[-1], str) else ""
        if len(goal) < len(first) + len(last) or not goal.startswith(first):
            return None
        if not goal.endswith(last):
            return None
        rest, found = goal[len(first) : len(goal) - len(last)], []
        for text in texts:
            if rest.count(text) != 1:
                return None
            value, _, rest = rest.partition(text)
            found.append(value)
        names = [part.parameter for part in self.goal if isinstance(part, Blank)]
        try:
            pairs = zip(names, [*found, rest], strict=True)
            return {name: self._value(name, value) for name, value in pairs}
        except ValueError:
            return None

    def _value(self, name: str, text: str) -> Any:
        """Return the value of a parameter.

        Raises:
            ValueError: The text is not one.
        """
        if not text.strip() or text != text.strip() or len(text) > LONGEST_VALUE:
            raise ValueError(text)
        if self.parameters[name].type == "string":
            return text
        value = read_json(text)
        if type(value) not in (int, float):
            raise ValueError(text)
        return value


def _marks_in(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the marks in a template, each with its object."""
    left = [data]
    while left:
        inner = left.pop()
        if isinstance(inner, Mapping):
            mark = next((mark for mark in MARKS if mark in inner), None)
            if mark is None:
                left.extend(inner.values())
            else:
                yield mark, inner
                if mark == "$element" and isinstance(inner[mark], Mapping):
                    left.append(inner[mark].get("name"))
        elif isinstance(inner, list):
            left.extend(inner)


def _check_marks(template: Any, steps: int, parameters: Mapping[str, Any], place: str) -> None:
    """Check the marks in a template.

    Args:
        template: The template.
        steps: How many steps are before it.
        parameters: The parameters of the program.
        place: The name of the template in the program.

    Raises:
        ValueError: A mark has another form, or refers to what is not there.
    """
    for mark, data in _marks_in(template):
        if not _fits(mark, data, steps, parameters):
            raise ValueError(f"`{place}`: `{mark}` is not of its form")


def _fits(mark: str, data: Mapping[str, Any], steps: int, parameters: Mapping[str, Any]) -> bool:
    value, path = data[mark], data.get("path", [])
    if not set(data) <= ({mark, "path"} if mark == "$result" else {mark}):
        return False
    match mark:
        case "$parameter":
            return isinstance(value, str) and value in parameters
        case "$result":
            known = type(value) is int and 0 <= value < steps and isinstance(path, list)
            return known and len(path) <= 64 and all(type(key) in (str, int) for key in path)
        case "$element":
            named = isinstance(value, Mapping) and set(value) == {"role", "name"}
            return named and isinstance(value["role"], str)
    return True


def written(value: Any) -> str:
    """Return the value of a parameter as it is in a goal."""
    return value if isinstance(value, str) else json.dumps(value)
