"""Questions of tasks: their content, and the answers of clients."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.devserver.agents.a2a.client import A2a, message, states, words
from tests.page_client import ClientPage, echo, good, silent
from tests.server import Server
from webagent_dev.agents.a2a.page_agent import MOST_EVENTS, PageAgent
from webagent_dev.agents.a2a.service import Service
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.terminal import Console
from webagent_site.config.folders import state_path
from webagent_site.http.a2a.requests import GetTaskRequest, read_send_message
from webagent_site.pages.relay import CallListener, Relay

CANCEL = {"name": "cancelOrder", "source": "form", "effect": "irreversible"}


OUTCOME = {"ok": True, "text": "there are two", "value": {"found": 2}, "steps": 1}


def done(call: dict[str, Any]) -> dict[str, Any] | None:
    """Reach every goal, and answer every call with its arguments."""
    return good(OUTCOME) if call["kind"] == "goal" else echo(call)


@pytest.mark.parametrize(("said", "end"), [("yes", "COMPLETED"), ("rather not", "REJECTED")])
async def test_irreversible_calls_are_asked_for_first(
    server: Server, a2a: A2a, said: str, end: str
) -> None:
    """The next message of the task is the answer."""
    async with ClientPage(server, answer=done, tools=(CANCEL,)) as page:
        asked = await a2a.send({"data": {"tool": "cancelOrder", "arguments": {"id": 4}}})
        assert asked["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert '`cancelOrder` cannot be undone. It is called with {"id": 4}.' in words(asked)
        assert not [heard for heard in page.heard if heard["type"] == "call"]
        task = await a2a.send(said, taskId=asked["id"])
    assert task["id"] == asked["id"]
    assert task["status"]["state"] == f"TASK_STATE_{end}"
    assert [one["role"] for one in task["history"]][:3] == ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]


async def test_a_question_shows_no_secret_of_the_arguments(server: Server, a2a: A2a) -> None:
    """Not even short ones; the page receives them all the same."""
    arguments = {"id": 4, "pin": "q7z", "password": "rope\\walk17"}
    async with ClientPage(server, answer=done, tools=(CANCEL,)) as page:
        asked = await a2a.send({"data": {"tool": "cancelOrder", "arguments": arguments}})
        assert '{"id": 4, "pin": "•••", "password": "•••"}' in words(asked)
        assert "q7z" not in str(asked)
        assert "walk17" not in str(asked)
        await a2a.send("yes", taskId=asked["id"])
        assert (await page.told("call"))["arguments"] == arguments


@pytest.mark.parametrize(
    ("kind", "parts", "answer"),
    [
        ("question", ["Ann"], {"yes": True, "text": "Ann"}),
        ("approval", ["Go ahead!"], {"yes": True, "session": False}),
        ("approval", [{"data": {"yes": True, "session": True}}], {"yes": True, "session": True}),
        ("plan", ["no, look at the other page"], {"yes": False, "session": False}),
        ("plan", ["No, and stop."], {"yes": False, "stop": True}),
        ("approval", [{"data": {"stop": True}}], {"yes": False, "stop": True}),
        (
            "approval",
            [{"data": {"yes": True, "grant": "kind:button on /"}}],
            {"grant": "kind:button on /"},
        ),
        (
            "file",
            [{"raw": "aGk", "filename": "a.txt", "mediaType": "text/plain"}],
            {"yes": True, "files": [{"name": "a.txt", "type": "text/plain", "data": "aGk="}]},
        ),
    ],
)
async def test_a_question_of_the_agent_is_answered_by_the_next_message(
    server: Server, a2a: A2a, kind: str, parts: list[Any], answer: dict[str, Any]
) -> None:
    """In words or as data; the question is in both, too."""
    async with ClientPage(server, answer=silent) as page:
        sending = asyncio.ensure_future(a2a.send("write to Ann"))
        call = await page.told("call")
        request = {"kind": kind, "text": "Which one?", "details": {"tool": "send"}}
        await page.say("question", id=call["id"], question="q", request=request)
        asked = await sending
        assert words(asked) == "Which one?"
        data = asked["status"]["message"]["parts"][1]["data"]
        assert (data["kind"], data["details"]) == (kind, {"tool": "send"})

        sending = asyncio.ensure_future(a2a.send(*parts, taskId=asked["id"]))
        given = (await page.told("answer"))["answer"]
        await page.say("result", id=call["id"], result=good(OUTCOME))
        task = await sending

    assert answer.items() <= given.items()
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"


async def test_an_answer_with_a_stream_sees_the_task_go_on(server: Server, a2a: A2a) -> None:
    """It begins with the task as it goes on, not with the question."""
    events = []
    async with ClientPage(server, answer=silent) as page:
        sending = asyncio.ensure_future(a2a.send("write"))
        call = await page.told("call")
        request = {"kind": "question", "text": "To whom?", "details": {}}
        await page.say("question", id=call["id"], question="q", request=request)
        asked = await sending
        follow_up = message("Ann", taskId=asked["id"])
        async for event in a2a.stream("SendStreamingMessage", **follow_up):
            events.append(event)
            if "task" in event:
                await page.told("answer")
                await page.say("result", id=call["id"], result=good(OUTCOME))
    assert states(events) == ["WORKING", "artifact", "COMPLETED"]


async def test_a_cancelled_task_no_longer_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its question ends with it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tasks = Tasks(TaskStore(tmp_path, Console(io.StringIO())))
    service = Service(tasks, agent_of(Asking([question("q")])))
    before = asyncio.all_tasks()
    task = (await service.send(read_send_message(message("go"))))["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    await service.cancel(GetTaskRequest(task["id"]))
    await tasks.close()
    assert asyncio.all_tasks() == before


async def test_few_steps_are_kept_while_a_question_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next question is asked all the same."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    tasks = Tasks(TaskStore(tmp_path, Console(io.StringIO())))
    steps = [("progress", {"message": f"step {n}"}) for n in range(5 * MOST_EVENTS)]
    asking = Asking([question("q"), *steps, question("r")])
    service = Service(tasks, agent_of(asking))
    task = (await service.send(read_send_message(message("go"))))["task"]
    answered = read_send_message(message("yes", taskId=task["id"]))
    task = (await service.send(answered))["task"]
    assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert asking.answered == ["q"]
    told = [each.event["statusUpdate"] for each in await tasks.store.events(task["id"])]
    shown = [words(each) for each in told if words(each).startswith("step")]
    assert shown == [f"step {n}" for n in range(MOST_EVENTS - 1)]
    await tasks.close()


class Asking:
    """A relay to a page that sends some events at once, and then nothing more."""

    def __init__(self, heard: list[tuple[str, dict[str, Any]]]) -> None:
        self._heard = heard
        self.answered: list[str] = []

    def answer(self, _: str, question: str, __: object) -> bool:
        """Note what was answered."""
        self.answered.append(question)
        return True

    async def until_stopped(self, working: Awaitable[Any]) -> Any:
        """Return what it returns: this server is not stopped."""
        return await working

    async def call(self, *_: object, on_event: CallListener, **__: object) -> Any:
        """Say it all."""
        for what, data in self._heard:
            on_event(what, data)
        await asyncio.Event().wait()


class OnePage:
    """A page that is open."""

    def check_write(self, *_: object) -> None:
        """Nothing has gone away."""

    page_id, tools, state = "p", (), "ready"

    def find(self, _: str) -> OnePage:
        """Find it by any name."""
        return self

    async def find_or_open(self, _: str) -> OnePage:
        """Find it at once."""
        return self


def agent_of(relay: Asking) -> PageAgent:
    """Return the agent of one page."""
    config = ServeConfig(root=Path("/"))
    return PageAgent(config, cast("OpenPages", OnePage()), cast("Relay", relay), None)


def question(name: str) -> tuple[str, dict[str, Any]]:
    """Return what a page says that asks."""
    return "question", {"question": name, "request": {"kind": "question", "text": "Which?"}}


async def test_secrets_of_a_client_are_used_and_not_kept(server: Server, a2a: A2a) -> None:
    """The page receives them; no history and no artifact contains them."""
    async with ClientPage(server, answer=done) as page:
        arguments = {"name": "ann", "password": "ropewalk14x"}
        called = await a2a.send({"data": {"tool": "login", "arguments": arguments}})
        assert (await page.told("call"))["arguments"] == arguments
        asked = await a2a.send("log in, my password: ropewalk15x")
        said = await a2a.send("log in as ann with password ropewalk16x, and look at ropewalk16x")
    assert "ropewalk" not in str(called)
    assert "ropewalk" not in str(asked)
    assert "ropewalk" not in str(said)
    assert "log in as ann with password •••" in str(said)
    assert called["artifacts"][0]["parts"][0]["data"]["name"] == "ann"


def files_of(server: Server) -> list[Path]:
    """Return the files in which a server keeps tasks."""
    folder = state_path(Path(server.root).resolve(), ".tasks.sqlite").parent
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("goal", "secret"),
    [
        ("log in as ann, my password is zqx", "zqx"),
        ("log in as ann with the password dragonfly", "dragonfly"),
        ("Passwort Seilbahn14, bitte anmelden", "Seilbahn14"),
        ("unlock it with PIN 471182", "471182"),
        ("log in as ann/ropewalk17x", "ropewalk17x"),
    ],
)
async def test_a_secret_in_a_goal_is_in_no_file_and_no_log(
    server: Server, a2a: A2a, goal: str, secret: str
) -> None:
    """The page gets the goal as it was sent; the task, the store and the terminal do not."""
    async with ClientPage(server, answer=silent) as page:
        sending = asyncio.ensure_future(a2a.send(goal))
        call = await page.told("call")
        echo = {"message": f"I type {secret} now"}
        await page.say("progress", id=call["id"], **echo)
        outcome = {**OUTCOME, "text": f"{secret} is fine", "value": {secret: [f"<{secret}>"]}}
        await page.say("result", id=call["id"], result=good(outcome))
        task = await sending

    assert call["arguments"]["goal"] == goal
    assert secret not in str(task)
    assert secret not in server.output
    assert not [path for path in files_of(server) if secret.encode() in path.read_bytes()]


async def test_the_answer_to_a_question_for_a_secret_is_not_kept(server: Server, a2a: A2a) -> None:
    """Even a plain word that answers such a question goes to the page alone."""
    async with ClientPage(server, answer=silent) as page:
        sending = asyncio.ensure_future(a2a.send("sign in"))
        call = await page.told("call")
        request = {"kind": "question", "text": "The password?", "details": {"secret": True}}
        await page.say("question", id=call["id"], question="q", request=request)
        asked = await sending
        sending = asyncio.ensure_future(a2a.send("wyvernlike", taskId=asked["id"]))
        given = (await page.told("answer"))["answer"]
        await page.say("result", id=call["id"], result=good(OUTCOME))
        task = await sending

    assert given["text"] == "wyvernlike"
    assert "wyvernlike" not in str(task)
