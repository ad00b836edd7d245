"""Tasks of the simple endpoint, done in real pages: what is documented, and each error."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.chromium import find_chromium
from tests.devserver.agents.goal_api.client import client_of, described, done, events_of
from tests.e2e.conftest import Serve
from tests.e2e.goal_api.conftest import TASKS, Tab, opened
from tests.page_client import owner
from tests.test_docs import FENCE, ROOT
from tests.upstream import html, listening
from webagent_site.config.folders import state_folder

LOGIN = {"username": "steeper", "password": "steep-well"}


def examples() -> list[dict[str, Any]]:
    """Return the tasks of the documentation."""
    text = (ROOT / "docs" / "how-to" / "tasks.md").read_text(encoding="utf-8")
    (block,) = (match[3] for match in FENCE.finditer(text) if match[2] == "json")
    return [json.loads(line) for line in block.splitlines()]


@pytest.mark.conformance
async def test_the_tasks_of_the_documentation_are_done_in_the_bookshop(shop_tab: Tab) -> None:
    """A page stays the same tab, and no report has the credentials afterwards."""
    server, page = shop_tab
    async with owner(server) as api:
        (before,) = (await api.get("state")).json()["pages"]
        ended = [await done(server, task["goal"], **task.get("params", {})) for task in examples()]
        form = await page.eval_on_selector_all(
            "#contact-form input:not([type=checkbox])", "fields => fields.map(f => f.value)"
        )
        goal = (
            "Fill the contact form with name Ada, email ada@example.org, topic Find a book for me, "
            'message "I am after The Salt Ledger." and submit it'
        )
        sent = await done(server, goal)
        known = (await done(server, "Log in", url="/account.html", credentials=LOGIN))["error"]
        (after,) = (await api.get("state")).json()["pages"]
        told = [(await api.get(path)).text for path in ("state", "timeline")]

    results = [event["result"] for event in ended]
    browsed, searched, account, prices, article, filled = results
    assert [result["page_type"] for result in results] == [
        *("Form", "SearchResults", "Dashboard", "Form", "Article", "Form"),
    ]
    assert browsed["content"].startswith("# Sending books by post\n")
    assert browsed["elements"] > 10
    assert [found["title"] for found in searched["results"]][:1] == ["The Harbour Towns"]
    assert all(found["url"].startswith(server.url) for found in searched["results"])
    assert described(ended[2])[1:] == [
        f"Page loaded: {account['title']} (20 elements)",
        "Login page detected, submitting credentials",
        f"Login successful, redirected to {account['title']}",
    ]
    (table,) = prices["tables"]
    assert table["headers"][:2] == ["Country", "to 500 g"]
    assert table["rows"][0][:2] == ["United Kingdom", "£2.80"]
    assert "A book needs two of us to finish it." in article["content"]
    assert form == ["Ada", "ada@example.org"]
    assert (filled["submitted"], sent["result"]["submitted"]) == (False, True)
    assert "Thank you, Ada" in sent["result"]["messages"]
    assert known.startswith("No login form found - somebody is logged in already")
    assert after["page_id"] == before["page_id"]
    kept = [path.read_bytes() for path in state_folder().rglob("*") if path.is_file()]
    credentials = examples()[2]["params"]["credentials"]
    for text in (json.dumps(ended), server.output, *told):
        assert credentials["password"] not in text
        assert credentials["username"] not in text
    assert not any(credentials["password"].encode() in data for data in kept)


KINDS = {
    "two_factor": "TwoFactorAuth",
    "consent": "OAuthConsent",
    "captcha": "Captcha",
    "blocked": "Blocked",
    "login": "Login",
    "search": "Search",
    "results": "SearchResults",
    "inbox": "Inbox",
    "email": "EmailBody",
    "dashboard": "Dashboard",
    "form": "Form",
    "article": "Article",
    "list": "List",
    "missing": "Error",
    "plain": "Other",
}


@pytest.mark.conformance
async def test_every_kind_of_page_is_reported(tea_tab: Tab) -> None:
    """Also of those that let nobody on."""
    server, _ = tea_tab
    ended = {name: await done(server, f"Browse {name}.html") for name in KINDS}
    found = {name: event["steps"][-1]["page_type"] for name, event in ended.items()}
    errors = {name: event["error"] for name, event in ended.items() if "error" in event}

    assert found == KINDS
    assert set(errors) == {"captcha", "blocked"}
    assert errors["captcha"].startswith("CAPTCHA detected - it has to be solved by a person")
    assert errors["blocked"].startswith("Access blocked by the site")


@pytest.mark.conformance
async def test_logging_in_leads_to_the_page_after_it(tea_tab: Tab) -> None:
    """In one step, in two, after a while, to a second factor, and not with a wrong password."""
    server, page = tea_tab
    one = await done(server, "go", url="/login.html", credentials=LOGIN)
    two = await done(server, "go", url="/two_steps.html", credentials=LOGIN)
    late = await done(server, "go", url="/login.html?late", credentials=LOGIN)
    more = {**LOGIN, "password": "steep-long"}
    factor = await done(server, "go", url="/login.html", credentials=more)
    wrong = {**LOGIN, "password": "steep-short"}
    refused = await done(server, "go", url="/login.html", credentials=wrong)
    entered = await page.evaluate("login.pass.value")

    for event in (one, two, late):
        assert described(event)[-1] == "Login successful, redirected to Dashboard"
        assert event["result"]["url"] == f"{server.url}/dashboard.html"
    assert factor["result"]["page_type"] == "TwoFactorAuth"
    assert refused["error"] == "Login failed: •••, this is the wrong password"
    assert entered == "steep-short"


async def test_a_search_and_a_form_lead_on(tea_tab: Tab) -> None:
    """By the page's own forms; the text of a password field is reported nowhere."""
    server, page = tea_tab
    found = await done(server, "search for green tea on /search.html")
    ordered = await done(
        server,
        "fill the form with tea Sencha, cups 3, secret word milk-first and submit it",
        url="/secret.html",
    )
    word = await page.evaluate("order.word.value")
    async with owner(server) as api:
        timeline = (await api.get("timeline")).text

    assert found["result"]["url"] == f"{server.url}/results.html?q=green+tea"
    assert found["result"]["results"] == [
        {
            "title": "How tea is made",
            "url": f"{server.url}/article.html",
            "text": "From the leaf to the cup.",
        },
        {"title": "All teas", "url": f"{server.url}/list.html", "text": "Green, white and black."},
    ]
    assert ordered["result"]["messages"] == ["3 cups of Sencha are on their way"]
    assert ordered["result"]["filled"] == ["Tea", "Cups", "Secret word"]
    assert word == "milk-first"
    assert "milk-first" not in json.dumps(ordered) + timeline + server.output
    assert "Sencha" in timeline


