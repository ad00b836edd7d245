"""`webagent-dev call`: calls one tool of a site, in the open page or in a fresh one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from webagent.errors import UnknownTool
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.values import decode, encode
from webagent.registry import ToolRegistry
from webagent_dev.browser.open_site import declared_manifest, open_site_page, site_page
from webagent_dev.errors import UsageError
from webagent_dev.terminal import Console

LATE_S = 5.0
"""How long the tool may take to be there, after the page was loaded."""
_LOOK_S = 0.1


def run(
    name: str,
    given: Sequence[str],
    console: Console,
    *,
    site: str = ".",
    page: str = "",
    spa: bool | None = None,
    tab: str = "",
    fresh: bool = False,
    headed: bool = False,
    as_json: bool = False,
) -> int:
    """Call a tool and write what it gives; return the exit code, 1 if the call failed.

    Args:
        name: The tool.
        given: `name=value` each, or one JSON object.
        console: Where to write.
        site: An address, or the path of a folder.
        page: Which page of the site, from its first one on.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.
        tab: Id of an open page, if not the one in focus.
        fresh: Whether to open a page of our own, whatever is open.
        headed: Whether the browser is seen.
        as_json: Whether to write the whole result, not its value alone.

    Raises:
        UsageError: There is no browser, no such page, or no such tool; an argument cannot be read.
    """
    result = None if fresh else asyncio.run(_call_open(name, given, site=site, tab=tab))
    if result is None:
        result = asyncio.run(_call(name, given, site=site, page=page, spa=spa, headed=headed))
    if as_json:
        console.line(json.dumps(result, indent=2, ensure_ascii=False))
    elif result["ok"]:
        console.line(json.dumps(decode(result["value"]), indent=2, ensure_ascii=False, default=str))
    else:
        error = result["error"]
        console.line(f"{console.paint('red', error['kind'])}: {error['message']}")
        if error.get("help"):
            console.line(f"  help: {error['help']}")
    return 0 if result["ok"] else 1


async def _call_open(
    name: str, given: Sequence[str], *, site: str, tab: str
) -> dict[str, Any] | None:
    """Call a tool in the page that is open; return None when none is."""
    from webagent_dev.browser.running_server import find_open_page

    found = await find_open_page(site, tab)
    if found is None:
        return None
    running, page = found
    async with running:
        tools = {tool["name"]: tool for tool in await running.tools(page["page_id"])}
        # A page whose agent has not started yet names no tools, but knows them when it is asked.
        types = {param["name"]: param["type"] for param in tools.get(name, {}).get("params", ())}
        arguments = {key: encode(value) for key, value in read_arguments(given, types).items()}
        result = await running.call(page["page_id"], name, arguments)
        return _in_words_of_the_terminal(result, name, list(types))


async def _call(
    name: str, given: Sequence[str], *, site: str, page: str, spa: bool | None, headed: bool
) -> dict[str, Any]:
    async with site_page(site, headed=headed, spa=spa) as (opened, start):
        await open_site_page(opened, start, page)
        port = PlaywrightPage(opened)
        registry = ToolRegistry(port)
        await registry.bind(await declared_manifest(opened))
        try:
            await _until_there(registry, name)
            types = {param.name: param.type for param in registry.get(name).tool.params}
        except UnknownTool as error:
            names = ", ".join(f"`{one}`" for one in registry.names()) or "none at all"
            raise UsageError(f"{error} - this page has {names} - write one of those") from None
        arguments = {key: encode(value) for key, value in read_arguments(given, types).items()}
        result = (await registry.invoke(name, arguments)).to_dict()
        return _in_words_of_the_terminal(result, name, list(types))


def _in_words_of_the_terminal(
    result: dict[str, Any], name: str, params: Sequence[str]
) -> dict[str, Any]:
    """Return a result whose advice about arguments is what can be typed here."""
    error = result.get("error")
    if error and error["kind"] == "invalid_arguments" and params:
        typed = " ".join(f"{param}=…" for param in params)
        error["help"] = f"write `webagent-dev call {name} {typed}`, without what may be left out"
    return result


async def _until_there(registry: ToolRegistry, name: str) -> None:
    """Wait for a tool whose script comes late; what is not there then is told by the call."""
    clock = asyncio.get_running_loop().time
    end = clock() + LATE_S
    while name not in registry.names() or registry.get(name).problem:
        if clock() > end:
            return
        await asyncio.sleep(_LOOK_S)
        await registry.refresh()


def read_arguments(given: Sequence[str], types: dict[str, str]) -> dict[str, Any]:
    """Return arguments by name.

    A value is JSON, or text as it stands where that is no JSON or the parameter is a string.

    Args:
        given: `name=value` each, or one JSON object.
        types: The type of each parameter, by name.

    Raises:
        UsageError: One is neither.
    """
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        try:
            data = json.loads(given[0])
        except ValueError as error:
            raise UsageError(
                f"`{given[0][:100]}` is no JSON - {error} - write `name=value`"
            ) from None
        return dict(data)
    found: dict[str, Any] = {}
    for text in given:
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
