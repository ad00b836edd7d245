"""An agent that does what the official kit of A2A asks for: by the beginning of a message's id."""

from __future__ import annotations

import asyncio
from typing import Any

from webagent_dev.agents.a2a.job import DirectReply, Job
from webagent_dev.agents.a2a.task_shapes import artifact_event
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_site.http.a2a.requests import SendMessageRequest
from webagent_site.http.a2a.responses import Shape

LONG_S = 4.0
"""How long the task lasts that the kit subscribes to again."""
_FILE = {"filename": "output.txt", "mediaType": "text/plain"}
_ARTIFACTS: dict[str, Shape] = {
    "tck-artifact-text": {"text": "Generated text content"},
    "tck-artifact-file-url": {"url": "https://example.com/output.txt", **_FILE},
    "tck-artifact-file": {"raw": "dGNr", **_FILE},
    "tck-artifact-data": {"data": {"key": "value", "count": 42}},
    "tck-stream-001": {"text": "Stream hello from TCK"},
    "tck-stream-003": {"text": "Stream task lifecycle"},
    "tck-stream-ordering-001": {"text": "Ordered output"},
    "tck-stream-artifact-text": {"text": "Streamed text content"},
    "tck-stream-artifact-file": {"raw": "dGNr", **_FILE},
}


class KitAgent:
    """Completes tasks, but for those whose message says otherwise by its id."""

    def __init__(self, tasks: Tasks) -> None:
        """Publish chunks of an artifact, too, which our agents never do."""
        self._tasks = tasks

    def task_metadata(self, request: SendMessageRequest) -> Shape:
        if request.message["messageId"].startswith("tck-message-response"):
            raise DirectReply("Direct message response")
        return {}

    async def work(self, job: Job) -> None:
        message_id: str = job.request.message["messageId"]
        if message_id.startswith("tck-reject-task"):
            await job.end("rejected", [{"text": "rejected"}])
            return
        if not message_id.startswith(("tck-", "test-resubscribe")):
            # The kit of 0.3 continues each task, or cancels it.
            while True:
                await job.ask([{"text": "and now?"}])
        while message_id.startswith("tck-input-required"):
            message_id = (await job.ask([{"text": "go on?"}])).message["messageId"]
        if message_id.startswith("test-resubscribe-message-id"):
            await job.report("working")
            await asyncio.sleep(LONG_S)
        elif message_id.startswith("tck-stream-artifact-chunked"):
            await job.report("working")
            await self._chunk(job, "chunk-1 ", first=True)
            await self._chunk(job, "chunk-2", first=False)
        for prefix, part in _ARTIFACTS.items():
            if message_id.startswith(prefix):
                await job.report("working")
                await job.add_artifact(_artifact(part))
                break
        await job.end("completed", [{"text": "Hello from TCK"}])

    async def _chunk(self, job: Job, text: str, *, first: bool) -> None:
        """Publish one of two chunks."""
        piece = _artifact({"text": text})
        (whole,) = [piece] if first else job.task.data["artifacts"]
        parts = piece["parts"] if first else [*whole["parts"], *piece["parts"]]
        job.task.data = {**job.task.data, "artifacts": [{**whole, "parts": parts}]}
        event = artifact_event(job.task, piece)
        event["artifactUpdate"].update(append=not first, lastChunk=not first)
        await self._tasks.publish(job.task, event)


def _artifact(part: dict[str, Any]) -> Shape:
    return {"artifactId": "artifact-1", "name": "artifact", "parts": [part]}
