"""The A2A agent for one request of an assistant: it calls a tool of the page that its visitor has open.

Each answer is a message, as the protocol allows: no task is kept, so any process answers any request. A
call ends with its request. Questions are asked in the page, and never of the assistant.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn

from webagent.errors import InvalidArguments, ToolError
from webagent.page.values import PENDING, is_pending
from webagent.urls import origin_of
from webagent_site.assistants.granted_pages import GrantedPages
from webagent_site.broker.page_directory import PageRecord
from webagent_site.http.a2a.errors import CONTENT_TYPE, TASK_NOT_FOUND, UNSUPPORTED, A2aError
from webagent_site.http.a2a.requests import (
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    invalid_field,
)
from webagent_site.http.a2a.responses import Shape, error_parts, reply, value_parts
from webagent_site.http.a2a.tool_call import check_calls, read_work
from webagent_site.http.first_done import run_until_first_done
from webagent_site.mcp.page_tools import PageTool, page_tools, similar_names
from webagent_site.page_output import untrusted_note


class A2aService:
    """Answers the messages of one assistant with the results of tools."""

    def __init__(self, granted: GrantedPages, gone: Callable[[], Awaitable[None]]) -> None:
        """Serve one request.

        Args:
            granted: The pages and tools that the assistant reaches.
            gone: Returns once the assistant does not wait any more.
        """
        self._granted = granted
        self._gone = gone

    async def send(self, request: SendMessageRequest) -> Shape:
        """Return the result of a call.

        Raises:
            A2aError: The message is not a call of a tool.
        """
        calling = _Call(self._granted, request)
        answers: list[Shape] = []

        async def answer() -> None:
            answers.append(await calling.answer())

        async def leave() -> None:
            await self._gone()

        await run_until_first_done(answer(), leave())
        # Without an answer there is nobody who would read it.
        return answers[0] if answers else {}

    async def stream(self, request: SendMessageRequest) -> AsyncIterator[Shape]:
        """Return the result of a call as the only event of a stream.

        Raises:
            A2aError: The message is not a call of a tool.
        """
        return _once(_Call(self._granted, request))

    async def get(self, request: GetTaskRequest) -> Shape:
        """Refuse: there are no tasks."""
        _no_task(request.task_id)

    async def cancel(self, request: GetTaskRequest) -> Shape:
        """Refuse: there are no tasks."""
        _no_task(request.task_id)

    async def subscribe(self, request: GetTaskRequest) -> AsyncIterator[Shape]:
        """Refuse: there are no tasks."""
        _no_task(request.task_id)

    async def list(self, _: ListTasksRequest) -> Shape:
        """Return no tasks."""
        return {"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0}


class _Call:
    """The call that a message asks for."""

    def __init__(self, granted: GrantedPages, request: SendMessageRequest) -> None:
        """Read a message.

        Raises:
            A2aError: It is not a call of a tool.
        """
        if task_id := request.message.get("taskId"):
            _no_task(task_id)
        if any("raw" in part for part in request.parts):
            raise A2aError(
                CONTENT_TYPE, "the message has a file - a call of a tool takes JSON - leave it out"
            )
        check_calls(request)
        call, _ = read_work(request)
        if call is None:
            raise A2aError(
                UNSUPPORTED,
                "the message calls no tool - goals in words are not taken, because the user allows each "
                'tool by itself - send a data part {"tool": "its name", "arguments": {}}',
            )
        page_id = request.message.get("metadata", {}).get("page_id")
        if not isinstance(page_id, str | None):
            raise invalid_field("params.message.metadata.page_id", "a string")
        self._name, self._arguments = call
        self._page_id = page_id
        self._granted = granted
        self._message = request.message

    async def answer(self) -> Shape:
        """Make the call, and return the message for its result; errors are results, too."""
        try:
            page = await self._granted.page(self._page_id)
            tool = _tool(page, self._name)
            result = await self._granted.call(page, tool, self._arguments)
        except ToolError as error:
            return reply(self._message, error_parts(error.to_dict()))
        if not result["ok"]:
            return reply(self._message, error_parts(result["error"]))
        value = result["value"]
        parts = value_parts(value, f"pending: {PENDING}" if is_pending(value) else "")
        if tool.untrusted:
            parts = [{"text": untrusted_note(tool.origin or origin_of(page.url))}, *parts]
        return reply(self._message, parts, page_id=page.tab)


def _tool(page: PageRecord, name: str) -> PageTool:
    """Return a tool of a page.

    Raises:
        InvalidArguments: The page does not offer it; the error names those with similar names.
    """
    tools: dict[str, PageTool] = {
        tool.own_name: tool for tool in page_tools(page.tools, ()).values()
    }
    if name not in tools:
        near = ", ".join(similar_names(tools, name))
        raise InvalidArguments(
            f"the page does not offer a tool `{name[:200]}`",
            path="tool",
            help=f"name one of {near}" if near else "ask the user to open a page that has tools",
        )
    return tools[name]


async def _once(call: _Call) -> AsyncIterator[Any]:
    yield await call.answer()


def _no_task(task_id: str) -> NoReturn:
    raise A2aError(
        TASK_NOT_FOUND,
        "there is no task of that id - this agent answers each message at once, and keeps no tasks - "
        "send a message without `taskId`",
        taskId=task_id,
    )