@pytest.mark.parametrize(
    ("goal", "params", "error"),
    [
        ("log in", {"url": "/plain.html", "credentials": LOGIN}, "No login form found - "),
        ("fill the form on /plain.html with tea Assam", {}, "No form found - "),
        (
            "fill the form on /form.html with colour: red",
            {},
            "Element not found: `colour` is not a field - the form has `Tea`, `Cups`",
        ),
        (
            "fill the form on /form.html with cups 12 and submit",
            {},
            "The form could not be filled in: the form was not submitted: ",
        ),
        (
            "search for tea on /plain.html",
            {},
            "Element not found: the page has no search of its own - ",
        ),
        ("search for tea on /leaves.html", {}, "`Words` would be sent to `http://127.0.0.1:1`"),
    ],
)
async def test_a_task_that_does_not_fit_the_page_fails_with_the_reason(
    tea_tab: Tab, goal: str, params: dict[str, Any], error: str
) -> None:
    """With what there is instead."""
    server, page = tea_tab
    event = await done(server, goal, **params)

    assert event["status"] == "failed"
    assert event["error"].startswith(error)
    assert page.url.startswith(server.url)


@pytest.mark.conformance
async def test_tasks_on_other_origins_work_where_the_server_allows_it(
    serve: Serve, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a browser of its own; not where such a page leads to, nor where nobody listens."""
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}"
    tea = serve(TASKS)
    with listening() as away:
        away.answer = html(f"<title>Away</title><a href='{tea.url}/'>Teapot</a>")
        allowed = (tea.url, dead, away.url, "http://127.0.0.1:1")
        names = [origin for url in allowed for origin in ("--allow-origin", url)]
        server = serve(shop, "--headless", *names)
        read = await done(server, "extract the text", url=f"{tea.url}/article.html")
        logged = await done(server, "go", url=f"{tea.url}/login.html", credentials=LOGIN)
        led = await done(server, "search for tea", url=f"{tea.url}/leaves.html")
        nobody = await done(server, "go", url=dead)
        other = await done(server, "go", url="https://other.example/")
        own = await done(server, "Browse", url="/delivery.html")

    assert read["result"]["content"].startswith("# How tea is made\nTea is picked in spring")
    assert described(logged)[-1] == "Login successful, redirected to Dashboard"
    assert led["error"] == "Network error: the page has led to an address that cannot be reached"
    assert nobody["error"].startswith(f"Network error: `{dead}")
    assert "nothing listens there" in nobody["error"]
    assert other["error"].startswith("`https://other.example` is another origin - this agent works")
    assert own["result"]["title"] == "Delivery · Catchword Books"


async def test_a_client_that_leaves_in_mid_task_finds_it_finished(tea_tab: Tab) -> None:
    """And nobody has to wait for it."""
    server, _ = tea_tab
    task = {"goal": "Browse", "params": {"url": "/article.html"}}
    async with client_of(server) as client:
        async with events_of(client, "POST", "/a2a/tasks", json=task) as events:
            _, event = await anext(events)
        path = f"/a2a/tasks/{event['id']}"
        async with asyncio.timeout(60):
            while (last := (await client.get(path)).json())["status"] == "working":
                pass

    assert last["result"]["title"] == "How tea is made"


@pytest.mark.conformance
async def test_a_tab_that_is_closed_in_mid_task_ends_it(
    browser: Browser, serve: Serve, shop: Path
) -> None:
    """Once it has not come back; without any page the next task says what to do."""
    server = serve(shop)
    task = {"goal": "Browse", "params": {"url": "/delivery.html"}}
    async with client_of(server) as client:
        async with opened(browser, server) as page:
            stream = events_of(client, "POST", "/a2a/tasks", json=task)
            events = await stream.__aenter__()
            await anext(events)
            await anext(events)
            await page.close()
        ended = [data async for _, data in events][-1]
        await stream.__aexit__(None, None, None)
    none = await done(server, "Browse", url="/delivery.html")

    assert "the tab no longer shows a page of this site" in ended["error"]
    assert none["error"].startswith("no page of this site is open - open one in a browser")
