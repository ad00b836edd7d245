"""Forms that a person has to send, with and without a person who sees the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from tests.chromium import find_chromium
from tests.devserver.agents.a2a.client import A2a
from tests.devserver.agents.client import connected, text
from tests.e2e.command import in_process
from tests.e2e.conftest import Serve

SITES = Path(__file__).parents[1] / "sites"
TABLES = SITES / "tables"
HALL = SITES / "hall"
ORDER = {"@type": "Order", "orderNumber": "L-1", "$type": "map"}
HIDDEN = "Object.defineProperty(document, 'hidden', { get: () => true });"
"""A tab that nobody sees; the test's browser shows all of its tabs."""


async def test_call_answers_at_once_with_what_is_filled_in() -> None:
    """In a fresh page of a headless browser nobody can send a form."""
    code, out, err = await in_process("call", "bookTable", "name=Ada", "--site", TABLES)
    _, whole, _ = await in_process(
        "call", "bookTable", "name=Ada", "--site", TABLES, "--format", "json"
    )

    assert code == 0, err
    first, filled = out.split("\n", 1)
    assert first == "pending: a person has to send it"
    assert json.loads(filled) == {"name": "Ada"}
    assert json.loads(whole)["value"] == {"$type": "pending", "value": {"name": "Ada"}}


@pytest.mark.conformance
async def test_run_says_that_a_form_is_pending() -> None:
    """It does not claim that the table is booked."""
    code, out, err = await in_process(
        "run", 'book a table for name "Ada"', "--site", TABLES, "--planner"
    )

    assert code == 0, err
    assert "I filled in “book table”. You still need to send it." in out
    assert "Booked" not in out


@pytest.mark.conformance
async def test_run_stays_on_the_page_of_a_filled_form() -> None:
    """A link to what was changed would lead away from it: nothing was sent yet."""
    goal = "book the small room on 2026-05-09 for Ada Moss"
    code, out, err = await in_process(
        "run", goal, "--site", HALL, "--page", "/hire.html", "--planner", "--yes"
    )

    assert code == 0, err
    assert '→ {"pending": "a person has to send it", "filled": {' in out
    assert "click_link" not in out


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("tool", "argument", "value"),
    [
        ("orderSoup", "soup=leek", [{"@type": "Order", "orderNumber": "L-1", "$type": "map"}]),
        ("orderBread", "bread=rye", None),
    ],
)
async def test_a_form_gives_the_json_ld_of_the_next_document(
    tool: str, argument: str, value: object
) -> None:
    """Its data cannot pose as a tag; a document without any gives null."""
    code, out, err = await in_process("call", tool, argument, "--site", TABLES)

    assert code == 0, err
    assert json.loads(out) == value


@pytest.mark.parametrize(
    ("goal", "value"),
    [
        (
            'order a soup with soup "leek"',
            [{"$type": "object", "value": ORDER}],
        ),
        pytest.param('order bread with bread "rye"', None, marks=pytest.mark.conformance),
    ],
)
async def test_the_agent_of_a_page_gets_it_too(
    serve: Serve, page: Page, goal: str, value: object
) -> None:
    """The run goes on in the next document, whose data is the outcome of the call."""
    await page.goto(serve(TABLES).url)
    await page.evaluate("webagent.ready")
    await page.evaluate(
        "(goal) => void webagent.run(goal, { approve: true }).catch(() => {})", goal
    )
    await page.wait_for_url("**/*.html?*")
    called: list[dict[str, Any]] = []
    for _ in range(300):
        if called := _calls(await page.evaluate("webagent.transcript()")):
            break
        await page.wait_for_timeout(100)

    assert [each["error"] for each in called] == [None]
    assert called[0]["value"] == value


def _calls(transcript: str) -> list[dict[str, Any]]:
    """Return the calls of tools that a run has noted."""
    entries = json.loads(transcript or '{"entries": []}')["entries"]
    return [entry for entry in entries if entry.get("call", {}).get("name") == "call_tool"]


async def test_endpoints_answer_for_a_tab_that_nobody_sees(serve: Serve, page: Page) -> None:
    """MCP and A2A; the person may send the form later, and the next call is answered as well."""
    server = serve(TABLES)
    await page.add_init_script(HIDDEN)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with connected(server) as client:
        pending = await client.call_tool("bookTable", {"name": "Ada"})
        sent = await page.evaluate("document.querySelector('#booking button').click()")
        again = await client.call_tool("bookTable", {"name": "Bob", "guests": 3})
    async with A2a(server) as a2a:
        task = await a2a.send({"data": {"tool": "bookTable", "arguments": {"name": "Cleo"}}})

    assert sent is None
    assert pending.is_error is False
    assert text(pending).startswith("pending: a person has to send it")
    assert pending.structured_content == {
        "pending": "a person has to send it",
        "filled": {"name": "Ada"},
    }
    assert again.structured_content["filled"] == {"name": "Bob", "guests": 3}
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert task["status"]["message"]["parts"][0]["text"] == "pending: a person has to send it"


@pytest.mark.conformance
async def test_the_headless_page_of_a_server_has_no_person(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is shown to nobody, though it is not hidden."""
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))
    server = serve(TABLES, "--headless", process=True)
    async with connected(server) as client:
        await client.list_tools()
        pending = await client.call_tool("bookTable", {"name": "Ada"})

    assert text(pending).startswith("pending: a person has to send it")


async def test_a_call_waits_for_the_person_who_sees_the_page(serve: Serve, page: Page) -> None:
    """The result is what the page answers once the person has sent the form."""
    server = serve(TABLES)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")

    async def send(_: float, __: float | None, message: str | None) -> None:
        assert message == "the form is filled and waits for a person to submit it"
        await page.get_by_role("button", name="Book").click()

    async with connected(server) as client:
        done = await client.call_tool("bookTable", {"name": "Ada"}, progress_callback=send)
        soup = await client.call_tool("orderSoup", {"soup": "leek"})

    assert text(done) == "a table for Ada"
    assert json.loads(text(soup)) == [{"@type": "Order", "orderNumber": "L-1", "$type": "map"}]


@pytest.mark.conformance
async def test_eval_takes_a_pending_form_for_a_result(tmp_path: Path) -> None:
    """In the words of WebMCP's own tool; a smoke run makes the same call without an agent."""
    message = {"role": "user", "type": "message", "content": 'book a table for name "Ada"'}
    call = {
        "functionName": "bookTable",
        "arguments": {"name": {"$pattern": "^Ada(?! Lovelace)"}},
        "result": "pending form submission",
    }
    soup = {"functionName": "orderSoup", "arguments": {"soup": "leek"}}
    gone = {"functionName": "orderTea", "arguments": {}}
    cases = tmp_path / "evals.json"
    cases.write_text(json.dumps([{"messages": [message], "expectedCall": [call]}]))
    smoke = tmp_path / "smoke.json"
    smoke.write_text(
        json.dumps(
            [
                {"name": "Evening", "messages": [message], "expectedCall": [call, soup]},
                {"name": "Tea", "messages": [message], "expectedCall": [soup, gone]},
            ]
        )
    )
    code, out, err = await in_process("eval", cases, TABLES, "--planner")
    smoked, report, progress = await in_process("eval", smoke, TABLES, "--smoke")

    assert code == 0, out + err
    assert smoked == 1
    assert "passed    Evening" in report
    assert "step 2 of 2, `orderTea`: there is no tool `orderTea`" in report
    assert progress.splitlines() == ["1/2 Evening …", "2/2 Tea …"]
