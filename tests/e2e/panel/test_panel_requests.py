"""Requests of the panel to the person, and the answers."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import expect

from tests.e2e.panel.conftest import Open, Talk
from tests.e2e.panel.story import (
    APPROVAL,
    FINISHED,
    PLAN,
    PLANNED,
    QUESTION,
    STARTED,
    step,
)


async def test_an_action_is_allowed_once(talk: Talk) -> None:
    """The request shows the tool, its arguments and where each came from."""
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("Add “The Hobbit” to your basket?")
    for text in (
        "addToBasket",
        "changes something",
        "Book",
        "The Hobbit",
        "b-071",
        "from the result of “Search the shelves”",
    ):
        await expect(card).to_contain_text(text)
    await card.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]
    await expect(card).to_have_count(0)


async def test_an_action_is_allowed_for_the_session_where_that_may_be(talk: Talk) -> None:
    """An irreversible call is allowed once only, and the request says so."""
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow for this session").click()
    await talk.panel.get_by_role("button", name="use addToBasket").click()
    assert await talk.answers() == [{"yes": True, "grant": "addToBasket"}]

    severe = APPROVAL["details"] | {
        "effect": "irreversible",
        "session": False,
        "grants": [],
        "to": "https://b.example",
    }
    await talk.request(APPROVAL | {"details": severe})
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("cannot be undone")
    await expect(card).to_contain_text("https://b.example")
    await expect(card.get_by_role("button", name="Allow for this session")).to_have_count(0)


async def test_a_no_has_a_reason_if_the_person_wants(talk: Talk) -> None:
    """It is what the agent reads."""
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="No", exact=True).click()
    await talk.panel.get_by_label("Why not?").fill("the paperback, please")
    await talk.page.keyboard.press("Enter")
    assert await talk.answers() == [{"yes": False, "text": "the paperback, please"}]


async def test_a_plan_is_accepted_or_goes_back(talk: Talk) -> None:
    """The plan is in the conversation; below it, yes or what should be different."""
    request = {"kind": "plan", "text": PLAN["text"], "details": {"steps": PLAN["steps"]}}
    await talk.tell(STARTED, PLANNED)
    await talk.request(request)
    await talk.panel.get_by_role("button", name="Go ahead").click()
    await talk.request(request)
    await talk.panel.get_by_role("button", name="Not like this").click()
    await talk.panel.get_by_label("What should be different?").fill("only look")
    await talk.page.keyboard.press("Enter")
    assert await talk.answers(2) == [{"yes": True}, {"yes": False, "text": "only look"}]


async def test_a_question_is_answered_or_not(talk: Talk) -> None:
    """The focus is in its field; there may be no answer."""
    await talk.request(QUESTION)
    await talk.page.keyboard.type("the paperback")
    await talk.page.keyboard.press("Enter")
    await talk.request(QUESTION)
    await talk.panel.get_by_role("button", name="No answer").click()
    assert await talk.answers(2) == [{"yes": True, "text": "the paperback"}, {"yes": False}]


async def test_a_secret_is_neither_shown_nor_kept(talk: Talk) -> None:
    """A password goes to the agent, and is shown nowhere."""
    secret = QUESTION | {"text": "Your password?", "details": {"secret": True}}
    await talk.tell(STARTED, {"type": "asked", "id": "q", "request": secret})
    await talk.request(secret)
    field = talk.panel.get_by_label("Your answer")
    await expect(field).to_have_attribute("type", "password")
    await field.fill("hunter2")
    await field.press("Enter")
    assert await talk.answers() == [{"yes": True, "text": "hunter2"}]
    await talk.tell({"type": "answered", "id": "q", "yes": True, "text": "hunter2"})
    await expect(talk.log).to_contain_text("••••••")
    assert "hunter2" not in await talk.log.inner_text()
    await talk.load()
    assert "hunter2" not in await talk.page.evaluate("JSON.stringify({...sessionStorage})")


async def test_a_file_is_given(talk: Talk, tmp_path: Path) -> None:
    """The agent gets what the person chose, or hears that there is none."""
    file = tmp_path / "list.txt"
    file.write_text("Dune", encoding="utf-8")
    request = {"kind": "file", "text": "I need your list.", "details": {"filename": "list.txt"}}
    await talk.request(request)
    await talk.panel.get_by_label("Choose a file").set_input_files(file)
    await talk.request(request)
    await talk.panel.get_by_role("button", name="No file").click()
    assert await talk.answers(2) == [
        {"yes": True, "files": [["list.txt", "text/plain", "Dune"]]},
        {"yes": False},
    ]


async def test_requests_wait_for_each_other(talk: Talk) -> None:
    """Two at once are asked one after the other."""
    await talk.request(APPROVAL)
    await talk.request(QUESTION)
    await expect(talk.panel.locator(".request")).to_have_count(1)
    await talk.panel.get_by_role("button", name="Allow once").click()
    await talk.panel.get_by_role("button", name="No answer").click()
    assert await talk.answers(2) == [{"yes": True}, {"yes": False}]


async def test_answers_are_in_the_conversation(talk: Talk) -> None:
    """The person can read later what was allowed."""
    for number, (request, yes, text) in enumerate(
        [(APPROVAL, True, ""), (APPROVAL, False, "too dear"), (QUESTION, True, "the paperback")]
    ):
        await talk.tell({"type": "asked", "id": str(number), "request": request})
        await talk.tell({"type": "answered", "id": str(number), "yes": yes, "text": text})
    for line in (
        "Allowed: Add to basket",
        "Not allowed: Add to basket – too dear",
        "the paperback",
    ):
        await expect(talk.log).to_contain_text(line)


async def test_requests_end_with_their_run(talk: Talk) -> None:
    """The end of a run withdraws its requests."""
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.tell(FINISHED)
    await expect(talk.panel.locator(".request")).to_have_count(0)


async def test_a_request_opens_a_closed_panel(talk_on: Open) -> None:
    """A run that a script started asks too."""
    talk = await talk_on()
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]


async def test_a_double_click_answers_once(talk: Talk) -> None:
    """The second click was not meant for the request that came meanwhile."""
    await talk.request(APPROVAL)
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow once").dblclick()
    await expect(talk.panel.locator(".request")).to_have_count(1)
    assert len(await talk.answers()) == 1


async def test_an_allowed_step_comes_after_its_yes(talk: Talk) -> None:
    """The step began first, and its outcome is read last."""
    yes = {"type": "answered", "id": "1", "yes": True, "text": ""}
    await talk.tell(
        STARTED,
        step("s0", tool="searchBooks", title="Search"),
        step("s1", "started", tool="addToBasket", title="Add to basket"),
        {"type": "asked", "id": "1", "request": APPROVAL},
        yes,
        step("s1", tool="addToBasket", title="Add to basket", sentence="The Hobbit is in."),
    )
    titles = talk.log.locator(".steps .title, .steps > .note")
    await expect(titles).to_have_text(["Search", "Allowed: Add to basket", "The Hobbit is in."])
    await talk.load()
    await expect(titles).to_have_text(["Search", "Allowed: Add to basket", "The Hobbit is in."])


async def test_a_form_that_the_visitor_sends_says_so(talk: Talk) -> None:
    """Nothing turns meanwhile, and there is nothing to take over."""
    form = step("s1", "started", tool="contactForm", title="Write to the shop", attended=True)
    said = "Please check the form on the page, and send it yourself."
    await talk.tell(STARTED, form)
    bar = talk.panel.locator(".bar")
    await expect(bar).to_contain_text("It is your turn")
    await expect(talk.log.locator(".note")).to_have_text(said)
    await expect(talk.panel.get_by_role("progressbar")).to_be_hidden()
    await expect(talk.log.locator(".step .picture.ask")).to_be_visible()
    await expect(bar.get_by_role("button", name="I’ll take over")).to_be_hidden()
    await talk.tell(step("s1", tool="contactForm", title="Write to the shop"))
    await expect(talk.log.locator(".step .picture.done")).to_be_visible()
    await talk.tell(step("s2", "started", tool="searchBooks", title="Search"))
    await expect(bar).to_contain_text("Search")
    await expect(talk.panel.get_by_role("progressbar")).to_be_visible()
    await expect(bar.get_by_role("button", name="I’ll take over")).to_be_visible()


async def test_a_form_is_sent_after_it_may_be_filled_in(talk: Talk) -> None:
    """Whoever is asked whether it may be filled in is told to send it afterwards."""
    said = "Please check the form on the page, and send it yourself."
    await talk.tell(
        STARTED,
        step("s1", "started", tool="placeOrder", title="Order", attended=True),
        {"type": "asked", "id": "1", "request": APPROVAL},
    )
    await expect(talk.log).not_to_contain_text(said)
    await talk.tell({"type": "answered", "id": "1", "yes": True, "text": ""})
    await expect(talk.log.locator("p.note")).to_have_text(["Allowed: Add to basket", said])


async def test_a_no_is_not_a_failure(talk: Talk) -> None:
    """A call that was not allowed is shown once, quietly, without words meant for a model."""
    error = {"kind": "denied", "message": "the person did not allow it", "help": "do not try again"}
    await talk.tell(
        STARTED,
        step("s1", "started"),
        {"type": "asked", "id": "1", "request": APPROVAL},
        {"type": "answered", "id": "1", "yes": False, "text": "too dear"},
        step("s1", "failed", error=error),
        {"type": "finished", "ok": False, "text": "", "error": error},
    )
    await expect(talk.log.locator(".outcome.ended")).to_have_text("Not done, as you wished.")
    await expect(talk.log.locator(".step.cancelled")).to_have_count(1)
    await expect(talk.log).not_to_contain_text("the person")
    await expect(talk.log).not_to_contain_text("do not try again")


async def test_a_failure_after_a_no_is_one(talk: Talk) -> None:
    """A failure after another step is shown."""
    error = {"kind": "threw", "message": "the shop is closed"}
    await talk.tell(
        STARTED,
        {"type": "asked", "id": "1", "request": APPROVAL},
        {"type": "answered", "id": "1", "yes": False, "text": ""},
        step("s2", "started"),
        step("s2", "failed", error=error),
        {"type": "finished", "ok": False, "text": "I could not order", "error": error},
    )
    await expect(talk.log.locator(".outcome.bad")).to_contain_text("the shop is closed")
    await expect(talk.log.locator(".step.failed")).to_have_count(1)
