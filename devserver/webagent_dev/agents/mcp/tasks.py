"""Calls that take long, as tasks: the extension `io.modelcontextprotocol/tasks` of the protocol."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    ElicitResult,
    EmptyResult,
    RequestParams,
)
from mcp_types.jsonrpc import HEADER_MISMATCH, MISSING_REQUIRED_CLIENT_CAPABILITY
from pydantic import ValidationError

from webagent.agent.redact import Vault
from webagent.errors import ToolTimeout
from webagent.page.values import plain
from webagent.registry.secrets import Secrets
from webagent_dev.agents.mcp.elicitation import Form, elicit_request
from webagent_dev.agents.mcp.run import Run, answer_of, form_of, no_answer
from webagent_dev.agents.tasks.task import State, Task, without_secrets
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_site.mcp.results import Context, is_modern
from webagent_site.page_output import event_text

EXTENSION = "io.modelcontextprotocol/tasks"
TTL_MS = 24 * 3_600_000
"""How long a task can be read at least, unless a thousand others end meanwhile."""
POLL_MS = 1_000
ANSWER_S = 1800.0
"""How long a question waits for its answer."""
_LONGEST_MESSAGE = 1_000

Finish = Callable[[dict[str, Any]], CallToolResult]
"""Makes the result of a call from what the page has returned."""


class TaskParams(RequestParams):
    """Names a task."""

    task_id: str


class UpdateTaskParams(TaskParams):
    """Answers questions of a task."""

    input_responses: dict[str, Any]


@dataclass(slots=True, eq=False)
class _Working:
    """A task that is not over."""

    task: Task
    run: Run
    asks: bool
    """Whether its client can ask its user."""
    secrets: Secrets
    questions: dict[str, tuple[Form, bool]] = field(default_factory=dict)
    """The open ones, by their ids; true for one whose answer is a secret."""
    expiry: asyncio.TimerHandle | None = None
    message: str = ""
    """The present step in words; not kept."""

    def on_event(self, name: str, data: dict[str, Any]) -> None:
        """Take an event of the call (`relay.CallListener`)."""
        text = data.get("message") if name == "progress" else event_text(data)
        if text:
            self.message = plain(str(text))[:_LONGEST_MESSAGE]


class CallTasks:
    """The calls that have become tasks."""

    def __init__(self, tasks: Tasks) -> None:
        """Work on tasks of clients.

        Args:
            tasks: Where they are kept and published.
        """
        self._tasks = tasks
        self._working: dict[str, _Working] = {}

    async def begin(self, run: Run, finish: Finish, *, asks: bool) -> dict[str, Any]:
        """Go on with a call as a task; return the handle that the client gets instead of a result.

        Raises:
            RateLimited: There are too many.
        """
        secrets = Secrets()
        secrets.learn_arguments(run.arguments)
        Vault(secrets, {}).take(str(run.arguments.get("goal", "")))
        working = _Working(Task(run.id, "mcp"), run, asks, secrets)
        await self._tasks.begin(working.task)
        self._working[run.id] = working
        run.listen(working.on_event)
        self._tasks.work(working.task, self._work(working, finish))
        return {"resultType": "task", **_described(working.task, working.message)}

    async def get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """Return a task as it is now.

        Raises:
            MCPError: There is none of this id, or the client does not take tasks.
        """
        task = await self._find(ctx, params)
        working = self._working.get(task.id)
        shown = _described(task, working.message if working else "")
        # A restart ends a task as it was saved, perhaps with a question.
        return shown if task.state == "failed" else {**shown, **task.data}

    async def update(self, ctx: Context, params: UpdateTaskParams) -> EmptyResult:
        """Take answers to the questions of a task; those to others are ignored.

        Raises:
            MCPError: As in `get`, or an answer is not one.
        """
        task = await self._find(ctx, params)
        working = self._working.get(task.id)
        if working is None:
            return EmptyResult()
        for question, response in params.input_responses.items():
            if question not in working.questions:
                continue
            try:
                answer = answer_of(ElicitResult.model_validate(response))
            except ValidationError:
                raise MCPError(
                    INVALID_PARAMS,
                    f"`{question}` is not the result of an `elicitation/create` - answer with "
                    '`{"action": "accept", "content": {…}}`',
                ) from None
            _, is_secret = working.questions.pop(question)
            if is_secret:
                working.secrets.learn(answer["text"])
            working.run.answer(question, answer)
        await self._show_questions(working)
        return EmptyResult()

    async def cancel(self, ctx: Context, params: TaskParams) -> EmptyResult:
        """End the work on a task; nothing for one that is over.

        Raises:
            MCPError: As in `get`.
        """
        task = await self._find(ctx, params)
        self._tasks.cancel(task.id)
        return EmptyResult()

    async def _work(self, working: _Working, finish: Finish) -> None:
        task = working.task
        try:
            result = await self._result(working, finish)
            shape = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            await self._publish(
                working, "completed", {"result": without_secrets(shape, working.secrets)}
            )
        except asyncio.CancelledError:
            await self._publish(working, "cancelled", {})
            raise
        finally:
            if working.expiry:
                working.expiry.cancel()
            working.run.end()
            self._working.pop(task.id, None)

    async def _result(self, working: _Working, finish: Finish) -> CallToolResult:
        """Pass questions on until the call is over, and return its result."""
        run = working.run
        while question := await run.question():
            form = form_of(question.request)
            if form is None or not working.asks:
                run.answer(question.id, no_answer(question.request))
                continue
            details = question.request.get("details")
            is_secret = isinstance(details, dict) and details.get("secret") is True
            working.questions[question.id] = form, is_secret
            await self._show_questions(working)
        return finish(run.result())

    async def _show_questions(self, working: _Working) -> None:
        asked = {
            question: elicit_request(form).model_dump(mode="json", by_alias=True, exclude_none=True)
            for question, (form, _) in working.questions.items()
        }
        if working.expiry:
            working.expiry.cancel()
            working.expiry = None
        if asked:
            late = ToolTimeout(f"nobody has answered within {ANSWER_S:g} s", help="call it again")
            end = working.run.end
            working.expiry = asyncio.get_running_loop().call_later(ANSWER_S, end, late)
        state: State = "input_required" if asked else "working"
        data = without_secrets({"inputRequests": asked}, working.secrets) if asked else {}
        await self._publish(working, state, data)

    async def _publish(self, working: _Working, state: State, data: dict[str, Any]) -> None:
        task = working.task
        task.state, task.data, task.updated = state, data, time.time()
        await self._tasks.publish(task)

    async def _find(self, ctx: Context, params: TaskParams) -> Task:
        if not takes_tasks(ctx):
            raise missing_capability()
        if ctx.request is not None and ctx.request.headers.get("mcp-name") != params.task_id:
            raise MCPError(
                HEADER_MISMATCH,
                "the header `Mcp-Name` is not the id of the task - send `params.taskId` in it",
            )
        task = await self._tasks.find("mcp", params.task_id)
        if task is None:
            raise MCPError(
                INVALID_PARAMS,
                "there is no task of that id - it never existed, or was removed because of its age - "
                "make the call again",
            )
        return task


def takes_tasks(ctx: Context) -> bool:
    """Whether the client takes a task in place of a result."""
    capabilities = ctx.session.client_capabilities
    extensions = capabilities.extensions if capabilities else None
    return is_modern(ctx) and EXTENSION in (extensions or {})


def missing_capability() -> MCPError:
    """Return the error for a client that asks for tasks and does not take any."""
    return MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"the request does not declare `{EXTENSION}` - name it in `extensions` of the capabilities",
        {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def _described(task: Task, message: str) -> dict[str, Any]:
    """Return a task without what belongs to its state."""
    said = task.reason or message
    failed = {"error": {"code": INTERNAL_ERROR, "message": task.reason}}
    return {
        "taskId": task.id,
        "status": task.state,
        "createdAt": _time(task.created),
        "lastUpdatedAt": _time(task.updated),
        "ttlMs": TTL_MS,
        "pollIntervalMs": POLL_MS,
        **({"statusMessage": said} if said else {}),
        **(failed if task.state == "failed" else {}),
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
