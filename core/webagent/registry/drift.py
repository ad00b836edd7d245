"""Drift between a manifest and its page, as findings like those of the checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from webagent.codegen.types_section import shared_types
from webagent.diagnostics import Finding
from webagent.diagnostics.drift_rules import (
    MISSING_FUNCTION,
    RESULT_MISMATCH,
    UNDECLARED_FUNCTION,
    UNKNOWN_AGENT_MODE,
    WRONG_ARITY,
)
from webagent.page.offers import Arity, Offers
from webagent.parser.reading import ToolPlace
from webagent.registry.binding import Binding, ToolSource
from webagent.registry.catalogue import bare_name, is_foreign, wrong_path
from webagent.schema import Mismatch, check_value
from webagent.source import Span
from webagent.types import Manifest, Tool

_START = Span(0, 0)
_MOST_UNDECLARED = 20
_MOST_ITEMS = 50
"""Items of a list that are checked."""
_MOST_KEYS = 1_000


class Drift:
    """Compares a manifest with its page, and remembers results of other types than declared."""

    def __init__(self, manifest: Manifest, places: Sequence[ToolPlace]) -> None:
        """Compare the page with a manifest.

        Args:
            manifest: The manifest.
            places: The place of each of its tools in the text.
        """
        self._manifest = manifest
        # Of tools of the same name the page has the first.
        self._places = {
            tool.name: place.name
            for tool, place in reversed([*zip(manifest.tools, places, strict=True)])
        }
        self._mismatches: dict[str, Finding] = {}

    def findings(self, offers: Offers) -> list[Finding]:
        """Return the findings for a page with these offers, in the order of the manifest."""
        found = [*self._of_tools(offers), *self._mismatches.values(), *_undeclared(offers)]
        found += _unknown_modes(offers)
        return sorted(found, key=lambda finding: finding.span.start)

    def check_result(self, binding: Binding, value: Any) -> bool:
        """Check the encoded value of a call; return whether the findings changed."""
        tool = binding.tool
        if binding.source is not ToolSource.MANIFEST or not tool.returns.strip():
            return False
        types = shared_types(self._manifest)
        wrong = check_value(_start_of(value), tool.returns, types=types)
        before = self._mismatches.get(tool.name)
        if not wrong:
            return self._mismatches.pop(tool.name, None) is not None
        self._mismatches[tool.name] = self._mismatch(tool, wrong)
        return before != self._mismatches[tool.name]

    def _of_tools(self, offers: Offers) -> Iterator[Finding]:
        targets = (tool.target for tool in offers.tools)
        registered = {bare_name(t) for t in targets if not is_foreign(t, offers.origin)}
        for name, span in self._places.items():
            tool = self._manifest.get_tool(name)
            if tool is None or wrong_path(name, tool.behavior.paths, offers.path):
                continue
            if name in offers.functions:
                yield from _arity(tool, offers.functions[name], span)
            elif name not in registered:
                yield MISSING_FUNCTION.finding(
                    span,
                    f"the page at `{offers.path}` has no function `{name}`",
                    help=f"define `globalThis.{name} = …` in the page's script, or, if it belongs to other "
                    "pages, say which: `paths: /shop/*` under `### Behavior`",
                    tool=name,
                )

    def _mismatch(self, tool: Tool, wrong: list[Mismatch]) -> Finding:
        place = self._places.get(tool.name, _START)
        return RESULT_MISMATCH.finding(
            place,
            f"`{tool.name}` did not return what its output declares: "
            f"{'; '.join(map(str, wrong[:3]))}",
            help="correct the output, or what the function returns",
            tool=tool.name,
        )


def _start_of(value: Any) -> Any:
    """Return a value with the first of its items only; the others are probably alike."""
    if isinstance(value, list):
        return [_start_of(item) for item in value[:_MOST_ITEMS]]
    if isinstance(value, dict):
        return {
            key: _start_of(item) if type(item) in (list, dict) else item
            for key, item in islice(value.items(), _MOST_KEYS)
        }
    return value


def _arity(tool: Tool, arity: Arity, span: Span) -> Iterator[Finding]:
    declared = len(tool.params)
    endless = any(param.name.startswith("...") for param in tool.params)
    if arity.least > declared and not endless:
        said = f"the function `{tool.name}` takes {_arguments(arity.least)}"
    elif arity.most is not None and arity.most < declared:
        said = f"the function `{tool.name}` takes {_arguments(arity.most)}"
    else:
        return
    yield WRONG_ARITY.finding(
        span,
        f"{said}, but the manifest declares {declared}",
        help="declare each argument, in the function's order, under `### Params`",
        tool=tool.name,
    )


def _undeclared(offers: Offers) -> Iterator[Finding]:
    for name in offers.undeclared[:_MOST_UNDECLARED]:
        yield UNDECLARED_FUNCTION.finding(
            _START,
            f"the page has a function `{name}` that the manifest does not declare",
            help=f"add `## {name}`, or begin its name with `_` if it is not for agents",
        )


def _unknown_modes(offers: Offers) -> Iterator[Finding]:
    for word in offers.unknown_modes[:_MOST_UNDECLARED]:
        yield UNKNOWN_AGENT_MODE.finding(
            _START,
            f'the page at `{offers.path}` has `data-agent="{word}"`, which closes nothing to agents',
            help="write `ignore`, `mask` or `readonly`",
        )


def _arguments(count: int) -> str:
    return "no argument" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"
