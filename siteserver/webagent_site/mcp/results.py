"""The result of a call for clients, and its progress meanwhile."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from mcp.server.context import ServerRequestContext
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from webagent.agent.prompting import Fence
from webagent.errors import ToolError
from webagent.page.values import (
    FileValue,
    files_taken,
    is_pending,
    is_picture,
    plain,
    well_formed,
)
from webagent_site.mcp.page_tools import PageTool
from webagent_site.page_output import event_text, untrusted_note
from webagent_site.text import whole

Context = ServerRequestContext[Any, Any]

ERROR_KEY = "webagent/error"
"""Key in `_meta` of a result for its error as data."""
MOST_WAITING = 1_000
"""Limit of progress notifications that wait to be sent; more are left out."""

_LONGEST_MESSAGE = 1_000
_RESULT_KEYS = frozenset(("content", "isError", "structuredContent"))


def is_modern(ctx: Context) -> bool:
    """Whether a client uses a version of the protocol without sessions.

    Such a client takes results of any type, and answers questions by repeating a call.
    """
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def success_result(
    value: Any,
    *,
    structured: Any = None,
    untrusted_from: str | None = None,
    files: Sequence[FileValue] = (),
) -> CallToolResult:
    """Return the result of a call as text, and as data for programs.

    Args:
        value: Of the call; JSON.
        structured: The value as `structuredContent`.
        untrusted_from: The site of the value, if strangers may have written it.
        files: The files of the value: pictures as images, others as embedded resources.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if untrusted_from is not None:
        text = fenced(text, untrusted_from)
    content = [_text(text), *map(_file, files)]
    return CallToolResult(content=content, structured_content=whole(structured))


def call_answer(
    result: Mapping[str, Any], tool: PageTool, site: str, *, modern: bool
) -> CallToolResult:
    """Return the result of a call of a page's tool.

    Args:
        result: As the relay returns it.
        tool: The tool.
        site: Where its page comes from.
        modern: Whether the client takes results of any type, not only objects.
    """
    if not result["ok"]:
        return error_result(result["error"])
    if is_pending(result["value"]):
        return pending_result(result["value"], fits=not tool.has_output_schema)
    files: list[FileValue] = []

    def keep(file: FileValue) -> str:
        files.append(file)
        return file.name

    value = plain(files_taken(result["value"], keep), bigints=not tool.has_output_schema)
    untrusted = (tool.origin or site) if tool.untrusted else None
    if not tool.has_output_schema and (as_is := as_call_result(value, untrusted_from=untrusted)):
        return as_is
    if error := tool.output_error(value):
        return error_result(error, json.dumps(value, ensure_ascii=False))
    structured = tool.structured(value, modern=modern)
    return success_result(value, structured=structured, untrusted_from=untrusted, files=files)


def named_answer(result: Mapping[str, Any], tool: PageTool, site: str) -> CallToolResult:
    """Return the result of a tool that was called by name, as `call_page_tool` declares it.

    Args:
        result: As the relay returns it.
        tool: The tool.
        site: Where its page comes from.
    """
    # Its value is inside of an object anyway, as every client takes it.
    answer = call_answer(result, tool, site, modern=True)
    if not answer.is_error:
        value = answer.structured_content
        answer.structured_content = {} if value is None else {"value": value}
    return answer


def _file(file: FileValue) -> ImageContent | EmbeddedResource:
    data = base64.b64encode(file.data).decode()
    if is_picture(file.type):
        return ImageContent(type="image", data=data, mime_type=file.type)
    uri = f"webagent://file/{quote(well_formed(file.name))}"
    contents = BlobResourceContents(uri=uri, mime_type=file.type, blob=data)
    return EmbeddedResource(type="resource", resource=contents)


def pending_result(value: Any, *, fits: bool) -> CallToolResult:
    """Return the result of a form that is filled in, and that a person has to send.

    Args:
        value: Of the call, encoded.
        fits: Whether a result may have another shape than the tool's own; clients refuse one that
            does not fit its output schema, unless it is an error.
    """
    pending = plain(value)
    filled = json.dumps(pending["filled"], ensure_ascii=False)
    text = f"pending: {pending['pending']}\nfilled in: {filled}"
    if not fits:
        return CallToolResult(content=[_text(text)], is_error=True)
    return CallToolResult(content=[_text(text)], structured_content=pending)


def as_call_result(value: Any, *, untrusted_from: str | None = None) -> CallToolResult | None:
    """Return a value that already is a result of the protocol; None for any other.

    Tools that scripts register may return `{content: [{type: "text", text}], isError?}`.

    Args:
        value: Of the call; JSON.
        untrusted_from: The site of the value, if strangers may have written it.
    """
    if not isinstance(value, dict) or not isinstance(value.get("content"), list):
        return None
    if not value["content"] or not set(value) <= _RESULT_KEYS:
        return None
    try:
        result = CallToolResult.model_validate({key: value[key] for key in ("content", *value)})
    except ValidationError:
        return None
    if untrusted_from is not None:
        for part in result.content:
            if isinstance(part, TextContent):
                part.text = fenced(part.text, untrusted_from)
    return result


def error_result(error: dict[str, Any], *more: str) -> CallToolResult:
    """Return the error of a call, in words that a model can act on.

    Args:
        error: `{kind, message, path?, help?, …}`.
        more: Further texts.
    """
    place = f" (at `{error['path']}`)" if error.get("path") else ""
    lines = [f"{error['kind']}: {error['message']}{place}"]
    if error.get("help"):
        lines.append(f"help: {error['help']}")
    return CallToolResult(
        content=[_text(text) for text in ("\n".join(lines), *more)],
        is_error=True,
        _meta={ERROR_KEY: whole(error)},
    )


def tool_error_result(error: ToolError, *more: str) -> CallToolResult:
    """Return the result for an error of the server itself."""
    return error_result(error.to_dict(), *more)


def fenced(text: str, site: str) -> str:
    """Return text of a site between marks that say that it is data."""
    return f"{untrusted_note(site)}\n{Fence().around(text, 'result')}"


def _text(text: str) -> TextContent:
    return TextContent(text=well_formed(text))


class Progress:
    """Sends progress notifications for a call; an asynchronous context manager around the call."""

    def __init__(self, ctx: Context) -> None:
        self._session = ctx.session
        self._request_id = ctx.request_id
        self._token = (ctx.meta or {}).get("progress_token")
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self._sending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._token is not None:
            self._sending = asyncio.create_task(self._send())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._sending is None:
            return
        if error is not None:
            self._sending.cancel()
        else:
            # Nothing takes from a full queue once the client has gone.
            end = asyncio.create_task(self._waiting.put(None))
            await asyncio.wait((end, self._sending), return_when=asyncio.FIRST_COMPLETED)
            end.cancel()
        await asyncio.gather(self._sending, return_exceptions=True)

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        """Add an event of the call (`relay.CallListener`)."""
        text = (
            data["message"] if name == "progress" else event_text(data) if name == "agent" else ""
        )
        if text and self._sending and not self._waiting.full():
            self._waiting.put_nowait(well_formed(text[:_LONGEST_MESSAGE]))

    async def _send(self) -> None:
        assert self._token is not None
        count = 0
        while (text := await self._waiting.get()) is not None:
            count += 1
            await self._session.send_progress_notification(
                self._token, count, message=text, related_request_id=str(self._request_id)
            )
