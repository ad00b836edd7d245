"""`/a2a/tasks`: starts tasks, streams their steps, returns their status, cancels them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webagent.errors import RateLimited
from webagent_dev.agents.goal_api.request import InvalidField, read_task_request
from webagent_dev.agents.owner_access import error_response, owner_only
from webagent_dev.agents.tasks.task import Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_site.http.event_stream import with_pings
from webagent_site.http.request_body import RequestError

if TYPE_CHECKING:
    from webagent_dev.agents.goal_api.worker import Worker

TASKS_PATH = "/a2a/tasks"
_METHODS = {"": ("POST",), "task": ("GET", "HEAD"), "cancel": ("POST",)}


class GoalApiEndpoint:
    """Answers at `/a2a/tasks`."""

    def __init__(
        self, config: ServeConfig, tasks: Tasks, make_worker: Callable[[], Worker]
    ) -> None:
        """Serve one site.

        Args:
            config: Whether the endpoint is on, and who has access.
            tasks: Where tasks are kept and published.
            make_worker: Makes what works on them; called with the first task.
        """
        self._config = config
        self._tasks = tasks
        self._make_worker = make_worker
        self._worker: Worker | None = None

    def routes(self) -> Iterator[Route]:
        """Yield the routes; nothing if the endpoint is off."""
        if self._config.doors == "off":
            return
        task = f"{TASKS_PATH}/{{task_id}}"
        for path, operation in ((TASKS_PATH, ""), (task, "task"), (f"{task}/cancel", "cancel")):
            yield Route(path, owner_only(_TaskRoute(self, operation), self._config))

    def pages_changed(self) -> None:
        """Wake tasks that wait for a page."""
        if self._worker:
            self._worker.tabs.pages_changed()

    async def run(self, request: Request) -> Response:
        """Begin a task and stream it; a client that reconnects gets the rest of its stream."""
        task_id, _, seq = request.headers.get("last-event-id", "").partition(":")
        if task_id:
            return self._stream(await self._find(task_id), _number(seq))
        task_request = await read_task_request(request)
        self._worker = self._worker or self._make_worker()
        try:
            task = await self._worker.begin(task_request)
        except RateLimited as error:
            return _json({"error": error.to_dict()}, 429)
        return self._stream(task, 0)

    async def get(self, request: Request) -> Response:
        """Return the status of a task, or stream it from the last event of the client."""
        task = await self._find(_task_id(request))
        if "text/event-stream" in request.headers.get("accept", ""):
            last = request.headers.get("last-event-id", "").rpartition(":")[2]
            return self._stream(task, _number(last))
        return _json(_as_event(task))

    async def cancel(self, request: Request) -> Response:
        """End a task, and return its status then."""
        task = await self._find(_task_id(request))
        live = self._tasks.active("goal_api", task.id)
        if live is None or not self._tasks.cancel(task.id):
            raise RequestError(
                409,
                "cancelled",
                "the task is over - nothing is left to cancel - look at its result",
            )
        async for _ in self._tasks.follow(task.id, after=live[1]):
            pass
        return _json(_as_event(await self._find(task.id)))

    async def _find(self, task_id: str) -> Task:
        task = await self._tasks.find("goal_api", task_id)
        if task is None:
            raise RequestError(
                404,
                "not_found",
                f"there is no task `{task_id[:64]}` - it never existed, or was removed for newer ones - "
                f"begin one with `POST {TASKS_PATH}`",
            )
        return task

    def _stream(self, task: Task, after: int) -> Response:
        return StreamingResponse(
            with_pings(self._frames(task, after)),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _frames(self, task: Task, after: int) -> AsyncIterator[str]:
        status = ""
        seq = after
        async for numbered in self._tasks.follow(task.id, after=after):
            status, seq = numbered.event["status"], numbered.seq
            yield _frame(task.id, seq, numbered.event)
        now = await self._tasks.find("goal_api", task.id)
        if now and now.is_over and status in ("", "working") and now.data["status"] == "working":
            # A restart has ended the task, and there is no event for that.
            yield _frame(task.id, seq + 1, _as_event(now))


class _TaskRoute:
    """ASGI application for one of the paths."""

    def __init__(self, endpoint: GoalApiEndpoint, operation: str) -> None:
        self._answer = {"": endpoint.run, "task": endpoint.get, "cancel": endpoint.cancel}[
            operation
        ]
        self._methods = _METHODS[operation]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._respond(request)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if request.method not in self._methods:
            allowed = ", ".join(self._methods)
            message = f"`{request.method[:20]}` is not answered here - only {allowed} is - use that"
            response = error_response(405, "invalid_arguments", message)
            response.headers["allow"] = allowed
            return response
        try:
            return await self._answer(request)
        except InvalidField as error:
            body = {"kind": error.kind, "message": str(error), "path": error.path}
            return _json({"error": body}, error.status)
        except RequestError as error:
            return error_response(error.status, error.kind, str(error))


def _as_event(task: Task) -> dict[str, Any]:
    """Return the last event of a task; it says so if a restart has ended the task."""
    event = dict(task.data)
    if task.is_over and event.get("status") == "working":
        event |= {"status": "failed", "error": task.reason}
    return event


def _frame(task_id: str, seq: int, event: dict[str, Any]) -> str:
    return f"id: {task_id}:{seq}\nevent: status\ndata: {json.dumps(event)}\n\n"


def _task_id(request: Request) -> str:
    return str(request.path_params["task_id"])


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _json(data: Any, status: int = 200) -> Response:
    body = json.dumps(data, separators=(",", ":"))
    headers = {"cache-control": "no-store"}
    return Response(body, status, headers, media_type="application/json")
