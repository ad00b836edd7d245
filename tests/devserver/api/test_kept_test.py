"""A finished run as a pytest test and as a case of an evaluation."""

from __future__ import annotations

import ast
import json
import random
import re
from typing import Any

import httpx
import pytest

from tests.devserver.api.owner_client import refused
from tests.tsc import compile_errors
from webagent.agent import Done, Run, RunResult
from webagent.llm.chat import ToolCall
from webagent.replay.recording import NotRepeatable
from webagent_dev.api.kept_test import kept_test, result_of
from webagent_dev.api.kept_test_writer import PlaywrightWriter
from webagent_dev.evals.case_file import read_cases

EVIL = "a\n\"\"\" + __import__('os').system('x') # \\ \x00 \u202e {} '"
ELEMENTS = {"7": ["button", "Show more"], "8": ["textbox", "E-mail"]}


def done(action: str, value: Any = None, /, **arguments: Any) -> Done:
    return Done(ToolCall("1", action, arguments), "", value)


def called(name: str, value: Any = None, /, **arguments: Any) -> Done:
    return done("call_tool", value, name=name, arguments=arguments)


def result(goal: str, *entries: Done, ok: bool = True) -> RunResult:
    run = Run(goal, "http://shop.test", entries=[*entries])
    run.notes["replay"] = {"decisions": {"0": {"elements": ELEMENTS}}}
    return RunResult(ok, "done", run)


def written(goal: str, *entries: Done, path: str = "") -> str:
    """Return the statements of the test of a run."""
    test = kept_test(result(goal, *entries), lambda data: data, path).test
    ast.parse(test)
    return test


def test_values_are_variables_and_references() -> None:
    """A parameter is a variable at the top, and a part of a result is taken from there."""
    test = written(
        "add The Hobbit twice",
        called("find", {"books": [{"id": "the-hobbit"}]}, title="The Hobbit"),
        called("add", "ok", **{"bookId": "the-hobbit", "gift-wrap": True, "class": None}),
        path="/books.html",
    )

    assert test == (
        '"""add The Hobbit twice\n\nWritten from a run of the agent.\n"""\n\n'
        "import pytest\n"
        "from webagent_dev.testing.asserting import assert_matches\n\n\n"
        '@pytest.mark.webagent(path="/books.html")\n'
        "def test_add_the_hobbit_twice(tools):\n"
        '    title = "The Hobbit"\n'
        '    step_1 = tools["find"](title=title)\n'
        '    assert_matches(step_1, "{ books: { id: string }[] }")\n'
        '    step_2 = tools["add"](bookId=step_1["books"][0]["id"], **{"gift-wrap": True, "class": None})\n'
        '    assert_matches(step_2, "string")\n'
    )


def test_controls_are_used_with_playwright() -> None:
    """By role and name, by label or by name, and a form is sent as the page would."""
    fields = [{"pp_id": 8, "text": "ada@mail.example"}, {"label": "Terms", "check": True},
              {"name": "size", "select": ["M"]}]  # fmt: skip
    test = written(
        "do it",
        done("goto_url", url="http://shop.test/contact.html"),
        done("click", {"navigated": True, "url": "http://shop.test/more?a=1"}, pp_id=7),
        done("click_link", text="Back"),
        done("scroll", direction="down"),
        done("enter_data", form_data=fields, submit=True),
    )

    statements = [line.strip() for line in test.partition("def ")[2].splitlines()[1:]]
    assert statements == [
        'agent_page.goto(urljoin(agent_page.url, "/contact.html"))',
        'agent_page.get_by_role("button", name="Show more", exact=True).click()',
        'agent_page.wait_for_url(lambda url: urlsplit(url).path == "/more")',
        'agent_page.get_by_role("link", name="Back", exact=True).click()',
        'agent_page.get_by_role("textbox", name="E-mail", exact=True).fill("ada@mail.example")',
        'agent_page.get_by_label("Terms", exact=True).set_checked(True)',
        'agent_page.locator("[name=\\"size\\"]").select_option(["M"])',
        'agent_page.locator("[name=\\"size\\"]").evaluate("field => field.form.requestSubmit()")',
    ]


