"""Requests that are not as they have to be, and versions of the protocol."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.devserver.agents.a2a.client import A2a, Failed, message
from tests.page_client import ClientPage, good, owner_token
from tests.server import Server

RPC = "/a2a/jsonrpc"
OUTCOME = {"ok": True, "text": "done", "value": {"n": 1}, "steps": 1}
SENT = message("hello")["message"]
OLDER = {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hello"}]}


def without(name: str) -> dict[str, Any]:
    """Return a message that lacks a field."""
    return {key: value for key, value in SENT.items() if key != name}


@pytest.fixture(name="rpc")
async def _rpc(server: Server) -> Any:
    async with A2a(server) as client:
        yield client


@pytest.mark.parametrize(
    ("params", "place"),
    [
        ({}, "params.message"),
        ({"message": "hello"}, "params.message"),
        ({"message": without("messageId")}, "params.message.messageId"),
        ({"message": without("role")}, "params.message.role"),
        ({"message": without("parts")}, "params.message.parts"),
        ({"message": {**SENT, "parts": []}}, "params.message.parts"),
        ({"message": {**SENT, "parts": ["x"]}}, "params.message.parts[0]"),
        ({"message": {**SENT, "parts": [{}]}}, "params.message.parts[0]"),
        ({"message": {**SENT, "parts": [{"text": 1}]}}, "params.message.parts[0].text"),
        ({"message": {**SENT, "parts": [{"text": "a", "data": {}}]}}, "params.message.parts[0]"),
        ({"message": {**SENT, "role": "ROLE_AGENT"}}, "params.message.role"),
        ({"message": {**SENT, "taskId": 5}}, "params.message.taskId"),
        ({"message": {**SENT, "contextId": "x" * 201}}, "params.message.contextId"),
        ({"message": {**SENT, "extensions": [1]}}, "params.message.extensions"),
        ({"message": SENT, "configuration": []}, "params.configuration"),
        (
            {"message": SENT, "configuration": {"historyLength": -1}},
            "params.configuration.historyLength",
        ),
        (
            {"message": SENT, "configuration": {"returnImmediately": "yes"}},
            "params.configuration.returnImmediately",
        ),
    ],
)
async def test_a_malformed_message_is_refused(a2a: A2a, params: dict[str, Any], place: str) -> None:
    """With the place, and what is expected there."""
    with pytest.raises(Failed) as failed:
        await a2a.ask("SendMessage", **params)
    assert failed.value.code in (-32602, 400)
    assert str(failed.value).startswith(f"`{place}")


@pytest.mark.parametrize(
    "params",
    [
        {"pageSize": 0 - 1},
        {"pageSize": 101},
        {"pageToken": "x"},
        {"pageToken": "WzFd"},
        {"status": "TASK_STATE_BUSY"},
        {"statusTimestampAfter": "yesterday"},
        {"historyLength": -1},
    ],
)
async def test_a_list_that_is_not_right_is_refused(a2a: A2a, params: dict[str, Any]) -> None:
    """With the parameter in the message."""
    with pytest.raises(Failed, match=next(iter(params))) as failed:
        await a2a.ask("ListTasks", **params)
    assert failed.value.code in (-32602, 400)


@pytest.mark.parametrize("method", ["GetTask", "CancelTask", "SubscribeToTask"])
async def test_an_unknown_task_is_not_found(a2a: A2a, method: str) -> None:
    """For each operation."""
    with pytest.raises(Failed) as failed:
        await anext(a2a.stream(method, id="nothing"))
    assert failed.value.code in (-32001, 404)
    assert failed.value.reason == "TASK_NOT_FOUND"


async def test_a_task_takes_messages_when_it_has_a_question(server: Server, a2a: A2a) -> None:
    """Not of another conversation, not while it works, and not when it is over."""
    async with ClientPage(server, answer=lambda _: None) as page:
        task = (await a2a.ask("SendMessage", **message("go", at_once=True)))["task"]
        call = await page.told("call")
        with pytest.raises(Failed, match="has no question"):
            await a2a.send("more", taskId=task["id"])
        request = {"kind": "question", "text": "Which?", "details": {}}
        await page.say("question", id=call["id"], question="q", request=request)
        await a2a.until(task["id"], "INPUT_REQUIRED")
        with pytest.raises(Failed, match="`contextId` is not that of the task"):
            await a2a.send("more", taskId=task["id"], contextId="another")
        await page.say("result", id=call["id"], result=good(OUTCOME))
        await a2a.until(task["id"], "COMPLETED")
    with pytest.raises(Failed, match="takes no more messages") as failed:
        await a2a.send("more", taskId=task["id"])
    assert failed.value.reason == "UNSUPPORTED_OPERATION"
    with pytest.raises(Failed) as failed:
        await a2a.send("more", taskId="nothing")
    assert failed.value.reason == "TASK_NOT_FOUND"


@pytest.mark.parametrize(
    "part",
    [
        {"raw": "aGk=", "mediaType": "application/x-odd"},
        {"url": "http://169.254.169.254/latest"},
        {"text": "a", "mediaType": "image/png"},
        {"data": {}, "mediaType": "text/html"},
    ],
)
async def test_unsupported_parts_are_refused(a2a: A2a, part: dict[str, Any]) -> None:
    """Above all, no address is fetched."""
    with pytest.raises(Failed) as failed:
        await a2a.send(part)
    assert failed.value.code in (-32005, 415)
    assert failed.value.reason == "CONTENT_TYPE_NOT_SUPPORTED"


async def test_push_notifications_are_not_sent(rpc: A2a) -> None:
    """Neither by their own methods nor with a message; there are no extended cards either."""
    push = {"taskPushNotificationConfig": {"url": "http://127.0.0.1:1/"}}
    for method, params in (
        ("CreateTaskPushNotificationConfig", {"taskId": "t", "url": "http://127.0.0.1:1/"}),
        ("SendMessage", {**message("go"), "configuration": push}),
    ):
        with pytest.raises(Failed) as failed:
            await rpc.ask(method, **params)
        assert failed.value.reason == "PUSH_NOTIFICATION_NOT_SUPPORTED"
    with pytest.raises(Failed) as failed:
        await rpc.ask("GetExtendedAgentCard")
    assert failed.value.reason == "UNSUPPORTED_OPERATION"
    answer = await rpc.http.post("/a2a/rest/tasks/t/pushNotificationConfigs", json={})
    assert answer.json()["error"]["details"][0]["reason"] == "PUSH_NOTIFICATION_NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100 + b"]" * 100, -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "GetTasks"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "message/send"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": [1]}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "GetTask"}', -32602),
    ],
)
async def test_a_malformed_request_has_its_error_code(rpc: A2a, body: bytes, code: int) -> None:
    """By the numbers of JSON-RPC 2.0."""
    headers = {"content-type": "application/json"}
    answer = await rpc.http.post(RPC, content=body, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == code
    assert answer.json()["id"] == (1 if code in (-32601, -32602) or b'"id": 1' in body else None)


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("version", ["1.0", "0.3", ""])
async def test_requests_that_any_page_could_send_run_no_task(
    server: Server, kind: str, version: str
) -> None:
    """Only JSON is read, in every version: a page of another site needs a preflight for it."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": OLDER}}
    headers = {"authorization": f"Bearer {owner_token(server)}", "content-type": kind}
    if version:
        headers["a2a-version"] = version
    async with (
        ClientPage(server, answer=lambda _: good(OUTCOME)) as page,
        httpx.AsyncClient(base_url=server.url, headers=headers) as client,
    ):
        answers = [
            await client.post(path, content=json.dumps(body).encode())
            for path, body in (
                (RPC, asked),
                ("/a2a/rest/message:send", {"message": SENT}),
                ("/a2a/rest/v1/message:send", {"message": OLDER}),
            )
        ]
        assert not [heard for heard in page.heard if heard["type"] == "call"]
    assert answers[0].status_code == 415
    assert answers[0].json()["error"]["code"] == -32005
    assert all(answer.status_code in (400, 415) for answer in answers[1:])


