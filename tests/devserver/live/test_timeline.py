"""The timeline of the pages: numbered and bounded, with listeners."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webagent_dev.live.timeline import LONGEST, MOST_CHARACTERS, MOST_ENTRIES, Entry, Timeline


def data(entry: Entry) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(entry.text)
    return read


def test_entries_are_numbered_from_1() -> None:
    """Those after a number are the ones that a reader has missed."""
    timeline = Timeline()
    assert (timeline.seq, timeline.first, timeline.after(0)) == (0, 1, [])
    for word in "abc":
        timeline.add("log", "p", {"text": word})

    assert [data(entry)["detail"]["text"] for entry in timeline.after(1)] == ["b", "c"]
    assert (timeline.seq, timeline.first) == (3, 1)
    assert timeline.after(3) == timeline.after(99) == []


def test_an_entry_has_only_known_fields() -> None:
    """No key and no caller if there are none."""
    timeline = Timeline()
    timeline.add("log", "p", {})
    timeline.add("call", "p", {}, key="d:1", caller="inspector")
    bare, full = map(data, timeline.after(0))

    assert set(bare) == {"seq", "at", "page_id", "kind", "detail"}
    assert (full["id"], full["caller"]) == ("d:1", "inspector")


def test_only_the_latest_are_kept() -> None:
    """By their number."""
    timeline = Timeline()
    for _ in range(MOST_ENTRIES + 10):
        timeline.add("log", "p", {})

    assert len(timeline.after(0)) == MOST_ENTRIES
    assert timeline.first == 11


def test_entries_have_a_limit_of_size() -> None:
    """By their length in characters."""
    timeline = Timeline()
    for _ in range(60):
        timeline.add("log", "p", {"text": "x" * (LONGEST - 1_000)})

    assert sum(len(entry.text) for entry in timeline.after(0)) <= MOST_CHARACTERS
    assert len(timeline.after(0)) >= 40


@pytest.mark.parametrize("field", ["value", "name", "state", "type"])
def test_a_long_entry_is_shortened(field: str) -> None:
    """Even if the fields to keep are the long ones."""
    timeline = Timeline()
    detail = {"type": "t", "name": "search", "state": "finished", field: "x" * 1_000_000}
    timeline.add("call", "p", detail, key="k" * 1_000_000)
    (entry,) = timeline.after(0)

    assert len(entry.text) < 2_000
    assert data(entry)["detail"]["cut"] > 1_000_000
    assert field == "name" or data(entry)["detail"]["name"] == "search"


def test_clearing_keeps_the_numbers_going() -> None:
    """A reader never gets an old number again."""
    timeline = Timeline()
    timeline.add("log", "p", {"text": "x" * 100_000})
    timeline.clear()
    assert (timeline.after(0), timeline.seq, timeline.first) == ([], 1, 2)
    timeline.add("log", "p", {})

    assert [data(entry)["seq"] for entry in timeline.after(0)] == [2]


def test_listeners_get_each_entry_until_they_leave() -> None:
    """One of them may leave while it is called."""
    timeline = Timeline()
    heard: list[int] = []

    def once(entry: Entry) -> None:
        heard.append(-entry.seq)
        leave()

    leave = timeline.listen(once)
    end = timeline.listen(lambda entry: heard.append(entry.seq))
    timeline.add("log", "p", {})
    timeline.add("log", "p", {})
    end()
    timeline.add("log", "p", {})

    assert sorted(heard) == [-1, 1, 2]


def test_lone_surrogates_do_no_harm() -> None:
    """An entry is ASCII, whatever a page sends."""
    timeline = Timeline()
    timeline.add("log", "\ud800", {"text": "\udfff é"}, key="\ud800")

    assert timeline.after(0)[0].text.isascii()
