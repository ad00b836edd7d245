"""Taking a picture of the page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.intent import Intent
from webagent.errors import InternalError


class TakeScreenshot:
    """Takes a picture of the page, or of one element."""

    definition = define(
        "take_screenshot",
        "Take a picture of the whole page, or of one element.",
        selector={"type": "string", "description": "CSS selector of the element."},
        pp_id={"type": "integer", "description": "Number of the element."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Say that it changes nothing."""
        return Intent("take_screenshot", "read", arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Keep the picture; return the name of its file and its size in pixels."""
        reply = await context.act({"type": "screenshot", **arguments})
        try:
            data = base64.b64decode(reply["data"], validate=True)
        except (TypeError, KeyError, ValueError):
            raise InternalError("the page gave no picture") from None
        name = context.work.files.picture(data)
        return {"file": name, "width": reply.get("width"), "height": reply.get("height")}