def test_a_test_for_playwright_has_the_same_steps() -> None:
    """With the fixtures of `webagent-playwright`."""
    fields = [{"pp_id": 8, "text": "ada@mail.example"}, {"label": "Terms", "check": True},
              {"name": "size", "select": ["M"]}]  # fmt: skip
    kept = kept_test(
        result(
            "add The Hobbit twice",
            called("find", {"books": [{"id": "the-hobbit"}]}, title="The Hobbit"),
            called("add", "ok", **{"bookId": "the-hobbit", "gift-wrap": True, "class": None}),
            done("goto_url", url="http://shop.test/contact.html"),
            done("click", {"navigated": True, "url": "http://shop.test/more?a=1"}, pp_id=7),
            done("enter_data", form_data=fields, submit=True),
            done("execute_js", {"value": 2}, code="1 + 1"),
        ),
        lambda data: data,
        "/books.html",
        PlaywrightWriter,
    )

    assert kept.test == (
        "/** add The Hobbit twice - written from a run of the agent. */\n"
        'import { expect, test } from "webagent-playwright";\n\n'
        'test("add The Hobbit twice", async ({ page, tools }) => {\n'
        '  await page.goto("/books.html");\n'
        '  const title = "The Hobbit";\n'
        '  const step_1 = await tools.invoke("find", {"title": title});\n'
        '  await expect(step_1).toMatchType("{ books: { id: string }[] }");\n'
        '  const step_2 = await tools.invoke("add", '
        '{"bookId": step_1["books"][0]["id"], "gift-wrap": true, "class": null});\n'
        '  await expect(step_2).toMatchType("string");\n'
        '  await page.goto(new URL("/contact.html", page.url()).href);\n'
        '  await page.getByRole("button", { name: "Show more", exact: true }).click();\n'
        '  await page.waitForURL(({ pathname }) => pathname === "/more");\n'
        '  await page.getByRole("textbox", { name: "E-mail", exact: true }).fill("ada@mail.example");\n'
        '  await page.getByLabel("Terms", { exact: true }).setChecked(true);\n'
        '  await page.locator("[name=\\"size\\"]").selectOption(["M"]);\n'
        '  await page.locator("[name=\\"size\\"]")'
        ".evaluate((field: HTMLInputElement) => field.form?.requestSubmit());\n"
        '  const step_6 = await tools.run("1 + 1");\n'
        '  await expect(step_6).toMatchType("number");\n'
        "});\n"
    )


@pytest.mark.process
def test_text_of_strangers_stays_text_in_typescript() -> None:
    """A goal, a tool, an argument, a result and a path are literals, and no comment ends early."""
    evil = "a\n*/ globalThis.hit(); /* \"`'\\ \u2028 \u202e ${globalThis.hit()}"
    programs = {}
    for place in range(6):
        text = ["x"] * 6
        text[place] = evil
        goal, name, key, value, field, path = text
        entries = [called(name, {field: value}, **{key: value}), done("click_link", text=value)]
        kept = kept_test(result(goal, *entries), lambda data: data, path, PlaywrightWriter)
        programs[str(place)] = kept.test
        # What is left without literals and the comment at the top names nothing of it.
        code = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', kept.test.partition("*/")[2])
        assert "hit" not in code
        assert kept.test.isascii() or kept.test.replace("\n", "").isprintable()

    # Without the packages that they import all errors are of types, none of syntax.
    errors = [error for found in compile_errors(programs).values() for error in found]
    assert not [error for error in errors if " TS1" in error]


def test_a_program_of_code_mode_is_run() -> None:
    """Its calls are those that a case expects."""
    calls = [{"name": "add", "arguments": {"bookId": "a"}, "ok": True}]
    kept = kept_test(
        result("do it", done("execute_js", {"value": {"id": "abc"}, "calls": calls}, code="1 + 1"),
               called("show", 1, id="abc")),
        lambda data: data,
    )  # fmt: skip

    assert 'step_1 = tools.run("1 + 1")' in kept.test
    assert 'id=step_1["id"]' in kept.test
    (case,) = read_cases(kept.case.encode(), "case.json")
    assert (case.goal, case.tools) == ("do it", {"add", "show"})


@pytest.mark.parametrize("place", range(6))
def test_text_of_strangers_stays_text(place: int) -> None:
    """A goal, a tool, an argument, a result and a path are written as literals."""
    text = ["x"] * 6
    text[place] = EVIL
    goal, name, key, value, field, path = text
    entries = [called(name, {field: value}, **{key: value}), done("click_link", text=value)]
    kept = kept_test(result(goal, *entries), lambda data: data, path)

    tree = ast.parse(kept.test)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    assert names <= {"assert_matches"}
    kept.test.encode(), kept.case.encode()
    assert kept.name.isascii()
    assert kept.name.replace("_", "").isalnum()
    read_cases(kept.case.encode(), "case.json")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (result("do it", called("a"), ok=False), "did not reach its goal"),
        (result("do it"), "has called nothing"),
        (result("do it", done("search", query="x")), "has used `search`"),
        (result("do it", done("click", pp_id=99)), "without a name of its own"),
        (
            result("do it", Done(ToolCall("1", "call_tool", {"name": "a"}), "", error={"kind": "denied"}), called("b")),
            "a call of the run failed",
        ),
        (result("do it", done("enter_data", form_data=[{"label": "a", "index": 1}], submit=False)), "in a way"),
    ],
)  # fmt: skip
def test_a_run_that_no_test_can_repeat_is_refused(given: RunResult, told: str) -> None:
    """With the reason."""
    with pytest.raises(NotRepeatable, match=told):
        kept_test(given, lambda data: data)


