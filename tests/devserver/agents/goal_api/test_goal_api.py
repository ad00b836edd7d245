"""The task endpoint: requests, streams, what it keeps and masks, with the page of a test."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.devserver.agents.goal_api.client import (
    client_of,
    described,
    done,
    kept_by,
    showing,
)
from tests.devserver.agents.test_owner_access import asking
from tests.devserver.conftest import INDEX
from tests.page_client import owner
from tests.server import Server, hosting
from webagent_dev.agents.goal_api.request import Credentials
from webagent_dev.agents.goal_api.worker import CredentialMask, _TaskReport
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.task import Task
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.model import ServeConfig
from webagent_dev.terminal import Console

pytestmark = pytest.mark.usefixtures("nothing_left")
SECRETS = {"username": "quillfeather", "password": "ropewalk14"}
FORM = [
    {
        "pp_id": 3,
        "name": "Log in",
        "fields": [
            {"pp_id": 4, "label": "Email", "type": "email", "autocomplete": "username"},
            {"pp_id": 5, "label": "Password", "type": "password"},
        ],
        "buttons": [{"text": "Log in"}],
    }
]


def failing(kind: str, message: str, **more: str) -> dict[str, Any]:
    """Return a result with an error."""
    return {"ok": False, "error": {"kind": kind, "message": message, **more}}


async def test_browsing_goes_there_and_answers_with_the_page(server: Server) -> None:
    """Each step comes as an event of its own, in both spellings."""
    page, shown = showing(server, kind="article")
    async with page:
        event = await done(server, "Browse it", url="/news?x=1#top")

    url = f"{server.url}/news?x=1#top"
    assert event["steps"] == [
        {"description": f"Navigating to {url}", "action": "browse", "detail": url},
        {
            "description": "Page loaded: Shop (1 elements)",
            "action": "browse",
            "detail": f"{server.url}/",
            "page_type": "Article",
        },
    ]
    assert event["result"] == {
        "page_type": "Article",
        "title": "Shop",
        "url": f"{server.url}/",
        "elements": 1,
        "actions": [],
        "content": "# Shop",
    }
    assert shown.acts[0] == {"type": "goto_url", "url": url}


async def test_kinds_to_extract_are_a_text_or_a_list(server: Server) -> None:
    """From the page as it is, without an address."""
    tables = [{"pp_id": 1, "caption": "Prices", "headers": ["A"], "rows": [["1"]]}]
    links = {
        "url": f"{server.url}/",
        "title": "Shop",
        "elements": [{"id": 1, "role": "link", "name": "Tea", "href": "/tea"}, {"id": 2}],
    }
    page, shown = showing(server, table_details=tables, snapshot=links)
    async with page:
        table = await done(server, "prices", extract="tables")
        both = await done(server, "x", extract=["links", "text"])
        all_of_it = await done(server, "x", extract=["tables", "links"])

    assert table["result"]["tables"] == [{"caption": "Prices", "headers": ["A"], "rows": [["1"]]}]
    assert {"tables", "links"} < set(all_of_it["result"])
    assert both["result"]["links"] == [{"text": "Tea", "url": f"{server.url}/tea"}]
    assert both["result"]["content"] == "# Shop"
    assert described(table)[-1] == "Extracted 1 table"
    assert described(both)[-1] == "Extracted 1 link"
    assert "goto_url" not in shown.kinds()


async def test_malformed_replies_count_as_empty(server: Server) -> None:
    """They end in a result, or in a reason; never in an error of the server."""
    odd = [None, "x", {"title": "Tea"}]
    for reply in ({}, "x", odd):
        page, _ = showing(server, table_details=reply, results=reply, form_details=reply)
        async with page:
            table = await done(server, "x", extract="tables")
            found = await done(server, "search for tea")
            form = await done(server, "fill the form with name Ada")
        assert table["status"] == found["status"] == "completed"
        assert len(found["result"]["results"]) == (reply is odd)
        assert form["error"].startswith("No form found - ")


async def test_a_missing_search_is_looked_for_on_the_first_page(
    server: Server,
) -> None:
    """And its steps are reported; the results are those of the longest list."""
    missing = failing("invalid_arguments", "the page has no search of its own", help="go by links")
    found = [{"title": "Tea", "url": f"{server.url}/tea", "text": "£4"}]
    tried: list[Any] = []

    def search(action: dict[str, Any]) -> dict[str, Any]:
        tried.append(action["query"])
        return missing if len(tried) == 1 else {"did": "searched", "navigates": False}

    page, shown = showing(server, search=search, results=found)
    async with page:
        event = await done(server, "search for tea")
    nowhere, _ = showing(server, search=missing)
    async with nowhere:
        without = await done(server, "whatever", search_query="tea")

    assert event["result"]["results"] == found
    assert event["result"]["page_type"] == "SearchResults"
    assert {"type": "goto_url", "url": f"{server.url}/"} in shown.acts
    assert tried == ["tea", "tea"]
    assert without["error"] == (
        "Element not found: the page has no search of its own - go by links"
    )


async def test_credentials_are_entered_and_appear_nowhere_else(tmp_path: Path) -> None:
    """Not in events, in the task, the timeline, the file, or the terminal."""
    (tmp_path / "index.html").write_bytes(INDEX)
    said = f"Welcome {SECRETS['username']}, {SECRETS['password']} is right"
    looks: list[str] = []

    def summary(_: dict[str, Any]) -> dict[str, Any]:
        looks.append("look")
        return {"page_type": "login" if len(looks) == 1 else "dashboard", "actions": []}

    def snapshot(_: dict[str, Any]) -> dict[str, Any]:
        url = f"{server.url}/?user={SECRETS['username']}&p={SECRETS['password']}"
        return {"url": url, "title": said, "elements": []}

    with hosting(tmp_path) as server:
        page, shown = showing(server, form_details=FORM, summary=summary, snapshot=snapshot)
        async with page, client_of(server) as client, owner(server) as api:
            event = await done(server, "log in", credentials=SECRETS)
            polled = (await client.get(f"/a2a/tasks/{event['id']}")).text
            timeline = (await api.get("timeline")).text
            state = (await api.get("state")).text
        kept = b"".join(p.read_bytes() for p in kept_by(server).parent.rglob("*") if p.is_file())
        printed = server.output

    assert next(act for act in shown.acts if act["type"] == "enter_data") == {
        "type": "enter_data",
        "form_data": [
            {"pp_id": 4, "text": SECRETS["username"], "secret": True},
            {"pp_id": 5, "text": SECRETS["password"], "secret": True},
        ],
        "submit": True,
    }
    assert event["status"] == "completed"
    assert described(event)[1:] == [
        "Login page detected, submitting credentials",
        "Login successful, redirected to Welcome •••, ••• is right",
    ]
    assert event["id"].encode() in kept
    for secret in SECRETS.values():
        for text in (json.dumps(event), polled, timeline, state, printed):
            assert secret not in text
        assert secret.encode() not in kept


@pytest.mark.parametrize(
    ("username", "password"),
    [("status", "ropewalk14"), ("failed", "ropewalk14"), ("ada", "task"), ("login", "action")],
)
async def test_credentials_that_are_keywords_of_the_api_leave_it_whole(
    config: ServeConfig, username: str, password: str
) -> None:
    """They are masked in texts, and in no key and no keyword."""
    given = {"credentials": {"username": username, "password": password}}
    async with asking(config) as client:
        task = {"goal": "log in", "params": given}
        text = (await client.post("/a2a/tasks", json=task)).text
        last = text.strip().rpartition("data: ")[2]
        task_id = json.loads(last)["id"]
        polled = (await client.get(f"/a2a/tasks/{task_id}")).json()

    assert polled == json.loads(last)
    assert polled["status"] == "failed"
    assert polled["steps"] == []
    assert set(polled) == {"id", "status", "steps", "error"}
    mask = CredentialMask(Credentials(username, password))
    step = {"description": f"as {username}", "action": "login", "page_type": "Login", "detail": "x"}
    assert mask({"steps": [step], "error": password}) == {
        "steps": [{**step, "description": "as •••"}],
        "error": "•••",
    }


async def test_a_task_with_a_later_event_is_newer(config: ServeConfig) -> None:
    """Its last event counts, not its beginning."""
    tasks = Tasks(TaskStore(config.root, Console(io.StringIO())))
    begun = Task("task_1", "goal_api", created=1.0, updated=1.0)
    job = _TaskReport(begun, tasks, CredentialMask(None))
    await job.begin()
    await job.end("completed", result={})
    kept = await tasks.find("goal_api", "task_1")
    await tasks.close()

    assert kept
    assert kept.created == 1.0
    assert kept.updated > 1.0


async def test_a_failed_login_has_the_message_of_the_page(server: Server) -> None:
    """It has failed if the form is still there; a second factor is not a failure."""
    wrong = {"did": "x", "navigates": False, "changed": {"alerts": ["wrong password"]}}
    page, _ = showing(server, kind="login", form_details=FORM, enter_data=wrong)
    async with page:
        refused_login = await done(server, "x", credentials=SECRETS)
    page, shown = showing(server, kind="two_factor", form_details=FORM)
    async with page:
        factor = await done(server, "x", credentials=SECRETS)
    no_link = failing("invalid_arguments", "there is no link")
    page, shown = showing(server, form_details=[], click_link=no_link)
    async with page:
        none = await done(server, "x", credentials=SECRETS)

    assert refused_login["error"] == "Login failed: wrong password"
    assert factor["result"]["page_type"] == "TwoFactorAuth"
    assert described(factor)[-1] == "Credentials taken, a second factor is asked for: Shop"
    assert none["error"].startswith("No login form found - ")
    assert "enter_data" not in shown.kinds()


async def test_a_form_is_filled_in_from_the_goal(server: Server) -> None:
    """And submitted only when the goal says so; missing fields are reported."""
    fields = [{"pp_id": 1, "label": "Your name", "name": "name", "type": "text"}]
    form = {"pp_id": 9, "name": "Contact", "fields": fields, "buttons": [{"text": "Send"}]}
    page, shown = showing(server, form_details=[form])
    async with page:
        filled = await done(server, "fill the form with name Ada")
        sent = await done(server, "fill the form with name Ada and submit it")
        unknown = await done(server, "fill the form with colour=red")
        nothing = await done(server, "fill the form")
    page, _ = showing(server, form_details=[])
    async with page:
        none = await done(server, "fill the form with name Ada")

    entered = [act for act in shown.acts if act["type"] == "enter_data"]
    assert [(act["form_data"], act["submit"]) for act in entered] == [
        ([{"pp_id": 1, "text": "Ada"}], False),
        ([{"pp_id": 1, "text": "Ada"}], True),
    ]
    assert (filled["result"]["filled"], filled["result"]["submitted"]) == (["Your name"], False)
    assert described(sent)[-2:] == ["Filling in Your name", "Form submitted: Shop"]
    assert unknown["error"] == (
        "Element not found: `colour` is not a field - the form has `Your name`"
    )
    assert nothing["error"].startswith("Element not found: the goal names no field of the form")
    assert none["error"].startswith("No form found - ")


async def test_pages_that_need_a_person_are_reported(server: Server) -> None:
    """And an upstream that does not answer is a network error."""
    errors = []
    dead = {"page_type": "error", "status": 502}
    for kind, more in (("captcha", {}), ("blocked", {}), ("error", {"summary": dead})):
        page, _ = showing(server, kind=kind, **more)
        async with page:
            errors.append((await done(server, "go", url="/x"))["error"])

    assert [error.split(" - ")[0] for error in errors] == [
        "CAPTCHA detected",
        "Access blocked by the site",
        "Network error: the server answered with status 502",
    ]


@pytest.mark.parametrize(
    ("goal", "params", "error"),
    [
        ("Hello", {}, "No URL found in goal"),
        ("go", {"url": "ftp://x"}, "No URL found: `ftp://x` is not an address"),
        ("go", {"url": "http://host:1:2/"}, "No URL found: `http://host:1:2/` is not an address"),
        ("go", {"url": "//host:99999/"}, "No URL found: `//host:99999/` is not an address"),
        ("go", {"url": "http://[::1/"}, "No URL found: `http://[::1/` is not an address"),
        ("log in", {"url": "/"}, "No credentials provided for login"),
        ("search", {}, "No search query found in goal"),
        ("go", {"url": "https://other.example/a"}, "`https://other.example` is another origin"),
        ("go", {"url": "http://127.0.0.1:1/"}, "`http://127.0.0.1:1` is another origin"),
        ("go to /x", {}, "no page of this site is open"),
    ],
)
async def test_a_failure_is_the_last_event_of_the_stream(
    server: Server, goal: str, params: dict[str, Any], error: str
) -> None:
    """With the reason and what to do instead."""
    event = await done(server, goal, **params)

    assert event["status"] == "failed"
    assert event["error"].startswith(error)
    assert " - " in event["error"]
    if "origin" in error:
        assert f"this agent works on `{server.url}`" in event["error"]


async def test_a_path_is_of_the_server_under_the_name_that_the_page_has(server: Server) -> None:
    """Other names of it mean the same."""
    port = server.url.rpartition(":")[2]
    page, shown = showing(server)
    page._hello["url"] = f"http://localhost:{port}/"
    async with page:
        await done(server, "go", url=f"http://127.0.0.1:{port}/a")
        await done(server, "go to contact.html")

    assert [act["url"] for act in shown.acts if act["type"] == "goto_url"] == [
        f"http://localhost:{port}/a",
        f"http://localhost:{port}/contact.html",
    ]


async def test_a_secret_in_a_goal_is_nowhere(server: Server) -> None:
    """The password in a goal is in no event, no file and no log."""
    page, _ = showing(server, kind="article")
    goal = "Browse it, my password is zqxv and the code is 448 1199"
    async with page:
        event = await done(server, goal, url="/news?x=zqxv")

    assert event["status"] == "completed"
    for secret in ("zqxv", "448 1199"):
        assert secret not in str(event)
        assert secret not in server.output
        kept = b"".join(p.read_bytes() for p in kept_by(server).parent.rglob("*") if p.is_file())
        assert secret.encode() not in kept
