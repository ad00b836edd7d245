"""Actions of navigation: open an address, search the site, scroll, and wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, PageAction, define
from webagent.agent.actions.forms import (
    effect_of_submit,
    forms_of,
    site_search,
    target_of,
    unseen_of,
)
from webagent.agent.effects import effect_of_address, effect_of_path, strongest
from webagent.agent.permissions import Intent
from webagent.errors import InvalidArguments
from webagent.page.snapshot import Element
from webagent.types import Effect
from webagent.urls import absolute, origin_of, path_of

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
        effect, reason = effect_of_path(path), ""
        if not to and not context.has_shown(url):
            effect = strongest("unknown", effect_of_address(path))
            reason = "not_shown"
        place = path_of(context.scene.snapshot.url)
        return Intent(
            "goto_url",
            effect,
            arguments,
            place=place,
            label=url,
            to=to,
            kind="address",
            reason=reason,
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page open the address."""
        url = absolute(context.scene.snapshot.url, arguments["url"])
        return await context.act({"type": "goto_url", "url": url})


_OPENER_ROLES = frozenset(("button", "link", "clickable", "menuitem", "tab"))


def _may_open_search(element: Element) -> bool:
    """Whether the page may press an element to find its search (`dom/actions/site_search.ts`)."""
    return element.role in _OPENER_ROLES and "search" in element.name.lower()


class Search:
    """Searches the site with its own search form."""

    definition = define(
        "search",
        "Search the site with its own search form.",
        "query",
        query={"type": "string", "minLength": 1},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return the effect of submitting the search form, and its origin if it is another one."""
        form = site_search(await forms_of(context))
        snapshot = context.scene.snapshot
        place = path_of(snapshot.url)
        if form is None:
            # The page does not say which control has to be pressed first, nor the form that it opens.
            opens = snapshot.truncated or any(_may_open_search(e) for e in snapshot.elements)
            effect: Effect = "unknown" if opens else "read"
            return Intent("search", effect, arguments, place=place, label="search", kind="form")
        effect, to = effect_of_submit(form), target_of(form, context)
        label = str(form.get("name") or "") or "search"
        sends = unseen_of(form)
        return Intent(
            "search", effect, arguments, place=place, label=label, to=to, kind="form", sends=sends
        )

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Let the page fill in its search form and submit it."""
        return await context.act({"type": "search", **arguments})
