"""Reading a file that the person gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.intent import Intent
from webagent.agent.person import GivenFile, Request
from webagent.errors import Denied

_LONGEST_TEXT = 100_000


async def obtain(name: str, context: Context) -> GivenFile:
    """Return a file of the person's; who has not given it yet is asked for it.

    Raises:
        Denied: The person did not give it.
    """
    files = context.work.files
    if file := files.get(name):
        return file
    request = Request("file", f"please give me the file `{name}`", {"filename": name})
    answer = await context.ask(request)
    if not answer.yes or not answer.files:
        said = f" and said: {answer.text}" if answer.text else ""
        raise Denied(
            f"the person did not give the file `{name}`{said}",
            help="go on without it, or ask what to do instead",
        )
    files.give(answer.files)
    # A person who is asked for `cv.pdf` may well give `cv-2027.pdf`.
    return files.get(name) or answer.files[0]


class ReadFile:
    """Reads a file that the person gives."""

    definition = define(
        "read_file",
        "Read a file of the person's; they are asked for it.",
        "filename",
        filename={"type": "string", "minLength": 1, "maxLength": 300},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Say that it changes nothing."""
        return Intent("read_file", "read", arguments, label=arguments["filename"])

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{name, type, size, text?}`; what is no text is known by its name only."""
        file = await obtain(arguments["filename"], context)
        found = {"name": file.name, "type": file.type, "size": len(file.data)}
        try:
            text = file.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return found
        if len(text) > _LONGEST_TEXT:
            return found | {"text": text[:_LONGEST_TEXT], "truncated": True}
        return found | {"text": text}
