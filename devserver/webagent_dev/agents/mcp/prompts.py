"""Prompts: ways to work with a site, to add a tool, to prove one, and to find why none is called."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from webagent.agent.prompting import Fence
from webagent.checks import Report
from webagent.diagnostics.text import render_concise
from webagent.errors import NoPage
from webagent.types import Manifest
from webagent.visible_text import visible
from webagent_dev.agents.mcp.resources import notes
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import FOCUSED, OpenPages
from webagent_dev.site.state import Site
from webagent_site.mcp.catalogue import Catalogue
from webagent_site.mcp.page_tools import page_tools
from webagent_site.pages.open_page import OpenPage

_LONGEST_ARGUMENT = 4_000
_LONGEST_NAME = 200

USE_SITE, ADD_TOOL, PROVE_TOOL, NOT_CALLED = (
    Prompt(
        name="use_this_site",
        title="Work with the open page",
        description="The site, its author's notes to agents, and how to use its tools.",
        arguments=[PromptArgument(name="goal", description="The goal, in words.", required=False)],
    ),
    Prompt(
        name="add_a_tool",
        title="Add a tool for …",
        description="How to offer something of this site as a tool, from the function to the proof.",
        arguments=[
            PromptArgument(
                name="purpose", description="The purpose of the tool, in words.", required=True
            )
        ],
    ),
    Prompt(
        name="prove_this_tool",
        title="Prove this tool",
        description="How to show that a tool does what the manifest says, and what to correct.",
        arguments=[PromptArgument(name="tool", description="Its name.", required=True)],
    ),
    Prompt(
        name="why_is_it_not_called",
        title="Why is it not called?",
        description="The facts about a tool that an agent leaves out: in the manifest, in the open page, "
        "and among the other tools.",
        arguments=[
            PromptArgument(name="tool", description="Its name.", required=True),
            PromptArgument(
                name="goal", description="The goal for which it should be called.", required=False
            ),
        ],
    ),
)
PROMPTS = {one.name: one for one in (USE_SITE, ADD_TOOL, PROVE_TOOL, NOT_CALLED)}

_USE = (
    "You work in a page of {site} that the user has open in a browser, with the user's session. Its "
    "tools do what the page itself can do; `page_state` shows what the page shows, and `execute_js` runs a "
    "program over several tools. Ask the user before you do what cannot be undone."
)

_ADD = """\
Add a tool to {site}. Its purpose is at the end.

1. Read `webagent://docs/reference/format.md` for the format, and `webagent://manifest` for what the site \
offers already. If a tool does this, or nearly, change that one.
2. Find the code of the site that does it. Make it one function of the page, `globalThis.NAME`, which takes \
plain values and returns a plain object. A form can be a tool as it is: `webagent://docs/how-to/forms.md`.
3. Add a section `## NAME` to {file}: what the tool does and when to use it, its parameters with their \
types, its output, its effect (`read`, `write` or `irreversible`), and a sample that calls it.
4. Save. The server checks the file at once; `webagent-dev check {checked}` writes the findings, and \
`webagent://rules/RULE` explains one.
5. Run `webagent-dev test {target} --only NAME`, and correct what it finds. A tool that writes is only called \
with `--allow-writes`; ask the user before that.
6. Call it in the open page, and say what you saw.
"""

_PROVE = """\
Prove that `{tool}` of {site} does what the manifest says.

1. Run `webagent-dev test {target} --only {argument}`. It calls the tool with its sample, and then with \
arguments made from its types. `webagent://docs/how-to/test.md` explains the report.
2. A tool that writes is left out. Ask the user before you add `--allow-writes`; `[test] reset` in \
`webagent.toml` makes the site as it was.
3. Decide for each broken promise what is wrong: the function, or what the manifest says. Correct that one; \
do not weaken the manifest so that the test passes.
4. Repeat until the exit code is 0. With 5, nothing was called, and so nothing is proven.
5. Say which promises were tested, with how many calls, and what you have changed.
"""

_DIAGNOSE = """\
Find out why `{tool}` of {site} is not called, and correct it.

The server knows this now:
{facts}

