"""Replies put together from what many servers send."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent.llm.chat import Reply, ToolCall, Usage
from webagent.llm.client import MOST_CALLS
from webagent.llm.errors import ContentFiltered, ModelError, ModelFailed, UnreadableAnswer
from webagent.llm.http import ScriptedFetch
from webagent.llm.openai import ChatAssembly, OpenAIModel
from webagent.llm.tool_names import ToolNames

NAMES = ToolNames(["search", "cart.add"])
MODEL = OpenAIModel("/v1", "m", ScriptedFetch())


def assembled(*deltas: dict[str, Any], finish: str = "stop") -> Reply:
    assembly = ChatAssembly()
    for delta in deltas:
        assembly.add({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    assembly.add({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return assembly.reply(NAMES, (), MODEL)


def call(**parts: Any) -> dict[str, Any]:
    """Return a delta with a piece of a call."""
    function = {key: parts.pop(key) for key in ("name", "arguments") if key in parts}
    return {"tool_calls": [{**parts, "function": function}]}


SEARCH = ToolCall("a", "search", {"q": "x"})
ADD = ToolCall("b", "cart.add", {"n": 2})


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [call(index=0, id="a", name="search", arguments=""), call(index=0, arguments='{"q"'),
             call(index=1, id="b", name="cart_add", arguments='{"n": '),
             call(index=0, arguments=': "x"}'), call(index=1, arguments="2}")],
            id="fragments that alternate"),
        pytest.param(
            [call(index=0, id="a", name="search", arguments='{"q": "x"}'),
             call(index=0, id="b", name="cart_add", arguments='{"n": 2}')],
            id="whole, all with index 0"),
        pytest.param(
            [call(id="a", name="search", arguments='{"q": "x"}'),
             call(id="b", name="cart_add", arguments='{"n": 2}')],
            id="whole, without an index"),
        pytest.param(
            [call(id="a", name="search"), call(arguments='{"q": "x"}'),
             call(id="b", name="cart_add"), call(arguments='{"n"'), call(arguments=": 2}")],
            id="fragments without an index"),
        pytest.param(
            [call(id="a", name="search"), call(id="b", name="cart_add"),
             call(id="a", arguments='{"q": "x"}'), call(id="b", arguments='{"n": 2}')],
            id="fragments by id"),
        pytest.param(
            [call(index=0, id="a", name="search", arguments={"q": "x"}),
             call(index=1, id="b", name="cart_add", arguments={"n": 2})],
            id="objects as arguments"),
        pytest.param(
            [call(index=0, id="a", name="search", arguments='{"q": '),
             call(index=0, id="a", name="search", arguments='"x"}'),
             call(index=1, id="b", name="cart_add", arguments='"{\\"n\\": 2}"')],
            id="repeated ids and names, JSON inside JSON"),
        pytest.param(
            [call(index=0, id="a", name="sea"), call(index=0, name="rch", arguments='{"q": "x"}'),
             call(index=1, id="b", name="cart_add", arguments='{"n": 2}')],
            id="a name in fragments"),
        pytest.param(
            [{"content": None, "tool_calls": [
                {"index": None, "id": "a", "function": {"name": "search", "arguments": '{"q":"x"}'}},
                {"index": None, "id": "b", "function": {"name": "cart_add", "arguments": '{"n":2}'}},
            ]}],
            id="all at once"),
    ],
)  # fmt: skip
def test_calls_in_the_pieces_of_many_servers(deltas: list[dict[str, Any]]) -> None:
    """The same two calls, as ten servers would send them."""
    assert assembled(*deltas, finish="tool_calls").calls == (SEARCH, ADD)


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize("written", [('{"q": 1}', '{"q": 2}'), ({"q": 1}, {"q": 2})])
def test_whole_calls_without_ids(index: int | None, written: tuple[Any, Any]) -> None:
    """Whole calls without ids are separate calls, even if each has the same index."""
    found = assembled(
        call(index=index, id="", name="search", arguments=written[0]),
        call(index=index, id="", name="cart_add", arguments=written[1]),
    ).calls

    assert [(one.name, one.arguments) for one in found] == [
        ("search", {"q": 1}), ("cart.add", {"q": 2})
    ]  # fmt: skip


def test_calls_without_ids_get_ids() -> None:
    """Missing and repeated ids are replaced by unique ones."""
    found = assembled(
        call(index=0, name="search"), call(index=1, id="call_1", name="search"),
        call(index=2, id="call_1", name="search"),
    ).calls  # fmt: skip

    assert len({one.id for one in found}) == 3


def test_the_older_function_call() -> None:
    """`function_call` is one call."""
    found = assembled(
        {"function_call": {"name": "search", "arguments": '{"q"'}},
        {"function_call": {"arguments": ': "x"}'}},
        finish="function_call",
    )

    assert [(one.name, one.arguments) for one in found.calls] == [("search", {"q": "x"})]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('{"q": "x"', "are not JSON: expecting"),
        ("[1]", "are a list - write one JSON object"),
        ("NaN", "are not JSON: `NaN` is not JSON"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested too deeply"),
        (12, None),
    ],
)
def test_broken_arguments_are_a_fault_of_the_call(written: Any, fault: str | None) -> None:
    """Arguments that cannot be read do not end the reply; the call says what is wrong with it."""
    found = assembled(call(index=0, id="a", name="search", arguments=written)).calls[0]

    assert found.arguments == {}
    assert (fault or "") in found.fault
    assert bool(found.fault) == bool(fault)


@pytest.mark.parametrize("written", ["", "  ", "{}", None])
def test_missing_arguments_are_an_empty_object(written: Any) -> None:
    """A call without arguments is not a fault."""
    found = assembled(call(index=0, id="a", name="search", arguments=written)).calls

    assert found == (ToolCall("a", "search"),)


def test_a_call_that_was_cut_off_says_so() -> None:
    """The fault of its arguments names the limit of tokens."""
    found = assembled(call(index=0, id="a", name="search", arguments='{"q'), finish="length")

    assert "cut at its limit of tokens" in found.calls[0].fault


def test_thoughts_alone_are_not_a_reply() -> None:
    """A model that spends all its tokens on reasoning has not replied."""
    with pytest.raises(UnreadableAnswer, match="reached its limit of tokens"):
        assembled({"reasoning_content": "hm"}, finish="length")


def test_reasoning_is_not_part_of_the_text() -> None:
    """It is kept out of the reply."""
    heard: list[str] = []
    assembly = ChatAssembly(heard.append)
    for delta in (
        {"reasoning": "hm", "content": None},
        {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes"}]},
    ):
        assembly.add({"choices": [{"delta": delta}]})

    assert assembly.reply(NAMES, (), MODEL).text == "".join(heard) == "Yes"


def test_a_refusal_is_an_error() -> None:
    """The words of a model that refuses come in pieces, and are not a reply."""
    with pytest.raises(ContentFiltered, match="refuses and says `I cannot do that` - ask"):
        assembled({"refusal": "I cannot"}, {"refusal": " do that"})


def test_a_filter_is_an_error() -> None:
    """A filtered reply is an error, whatever came before."""
    with pytest.raises(ContentFiltered):
        assembled({"content": "The way to"}, finish="content_filter")


def test_a_choice_that_failed() -> None:
    """Servers that forward failures of others report them in the choice."""
    with pytest.raises(ModelFailed):
        assembled({"content": "x"}, finish="error")
    with pytest.raises(ModelError, match="upstream"):
        ChatAssembly().add({"choices": [{"error": {"message": "upstream", "code": 502}}]})


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 3}, Usage(9, 3)),
        ({"prompt_tokens": 9, "completion_tokens": 3,
          "prompt_tokens_details": {"cached_tokens": 4}}, Usage(9, 3, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 8},
         Usage(9, 3, 8)),
        ({"prompt_tokens": 9, "completion_tokens": -3, "prompt_tokens_details": None}, Usage(9)),
        ({"prompt_tokens": "many"}, None),
        ({"prompt_tokens": math.inf, "completion_tokens": math.nan}, None),
        ({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 20,
          "completion_tokens_details": {"reasoning_tokens": 8}}, Usage(9, 11)),
        (None, None),
    ],
)  # fmt: skip
def test_usage(usage: Any, expected: Usage | None) -> None:
    """Usage is read wherever it is, and invalid usage is ignored."""
    assembly = ChatAssembly()
    assembly.add({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})
    assembly.add({"choices": [], "usage": usage})

    assert assembly.reply(NAMES, (), MODEL).usage == expected


def test_usage_of_groq() -> None:
    """Usage is also read from the field that this server adds."""
    assembly = ChatAssembly()
    assembly.add({"choices": [], "x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}})

    assert assembly.reply(NAMES, (), MODEL).usage == Usage(1, 2)


def test_other_choices_are_left_out() -> None:
    """Only the first choice is the reply."""
    assembly = ChatAssembly()
    assembly.add(
        {"choices": [{"index": 1, "delta": {"content": "no"}}, {"delta": {"content": "y"}}]}
    )

    assert assembly.reply(NAMES, (), MODEL).text == "y"


def test_endless_calls_are_limited() -> None:
    """A reply has a maximum number of calls."""
    found = assembled(*(call(index=i, id=str(i), name="search") for i in range(1_000)))

    assert len(found.calls) == MOST_CALLS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "delta", "message", "tool_calls", "function", "name", "id",
                         "arguments", "content", "index", "usage", "prompt_tokens", "text",
                         "finish_reason", "function_call", "type", "error"]), inner, max_size=4),
    max_leaves=15,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(["choices", "usage", "model"]), JSON), max_size=4))
def test_nonsense_is_a_reply_or_a_model_error(pieces: list[dict[str, Any]]) -> None:
    """No data from a server raises any other error."""
    assembly = ChatAssembly()
    try:
        for one in pieces:
            assembly.add(one)
        assembly.reply(NAMES, (), MODEL)
    except ModelError:
        pass


def test_ids_of_earlier_calls_are_not_reused() -> None:
    """Some servers number the calls of each reply from the same start."""
    assembly = ChatAssembly()
    assembly.add({"choices": [{"delta": call(index=0, id="call_0", name="search")}]})

    assert assembly.reply(NAMES, ["call_0"], MODEL).calls[0].id not in ("", "call_0")
    assert assembly.reply(NAMES, (), MODEL).calls[0].id == "call_0"
