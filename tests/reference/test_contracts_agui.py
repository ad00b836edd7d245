"""The chapter on AG-UI: what is read, what is refused, the events, and the questions."""

from __future__ import annotations

import inspect
import re

from redis.asyncio import Redis

from tests.reference.contracts import code, column, prose, rows
from webagent_site.agui import endpoint, run_events, run_input
from webagent_site.agui.endpoint import RUN_S, SITE_RUNS, VISITOR_RUNS
from webagent_site.agui.questions import answer_to, awaited_for, interrupt_event
from webagent_site.agui.run_input import LONGEST_GOAL, LONGEST_ID, Resume
from webagent_site.broker.interrupts import Interrupt
from webagent_site.broker.redis_interrupts import RedisInterrupts
from webagent_site.http import request_body

TYPES = r"\b(?:RUN|STEP|TEXT_MESSAGE|TOOL_CALL|CUSTOM)(?:_[A-Z]+)*\b"


def test_fields_of_a_request() -> None:
    """Those that are read, with their limits."""
    source = inspect.getsource(run_input)
    named = set(
        re.findall(r'"(\w+)", (?:list|str)\b|data\.get\("(\w+)"\)|(\w+)=(?:str|list)\b', source)
    )
    read = {name for each in named for name in each if name} - {"page_id"}

    assert sorted(column("AG-UI", "field")) == sorted(read)
    fields = {code(row["field"]): row["what"] for row in rows("AG-UI")}
    assert fields["threadId"] == fields["runId"] == f"1 to {LONGEST_ID} characters"
    assert f"up to {LONGEST_GOAL:,} characters" in fields["messages"]


def test_refusals() -> None:
    """Each status and kind has a row, and there is no other; the limits are those of the code."""
    source = "".join(map(inspect.getsource, (endpoint, run_input, request_body)))
    found = {
        (int(status), kind)
        for status, kind in re.findall(r'(?:RequestError|_refused)\(\s*(\d{3}),\s*"(\w+)"', source)
    }
    # Nobody reads the answer to a front end that went away.
    found -= {(400, "cancelled")}
    table = rows("AG-UI", 1)
    refused = {
        (int(row["status"]), kind) for row in table for kind in re.findall(r"`(\w+)`", row["kind"])
    }
    of_visitors = {(403, "wrong_origin"), (403, "invalid_page_token"), (429, "rate_limit_exceeded")}

    assert refused == found | of_visitors
    (limits,) = (row["when"] for row in table if row["status"] == "429")
    assert limits == (
        f"more than {VISITOR_RUNS.minute.requests} requests a minute of a visitor, "
        f"or {SITE_RUNS.minute.requests} of all"
    )


def test_events() -> None:
    """Each type has a row, and there is no other."""
    listed = [name for row in rows("AG-UI", 2) for name in re.findall(r"`([A-Z_]+)`", row["event"])]

    assert sorted(listed) == sorted(set(re.findall(TYPES, inspect.getsource(run_events))))
    assert run_events.ASKED in prose()


def test_questions() -> None:
    """The reason of each, and an answer that fits."""
    schema = {"schema": {"type": "object"}}
    requests = [
        ({"kind": "approval", "details": {"tool": "buy"}}, {"approved": True}),
        ({"kind": "plan", "details": {}}, {"approved": True}),
        ({"kind": "question", "details": {}}, {"text": "blue"}),
        ({"kind": "question", "details": schema}, {"day": "2026-11-29"}),
    ]
    reasons = []
    for request, payload in requests:
        request = {"text": "Shall I?", **request}
        awaits = awaited_for(request)
        assert awaits
        interrupt = Interrupt("question", "call", "run", "tab", awaits, 0.0)
        shown, tool = interrupt_event(interrupt, request)
        step = {"type": "step", "run_id": "run", "id": "1", "state": "started", "tool": "buy"}
        events = run_events.RunEvents("thread", "run", str, is_current=True)
        assert list(events.of(step))
        (*_, finished) = events.interrupted(shown, tool)
        reasons.append(finished["outcome"]["interrupts"][0]["reason"])
        answer = answer_to(interrupt, Resume("question", False, payload))
        assert answer
        assert answer["yes"]

    assert reasons == [re.findall(r"`(\w+)`", row["reason"])[0] for row in rows("AG-UI", 3)]
    assert f"waits for {RUN_S / 60:g} minutes" in prose()


def test_the_key_on_redis() -> None:
    """That of a thread, and how long it is kept."""
    interrupts = RedisInterrupts(Redis(), "PREFIX:agui", lambda error: None)
    (row,) = rows("Keys on Redis", 4)

    assert code(row["key"]) == interrupts._key("THREAD")
    assert row["kept for"] == f"{RUN_S / 60:g} min"
