"""The operations of A2A, whatever binding they are asked for by."""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from webagent.errors import RateLimited
from webagent_dev.agents.a2a.errors import (
    FAILED,
    INVALID_PARAMS,
    TASK_NOT_CANCELABLE,
    TASK_NOT_FOUND,
    UNSUPPORTED,
    A2aError,
    busy,
)
from webagent_dev.agents.a2a.job import Agent, Job, Reply
from webagent_dev.agents.a2a.requests import Listed, Sent, Wanted, page_token
from webagent_dev.agents.a2a.responses import STATES, Shape, task_shape
from webagent_dev.agents.tasks.task import UNFINISHED, Task
from webagent_dev.agents.tasks.tasks import Tasks

_LOG = logging.getLogger("uvicorn.error")
_GOING_ON = STATES["working"]


class Service:
    """Takes messages, and tells what becomes of them."""

    def __init__(self, tasks: Tasks, agent: Agent) -> None:
        """Serve one agent.

        Args:
            tasks: Where its tasks are kept.
            agent: Who works on them.
        """
        self._tasks = tasks
        self._agent = agent
        self._jobs: dict[str, Job] = {}

    async def send(self, sent: Sent) -> Shape:
        """Return `{"task"}`, once it has come to an end or to a question, or at once if asked.

        A message of which no task is made has `{"message"}` as its answer.

        Raises:
            A2aError: The message cannot be taken.
        """
        try:
            task_id, after = await self._take(sent)
        except Reply as reply:
            return _answered(sent, reply)
        if not sent.at_once:
            async for event in self._tasks.follow(task_id, after=after):
                if _rests(event.event):
                    break
        return {"task": task_shape(await self._found(task_id), history=sent.history)}

    async def stream(self, sent: Sent) -> AsyncIterator[Shape]:
        """Return what happens: the task first, then events until its end or its next question.

        Raises:
            A2aError: The message cannot be taken.
        """
        try:
            task_id, after = await self._take(sent)
        except Reply as reply:
            return _once(_answered(sent, reply))
        return self._events(task_id, after, sent.history, answered="taskId" in sent.message)

    async def subscribe(self, wanted: Wanted) -> AsyncIterator[Shape]:
        """Return what happens in a task from now on: the task as it is first.

        Raises:
            A2aError: There is no such task, or it is over.
        """
        live = self._tasks.live("a2a", wanted.task_id)
        if live is None:
            task = await self._found(wanted.task_id)
            raise _over(task, "nothing more happens in it - ask for it with `GetTask`")
        return self._events(wanted.task_id, live[1], None, answered=False)

    async def get(self, wanted: Wanted) -> Shape:
        """Return a task.

        Raises:
            A2aError: There is none of that id.
        """
        return task_shape(await self._found(wanted.task_id), history=wanted.history)

    async def page(self, listed: Listed) -> Shape:
        """Return a page of tasks, the one whose status was told last first."""
        tasks, total = await self._tasks.kept.page(
            "a2a",
            context_id=listed.context_id,
            state=listed.state,
            since=listed.since,
            after=listed.after,
            most=listed.most + 1,
        )
        shown = tasks[: listed.most]
        more = len(tasks) > listed.most
        return {
            "tasks": [
                task_shape(task, history=listed.history, artifacts=listed.artifacts)
                for task in shown
            ],
            "nextPageToken": page_token(shown[-1].updated, shown[-1].id) if more else "",
            "pageSize": len(shown),
            "totalSize": total,
        }

    async def cancel(self, wanted: Wanted) -> Shape:
        """End a task, and return it.

        Raises:
            A2aError: There is none of that id, or it is over.
        """
        task = await self._found(wanted.task_id)
        if task.is_over or not self._tasks.cancel(task.id):
            raise _not_cancelable(task)
        async for _ in self._tasks.follow(task.id):
            continue
        task = await self._found(task.id)
        if task.state != "cancelled":
            raise _not_cancelable(task)
        return task_shape(task)

    async def _take(self, sent: Sent) -> tuple[str, int]:
        """Return the task that a message is for, and the number of its last event before."""
        if task_id := sent.message.get("taskId"):
            return task_id, await self._answer(task_id, sent)
        metadata = self._agent.look(sent)
        job = Job(self._tasks, sent)
        try:
            await job.begin(metadata)
        except RateLimited as error:
            raise busy(error) from None
        self._jobs[job.task.id] = job
        self._tasks.work(job.task, self._work(job))
        return job.task.id, 0

    async def _answer(self, task_id: str, sent: Sent) -> int:
        task = await self._found(task_id)
        if sent.message.get("contextId", task.context_id) != task.context_id:
            raise A2aError(
                INVALID_PARAMS,
                f"`contextId` is not that of the task - the task belongs to `{task.context_id}` - "
                "send that one, or none",
            )
        job, live = self._jobs.get(task_id), self._tasks.live("a2a", task_id)
        if task.is_over or job is None or live is None:
            raise _over(task, "it takes no more messages - send one without `taskId`")
        if not job.asks:
            raise A2aError(
                UNSUPPORTED,
                "the task is worked on and has asked nothing - it takes a message when its state is "
                f"`{STATES['input_required']}` - wait for that, or cancel it",
                taskId=task_id,
            )
        job.answer(sent)
        return live[1]

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
        self, task_id: str, after: int, history: int | None, *, answered: bool
    ) -> AsyncIterator[Shape]:
        if answered:
            # Begin with a task that goes on, not with the question that has its answer.
            async for event in self._tasks.follow(task_id, after=after):
                if not _rests(event.event):
                    break
        live = self._tasks.live("a2a", task_id)
        task, told = live or (await self._found(task_id), None)
        yield {"task": task_shape(task, history=history)}
        if told is None:
            return
        async for event in self._tasks.follow(task_id, after=told):
            yield event.event
            if _rests(event.event):
                return

    async def _found(self, task_id: str) -> Task:
        task = await self._tasks.find("a2a", task_id)
        if task is None:
            raise A2aError(
                TASK_NOT_FOUND,
                "there is no task of that id - it was never there, or is so old that it was let go - "
                "look at `ListTasks`",
                taskId=task_id,
            )
        return task


def _answered(sent: Sent, reply: Reply) -> Shape:
    context_id = sent.message.get("contextId") or str(uuid4())
    message = {"messageId": str(uuid4()), "role": "ROLE_AGENT", "contextId": context_id}
    return {"message": {**message, "parts": [{"text": str(reply)}]}}


async def _once(event: Shape) -> AsyncIterator[Shape]:
    yield event


def _rests(event: Shape) -> bool:
    """Whether an event says that the task is over, or waits for the client."""
    update: Any = event.get("statusUpdate")
    return update is not None and update["status"]["state"] != _GOING_ON


def _over(task: Task, instead: str) -> A2aError:
    return A2aError(UNSUPPORTED, f"the task is {task.state} - {instead}", taskId=task.id)


def _not_cancelable(task: Task) -> A2aError:
    why = "nobody works on it" if task.state in UNFINISHED else "it is over"
    return A2aError(
        TASK_NOT_CANCELABLE,
        f"the task is {task.state} - {why}, so nothing is left to cancel - ask for it with `GetTask`",
        taskId=task.id,
    )
