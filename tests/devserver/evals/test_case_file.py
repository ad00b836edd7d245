"""Files of cases, and the errors of files that are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webagent_dev.evals.case import UNSET, ExpectedCall, Group, PastCall, PastResult, Utterance
from webagent_dev.evals.case_file import MOST_BYTES, MOST_CASES, read_cases
from webagent_site.errors import UsageError

HELLO = {"role": "user", "type": "message", "content": "hello"}


def read(*cases: Any) -> Any:
    return read_cases(json.dumps(list(cases)).encode(), "evals.json")


def case(**fields: Any) -> dict[str, Any]:
    return {"messages": [HELLO], "expectedCall": None} | fields


def problem(data: bytes | Any) -> str:
    given = data if isinstance(data, bytes) else json.dumps(data, indent=1).encode()
    with pytest.raises(UsageError) as caught:
        read_cases(given, "evals.json")
    return str(caught.value)


def test_a_case_with_all_fields() -> None:
    """Every field of the format is read."""
    (found,) = read(
        {
            "name": "Add Second Dress",
            "messages": [
                {"role": "user", "type": "message", "content": "Show dresses."},
                {"role": "model", "type": "functioncall", "name": "find", "arguments": {"q": 1}},
                {"role": "user", "type": "functionresponse", "name": "find", "response": {"r": 2}},
                {"role": "model", "type": "message", "content": "I found two."},
                {"role": "user", "type": "message", "content": "Add the second."},
            ],
            "expectedCall": [
                {"functionName": "look", "optional": True},
                {
                    "unordered": [
                        {"functionName": "add", "arguments": {"n": {"$gt": 1}}, "result": "ok"},
                        {"ordered": [{"functionName": "a"}, {"functionName": "b"}]},
                    ]
                },
                {"functionName": "pay", "arguments": None, "mockOutput": None},
            ],
        }
    )

    assert found.name == "Add Second Dress"
    assert found.messages == (
        Utterance(True, "Show dresses."),
        PastCall("find", {"q": 1}),
        PastResult("find", {"r": 2}),
        Utterance(False, "I found two."),
        Utterance(True, "Add the second."),
    )
    assert found.expected == (
        ExpectedCall("look", optional=True),
        Group(
            False,
            (
                ExpectedCall("add", {"n": {"$gt": 1}}, "ok"),
                Group(True, (ExpectedCall("a"), ExpectedCall("b"))),
            ),
        ),
        ExpectedCall("pay", None, UNSET, None),
    )
    assert found.tools == {"look", "add", "a", "b", "pay"}


def test_goals() -> None:
    """The goal is the last message, after earlier ones if the agent asked about them."""

    def goal(*texts: str) -> str:
        messages = [
            {
                "role": "model" if text[0] == ">" else "user",
                "type": "message",
                "content": text.strip(">"),
            }
            for text in texts
        ]
        return str(read(case(messages=messages))[0].goal)

    assert goal("find a book") == "find a book"
    assert goal("find a book", ">What about?", "harbour") == "find a book\nharbour"
    assert goal("show dresses", ">I found two.", "add the second") == "add the second"


def test_conversations() -> None:
    """A model gets the conversation and the calls so far."""
    first = {"role": "user", "type": "message", "content": "Book it and tell my calendar"}
    called = {"role": "model", "type": "functioncall", "name": "book", "arguments": {"n": 3}}
    answered = {"role": "user", "type": "functionresponse", "name": "book", "response": "done"}

    (alone, both, ended) = read(
        case(messages=[first]),
        case(messages=[first, called, answered, HELLO]),
        case(messages=[first, called, answered]),
    )
    assert alone.conversation == "Book it and tell my calendar"
    assert both.conversation == (
        "So far:\nthe person said: Book it and tell my calendar\n"
        'you called `book` with {"n": 3}\n`book` gave "done"\n\nNow the person says: hello'
    )
    assert ended.conversation.endswith("Go on from there with what the person asked for.")


def test_a_case_without_a_name_has_that_of_its_goal() -> None:
    """Each case has the line that it is in."""
    text = '[\n  {"messages": [%s], "expectedCall": []},\n\n  {"name": "B", "messages": [%s], "expectedCall": null}\n]'
    found = read_cases((text % ((json.dumps(HELLO),) * 2)).encode(), "evals.json")

    assert [(one.name, one.line) for one in found] == [("hello", 2), ("B", 4)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"cases": []}, "evals.json:1: it is an object - cases are a list"),
        ([], "the list is empty"),
        ([3], "evals.json:2: `[0]` is a number - a case is an object"),
        ([case(messages=[])], "`[0].messages` is an empty list - it says what is wanted"),
        ([case(messages="find")], "`[0].messages` is text"),
        ([{"expectedCall": None}], "`[0].messages` is not there"),
        ([{"messages": [HELLO]}], "`[0].expectedCall` is missing"),
        ([case(expectedCall={})], "`[0].expectedCall` is an object - calls are a list"),
        ([case(expectedCall=[{}])], "`[0].expectedCall[0]` is neither a call nor a group"),
        (
            [case(expectedCall=[{"functionName": 1}])],
            "`[0].expectedCall[0].functionName` is not a name",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "ordered": []}])],
            "`[0].expectedCall[0]` is neither a call nor a group",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "arguments": [1]}])],
            "`[0].expectedCall[0].arguments` is a list - arguments go by name",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "argument": {}}])],
            "`[0].expectedCall[0].argument` is not read - write `arguments`",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "optional": "yes"}])],
            "`[0].expectedCall[0].optional` is text - write `true` or `false`",
        ),
        (
            [
                case(
                    expectedCall=[
                        {
                            "unordered": [
                                {"functionName": "a", "arguments": {"q": {"$contain": "x"}}}
                            ]
                        }
                    ]
                )
            ],
            "`[0].expectedCall[0].unordered[0].arguments.q.$contain` is not a constraint - write `$contains`",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "arguments": {"q": [{"$pattern": "("}]}}])],
            "`[0].expectedCall[0].arguments.q[0].$pattern` is `(` - it is not a pattern",
        ),
        (
            [case(expectedCall=[{"functionName": "a", "result": {"$gt": "x"}}])],
            "`[0].expectedCall[0].result.$gt` is `x` - it is compared with a number",
        ),
        ([case(messages=[{"role": "user", "type": "mesage", "content": "x"}])], "write `message`"),
        (
            [case(messages=[{"role": "assistant", "type": "message", "content": "x"}])],
            "`[0].messages[0].role` is `assistant`",
        ),
        (
            [case(messages=[{"role": "user", "type": "message"}])],
            "`[0].messages[0].content` is not there",
        ),
        (
            [case(messages=[{"role": "model", "type": "message", "content": "hi"}])],
            "has no words of a person",
        ),
        ([case(messages=["x"])], "`[0].messages[0]` is text"),
        ([case(name=3)], "`[0].name` is a number"),
        ([case(expectedCall=[{"functionName": "a"}] * 201)], "expects more than 200 calls"),
        (
            [case(expectedCall=[{"unordered": [{"ordered": []}] * 16}])],
            "has 16 members, groups among them",
        ),
    ],
)
def test_faults(given: Any, told: str) -> None:
    """A fault has its path, and says what to write instead."""
    assert told in problem(given)


def test_faults_have_the_line_they_are_in() -> None:
    """It is the line of the value, or of the object that lacks it."""
    text = """[
  {"messages": [{"role": "user", "type": "message", "content": "x"}],
   "expectedCall": [
     {"functionName": "a",
      "arguments": {"q": {"$gt": "1"}}},
     {"functionName": 7}
   ]},
  {"name": "no calls", "messages": [{"role": "user", "type": "message", "content": "x"}]}
]"""
    assert [line.split(" ")[0] for line in problem(text.encode()).splitlines()] == [
        "evals.json:5:",
        "evals.json:6:",
        "evals.json:8:",
    ]


def test_only_ten_faults_are_listed() -> None:
    """The number of the others follows."""
    told = problem([3] * 50).splitlines()

    assert len(told) == 11
    assert told[-1] == "and 40 more"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is not JSON"),
        (b"[{]", "is not JSON"),
        (b"\xff\xfe[\x00]\x00", "is not text - byte 0 is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'[{"a":' * 5_000, "nested too deeply"),
        (b"[" + b"1" * 10_000 + b"]", "too many digits"),
        (b"[NaN]", "is not JSON"),
        (b" " * (MOST_BYTES + 1), "bytes"),
        (json.dumps([1] * (MOST_CASES + 1)).encode(), "2,001 cases"),
        (b'"text"', "it is text - cases are a list"),
        (b"null", "it is not there - cases are a list"),
    ],
)
def test_hostile_files_are_reported_in_a_sentence(data: bytes, told: str) -> None:
    """No content of a file raises another error."""
    assert told in problem(data)


def test_a_byte_order_mark_is_skipped() -> None:
    """Editors on Windows write one."""
    data = b"\xef\xbb\xbf" + json.dumps([case()]).encode()

    assert len(read_cases(data, "evals.json")) == 1


def test_repeated_keys() -> None:
    """The last of two equal keys counts, and its line is reported."""
    text = b'[{"messages": 1,\n "messages": 2,\n "expectedCall": null}]'

    assert problem(text).startswith("evals.json:2: `[0].messages` is a number")
