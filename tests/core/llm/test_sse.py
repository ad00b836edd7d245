"""Server-sent events, against the standard's examples and an independent reader."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import takes_at_most

from webagent.llm import http as sse
from webagent.llm.http import DocumentStream, Event, EventStream


def read(*chunks: bytes) -> list[Event]:
    stream = EventStream()
    return [event for chunk in chunks for event in stream.feed(chunk)]


def reference(whole: bytes) -> list[Event]:
    """Read a stream that has come whole, line by line."""
    text = whole.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = re.split("\r\n|\r|\n", text)[:-1]
    found, data, kind = [], None, ""
    for line in lines:
        if not line:
            if data is not None:
                found.append(Event(data, kind or "message"))
            data, kind = None, ""
        match = re.fullmatch(r"(data|event)(?:: ?(.*))?", line, re.DOTALL)
        if match and match[1] == "event":
            kind = match[2] or ""
        elif match:
            data = (match[2] or "") if data is None else f"{data}\n{match[2] or ''}"
    return found


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [Event("YHOO\n+2\n10")]),
        (b": test\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n",
         [Event("first"), Event("second"), Event(" third")]),
        (b"data\n\ndata\ndata\n\ndata:", [Event(""), Event("\n")]),
        (b"data:test\n\ndata: test\n\n", [Event("test"), Event("test")]),
        (b"event: add\ndata: 73\n\nevent: none\n\ndata: 1\n\n", [Event("73", "add"), Event("1")]),
        (b"\xef\xbb\xbfdata: mark\n\n", [Event("mark")]),
        (b"data: cr\r\rdata: crlf\r\n\r\n", [Event("cr"), Event("crlf")]),
        (b"Data: x\ndatas: y\nretry: 10\n\n", []),
        ("data: größe 🌍\n\n".encode(), [Event("größe 🌍")]),
    ],
)  # fmt: skip
def test_streams_of_the_standard(stream: bytes, expected: list[Event]) -> None:
    """The examples of the standard, and its corners."""
    assert read(stream) == expected


STREAMS = st.lists(
    st.sampled_from(
        [b"data: a", b"data:", b"data", b": note", b"event: x", b"\r", b"\n", b"\r\n", b"\n\n",
         "ü🌍".encode(), b"\xff", b"\xef\xbb\xbf", b"\x00", b"id: 1", b" ", b"\xc2\x85"]
    ),
    max_size=30,
).map(b"".join)  # fmt: skip


@given(STREAMS, st.lists(st.integers(0, 200), max_size=10))
def test_it_does_not_matter_where_bytes_are_split(whole: bytes, cuts: list[int]) -> None:
    """Split anywhere, the events are those of the whole, as another reader finds them."""
    places = sorted({min(cut, len(whole)) for cut in cuts})
    chunks = [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]

    assert read(*chunks) == read(whole) == reference(whole)


@given(STREAMS)
def test_byte_by_byte(whole: bytes) -> None:
    """One byte at a time gives the same."""
    assert read(*(bytes([byte]) for byte in whole)) == reference(whole)


@pytest.mark.parametrize("chunk", [b"data: x\n", b"x"])
def test_an_endless_event_is_given_up(chunk: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event without an end fills no memory, in lines or without."""
    monkeypatch.setattr(sse, "LONGEST_EVENT", 1_000)

    with pytest.raises(ValueError, match="longer than 1000"):
        read(*[chunk] * 2_000)


def test_a_long_stream_of_short_events_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is one event's, not the stream's."""
    monkeypatch.setattr(sse, "LONGEST_EVENT", 100)

    assert len(read(b"data: x\n\n" * 1_000)) == 1_000


def test_a_document_whose_string_has_no_end_is_read_once() -> None:
    """Each of its quotes could begin a string, but none is looked at twice."""
    line = b'{"a":"' + b'\\"' * 50_000 + b"\n"

    assert takes_at_most(2, lambda: [*DocumentStream().feed(line)])
