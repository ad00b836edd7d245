"""Conversations as they are sent."""

import pytest

from webagent.llm.chat import Message, Role, ToolCall, image_type
from webagent.llm.openai import messages_json
from webagent.llm.tool_names import ToolNames


def sent(*messages: Message) -> list[dict[str, object]]:
    return messages_json(messages, ToolNames(c.name for m in messages for c in m.calls))


def test_images_of_the_person_are_in_their_message() -> None:
    """A message with images has parts."""
    assert sent(Message(Role.USER, "look", images=(b"PNG",))) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
            ],
        }
    ]


def test_images_of_answers_follow_the_answers() -> None:
    """No message may be between the answers to calls, so their images come after the last."""
    calls = (ToolCall("a", "shot"), ToolCall("b", "look.at"))
    found = sent(
        Message(Role.ASSISTANT, calls=calls),
        Message(Role.TOOL, "one", call_id="a", images=(b"1",)),
        Message(Role.TOOL, "two", call_id="b"),
        Message(Role.ASSISTANT, "done"),
    )

    assert [message["role"] for message in found] == [
        "assistant", "tool", "tool", "user", "assistant"
    ]  # fmt: skip
    assert found[1] == {"role": "tool", "tool_call_id": "a", "content": "one"}


def test_images_of_the_last_answer_are_sent() -> None:
    """They are there when nothing follows, too."""
    found = sent(Message(Role.TOOL, "one", call_id="a", images=(b"1",)))

    assert [message["role"] for message in found] == ["tool", "user"]


def test_an_assistant_that_said_nothing() -> None:
    """Its content is empty without calls, and null with them."""
    found = sent(Message(Role.ASSISTANT), Message(Role.ASSISTANT, calls=(ToolCall("a", "x.y"),)))

    assert [message["content"] for message in found] == ["", None]
    assert found[1]["tool_calls"][0]["function"]["name"] == "x_y"  # type: ignore[index]


@pytest.mark.parametrize(
    ("data", "type_"),
    [
        (b"\x89PNG\r\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "image/png"),
        (b"", "image/png"),
    ],
)
def test_the_type_of_an_image(data: bytes, type_: str) -> None:
    """The first bytes decide."""
    assert image_type(data) == type_
