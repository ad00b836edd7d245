"""Completion of the arguments of prompts and of templates, for programs that show it while one types."""

from __future__ import annotations

from contextlib import suppress

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    PromptReference,
)

from webagent.errors import NoPage
from webagent.rules import RULES
from webagent_dev.agents.mcp.prompts import PROMPTS
from webagent_dev.agents.mcp.resources import PAGE_TEMPLATE, RULE_TEMPLATE
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_dev.site.state import Site
from webagent_site.mcp.results import Context

MOST_VALUES = 100
"""Limit of the protocol."""
_LONGEST_VALUE = 200


class Completions:
    """Answers requests for completion."""

    def __init__(self, site: Site, pages: OpenPages) -> None:
        """Serve one site.

        Args:
            site: Has the manifest.
            pages: The open ones.
        """
        self._site = site
        self._pages = pages

    async def complete(self, _: Context, params: CompleteRequestParams) -> CompleteResult:
        """Return the values that have what was typed in them, those that begin with it first.

        Raises:
            MCPError: There is no such prompt or template.
        """
        await self._site.checked.wait()
        typed = params.argument.value.lower()
        found = [one for one in self._values(params) if typed in one.lower()]
        found.sort(key=lambda one: not one.lower().startswith(typed))
        completion = Completion(
            values=found[:MOST_VALUES], total=len(found), has_more=len(found) > MOST_VALUES
        )
        return CompleteResult(completion=completion)

    def _values(self, params: CompleteRequestParams) -> list[str]:
        ref, name = params.ref, params.argument.name
        if isinstance(ref, PromptReference):
            if ref.name not in PROMPTS:
                raise MCPError(INVALID_PARAMS, f"there is no prompt `{ref.name[:_LONGEST_VALUE]}`")
            return self._tools() if name == "tool" else []
        values = {
            PAGE_TEMPLATE.uri_template: [one.page_id for one in self._pages.all()],
            RULE_TEMPLATE.uri_template: [*RULES],
        }
        if ref.uri not in values:
            raise MCPError(INVALID_PARAMS, f"there is no template `{ref.uri[:_LONGEST_VALUE]}`")
        return values[ref.uri]

    def _tools(self) -> list[str]:
        """Return the names of all tools, those of the manifest first."""
        report = self._site.state.report
        names = [tool.name for tool in report.manifest.tools] if report else []
        with suppress(NoPage):
            names += [str(tool.get("name", "")) for tool in self._pages.find(FOCUSED).tools]
        return [name for name in dict.fromkeys(names) if 0 < len(name) <= _LONGEST_VALUE]
