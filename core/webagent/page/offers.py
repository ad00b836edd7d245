"""The offers of a page at one moment: functions, registered tools, and its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from webagent.json_text import is_shallow

TargetKind = Literal["function", "modelContext", "form", "component"]
"""The kinds of targets of a call. Forms are called through `document.modelContext` too."""

REGISTERED: tuple[TargetKind, ...] = ("modelContext", "form", "component")
"""The kinds of registered tools, in the order in which their names are given out."""

_LONGEST_TEXT = 100_000
_LONGEST_MODE = 100
_LONGEST_REASON = 300
_MOST_TOOLS = 10_000


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a call in the page."""

    kind: TargetKind
    name: str
    component: str | None = None
    frame: int | None = None
    """Number of the frame it is in; None for the page's own document."""
    origin: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the target as data for the page."""
        found = {
            "kind": self.kind,
            "name": self.name,
            "component": self.component,
            "frame": self.frame,
            "origin": self.origin,
        }
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Arity:
    """How many arguments a function takes."""

    least: int
    """Its `length`: the parameters before the first one with a default."""
    most: int | None
    """All its parameters; None if it takes any number, or if its source cannot be read."""


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool that the page registered, a form, or a component's tool."""

    target: Target
    description: str = ""
    title: str = ""
    input_schema: Mapping[str, Any] | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    attended: bool = False
    """Whether a person has to complete the call: a form that is not submitted automatically."""

    def definition(self) -> dict[str, Any]:
        """Return the tool as `document.modelContext.registerTool` takes it, without `execute`."""
        return {
            "name": self.target.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.annotations,
        }


@dataclass(frozen=True, slots=True)
class Offers:
    """Everything a page offers now."""

    functions: Mapping[str, Arity] = field(default_factory=dict)
    """The functions that the page has, of those that were asked for."""
    undeclared: tuple[str, ...] = ()
    """Other functions that look as if the site's author had made them for agents."""
    tools: tuple[PageTool, ...] = ()
    path: str = "/"
    """Path of the page's address: `/shop/cart`."""
    origin: str = ""
    unknown_modes: tuple[str, ...] = ()
    """Values of `data-agent` in the page that close nothing."""
    unavailable: Mapping[str, str] = field(default_factory=dict)
    """Why functions that the page has cannot be called now."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Offers:
        """Read the offers from the page's data; entries of another shape are left out.

        Tools come from any frame, so their data are not trusted.
        """
        functions = {
            str(name): Arity(int(least), None if most is None else int(most))
            for name, (least, most) in data["functions"].items()
        }
        origin = str(data["origin"])
        entries = [entry for entry in data["tools"] if isinstance(entry, Mapping)]
        # Tools of other origins must not push out the page's own.
        entries.sort(key=lambda entry: (entry.get("origin") or origin) != origin)
        tools = (_tool(entry) for entry in entries[:_MOST_TOOLS])
        return cls(
            functions,
            tuple(str(name) for name in data["undeclared"]),
            tuple(tool for tool in tools if tool is not None),
            str(data["path"]),
            origin,
            tuple(str(word)[:_LONGEST_MODE] for word in data.get("unknown_modes") or ()),
            {str(k): str(v)[:_LONGEST_REASON] for k, v in (data.get("unavailable") or {}).items()},
        )


def _tool(entry: Mapping[str, Any]) -> PageTool | None:
    if entry.get("kind") not in REGISTERED:
        return None
    texts = [entry.get(key) or "" for key in ("name", "description", "title")]
    if not all(isinstance(text, str) and len(text) <= _LONGEST_TEXT for text in texts):
        return None
    name, description, title = texts
    component, frame, schema = entry.get("component"), entry.get("frame"), entry.get("inputSchema")
    if not name or not isinstance(component, str | None) or not isinstance(frame, int | None):
        return None
    if not isinstance(schema, Mapping) or not is_shallow(schema):
        schema = None
    hints = entry.get("annotations")
    return PageTool(
        Target(
            entry["kind"], name, component or None, frame, str(entry.get("origin") or "") or None
        ),
        description,
        title,
        schema,
        hints if isinstance(hints, Mapping) else {},
        entry.get("attended") is True,
    )
