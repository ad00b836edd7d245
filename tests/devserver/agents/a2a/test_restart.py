"""A server that ends in the middle of tasks, and begins again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.devserver.agents.a2a.client import A2a, Failed, message, words
from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage, good
from tests.server import Server, ServerProcess, serving

OUTCOME = {"ok": True, "text": "done", "value": {"n": 1}, "steps": 1}


@pytest.fixture(name="root")
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "site"
    root.mkdir()
    (root / "index.html").write_bytes(INDEX)
    return root


async def in_the_middle(server: Server, *, kill: bool) -> tuple[str, str]:
    """End a server while one task is done and one is not; return the ids of both."""
    reached = asyncio.Event()

    async with A2a(server) as client, ClientPage(server, answer=lambda _: None) as page:
        sending = asyncio.ensure_future(client.send("first"))
        call = await page.told("call")
        await page.say("result", id=call["id"], result=good(OUTCOME))
        done = await sending
        ids: list[str] = []

        async def follow() -> None:
            async for event in client.stream("SendStreamingMessage", **message("second")):
                if "task" in event:
                    ids.append(event["task"]["id"])
                    reached.set()

        following = asyncio.ensure_future(follow())
        await reached.wait()
        await page.told("call", 2)
        await asyncio.to_thread(server.kill if kill else server.stop)
        # The stream ends, one way or the other.
        await asyncio.wait_for(asyncio.gather(following, return_exceptions=True), 20)
        error = following.exception()
        assert error is None or isinstance(error, httpx.HTTPError)
    return done["id"], ids[0]


@pytest.mark.conformance
@pytest.mark.parametrize("kill", [True, False])
async def test_finished_tasks_are_kept_and_others_have_failed(root: Path, kill: bool) -> None:
    """Whether the server was killed or stopped: the reason is reported, and nothing hangs."""
    server = ServerProcess(root)
    try:
        done_id, other_id = await in_the_middle(server, kill=kill)
    finally:
        server.kill()
    with serving(root) as again:
        async with A2a(again) as client:
            done = await client.ask("GetTask", id=done_id)
            other = await client.ask("GetTask", id=other_id)
            with pytest.raises(Failed, match="nothing more happens") as failed:
                await anext(client.stream("SubscribeToTask", id=other_id))
            listed = await client.ask("ListTasks")

    assert done["status"]["state"] == "TASK_STATE_COMPLETED"
    assert done["artifacts"][0]["parts"][1]["data"] == {"n": 1}
    assert other["status"]["state"] == "TASK_STATE_FAILED"
    reason = (
        "restarted before the task was finished" if kill else "stopped before the call answered"
    )
    assert f"the server was {reason}" in words(other)
    assert failed.value.reason == "UNSUPPORTED_OPERATION"
    assert [task["id"] for task in listed["tasks"]] == [other_id, done_id]


async def test_a_question_ends_with_a_restart(root: Path) -> None:
    """The task says why it has failed."""
    server = ServerProcess(root)
    async with A2a(server) as client, ClientPage(server, answer=lambda _: None) as page:
        asking = asyncio.ensure_future(client.send("add it"))
        call = await page.told("call")
        request = {"kind": "plan", "text": "Shall I?", "details": {}}
        await page.say("question", id=call["id"], question="q", request=request)
        asked = await asking
        await asyncio.to_thread(server.kill)
    with serving(root) as again:
        async with A2a(again) as client:
            failed = await client.ask("GetTask", id=asked["id"])

    assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert failed["status"]["state"] == "TASK_STATE_FAILED"
    assert words(failed) == "the server was restarted before the task was finished - send it again"