async def test_other_methods_get_an_error_with_the_right_one(rpc: A2a) -> None:
    """In JSON, like every error."""
    answer = await rpc.http.get(RPC)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "sent by `POST`" in answer.json()["error"]["message"]
    answer = await rpc.http.put("/a2a/rest/tasks")
    assert answer.status_code == 404
    assert "there is nothing at `PUT /tasks`" in answer.json()["error"]["message"]


async def test_a_long_request_is_not_read(rpc: A2a) -> None:
    """No page could take it."""
    body = json.dumps(message("x" * (9 << 20))).encode()
    headers = {"content-type": "application/json"}
    for path in (RPC, "/a2a/rest/message:send"):
        assert (await rpc.http.post(path, content=body, headers=headers)).status_code == 413


@pytest.mark.parametrize("path", [RPC, f"{RPC}/"])
async def test_the_address_has_a_slash_at_its_end_or_not(rpc: A2a, path: str) -> None:
    """Some clients add one."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}
    answer = await rpc.http.post(path, json=asked)
    assert "tasks" in answer.json()["result"]


@pytest.mark.parametrize("version", ["0.2", "2.0", "1", "one"])
async def test_a_version_that_is_not_spoken_is_refused(rpc: A2a, version: str) -> None:
    """With those that are."""
    headers = {"a2a-version": version}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}
    error = (await rpc.http.post(RPC, json=asked, headers=headers)).json()["error"]
    assert (error["code"], error["data"][0]["reason"]) == (-32009, "VERSION_NOT_SUPPORTED")
    assert "1.0 and 0.3" in error["message"]
    answer = await rpc.http.get("/a2a/rest/tasks", headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"][0]["reason"] == "VERSION_NOT_SUPPORTED"


async def test_the_version_is_in_a_header_or_in_the_address(rpc: A2a) -> None:
    """A patch number is ignored; without a version it is 0.3, which errors mention."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}
    del rpc.http.headers["a2a-version"]
    named = await rpc.http.post(f"{RPC}?A2A-Version=1.0", json=asked)
    patch = await rpc.http.post(RPC, json=asked, headers={"a2a-version": "1.0.1"})
    none = await rpc.http.post(RPC, json=asked)
    assert "result" in named.json()
    assert "result" in patch.json()
    assert "send the header `A2A-Version: 1.0`" in none.json()["error"]["message"]
    rest = await rpc.http.get("/a2a/rest/tasks")
    assert "send `A2A-Version: 1.0`" in rest.json()["error"]["message"]