1. If the page does not offer the tool, correct that first: an agent only sees what the page offers.
2. If it does, the reason is in the words. Run `webagent-dev run --why "GOAL" --site {target}`: it shows how \
a goal is understood, and does nothing.
3. Describe in the manifest what the tool does and when to use it, with the words of people who need it. Say \
in similar tools when not to use them.
4. Write the goal as a case, and run `webagent-dev eval`: `webagent://docs/how-to/evaluate.md`.
"""


class SitePrompts:
    """Answers requests for prompts."""

    def __init__(self, config: ServeConfig, site: Site, pages: OpenPages) -> None:
        """Serve one site.

        Args:
            config: How it is served.
            site: Has the manifest.
            pages: The open ones.
        """
        self._site = site
        self._pages = pages
        # The folder in front of another server has no pages.
        self._target = shlex.quote(config.url if config.proxy else str(site.root))
        self._texts: dict[str, Callable[[Mapping[str, str]], str]] = {
            USE_SITE.name: self._use_site,
            ADD_TOOL.name: self._add_tool,
            PROVE_TOOL.name: self._prove_tool,
            NOT_CALLED.name: self._not_called,
        }

    async def prompts(self) -> ListPromptsResult:
        """Return the list of prompts."""
        return ListPromptsResult(prompts=[*PROMPTS.values()], ttl_ms=0, cache_scope="private")

    async def prompt(self, params: GetPromptRequestParams) -> GetPromptResult:
        """Return a prompt with its arguments.

        Raises:
            MCPError: There is no such prompt, or it lacks an argument.
        """
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise MCPError(
                INVALID_PARAMS,
                f"there is no prompt `{params.name[:_LONGEST_NAME]}` - use one of {', '.join(PROMPTS)}",
            )
        given = params.arguments or {}
        arguments = {name: visible(text[:_LONGEST_ARGUMENT]) for name, text in given.items()}
        for argument in prompt.arguments or ():
            if argument.required and not arguments.get(argument.name, "").strip():
                raise MCPError(
                    INVALID_PARAMS,
                    f"`{prompt.name}` has no `{argument.name}` - give it: {argument.description}",
                )
        await self._site.checked.wait()
        text = self._texts[prompt.name](arguments)
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(description=prompt.description, messages=[message])

    def _use_site(self, arguments: Mapping[str, str]) -> str:
        manifest = self._manifest
        lines = [_USE.format(site=self._name)]
        if manifest is not None:
            text = "\n\n".join(filter(None, (manifest.description, notes(manifest))))
            if text:
                lines.append("Its author's notes to agents:\n" + Fence().around(text, "manifest"))
        if goal := arguments.get("goal"):
            lines.append(f"The user's goal: {goal}")
        return "\n\n".join(lines)

    def _add_tool(self, arguments: Mapping[str, str]) -> str:
        file = self._site.manifest_file
        where = f"`{file}`" if file else "the manifest, where the site makes it"
        checked = shlex.quote(str(file)) if file else self._target
        text = _ADD.format(site=self._name, file=where, checked=checked, target=self._target)
        return f"{text}\nThe tool is to do this: {arguments['purpose']}"

    def _prove_tool(self, arguments: Mapping[str, str]) -> str:
        tool = _named(arguments)
        return _PROVE.format(
            tool=tool, argument=shlex.quote(tool), site=self._name, target=self._target
        )

    def _not_called(self, arguments: Mapping[str, str]) -> str:
        tool = _named(arguments)
        facts = "\n".join(f"- {fact}" for fact in self._facts(tool, arguments.get("goal", "")))
        fenced = Fence().around(facts, "findings")
        text = _DIAGNOSE.format(tool=tool, site=self._name, facts=fenced, target=self._target)
        goal = arguments.get("goal")
        return f"{text}\nThe goal: {goal}" if goal else text

    def _facts(self, tool: str, goal: str) -> Iterator[str]:
        """Yield what is known of a tool, in the order in which an agent comes to it."""
        report = self._site.state.report
        if report is None:
            yield "The site has no manifest."
        else:
            yield from _manifest_facts(report, tool)
        try:
            page = self._pages.find(FOCUSED)
        except NoPage as error:
            yield f"Which tools a page offers is not known: {error}; {error.help}."
            return
        yield from _page_facts(page, tool, goal)

    @property
    def _manifest(self) -> Manifest | None:
        report = self._site.state.report
        return None if report is None else report.manifest

    @property
    def _name(self) -> str:
        manifest = self._manifest
        return visible(manifest.name[:_LONGEST_NAME]) if manifest and manifest.name else "the site"


def _named(arguments: Mapping[str, str]) -> str:
    """Return the name of a tool, which must not end the code that it stands in."""
    return arguments["tool"].strip()[:_LONGEST_NAME].replace("`", "'")


def _manifest_facts(report: Report, tool: str) -> Iterator[str]:
    names = [one.name for one in report.manifest.tools]
    if report.broken:
        yield "The manifest has errors, so pages keep its last good version."
    if tool in names:
        place = report.tools[names.index(tool)]
        line = report.source.position(place.name.start).line
        yield f"The manifest declares it in line {line}."
    else:
        near = get_close_matches(tool, names, 3)
        similar = f"; similar names: {', '.join(map(visible, near))}" if near else ""
        yield f"The manifest does not declare it{similar}."
    for finding in report.findings:
        if finding.tool == tool:
            yield f"A finding: {render_concise([finding], report.source).strip()}"


def _page_facts(page: OpenPage, tool: str, goal: str) -> Iterator[str]:
    where = f"the open page {visible(page.hello.url)}"
    listed = next((one for one in page.tools if one.get("name") == tool), None)
    if listed is None:
        yield f"{where.capitalize()} does not offer it; it offers {len(page.tools)} tools."
        return
    if listed.get("available") is False:
        yield f"It cannot be called in {where}: {visible(str(listed.get('problem', '')))}."
        return
    yield f"It can be called in {where}. Its effect is `{visible(str(listed.get('effect')))}`."
    if not goal:
        return
    tools = page_tools(page.tools, ())
    found = [one.name for one in Catalogue(tools, [], modern=True).find(goal)]
    own = next((name for name, one in tools.items() if one.own_name == tool), "")
    if own in found:
        yield f"A search for the goal finds {', '.join(found)}; it is number {found.index(own) + 1}."
    elif found:
        yield f"A search for the goal finds {', '.join(found)}, and not this tool."
    else:
        yield f"A search for the goal finds none of the page's {len(tools)} tools."
