"""The browser's own model, with a bridge of its own."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from webagent.llm.builtin import BuiltinModel
from webagent.llm.chat import Message, Role, ToolCall, ToolDefinition, Usage
from webagent.llm.errors import (
    BadRequest,
    ContentFiltered,
    ContextTooLong,
    DownloadNeeded,
    ModelFailed,
    ModelUnavailable,
    TimedOut,
    UnreadableAnswer,
)
from webagent.llm.text_calls import ReplyText, constraint, parse_reply, reply_json

SEARCH = ToolDefinition(
    "search",
    "finds books",
    {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
)
ASKED = [Message(Role.SYSTEM, "be short"), Message(Role.USER, "hello")]
SESSION = {"type": "session", "window": 9_216, "prompt": 40}


class Bridge:
    """The Python view of `llm/page_models.ts`."""

    def __init__(self, *told: dict[str, Any]) -> None:
        self.told = list(told)
        self.asked: list[dict[str, Any]] = []
        self.closed: list[int] = []

    async def model_availability(self, request: str) -> str:
        assert json.loads(request) == {"languages": ["en"]}
        return '"downloadable"'

    def model_start(self, number: int, request: str) -> None:
        self.asked.append(json.loads(request))

    async def model_read(self, number: int) -> str:
        if not self.told:
            await asyncio.Event().wait()
        return json.dumps(self.told.pop(0))

    def model_close(self, number: int) -> None:
        self.closed.append(number)


def says(*pieces: str) -> Bridge:
    told = [{"type": "text", "text": piece} for piece in pieces]
    return Bridge(SESSION, *told, {"type": "done", "completion": 5})


async def test_words_without_tools() -> None:
    """Without tools it says what it says; the browser's window is the context from then on."""
    bridge = says("Hel", "lo")
    model = BuiltinModel(bridge)
    heard: list[str] = []
    assert model.context_tokens == 4_096

    reply = await model.reply(ASKED, [], on_text=heard.append)

    assert (reply.text, heard) == ("Hello", ["Hel", "lo"])
    assert (reply.usage, reply.model, model.context_tokens) == (Usage(40, 5), "builtin", 9_216)
    assert bridge.asked == [
        {
            "languages": ["en"],
            "initial": [{"role": "system", "text": "be short"}],
            "prompt": [{"role": "user", "text": "hello"}],
            "download": False,
        }
    ]
    assert len(bridge.closed) == 1


async def test_calls_in_json() -> None:
    """With tools the reply is JSON, of which only the words are heard."""
    bridge = says(
        '{"text": "I l', 'ook\\n", "calls": [{"name": "search", "argu', 'ments": {"q": "x"}}]}'
    )
    heard: list[str] = []

    reply = await BuiltinModel(bridge).reply(ASKED, [SEARCH], on_text=heard.append)

    assert reply.text == "".join(heard) == "I look\n"
    assert [(call.name, call.arguments) for call in reply.calls] == [("search", {"q": "x"})]
    assert bridge.asked[0]["constraint"] == constraint([SEARCH])
    assert "finds books" in bridge.asked[0]["initial"][0]["text"]


async def test_earlier_messages() -> None:
    """Calls were said in JSON, their results come from the user, images with them."""
    bridge = says('{"text": "", "calls": []}')
    call = ToolCall("1", "search", {"q": "x"})
    said = [
        *ASKED,
        Message(Role.ASSISTANT, "hm", (call,)),
        Message(Role.TOOL, "three", call_id="1", images=(b"PNG",)),
    ]

    await BuiltinModel(bridge).reply(said, [SEARCH])

    assert bridge.asked[0]["initial"][1:] == [
        {"role": "user", "text": "hello"},
        {
            "role": "assistant",
            "text": '{"text": "hm", "calls": [{"name": "search", "arguments": {"q": "x"}}]}',
        },
    ]
    assert bridge.asked[0]["prompt"] == [
        {"role": "user", "text": "Result of `search`:\nthree", "images": ["UE5H"]}
    ]


async def test_the_assistant_spoke_last() -> None:
    """There is always something to answer."""
    bridge = says("ok")

    await BuiltinModel(bridge).reply([*ASKED, Message(Role.ASSISTANT, "hm")], [])

    assert bridge.asked[0]["prompt"] == [{"role": "user", "text": "Go on."}]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("NotSupportedError", ModelUnavailable),
        ("DownloadNeeded", DownloadNeeded),
        ("NotAllowedError", DownloadNeeded),
        ("QuotaExceededError", ContextTooLong),
        ("NotReadableError", ContentFiltered),
        ("SyntaxError", BadRequest),
        ("UnknownError", ModelFailed),
    ],
)
async def test_errors_of_the_browser(name: str, error: type[Exception]) -> None:
    """Each error of the browser is one of ours, and says what to do."""
    bridge = Bridge({"type": "error", "name": name, "message": "because"})

    with pytest.raises(error, match="because") as caught:
        await BuiltinModel(bridge).reply(ASKED, [])

    assert type(caught.value) is error
    assert len(bridge.closed) == 1


async def test_preparing_reports_its_progress() -> None:
    """`prepare` may download, and `reply` may not."""
    progress = [{"type": "progress", "loaded": part} for part in (0, 0.5, 1)]
    bridge = Bridge(*progress, SESSION, {"type": "done", "completion": 0})
    model = BuiltinModel(bridge)
    heard: list[float] = []

    assert await model.availability() == "downloadable"
    await model.prepare(heard.append)

    assert heard == [0, 0.5, 1]
    assert bridge.asked[0]["download"] is True
    assert model.context_tokens == 9_216


async def test_cancelling_and_too_slow() -> None:
    """A reply that is given up, or takes too long, is ended in the browser."""
    bridge = Bridge(SESSION)

    with pytest.raises(TimedOut):
        await BuiltinModel(bridge, whole_s=0.01).reply(ASKED, [])

    assert len(bridge.closed) == 1


@pytest.mark.parametrize("text", ["", "hello", "[]", '{"text": "a'])
async def test_a_reply_of_another_form(text: str) -> None:
    """A browser that does not hold its model to the form gives no reply."""
    with pytest.raises(UnreadableAnswer):
        await BuiltinModel(says(text)).reply(ASKED, [SEARCH])


def test_the_constraint_is_what_is_read() -> None:
    """A reply that the schema allows is read as it was meant, and nothing else is allowed."""
    judge = Draft202012Validator(constraint([SEARCH]))
    said = Message(Role.ASSISTANT, "hm", (ToolCall("1", "search", {"q": "x"}),))
    judge.validate(json.loads(reply_json(said)))

    text, calls = parse_reply(reply_json(said))

    assert (text, calls[0].name, calls[0].arguments) == ("hm", "search", {"q": "x"})
    assert not judge.is_valid({"text": "", "calls": [{"name": "other", "arguments": {}}]})
    assert not judge.is_valid({"text": "", "calls": [{"name": "search", "arguments": {}}]})


@given(st.text(), st.booleans(), st.lists(st.integers(1, 400), max_size=8))
def test_words_are_heard_however_they_are_split(text: str, plain: bool, cuts: list[int]) -> None:
    """Split anywhere, escapes included, the words are the same."""
    whole = json.dumps({"text": text, "calls": []}, ensure_ascii=plain)
    places = sorted({0, *(min(cut, len(whole)) for cut in cuts), len(whole)})
    reader = ReplyText()

    heard = [reader.feed(whole[a:b]) for a, b in pairwise(places)]

    assert "".join(heard) == text
