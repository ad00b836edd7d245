"""Actions that read: the page, files of the person, and screenshots."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context, PageAction, define
from webagent.agent.permissions import Intent
from webagent.errors import InternalError

_LONGEST_TEXT = 100_000


async def attachments(names: Sequence[str], context: Context) -> list[dict[str, str]]:
    """Return files of the person as the page takes them, their bytes in Base64.

    Raises:
        Denied: The person did not give one of them.
    """
    # Which a page's Python would otherwise import before its first step.
    from mimetypes import guess_type

    found = []
    for name in names:
        file = (await context.file(name)).to_dict()
        # A page judges a file by its type, which a terminal does not know.
        found.append(file | {"type": file["type"] or guess_type(file["name"])[0] or ""})
    return found


class ReadFile:
    """Reads a file that the person gives."""

    definition = define(
        "read_file",
        "Read a file of the person's; they are asked for it.",
        "filename",
        filename={"type": "string", "minLength": 1, "maxLength": 300},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return a read."""
        return Intent("read_file", "read", arguments, label=arguments["filename"])

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{name, type, size, text?}`; `text` is missing if the file is not a text."""
        file = await context.file(arguments["filename"])
        found = {"name": file.name, "type": file.type, "size": len(file.data)}
        try:
            text = file.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return found
        if len(text) > _LONGEST_TEXT:
            return found | {"text": text[:_LONGEST_TEXT], "truncated": True}
        return found | {"text": text}


_ELEMENT = {"type": "integer", "description": "Number of an element in the latest snapshot."}

PAGE_READS = (
    PageAction(
        define(
            "find_code",
            "Find code samples on the page: a list of {title, language, code}.",
            title={"type": "string", "description": "Words of the heading above."},
            selector={"type": "string", "description": "CSS selector of where to look."},
        ),
        "find_code",
    ),
    PageAction(
        define("navigation_outline", "Outline the navigation: a tree of {text, url, current}."),
        "navigation_outline",
    ),
    PageAction(
        define(
            "section_outline",
            "Outline the page by its headings: a tree of {level, heading, text, pp_ids}.",
            max_text={
                "type": "integer",
                "minimum": 0,
                "maximum": 20_000,
                "description": "Characters of text per section; 200 if left out.",
            },
        ),
        "section_outline",
    ),
    PageAction(
        define("form_details", "Describe the forms of the page and their fields.", pp_id=_ELEMENT),
        "form_details",
    ),
    PageAction(
        define(
            "table_details", "Read the tables: a list of {caption, headers, rows}.", pp_id=_ELEMENT
        ),
        "table_details",
    ),
    PageAction(
        define("get_summary", "Say what kind of page this is: headings, facts, what can be done."),
        "summary",
    ),
)
"""Actions that only read what the page shows."""


class TakeScreenshot:
    """Takes a picture of the page, or of one element."""

    definition = define(
        "take_screenshot",
        "Take a picture of the whole page, or of one element.",
        selector={"type": "string", "description": "CSS selector of the element."},
        pp_id={"type": "integer", "description": "Number of the element."},
        marks={
            "type": "boolean",
            "description": "Mark what can be used with its pp_id, in black on yellow.",
        },
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return a read."""
        return Intent("take_screenshot", "read", arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Take the screenshot; return the name of its file, its size in pixels, and its marks."""
        reply = await context.act({"type": "screenshot", **arguments})
        try:
            data = base64.b64decode(reply["data"], validate=True)
        except (TypeError, KeyError, ValueError):
            raise InternalError("the page gave no picture") from None
        name = context.work.files.picture(data)
        taken = {"file": name, "width": reply.get("width"), "height": reply.get("height")}
        return taken | _marks(reply) if arguments.get("marks") else taken


def _marks(reply: Mapping[str, Any]) -> dict[str, str]:
    """Return what the marks of a picture are; the page may have written anything for their count."""
    marks, more = (reply.get(name) for name in ("marks", "unmarked"))
    if type(marks) is not int:
        raise InternalError("the page did not say what it has marked")
    text = f"{marks} elements, each with its pp_id"
    if type(more) is int and more > 0:
        text += f"; {more} more are not marked - take a picture of a part to mark them"
    return {"marks": text}
