"""The models of a manifest: what `parse` returns and what a site builds by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_NOTE_PATHS = re.compile(r"\s*(?:[-*] )?paths:([^\n]*)", re.IGNORECASE)

Effect = Literal["read", "write", "irreversible", "unknown"]
"""The effect of a call. `unknown` counts as `write` when it is decided whether to ask a person."""


_EFFECT_SENTENCES: Mapping[Effect, str] = {
    "read": "It only reads.",
    "write": "It changes something.",
    "irreversible": "It cannot be undone.",
    "unknown": "",
}


class Param(BaseModel):
    """A parameter of a tool."""

    name: str = Field(description="Name, as the function's documentation calls it.")
    type: str = Field(default="string", description="TypeScript type; `object` and `array` too.")
    description: str = Field(default="", description="What to pass, in the author's words.")
    required: bool = Field(default=True, description="Whether a call must pass it.")
    default: str | None = Field(default=None, description="Default value, as written.")


class Note(BaseModel):
    """A section that is not a tool: rules, limits, workflows. Models read it, nothing calls it."""

    title: str = Field(description="Text of the heading.")
    text: str = Field(default="", description="Markdown below the heading.")
    after: int = Field(default=0, ge=0, description="Number of tools before it in the file.")

    @property
    def paths(self) -> list[str]:
        """The pages that it is about, if its first line names them: `paths: /pay, /orders/*`."""
        first = _NOTE_PATHS.match(self.text)
        listed = first[1].split(",") if first else []
        return [path for part in listed if (path := part.strip().strip("`"))]


class Behavior(BaseModel):
    """The declared behavior of a tool: its effect on the world, and its limits. It never changes."""

    # Most tools declare none, so they share one.
    model_config = ConfigDict(frozen=True)

    effect: Effect = Field(default="unknown", description="Effect of a call.")
    untrusted_output: bool = Field(default=False, description="Results hold text of strangers.")
    idempotent: bool = Field(default=False, description="Calling it twice is calling it once.")
    requires_login: bool = Field(default=False, description="Fails for a visitor signed out.")
    paths: tuple[str, ...] = Field(default=(), description="Pages it works on: `/a/*`.")
    rate: str = Field(default="", description="How often it may be called: `10/minute`.")
    timeout_s: float | None = Field(default=None, gt=0, description="Longest wait, in seconds.")
    confirm: str = Field(default="", description="Question to the visitor: `Add {title}?`.")
    done: str = Field(default="", description="Outcome for the visitor: `Added {title}.`.")
    inverse: str = Field(default="", description="Tool that undoes a call: `removeFromBasket`.")
    deprecated: str = Field(default="", description="Why to call another one: `use searchBooks`.")

    def sentences(self) -> str:
        """Return the effect and the limits in sentences, for a model."""
        paths = ", ".join(f"`{path}`" for path in self.paths)
        sentences = (
            f"It is deprecated: {self.deprecated.rstrip('.')}." if self.deprecated else "",
            _EFFECT_SENTENCES[self.effect],
            f"It works on {paths}." if paths else "",
            "The visitor has to be signed in." if self.requires_login else "",
            f"It may be called {self.rate}." if self.rate else "",
        )
        return " ".join(filter(None, sentences))


class Tool(BaseModel):
    """A function of the page that an agent may call."""

    name: str = Field(description="Name of the function on the page, e.g. `searchProducts`.")
    description: str = Field(default="", description="Purpose of the tool, in the author's words.")
    params: list[Param] = Field(default_factory=list, description="Parameters in call order.")
    returns: str = Field(default="", description="TypeScript type of the resolved value.")
    sample_code: str = Field(default="", description="JavaScript that shows a call.")
    behavior: Behavior = Field(default=Behavior(), description="Effect and limits of a call.")
    notes: list[Note] = Field(default_factory=list, description="Further subsections, kept.")
    title: str = Field(default="", description="Name for people, where it differs.")
    input_schema: dict[str, Any] | None = Field(
        default=None, description="JSON Schema of the arguments, where types cannot say it."
    )
    output_schema: dict[str, Any] | None = Field(
        default=None, description="JSON Schema of the value, where types cannot say it."
    )


class Manifest(BaseModel):
    """A parsed `webagents.md`: the tools of a site and all else its author wrote."""

    name: str = Field(default="", description="Name of the site.")
    description: str = Field(default="", description="Text between title and first section.")
    version: str = Field(default="0.1", description="Version of the manifest.")
    tools: list[Tool] = Field(default_factory=list, description="Tools in the file's order.")
    content: str = Field(default="", description="The Markdown it was parsed from.")
    notes: list[Note] = Field(default_factory=list, description="Sections that are not tools.")

    def get_tool(self, name: str) -> Tool | None:
        """Return the first tool of that name, or None."""
        return next((tool for tool in self.tools if tool.name == name), None)

    @property
    def tool_names(self) -> list[str]:
        """The names of all tools, in order."""
        return [tool.name for tool in self.tools]
