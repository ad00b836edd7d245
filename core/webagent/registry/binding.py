"""The binding of a tool to a page: its definition, and what a call of it reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.page.offers import Target
from webagent.schema import input_schema, output_schema
from webagent.schema.tools import param_type
from webagent.tstypes.nodes import Type
from webagent.types import Param, Tool


class ToolSource(StrEnum):
    """The source of a tool, in the order in which names are given out."""

    MANIFEST = "manifest"
    MODEL_CONTEXT = "modelContext"
    FORM = "form"
    COMPONENT = "component"


class Calling(StrEnum):
    """How a caller passes a tool its arguments."""

    POSITIONAL = "positional"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Binding:
    """A tool's definition, its source, what a call reaches, and how its arguments are passed."""

    tool: Tool
    target: Target
    name: str
    """Its name in the registry: the tool's own name, unless an earlier tool has that."""
    source: ToolSource = ToolSource.MANIFEST
    calling: Calling = Calling.POSITIONAL
    types: SharedTypes = NO_TYPES
    """The shared types that the definition may name."""
    origin: str = ""
    attended: bool = False
    """Whether a person has to complete the call."""
    problem: str | None = None
    """Why it cannot be called now; None if it can."""
    _expected: dict[str, Type] = field(default_factory=dict, init=False, repr=False, compare=False)
    _about: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _schema: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def params(self) -> list[Param]:
        """The parameters, in call order."""
        return self.tool.params

    @property
    def rest(self) -> Param | None:
        """The last parameter, if it takes all further arguments: `...names`."""
        last = self.params[-1] if self.params else None
        return last if last is not None and last.name.startswith("...") else None

    def expects(self, param: Param) -> Type:
        """Return the type of a parameter's argument; its text is read once."""
        if param.name not in self._expected:
            self._expected[param.name] = param_type(param, self.types)
        return self._expected[param.name]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments; it is written once."""
        if not self._schema:
            self._schema.update(input_schema(self.tool, types=self.types))
        return self._schema

    def about(self) -> str:
        """Return the description with effect and limits, for a model; it is written once."""
        if not self._about:
            words = (self.tool.description, self.tool.behavior.sentences())
            self._about.append("\n".join(filter(None, words)))
        return self._about[0]

    def signature(self) -> str:
        """Return the call as a person would write it: `search(query, limit?)`."""
        names = (param.name if param.required else f"{param.name}?" for param in self.params)
        inner = ", ".join(names)
        if self.calling is Calling.OBJECT and inner:
            inner = f"{{ {inner} }}"
        return f"{self.name}({inner})"

    def describe(self) -> dict[str, Any]:
        """Return the tool as plain data, as every list of tools has it."""
        behavior = self.tool.behavior
        listed: dict[str, Any] = {
            "name": self.name,
            "title": self.tool.title,
            "description": self.tool.description,
            "source": self.source.value,
            "component": self.target.component,
            "origin": self.origin,
            "frame": self.target.frame,
            "calling": self.calling.value,
            "params": [param.model_dump(exclude_none=True) for param in self.params],
            "input_schema": self.schema(),
            "output_schema": output_schema(self.tool, types=self.types),
            "returns": self.tool.returns,
            "effect": behavior.effect,
            "untrusted": behavior.untrusted_output,
            "idempotent": behavior.idempotent or None,
            "login": behavior.requires_login or None,
            "paths": behavior.paths or None,
            "rate": behavior.rate or None,
            "timeout_s": behavior.timeout_s,
            "available": self.problem is None,
            "problem": self.problem,
        }
        return {key: value for key, value in listed.items() if value is not None}
