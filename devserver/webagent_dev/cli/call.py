"""`webagent-dev call`: calls one tool of a site, in an open page or in a fresh one."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from webagent_dev.cli import candidates
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import format_option, page_options, site_option
from webagent_dev.cli.run import answering, person_at_terminal
from webagent_dev.config.saved_sessions import session_for
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from webagent.agent import Person
    from webagent.registry import ToolRegistry
    from webagent_dev.config.saved_sessions import SavedSession

APPEAR_S = 5.0
"""How long to wait after the load of the page until the tool appears."""
_POLL_S = 0.1


@click.command("call")
@click.argument("tool", shell_complete=candidates.tools)
@click.argument(
    "arguments", metavar="[NAME=VALUE]...", nargs=-1, shell_complete=candidates.arguments
)
@site_option
@page_options
@format_option
@run_command
def command(
    console: Console,
    tool: str,
    arguments: tuple[str, ...],
    site: str,
    page: str,
    tab: str,
    spa: bool,
    session: str | None,
    headless: bool,
    headed: bool,
    style: str,
) -> int:
    """Call a TOOL of a site and write what it returns.

    While `webagent-dev serve` runs for the site and a page of it is open, the call is made in that
    page, with its login and its data. Otherwise it is made in a fresh page of a headless browser.
    With --session that page has the login that `webagent-dev login` has kept.
    Arguments are given by name, as text or JSON, or all together as one JSON object. The exit code
    is 1 if the call fails, or if its result is not what the tool declares. The
    questions of the tool are asked in the terminal; without a terminal it gets no answer.

    \b
    Example:
      webagent-dev call searchBooks query=harbour limit=3 --site my-site
    """
    from webagent_dev.browser.running_server import naming_server

    as_json = style == "json"
    person = None if as_json or not sys.stdin.isatty() else person_at_terminal(console)
    result = None
    visitor = session_for(session, site)
    fresh = bool(headless or headed or spa or page or visitor)
    if not fresh:
        result = asyncio.run(_call_in_open_page(tool, arguments, person, site=site, tab=tab))
    if result is None:
        with nullcontext() if fresh else naming_server(site):
            result = asyncio.run(
                _call_in_fresh_page(
                    tool,
                    arguments,
                    person,
                    site=site,
                    page=page,
                    spa=spa or None,
                    headed=headed,
                    session=visitor,
                )
            )
    _show(result, console, as_json=as_json)
    return 0 if result["ok"] else 1


async def _call_in_open_page(
    name: str, arguments: Sequence[str], person: Person | None, *, site: str, tab: str
) -> dict[str, Any] | None:
    """Return the result, None when no page is open."""
    from webagent.page.values import encode
    from webagent_dev.browser.running_server import find_open_page

    found = await find_open_page(site, tab)
    if found is None:
        return None
    running, page = found
    async with running:
        tools = {tool["name"]: tool for tool in await running.tools(page["page_id"])}
        # A page whose agent has not started yet lists no tools, but it can call them.
        types = {param["name"]: param["type"] for param in tools.get(name, {}).get("params", ())}
        values = {key: encode(value) for key, value in read_arguments(arguments, types).items()}
        ask = answering(person) if person else None
        result = await running.call(page["page_id"], name, values, on_question=ask)
        result = _checked(result, name, tools.get(name, {}).get("output_schema"))
        return _with_help_for_terminal(result, name, tools.get(name, {}), page["url"])


async def _call_in_fresh_page(
    name: str,
    arguments: Sequence[str],
    person: Person | None,
    *,
    site: str,
    page: str,
    spa: bool | None,
    headed: bool,
    session: SavedSession | None,
) -> dict[str, Any]:
    from webagent.agent.person import asker
    from webagent.errors import UnknownTool
    from webagent.page.values import encode
    from webagent_dev.browser.open_site import fresh_page

    opened = fresh_page(site, page, spa=spa, headed=headed, session=session)
    async with opened as (port, registry):
        await _wait_for_tool(registry, name)
        try:
            types = {param.name: param.type for param in registry.get(name).tool.params}
        except UnknownTool:
            path = urlsplit(port.page.url).path
            raise UsageError(_without_tool(name, path, registry.names(), site)) from None
        values = {key: encode(value) for key, value in read_arguments(arguments, types).items()}
        ask = asker(person) if person else None
        result = (await registry.invoke(name, values, ask=ask)).to_dict()
        described = registry.get(name).describe()
        result = _checked(result, name, described.get("output_schema"))
        return _with_help_for_terminal(result, name, described, port.page.url)


def _without_tool(name: str, path: str, names: Sequence[str], site: str) -> str:
    """Return the message about a tool that the page does not offer."""
    from webagent_dev.browser.running_server import note_of
    from webagent_dev.site.project import project_of
    from webagent_site.config.urls import is_address

    project = None if names or is_address(site) else project_of(Path(site).resolve())
    if project:
        note = note_of(site)
        url = note.url.rstrip("/") if note and note.url else ""
        address = f"`--site {url}`" if url else "`--site` with its address"
        started = "" if url else f"; `webagent-dev serve -- {project.server}` starts it"
        return (
            f"the page `{path}` offers no tool - this is a project of {project.framework}, whose "
            f"pages need its server - write {address}{started}"
        )
    if not names:
        return (
            f"the page `{path}` offers no tool - write `--page` with the path of one that offers "
            f"`{name}`, or declare it in a manifest, which `webagent-dev extract` drafts"
        )
    near = get_close_matches(name, names, 1)
    offered = f"`{near[0]}`" if near else f"one of {', '.join(f'`{one}`' for one in names)}"
    return f"the page `{path}` offers no tool `{name}` - write {offered}"


async def _wait_for_tool(registry: ToolRegistry, name: str) -> None:
    """Wait for a tool whose script is late; the call reports a tool that does not appear."""
    clock = asyncio.get_running_loop().time
    end = clock() + APPEAR_S
    while name not in registry.names() or registry.get(name).problem:
        if clock() > end:
            return
        await asyncio.sleep(_POLL_S)
        await registry.refresh()


def _checked(result: dict[str, Any], name: str, schema: Any) -> dict[str, Any]:
    """Return a result, with an error next to its value if that is not what the tool declares."""
    from webagent.schema import check_schema
    from webagent_site.page_output import invalid_result

    wrong = check_schema(result["value"], schema) if result["ok"] and schema else []
    if not wrong:
        return result
    return {**result, "ok": False, "error": invalid_result(name, wrong[0])}


def _with_help_for_terminal(
    result: dict[str, Any], name: str, tool: dict[str, Any], url: str
) -> dict[str, Any]:
    """Return a result whose help on wrong arguments, or on a wrong page, can be typed."""
    from webagent.registry.catalogue import wrong_path

    error = result.get("error")
    params = [param["name"] for param in tool.get("params", ())]
    paths = tool.get("paths") or []
    if error and error["kind"] == "denied" and wrong_path(name, paths, urlsplit(url).path):
        page = next((path for path in paths if "*" not in path), "PATH")
        error["help"] = f"write `--page {page}`"
    if error and error["kind"] == "invalid_arguments" and params:
        typed = " ".join(f"{param}=…" for param in params)
        error["help"] = f"write `webagent-dev call {name} {typed}`, without what may be left out"
    return result


def _show(result: dict[str, Any], console: Console, *, as_json: bool) -> None:
    from webagent.page.values import decode, is_pending

    if as_json:
        console.line(json.dumps(result, indent=2, ensure_ascii=False))
        return
    if result["ok"] and is_pending(result["value"]):
        pending = decode(result["value"])
        console.line(f"{console.paint('yellow', 'pending')}: {pending['pending']}")
        console.line(json.dumps(pending["filled"], indent=2, ensure_ascii=False, default=str))
    elif result["ok"]:
        console.line(json.dumps(decode(result["value"]), indent=2, ensure_ascii=False, default=str))
    else:
        error = result["error"]
        place = f" (at `{error['path']}`)" if error.get("path") else ""
        console.line(f"{console.paint('red', error['kind'])}: {error['message']}{place}")
        if error.get("help"):
            console.line(f"  help: {error['help']}")
        if "value" in result:
            _show({**result, "ok": True}, console, as_json=False)


def read_arguments(arguments: Sequence[str], types: dict[str, str]) -> dict[str, Any]:
    """Return arguments by name.

    A value is JSON. It is text where it is not JSON, or where the parameter is a string.

    Args:
        arguments: `name=value` each, or one JSON object.
        types: The type of each parameter, by name.

    Raises:
        UsageError: An argument is neither.
    """
    if len(arguments) == 1 and arguments[0].lstrip().startswith("{"):
        try:
            return dict(json.loads(arguments[0]))
        except ValueError as error:
            raise UsageError(
                f"`{arguments[0][:100]}` is not JSON - {error} - write `name=value`"
            ) from None
    found: dict[str, Any] = {}
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals or not name:
            name = next(iter(types), "name")
            raise UsageError(
                f"`{text}` has no name - arguments go by name - write `{name}={text or '…'}`"
            )
        found[name] = value if types.get(name) == "string" else _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
