"""The operations of A2A, for all bindings."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import AsyncIterator
from typing import Any

from webagent.errors import RateLimited
from webagent_dev.agents.a2a.job import Agent, DirectReply, Job
from webagent_dev.agents.a2a.task_shapes import task_shape
from webagent_dev.agents.tasks.task import UNFINISHED, Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_site.http.a2a.errors import (
    FAILED,
    INVALID_PARAMS,
    TASK_NOT_CANCELABLE,
    TASK_NOT_FOUND,
    UNSUPPORTED,
    A2aError,
    busy,
)
from webagent_site.http.a2a.requests import (
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    page_token,
)
from webagent_site.http.a2a.responses import STATES, Shape, reply

_LOG = logging.getLogger("uvicorn.error")
_WORKING = STATES["working"]


class Service:
    """Starts a task for a message, and reports what happens in it."""

    def __init__(self, tasks: Tasks, agent: Agent) -> None:
        """Serve one agent.

        Args:
            tasks: Where its tasks are kept.
            agent: Works on them.
        """
        self._tasks = tasks
        self._agent = agent
        self._jobs: dict[str, Job] = {}

    async def send(self, request: SendMessageRequest) -> Shape:
        """Return `{"task"}` once it is over or has a question, or immediately if requested.

        For a message that starts no task, the answer is `{"message"}`.

        Raises:
            A2aError: The message is refused.
        """
        try:
            task_id, after = await self._accept(request)
        except DirectReply as direct:
            return reply(request.message, [{"text": str(direct)}])
        if not request.return_immediately:
            async for event in self._tasks.follow(task_id, after=after):
                if _is_at_rest(event.event):
                    break
        return {"task": task_shape(await self._find(task_id), history=request.history_length)}

    async def stream(self, request: SendMessageRequest) -> AsyncIterator[Shape]:
        """Return the task, then its events until it is over or has a question.

        Raises:
            A2aError: The message is refused.
        """
        try:
            task_id, after = await self._accept(request)
        except DirectReply as direct:
            return _once(reply(request.message, [{"text": str(direct)}]))
        return self._events(
            task_id, after, request.history_length, is_answer="taskId" in request.message
        )

    async def subscribe(self, request: GetTaskRequest) -> AsyncIterator[Shape]:
        """Return a task as it is now, then its events from now on.

        Raises:
            A2aError: There is no such task, or it is over.
        """
        active = self._tasks.active("a2a", request.task_id)
        if active is None:
            task = await self._find(request.task_id)
            raise _over_error(task, "nothing more happens in it - get it with `GetTask`")
        return self._events(request.task_id, active[1], None, is_answer=False)

    async def get(self, request: GetTaskRequest) -> Shape:
        """Return a task.

        Raises:
            A2aError: There is no task of that id.
        """
        return task_shape(await self._find(request.task_id), history=request.history_length)

    async def list(self, request: ListTasksRequest) -> Shape:
        """Return a page of tasks, the one that was updated last first."""
        tasks, total = await self._tasks.store.page(
            "a2a",
            context_id=request.context_id,
            state=request.state,
            since=request.updated_since,
            after=request.after,
            most=request.page_size + 1,
        )
        shown = tasks[: request.page_size]
        more = len(tasks) > request.page_size
        return {
            "tasks": [
                task_shape(
                    task, history=request.history_length, artifacts=request.include_artifacts
                )
                for task in shown
            ],
            "nextPageToken": page_token(shown[-1].updated, shown[-1].id) if more else "",
            "pageSize": len(shown),
            "totalSize": total,
        }

    async def cancel(self, request: GetTaskRequest) -> Shape:
        """End a task, and return it.

        Raises:
            A2aError: There is no task of that id, or it is over.
        """
        task = await self._find(request.task_id)
        if task.is_over or not self._tasks.cancel(task.id):
            raise _not_cancelable_error(task)
        async for _ in self._tasks.follow(task.id):
            continue
        task = await self._find(task.id)
        if task.state != "cancelled":
            raise _not_cancelable_error(task)
        return task_shape(task)

    async def _accept(self, request: SendMessageRequest) -> tuple[str, int]:
        """Return the id of the task of a message, and the number of its last event so far."""
        if task_id := request.message.get("taskId"):
            return task_id, await self._answer(task_id, request)
        metadata = self._agent.task_metadata(request)
        job = Job(self._tasks, request)
        try:
            await job.begin(metadata)
        except RateLimited as error:
            raise busy(error) from None
        self._jobs[job.task.id] = job
        self._tasks.work(job.task, self._work(job))
        return job.task.id, 0

    async def _answer(self, task_id: str, request: SendMessageRequest) -> int:
        task = await self._find(task_id)
        if request.message.get("contextId", task.context_id) != task.context_id:
            raise A2aError(
                INVALID_PARAMS,
                f"`contextId` is not that of the task - the task belongs to `{task.context_id}` - "
                "send that one, or leave it out",
            )
        job, active = self._jobs.get(task_id), self._tasks.active("a2a", task_id)
        if task.is_over or job is None or active is None:
            raise _over_error(task, "it takes no more messages - send one without `taskId`")
        if not job.is_waiting:
            raise A2aError(
                UNSUPPORTED,
                "the task is being worked on and has no question - it takes a message when its state "
                f"is `{STATES['input_required']}` - wait for that, or cancel it",
                taskId=task_id,
            )
        job.answer(request)
        return active[1]

    async def _work(self, job: Job) -> None:
        try:
            await self._agent.work(job)
        except CancelledError:
            await job.end("cancelled")
        except Exception:
            _LOG.exception("a task of an A2A client failed")
            await job.end("failed", [{"text": FAILED}])
        finally:
            self._jobs.pop(job.task.id, None)

    async def _events(
        self, task_id: str, after: int, history: int | None, *, is_answer: bool
    ) -> AsyncIterator[Shape]:
        if is_answer:
            # Begin once the task works again, not with the question that was just answered.
            async for event in self._tasks.follow(task_id, after=after):
                if not _is_at_rest(event.event):
                    break
        active = self._tasks.active("a2a", task_id)
        task, last_seq = active or (await self._find(task_id), None)
        yield {"task": task_shape(task, history=history)}
        if last_seq is None:
            return
        async for event in self._tasks.follow(task_id, after=last_seq):
            yield event.event
            if _is_at_rest(event.event):
                return

    async def _find(self, task_id: str) -> Task:
        task = await self._tasks.find("a2a", task_id)
        if task is None:
            raise A2aError(
                TASK_NOT_FOUND,
                "there is no task of that id - it never existed, or was removed because of its age - "
                "look at `ListTasks`",
                taskId=task_id,
            )
        return task


async def _once(event: Shape) -> AsyncIterator[Shape]:
    yield event


def _is_at_rest(event: Shape) -> bool:
    """Whether an event reports that the task is over, or waits for the client."""
    update: Any = event.get("statusUpdate")
    return update is not None and update["status"]["state"] != _WORKING


def _over_error(task: Task, instead: str) -> A2aError:
    return A2aError(UNSUPPORTED, f"the task is {task.state} - {instead}", taskId=task.id)


def _not_cancelable_error(task: Task) -> A2aError:
    why = "it is not being worked on" if task.state in UNFINISHED else "it is over"
    return A2aError(
        TASK_NOT_CANCELABLE,
        f"the task is {task.state} - {why}, so nothing is left to cancel - get it with `GetTask`",
        taskId=task.id,
    )
