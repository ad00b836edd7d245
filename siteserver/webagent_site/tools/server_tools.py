"""The tools of an application: its functions that agents call through an open page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, TypeVar

from webagent.parser import read
from webagent.parser.names import UNCALLABLE, is_identifier
from webagent.types import Behavior, Effect, Tool
from webagent_site.config.urls import MANIFEST_NAME, TOOLS_PATH
from webagent_site.errors import ConfigError
from webagent_site.http.bundle_files import integrity
from webagent_site.tools.declaration import DeclaredTool, declare
from webagent_site.tools.manifest_text import with_tools
from webagent_site.tools.script import BROWSER_FUNCTIONS, HttpCall, script_of

F = TypeVar("F", bound=Callable[..., Any])


class ServerTools:
    """Functions of an application, each one a tool of its pages."""

    def __init__(self) -> None:
        self._declared: dict[str, DeclaredTool] = {}
        self._script: str | None = None

    def tool(
        self,
        *,
        effect: Effect,
        name: str = "",
        title: str = "",
        sample_code: str = "",
        paths: Sequence[str] = (),
        **lines: Any,
    ) -> Callable[[F], F]:
        """Declare a function as a tool.

        Args:
            effect: The effect of a call.
            name: The name on the page, if it is not that of the function.
            title: The name for people.
            sample_code: JavaScript that shows a call.
            paths: The pages that it works on: `/shop/*`.
            **lines: Further fields of `Behavior`: `confirm`, `deprecated`, `done`, `inverse`, `rate`,
                `requires_login`, `idempotent`, `untrusted_output`, `timeout_s`.

        Raises:
            ConfigError: The function cannot be a tool, or another one has its name.
        """
        if unknown := lines.keys() - Behavior.model_fields.keys():
            raise ConfigError(
                f"`{min(unknown)}` is not a field of a tool - write one of "
                f"{', '.join(f'`{field}`' for field in Behavior.model_fields)}"
            )

        def decorate(function: F) -> F:
            called = name or function.__name__
            if not is_identifier(called) or called in UNCALLABLE | BROWSER_FUNCTIONS:
                raise ConfigError(
                    f"`{called}` cannot be the name of a page's own function in JavaScript - write "
                    'another one: `name="findTeas"`'
                )
            declared = declare(
                function,
                Tool(
                    name=called,
                    title=title,
                    sample_code=sample_code,
                    behavior=Behavior(effect=effect, paths=[*paths], **lines),
                ),
            )
            if called in self._declared:
                raise _twice(called, self._declared[called].place, declared.place)
            self._declared[called] = declared
            self._script = None
            return function

        return decorate

    def get(self, name: str) -> DeclaredTool | None:
        """Return the tool of a name, None if there is none."""
        return self._declared.get(name)

    def manifest_tools(self) -> list[Tool]:
        """Return all tools as a manifest has them, in the order of their declaration."""
        return [declared.tool for declared in self._declared.values()]

    def manifest_text(self, text: str, path: str = MANIFEST_NAME) -> str:
        """Return the text of a manifest with these tools at its end.

        Args:
            text: The text, as a person wrote it.
            path: The path of its file, for people.

        Raises:
            ConfigError: The text has a tool of the same name.
            UsageError: Nothing can be added to the text.
        """
        reading = read(text, path=path)
        for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
            if (declared := self._declared.get(tool.name)) is not None:
                line = reading.source.position(place.span.start).line
                raise _twice(tool.name, f"{path}:{line}", declared.place)
        return with_tools(text, self.manifest_tools())

    def script(self) -> str:
        """Return the script that defines the functions of a page."""
        if self._script is None:
            self._script = script_of(
                [
                    HttpCall(
                        name, "POST", name, [(param.name, "body") for param in one.tool.params]
                    )
                    for name, one in self._declared.items()
                ]
            )
        return self._script

    @property
    def script_name(self) -> str:
        """The last part of the script's address, which changes with its content."""
        return f"{hashlib.sha256(self.script().encode()).hexdigest()[:16]}.js"

    def tag(self, base: str = "/", nonce: str = "") -> str:
        """Return the tag that loads the script; it comes before the one of `webagent.js`.

        Args:
            base: Path under which the application is served, with a slash at both ends.
            nonce: That of the page's Content-Security-Policy, if it has one.
        """
        url = f"{base}{TOOLS_PATH[1:]}/{self.script_name}"
        allowed = f' nonce="{escape(nonce)}"' if nonce else ""
        return f'<script src="{url}" integrity="{integrity(self.script().encode())}"{allowed}></script>'


def _twice(name: str, first: str, second: str) -> ConfigError:
    return ConfigError(
        f"`{name}` is declared twice, by {first} and by {second} - a page has one function of a name - "
        "rename or remove one of them"
    )
