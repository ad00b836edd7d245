"""Choices, forms, plans with their changes, taking over, and the end of a run that has failed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.story import APPROVAL, FAILED, FINISHED, GOAL, PLANNED, SPENT, STARTED, step
from tests.e2e.panel.test_panel_access import PHONE, faults
from tests.e2e.panel.test_panel_traps import read_on


def asking(title: str, required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    """Return a question with the schema of its answer."""
    schema = {
        "type": "object",
        "title": title,
        "properties": properties,
        "required": [*properties] if required is None else required,
    }
    return {"kind": "question", "text": f"{title} (a, b)", "details": {"schema": schema}}


HOURS = asking(
    "When do you come?",
    time={"oneOf": [{"const": "2026-11-24T10:00"}, {"const": "2026-11-24T11:30"}]},
)
BOOKS = asking(
    "Which one?",
    bookId={"oneOf": [
        {"const": "r7", "title": "Dune", "description": "Frank Herbert, £9"},
        {"const": "r8", "title": "Dune \u202eX", "description": "Brian Herbert, £7"},
    ]},
)  # fmt: skip
VISIT = asking(
    "To arrange a visit, I need a few things.",
    day={"type": "string", "format": "date", "title": "Day"},
    hour={"type": "string", "format": "time", "title": "Hour"},
    when={"type": "string", "format": "date-time", "title": "Moment"},
    guests={"type": "integer", "minimum": 1, "maximum": 4, "title": "Guests"},
    tea={"type": "boolean", "title": "Tea"},
    room={"title": "Room", "oneOf": [{"const": n, "title": f"Room {n}"} for n in range(9)]},
    note={"type": "string", "title": "Note", "maxLength": 20},
    required=["day", "hour", "when", "guests", "tea", "room"],
)


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("en-GB", "Tuesday, 24 November 2026 at 11:30"),
        ("de", "Dienstag, 24. November 2026 um 11:30"),
        ("not a language", "11:30"),
    ],
)
async def test_candidates_are_buttons_in_the_language_of_the_page(
    talk: Talk, lang: str, shown: str
) -> None:
    """The exact value is what is answered, and the words are those that the person saw."""
    await talk.page.evaluate("lang => { document.documentElement.lang = lang; }", lang)
    await talk.request(HOURS)
    group = talk.panel.get_by_role("group", name="When do you come?")
    await expect(group.get_by_role("button")).to_have_count(2)
    choice = group.get_by_role("button").last
    await expect(choice).to_contain_text(shown)
    text = await choice.inner_text()
    await expect(talk.panel.locator(".request")).not_to_contain_text("(a, b)")
    await choice.click()
    data = {"time": "2026-11-24T11:30"}
    assert await talk.answers() == [{"yes": True, "data": data, "text": text}]


async def test_a_choice_says_what_tells_it_apart(talk: Talk) -> None:
    """Hidden characters are named, and the value stays what it is."""
    await talk.request(BOOKS)
    await expect(talk.panel.get_by_role("button", name="Frank Herbert, £9")).to_be_visible()
    await expect(talk.panel.locator(".choice .mark")).to_have_text("⟨202E⟩")
    await talk.panel.get_by_role("button", name="Brian Herbert").click()
    assert (await talk.answers())[0]["data"] == {"bookId": "r8"}


async def test_yes_and_no_are_buttons(talk: Talk) -> None:
    """They answer with true and false."""
    for name, value in (("Yes", True), ("No", False)):
        await talk.request(asking("Shall I remove it?", tool={"type": "boolean"}))
        await talk.panel.get_by_role("button", name=name, exact=True).click()
        assert (await talk.answers(2 - value))[-1] == {
            "yes": True, "data": {"tool": value}, "text": name,
        }  # fmt: skip


async def test_a_choice_counts_only_when_the_person_could_see_it(talk: Talk) -> None:
    """A script of the page, and a click in the first half second, do not answer."""
    await talk.request(HOURS)
    choice = talk.panel.locator(".choice").first
    await choice.evaluate("button => button.click()")
    await choice.click(force=True, no_wait_after=True)
    early = await talk.page.evaluate("agent.answers.length")
    await expect(choice).to_be_enabled()
    await choice.evaluate("button => button.click()")
    assert await talk.page.evaluate("agent.answers.length") == early
    if not early:
        await choice.click()
        await talk.answers()


async def test_several_values_are_one_form(talk: Talk) -> None:
    """Each has a field of its kind with a label; Enter sends it once all is there."""
    await talk.request(VISIT)
    assert await talk.focused() == "answer"
    panel = talk.panel
    await panel.get_by_label("Day").fill("2026-11-24")
    await panel.get_by_label("Hour").fill("10:00")
    await panel.get_by_label("Moment").fill("2026-11-24T11:30")
    await panel.get_by_label("Guests").fill("9")
    await panel.get_by_role("group", name="Tea").get_by_label("No").check()
    await panel.get_by_label("Room").select_option("Room 3")
    await panel.get_by_role("button", name="Send").click()
    assert await talk.page.evaluate("agent.answers") == []
    assert await panel.get_by_label("Guests").get_attribute("max") == "4"
    await panel.get_by_label("Guests").fill("2")
    await talk.page.keyboard.press("Enter")
    (answer,) = await talk.answers()
    assert answer["data"] == {
        "day": "2026-11-24",
        "hour": "10:00",
        "when": "2026-11-24T11:30",
        "guests": 2,
        "tea": False,
        "room": 3,
    }
    assert "Tea: No; Room: Room 3" in answer["text"]


@pytest.mark.parametrize("request_", [HOURS, VISIT])
async def test_words_stay_possible(talk: Talk, request_: dict[str, Any]) -> None:
    """With any choices, the person may write something else."""
    await talk.request(request_)
    await talk.panel.get_by_role("button", name="In my own words").click()
    await talk.page.keyboard.type("in the afternoon")
    await talk.page.keyboard.press("Enter")
    assert await talk.answers() == [{"yes": True, "text": "in the afternoon"}]


async def test_the_conversation_has_question_and_answer(talk: Talk) -> None:
    """The question is there without its choices, which the answer makes superfluous."""
    await talk.tell({"type": "asked", "id": "q", "request": HOURS})
    await talk.tell({"type": "answered", "id": "q", "yes": True, "text": "Tuesday at ten"})
    await expect(talk.log).to_contain_text("When do you come?")
    await expect(talk.log).not_to_contain_text("(a, b)")
    await expect(talk.log).to_contain_text("Tuesday at ten")


@pytest.mark.conformance
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
async def test_axe_finds_nothing_in_forms(talk_on: Open, screen: dict[str, Any]) -> None:
    """Choices, fields and failures are as accessible as the rest."""
    talk: Talk = await talk_on(PAGE, reduced_motion="reduce", **screen)
    await talk.open()
    await talk.tell(STARTED)
    for request in (BOOKS, VISIT):
        await talk.request(request)
        await expect(talk.panel.locator(".choices, .fields")).to_be_visible()
        assert await faults(talk.page) == []
        await talk.panel.get_by_role("button", name="No answer").click()
    await talk.tell(FAILED, FINISHED | {"ok": False, "text": "", "error": FAILED["error"]})
    assert await faults(talk.page) == []
    assert await talk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_plan_shows_the_changes_that_it_allows(talk: Talk) -> None:
    """Each with its arguments, as an approval; a yes says that they were seen."""
    given = [{"id": f"b-07{n}", "note": "word " * 150} for n in range(2)]
    approvals = [
        {"text": f"Add {each['id']}?", "details": APPROVAL["details"] | {"arguments": each}}
        for each in given
    ]
    plan = PLANNED["plan"]
    await talk.tell(STARTED, PLANNED)
    details = {"steps": plan["steps"], "approvals": approvals}
    await talk.request({"kind": "plan", "text": plan["text"], "details": details})
    card = talk.panel.locator(".request")
    for text in ("Add b-070?", "Add b-071?", "from the result of “Search the shelves”"):
        await expect(card).to_contain_text(text)
    go_ahead = talk.panel.get_by_role("button", name="Go ahead")
    await expect(card.get_by_role("button", name="Read on")).to_be_visible()
    await go_ahead.click(force=True)
    assert await talk.page.evaluate("agent.answers") == []
    await read_on(talk)
    await go_ahead.click()
    assert await talk.answers() == [{"yes": True, "approvals": True}]


async def test_the_manifests_sentence_needs_no_tag(talk: Talk) -> None:
    """It names the change; an irreversible one is named as such all the same."""
    own = APPROVAL["details"] | {"confirm": True, "reason": "this changes something"}
    await talk.request(APPROVAL | {"details": own})
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("addToBasket")
    await expect(card).not_to_contain_text("changes something")
    await talk.panel.get_by_role("button", name="Allow once").click()
    severe = own | {"effect": "irreversible", "reason": "this cannot be undone"}
    await talk.request(APPROVAL | {"details": severe})
    await expect(card).to_contain_text("cannot be undone")


async def test_the_person_takes_over_and_lets_it_go_on(talk: Talk) -> None:
    """The button changes with the run, also on the next page."""
    await talk.start(GOAL)
    await expect(talk.panel.get_by_role("button", name="I’ll take over")).to_be_hidden()
    await talk.tell(STARTED, step("s", "started", tool="searchBooks"))
    await talk.panel.get_by_role("button", name="I’ll take over").click()
    await talk.tell({"type": "paused"})
    await expect(talk.panel.locator(".doing")).to_contain_text("your turn")
    await talk.page.evaluate(
        "sessionStorage.setItem('webagent.run', '{}')"  # A page with a run waits for its events.
    )
    await talk.load()
    await talk.tell(STARTED | {"resumed": True}, {"type": "paused"})
    await expect(talk.log.get_by_text("You took over.")).to_have_count(1)
    await talk.panel.get_by_role("button", name="Go on").click()
    await talk.tell({"type": "continued"})
    await expect(talk.panel.get_by_role("button", name="I’ll take over")).to_be_visible()
    await expect(talk.log.get_by_text("I went on.")).to_have_count(1)
    assert await talk.page.evaluate("agent.pauses") == ["unpause"]


async def test_the_person_takes_over_at_a_request(talk: Talk) -> None:
    """It is neither a yes nor a no."""
    for number, request in enumerate((APPROVAL, HOURS), 1):
        await talk.request(request)
        await talk.panel.locator(".request").get_by_role("button", name="I’ll take over").click()
        assert (await talk.answers(number))[-1] == {"yes": False, "pause": True}


async def test_the_panel_makes_room_on_a_phone(talk_on: Open) -> None:
    """It covers the page there, so it shrinks to its sign, which says whose turn it is."""
    talk: Talk = await talk_on(PAGE, **PHONE)
    await talk.open()
    await talk.tell(STARTED, {"type": "paused"})
    await expect(talk.panel).to_be_hidden()
    await expect(talk.pill).to_contain_text("your turn")
    await talk.pill.click()
    await expect(talk.panel.get_by_role("button", name="Go on")).to_be_visible()


KINDS = [
    ("not_logged_in", "You need to log in first."),
    ("rate_limited", "Please wait a minute"),
    ("timeout", "It took too long."),
    ("cancelled", "not getting any further"),
    ("page_gone", "The page was left"),
    ("origin_mismatch", "another site"),
    ("missing_function", "cannot do that any more"),
    ("threw", "The site reported a problem."),
    ("denied", "not possible at the moment"),
    ("internal", "Something went wrong on my side."),
    ("a_new_one", "Something went wrong on my side."),
]


async def test_a_failure_is_said_in_words_for_people(talk: Talk) -> None:
    """The words for developers are folded, and said once."""
    message = "`bookId` is not of the type `string`"
    for number, (kind, shown) in enumerate(KINDS):
        error = {"kind": kind, "message": message, "help": "call `searchBooks` first"}
        failed = step("s", "failed", tool="addToBasket", error=error)
        finished = {"type": "finished", "ok": False, "text": message, "error": error}
        run = {"run_id": f"r{number}"}
        await talk.tell(*(event | run for event in (STARTED, failed, finished)))
        outcome = talk.log.locator(".outcome.bad").nth(number)
        await expect(outcome).to_contain_text(shown)
        for text in ("bookId", "searchBooks"):
            for each in await outcome.get_by_text(text).all():
                await expect(each).to_be_hidden()
        await outcome.get_by_text("What went wrong").click()
        await expect(outcome.get_by_text("call searchBooks first")).to_be_visible()


async def test_a_model_that_fails(talk: Talk) -> None:
    """The visitor reads that it goes on; after a change, the goal can be tried without the model."""
    switched = {"type": "switched", "model": None, "reason": "no credit", "text": "Without it."}
    error = {"kind": "denied", "message": "no credit"}
    changed = {"type": "finished", "ok": False, "text": "So far.", "error": error}
    await talk.tell(STARTED, switched, SPENT)
    await expect(talk.log).to_contain_text("Without it.")
    await expect(talk.panel.locator(".meter")).to_contain_text("tokens")
    await expect(talk.page.locator("webagent-panel p.unseen")).to_have_text("Without it.")
    await expect(talk.log).not_to_contain_text("no credit")
    await talk.tell(changed | {"without_model": True})
    await expect(talk.panel.get_by_role("button", name="Try again")).to_have_count(0)
    await talk.panel.get_by_role("button", name="Try without a language model").click()
    assert await talk.page.evaluate("agent.goals") == [GOAL]
    assert await talk.page.evaluate("agent.options") == [{"model": None}]


async def test_the_ways_on_after_a_failure(talk: Talk) -> None:
    """Try again, ask otherwise, or do it on the page; only of the last run."""
    bad = {
        "type": "finished",
        "ok": False,
        "text": "",
        "error": {"kind": "timeout", "message": "t"},
    }
    await talk.tell(STARTED, bad)
    await talk.panel.get_by_role("button", name="Ask in other words").click()
    await expect(talk.goal).to_have_value(GOAL)
    await expect(talk.goal).to_be_focused()
    await talk.panel.get_by_role("button", name="Try again").click()
    assert await talk.page.evaluate("agent.goals") == [GOAL]
    await talk.tell(STARTED | {"run_id": "r2"}, bad | {"run_id": "r2"})
    await expect(talk.panel.get_by_role("button", name="Try again")).to_have_count(1)
    await talk.panel.get_by_role("button", name="I’ll do it myself").click()
    await expect(talk.panel).to_be_hidden()
    await expect(talk.pill).to_be_visible()


async def test_a_goal_with_a_secret_is_not_sent_again(talk: Talk) -> None:
    """Its secret is gone, so the person writes it anew."""
    goal = "log me in with •••"
    bad = {
        "type": "finished",
        "ok": False,
        "text": "",
        "error": {"kind": "timeout", "message": "t"},
    }
    await talk.tell(STARTED | {"goal": goal}, bad)
    await expect(talk.panel.get_by_role("button", name="Ask in other words")).to_be_visible()
    await expect(talk.panel.get_by_role("button", name="Try again")).to_have_count(0)


async def test_a_goal_that_no_tool_fits_is_not_tried_again(talk: Talk) -> None:
    """Without a model the same words lead to the same end; a model may find a way."""
    error = {"kind": "not_reached", "message": "I cannot do that on this page."}
    bad = {"type": "finished", "ok": False, "text": error["message"], "error": error}
    ways = talk.log.locator(".outcome.bad .row button")
    await talk.tell(STARTED | {"model": None}, bad)
    await expect(ways).to_have_text(["I’ll do it myself", "Ask in other words"])
    await talk.tell(STARTED | {"run_id": "r2"}, bad | {"run_id": "r2"})
    await expect(ways).to_have_text(["Try again", "I’ll do it myself", "Ask in other words"])
