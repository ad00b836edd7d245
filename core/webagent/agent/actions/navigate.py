"""Actions of navigation: open an address, search the site, scroll, and wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, PageAction, define
from webagent.agent.actions.forms import search_target
from webagent.agent.effects import effect_of_path
from webagent.agent.permissions import Intent
from webagent.errors import InvalidArguments
from webagent.urls import absolute, origin_of

SCROLL = PageAction(
    define(
        "scroll",
        "Scroll the page, or an element in it.",
        "direction",
        direction={"enum": ["up", "down", "left", "right", "top", "bottom"]},
        amount={"type": "number", "exclusiveMinimum": 0, "description": "Pixels."},
        pp_id={"type": "integer", "description": "Number of the element to scroll."},
    ),
    "scroll",
)
WAIT = PageAction(
    define(
        "wait",
        "Wait for the page to change.",
        "seconds",
        seconds={"type": "number", "minimum": 0, "maximum": 30},
    ),
    "wait",
)


class GotoUrl:
    """Opens an address in place of the page."""

    definition = define(
        "goto_url",
        "Open an address of this site in place of the page.",
        "url",
        url={"type": "string", "description": "Absolute, or relative to the page's address."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of the address, and the origin if it is another one."""
        url = absolute(context.scene.snapshot.url, arguments["url"])
        if url is None:
            raise InvalidArguments(
                f"`{arguments['url']}` is not the address of a page",
                path="url",
                help="write an address that starts with `https://`, `http://` or `/`",
            )
        origin = origin_of(url)
        to = "" if origin == context.run.origin else origin
        path = url[len(origin) :]
        return Intent("goto_url", effect_of_path(path), arguments, label=url, to=to)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page open the address."""
        url = absolute(context.scene.snapshot.url, arguments["url"])
        return await context.act({"type": "goto_url", "url": url})


class Search:
    """Searches the site with its own search form."""

    definition = define(
        "search",
        "Search the site with its own search form.",
        "query",
        query={"type": "string", "minLength": 1},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return a read, and the origin of the search form if it is another one."""
        to = await search_target(context)
        return Intent("search", "read", arguments, to=to)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page fill in its search form and submit it."""
        return await context.act({"type": "search", **arguments})