def test_a_run_with_a_secret_is_refused() -> None:
    """It is not kept, so that the test could not pass."""
    given = result("log in", called("login", password="•••"))
    for secrets in ({}, {"•••": "password"}):
        # The events of a run have placeholders too, but not their kinds.
        given.run.secrets = secrets
        with pytest.raises(NotRepeatable, match="has used a secret"):
            kept_test(given, lambda data: data)


EVENTS: list[Any] = [
    {"type": "started", "goal": "find harbour", "resumed": False, "model": None},
    {"type": "step", "id": "1", "action": "call_tool", "tool": "find", "arguments": {"q": "harbour"}, "state": "started"},
    {"type": "step", "id": "1", "action": "call_tool", "tool": "find", "arguments": {"q": "harbour"}, "state": "finished", "value": [1]},
    {"type": "step", "id": "2", "action": "click", "arguments": {"pp_id": 3}, "element": {"role": "button", "name": "More"}, "state": "finished", "value": None},
    {"type": "step", "id": "2.1", "parent": "2", "action": "call_tool", "tool": "x", "arguments": {}, "state": "finished"},
    {"type": "finished", "ok": True, "text": "Found.", "data": [1]},
]  # fmt: skip


def test_a_run_is_read_from_its_events() -> None:
    """As a page of a browser has it; each action once, and no call of a program."""
    kept = kept_test(result_of(EVENTS), lambda data: data)

    assert 'step_1 = tools["find"](q=q)' in kept.test
    assert 'get_by_role("button", name="More", exact=True).click()' in kept.test
    assert json.loads(kept.case)[0]["expectedCall"] == [
        {"functionName": "find", "arguments": {"q": "harbour"}, "mockOutput": [1]}
    ]


def test_the_element_of_an_action_that_left_the_page_is_known() -> None:
    """The next page reports the end of the action, without the element."""
    click = {"type": "step", "id": "1", "action": "click_link", "arguments": {"pp_id": 3}}
    link = {"role": "link", "name": "Basket"}
    arrived = {"navigated": True, "url": "http://shop.test/basket.html"}
    events = [
        EVENTS[0],
        {**click, "state": "started", "element": link},
        {**EVENTS[0], "resumed": True},
        {**click, "state": "finished", "value": arrived},
        EVENTS[-1],
    ]
    test = kept_test(result_of(events), lambda data: data).test

    assert 'get_by_role("link", name="Basket", exact=True).click()' in test
    assert 'urlsplit(url).path == "/basket.html"' in test


async def test_the_interface_writes_a_test(client: httpx.AsyncClient) -> None:
    """Of the events that the inspector has; a run that no test can repeat is refused in words."""
    answer = await client.post("tests", json={"events": EVENTS, "path": "/books.html"})
    assert answer.json()["name"] == "find_harbour"
    assert '@pytest.mark.webagent(path="/books.html")' in answer.json()["test"]
    read_cases(answer.json()["case"].encode(), "case.json")

    told = refused(await client.post("tests", json={"events": EVENTS[1:]}), 409, "denied")
    assert "these are not the events of a finished run" in told
    refused(await client.post("tests", json={"events": {}}), 400, "invalid_arguments")


def test_odd_events_are_refused_or_read() -> None:
    """A page may send anything: a thousand runs in which one value is another."""
    rng = random.Random(11)
    odd = [
        None,
        True,
        -1,
        0.5,
        "",
        EVIL,
        [],
        {},
        [[]],
        {"$result": 0},
        {"$type": "date", "value": "x"},
    ]
    refused = 0
    for _ in range(1000):
        data: Any = json.loads(json.dumps(EVENTS))
        inner, key = data, rng.randrange(len(data))
        while isinstance(inner[key], dict | list) and inner[key] and rng.random() < 0.9:
            inner = inner[key]
            key = rng.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
        inner[key] = rng.choice(odd)
        try:
            ast.parse(kept_test(result_of(data), lambda data: data).test)
        except NotRepeatable:
            refused += 1
    assert 50 < refused < 900
    for data in (None, {}, 3, [], [3], [{"type": "started"}]):
        with pytest.raises(NotRepeatable):
            result_of(data)