@pytest.mark.parametrize("snake", [False, True])
async def test_fields_are_written_in_camel_or_in_snake_case(
    server: Server, rpc: A2a, snake: bool
) -> None:
    """As in ProtoJSON; unknown fields are ignored."""
    names = ("message_id", "context_id") if snake else ("messageId", "contextId")
    sent = {
        names[0]: "m",
        names[1]: f"c{snake}",
        "role": "ROLE_USER",
        "parts": [{"text": "go"}],
        "taskId": None,
        "odd": 1,
    }
    async with ClientPage(server, answer=lambda _: good(OUTCOME)):
        task = (await rpc.ask("SendMessage", message=sent))["task"]
    assert task["contextId"] == f"c{snake}"
    assert "odd" not in task["history"][0]


class TestOlder:
    """Clients of 0.3."""

    async def test_clients_of_0_3_use_json_rpc(self, server: Server, rpc: A2a) -> None:
        """Every object has its kind."""
        del rpc.http.headers["a2a-version"]
        async with ClientPage(server, answer=lambda _: good(OUTCOME)):
            task = await rpc.ask("message/send", message=OLDER)
            got = await rpc.ask("tasks/get", id=task["id"], historyLength=1)
            events = [each async for each in rpc.stream("message/stream", message=OLDER)]

        assert (task["kind"], task["status"]["state"]) == ("task", "completed")
        assert task["status"]["message"]["kind"] == "message"
        assert task["artifacts"][0]["parts"] == [
            {"kind": "text", "text": "done"},
            {"kind": "data", "data": {"n": 1}},
        ]
        assert task["history"][0]["role"] == "user"
        assert len(got["history"]) == 1
        assert [event["kind"] for event in events] == ["task", "artifact-update", "status-update"]
        assert events[-1]["final"] is True

    async def test_they_answer_and_cancel(self, server: Server, rpc: A2a) -> None:
        """With their own names of states and methods."""
        del rpc.http.headers["a2a-version"]
        later = {"message": OLDER, "configuration": {"blocking": False}}
        async with ClientPage(server, answer=lambda _: None) as page:
            task = await rpc.ask("message/send", **later)
            call = await page.told("call")
            request = {"kind": "question", "text": "Which?", "details": {}}
            follow = rpc.stream("tasks/resubscribe", id=task["id"])
            assert (await anext(follow))["status"]["state"] == "working"
            await page.say("question", id=call["id"], question="q", request=request)
            asked = await anext(follow)
            assert (asked["status"]["state"], asked["final"]) == ("input-required", True)
            ended = await rpc.ask("tasks/cancel", id=task["id"])
        assert ended["status"]["state"] == "canceled"

    @pytest.mark.parametrize("snake", [False, True])
    async def test_they_send_and_ask_by_http(self, server: Server, rpc: A2a, snake: bool) -> None:
        """In the spelling of their schema."""
        del rpc.http.headers["a2a-version"]
        parts = [{"text": "hello"}, {"data": {"data": {"a": 1}}}]
        sent = {
            "message_id" if snake else "messageId": "m",
            "role": "ROLE_USER",
            "content": parts,
        }
        body = {"request" if snake else "message": sent, "configuration": {"blocking": True}}
        async with ClientPage(server, answer=lambda _: good(OUTCOME)) as page:
            answer = await rpc.http.post("/a2a/rest/v1/message:send", json=body)
            assert (await page.told("call"))["arguments"]["goal"] == 'hello\n{"a": 1}'
            task = answer.json()["task"]
            got = await rpc.http.get(f"/a2a/rest/v1/tasks/{task['id']}")
        assert task["status"]["state"] == "TASK_STATE_COMPLETED"
        assert task["history"][0]["content"] == parts
        assert task["artifacts"][0]["parts"][1] == {"data": {"data": {"n": 1}}}
        assert got.json() == task
        missing = await rpc.http.get("/a2a/rest/v1/tasks/nothing")
        assert (missing.status_code, missing.json()["type"]) == (404, "TaskNotFoundError")

    @pytest.mark.parametrize(
        "sent",
        [
            None,
            {},
            {**OLDER, "role": "agent"},
            {**OLDER, "parts": []},
            {**OLDER, "parts": [{"kind": "video"}]},
            {**OLDER, "parts": [{"kind": "text"}]},
            {**OLDER, "parts": "x"},
            {**OLDER, "messageId": None},
        ],
    )
    async def test_a_message_that_is_not_right_has_the_code_for_it(
        self, rpc: A2a, sent: Any
    ) -> None:
        """Which their kit expects: invalid parameters."""
        del rpc.http.headers["a2a-version"]
        with pytest.raises(Failed) as failed:
            await rpc.ask("message/send", message=sent)
        assert failed.value.code == -32602
