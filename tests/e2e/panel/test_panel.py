"""What a person sees of a run, and what they can do."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.async_api import expect

from tests.e2e.panel.conftest import Open, Talk
from tests.e2e.panel.story import (
    ADDED,
    APPROVAL,
    BOOKS,
    FAILED,
    FINISHED,
    GOAL,
    PLAN,
    QUESTION,
    SEARCH,
    SENT,
    SPENT,
    STARTED,
    step,
)


def content(path: Path) -> str:
    return path.read_text("utf-8")


PLANNED = {"type": "planned", "plan": PLAN, "revised": False}


async def test_a_goal_starts_a_run(talk: Talk) -> None:
    """Enter sends it, Shift with Enter begins a line; nothing is no goal."""
    await talk.goal.press("Enter")
    await talk.goal.fill("one")
    await talk.goal.press("Shift+Enter")
    await talk.goal.press_sequentially("two")
    assert await talk.page.evaluate("agent.goals") == []
    await talk.goal.press("Enter")
    assert await talk.page.evaluate("agent.goals") == ["one\ntwo"]
    await expect(talk.panel.get_by_role("button", name="Stop", exact=True)).to_be_visible()


async def test_a_run_is_shown_as_it_goes(talk: Talk) -> None:
    """Goal, plan, steps, words and outcome, in their order."""
    await talk.start(GOAL)
    await talk.tell(STARTED, PLANNED)
    await expect(talk.log).to_contain_text(GOAL)
    await expect(talk.log).to_contain_text("Add the cheapest one to the basket")

    await talk.tell(SEARCH | {"state": "started", "value": None, "duration_ms": None})
    item = talk.log.locator(".step").first
    await expect(item).to_have_class("step started")
    await talk.tell(SEARCH, FAILED, ADDED)
    await expect(item).to_have_class("step finished")
    await expect(talk.log.locator(".step")).to_have_count(3)
    await expect(talk.log.locator(".step.failed")).to_contain_text("no book has the id b-07")

    await talk.tell(
        {"type": "text", "text": "It is ", "final": False},
        {"type": "text", "text": "there.", "final": False},
    )
    await expect(talk.log.locator(".words")).to_have_text("It is there.")
    await talk.tell({"type": "text", "text": "It is there!", "final": True}, FINISHED)
    await expect(talk.log.locator(".words")).to_have_text("It is there!")
    await expect(talk.log.locator(".outcome")).to_contain_text("is in your basket")
    await expect(talk.goal).to_be_visible()


async def test_a_step_unfolds_to_what_it_was_given_and_gave(talk: Talk) -> None:
    """Arguments and results are shown, long ones cut until all is asked for."""
    long = {"text": "x" * 5000}
    await talk.tell(STARTED, SEARCH, step("long", tool="getText", value=long))
    search, text = talk.log.locator(".step").nth(0), talk.log.locator(".step").nth(1)
    await expect(search.get_by_text("Unfinished Tales")).to_be_hidden()
    await search.locator("summary").click()
    await expect(search.get_by_text("Unfinished Tales")).to_be_visible()
    await expect(search.locator("dl")).to_contain_text("Tolkien")

    await text.locator("summary").click()
    assert len(await text.locator("pre").inner_text()) < 1000
    await text.get_by_role("button", name="Show all").click()
    assert len(await text.locator("pre").inner_text()) > 5000


async def test_the_calls_of_a_program_stand_below_it(talk: Talk) -> None:
    """A call knows its program; the program is an argument that can be read."""
    program = step("p", "started", action="execute_js", arguments={"code": "await global.a()"})
    await talk.tell(STARTED, program, step("c", tool="a", parent="p", value=1))
    outer = talk.log.locator(".steps:not(.inner) > .step")
    await expect(outer).to_have_count(1)
    await expect(outer.locator(".inner .step")).to_contain_text("Use a")
    await outer.locator("summary").first.click()
    await expect(outer.get_by_text("await global.a()")).to_be_visible()


async def test_steps_that_only_talk_have_no_line(talk: Talk) -> None:
    """What they say stands in the conversation itself."""
    await talk.tell(STARTED, step("f", action="finish", arguments={"text": "x"}), FINISHED)
    await expect(talk.log.locator(".step")).to_have_count(0)
    await expect(talk.log.locator(".outcome")).to_have_count(1)


async def test_the_last_words_stand_once(talk: Talk) -> None:
    """An outcome that was said already is not said again."""
    await talk.tell(STARTED, {"type": "text", "text": FINISHED["text"], "final": True}, FINISHED)
    assert (await talk.log.inner_text()).count("cheapest of three") == 1


async def test_an_action_is_allowed_once(talk: Talk) -> None:
    """The request shows the tool, its arguments and where each came from."""
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("Add “The Hobbit” to your basket?")
    for text in ("addToBasket", "changes something", "b-071", "from the result of searchBooks"):
        await expect(card).to_contain_text(text)
    await card.get_by_role("button", name="Allow once").click()
    assert await talk.answers() == [{"yes": True}]
    await expect(card).to_have_count(0)


async def test_an_action_is_allowed_for_the_session_where_that_may_be(talk: Talk) -> None:
    """What cannot be undone is allowed once only, and says so."""
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Allow for this session").click()
    assert await talk.answers() == [{"yes": True, "session": True}]

    severe = APPROVAL["details"] | {
        "effect": "irreversible",
        "session": False,
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
    await talk.panel.get_by_role("button", name="Don’t allow").click()
    await talk.panel.get_by_label("Why not?").fill("the paperback, please")
    await talk.page.keyboard.press("Enter")
    assert await talk.answers() == [{"yes": False, "text": "the paperback, please"}]


async def test_a_plan_is_accepted_or_goes_back(talk: Talk) -> None:
    """It stands in the conversation; below it, yes or what should be different."""
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
    """A password goes to the agent, and stands nowhere."""
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


async def test_what_was_answered_stands_in_the_conversation(talk: Talk) -> None:
    """Who allowed what can be read later."""
    for number, (request, yes, text) in enumerate(
        [(APPROVAL, True, ""), (APPROVAL, False, "too dear"), (QUESTION, True, "the paperback")]
    ):
        await talk.tell({"type": "asked", "id": str(number), "request": request})
        await talk.tell({"type": "answered", "id": str(number), "yes": yes, "text": text})
    for line in ("Allowed: addToBasket", "Not allowed: addToBasket – too dear", "the paperback"):
        await expect(talk.log).to_contain_text(line)


async def test_stop_stops_everything(talk: Talk) -> None:
    """The run's signal is aborted, the agent is told, and what it asks is withdrawn."""
    await talk.start(GOAL)
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Stop", exact=True).click()
    assert await talk.answers() == [{"yes": False}]
    assert await talk.page.evaluate("[agent.stops, agent.signals[0].aborted]") == [1, True]
    await talk.tell({"type": "finished", "ok": False, "text": "", "error": {"message": "stopped"}})
    await expect(talk.log.locator(".outcome.bad")).to_contain_text("stopped")


async def test_what_nobody_waits_for_is_not_asked_any_more(talk: Talk) -> None:
    """The end of a run withdraws its requests."""
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.tell(FINISHED)
    await expect(talk.panel.locator(".request")).to_have_count(0)


async def test_a_run_that_does_not_start_says_why_and_gives_the_words_back(talk: Talk) -> None:
    """Nothing has to be written again."""
    await talk.page.evaluate("agent.refuses = 'python did not start: no wasm'")
    await talk.start(GOAL)
    await expect(talk.log).to_contain_text("It did not start: python did not start: no wasm")
    await expect(talk.goal).to_have_value(GOAL)


async def test_cost_is_shown_and_unknown_where_it_is(talk: Talk) -> None:
    """Never a zero for what nobody knows; nothing at all where no model is asked."""
    line = talk.panel.locator(".meter")
    await talk.tell(STARTED, SPENT)
    await expect(line).to_have_text("Steps 3 · 12 s · 4,210 tokens · $0.0012")
    await talk.tell(SPENT | {"usd": None})
    await expect(line).to_have_text("Steps 3 · 12 s · 4,210 tokens · Cost unknown")
    await talk.tell(STARTED | {"model": None}, SPENT)
    await expect(line).to_have_text("Steps 3 · 12 s")
    await talk.panel.get_by_role("button", name="Details").click()
    await expect(talk.panel.locator(".details")).to_contain_text("nothing is sent to a model")


async def test_what_the_model_is_sent_can_be_read(talk: Talk) -> None:
    """The last conversation with it, as it was sent."""
    await talk.tell(STARTED, SENT)
    await talk.panel.get_by_role("button", name="Details").click()
    details = talk.panel.locator(".details")
    await details.get_by_text("What the model is sent").click()
    for text in ("small-1", "You work on a web page for a person.", "searchBooks({})"):
        await expect(details).to_contain_text(text)


async def test_the_transcript_can_be_saved(talk: Talk) -> None:
    """As the agent tells it; for a run whose page is gone, as the panel remembers it."""
    await talk.tell(STARTED, PLANNED, SEARCH, FAILED, FINISHED)
    await talk.panel.get_by_role("button", name="Details").click()

    async def saved(name: str) -> tuple[str, str]:
        async with talk.page.expect_download() as download:
            await talk.panel.get_by_role("button", name=name).click()
        file = await download.value
        return file.suggested_filename, content(await file.path())

    name, text = await saved("as data (JSON)")
    assert name == "transcript.json"
    assert json.loads(text)["events"][2]["value"] == BOOKS
    name, text = await saved("to read (Markdown)")
    assert name == "transcript.md"
    assert text.startswith(f"# {GOAL}\n")
    assert "no book has the id" in text

    await talk.page.evaluate("agent.transcripts = {json: '{}', markdown: '# Mine'}")
    assert await saved("to read (Markdown)") == ("transcript.md", "# Mine")


async def test_a_new_conversation_forgets_the_old_one(talk: Talk) -> None:
    """It is offered when nothing runs."""
    fresh = talk.panel.get_by_role("button", name="New conversation")
    await expect(fresh).to_be_hidden()
    await talk.tell(STARTED)
    await expect(fresh).to_be_hidden()
    await talk.tell(FINISHED)
    await fresh.click()
    await expect(talk.log).to_contain_text("What would you like to do here?")
    await talk.load()
    assert GOAL not in await talk.log.inner_text()


async def test_it_can_be_minimised_while_a_run_goes_on(talk: Talk) -> None:
    """A small sign says what is done, and that an answer is needed."""
    await talk.tell(STARTED)
    await talk.panel.get_by_role("button", name="Minimise").click()
    await expect(talk.panel).to_be_hidden()
    await talk.tell(SEARCH | {"state": "started"})
    await expect(talk.pill).to_have_text("Search the catalogue for “Tolkien”")
    await talk.request(APPROVAL)
    await expect(talk.pill).to_have_text("Waiting for your answer")
    await talk.pill.click()
    await expect(talk.panel.get_by_role("button", name="Allow once")).to_be_visible()
    assert await talk.page.evaluate("agent.stops") == 0


async def test_closing_it_stops_the_run(talk: Talk) -> None:
    """And says so beforehand."""
    await talk.tell(STARTED)
    await talk.panel.get_by_role("button", name="Stop and close").click()
    await expect(talk.page.locator("webagent-panel")).to_have_count(0)
    assert await talk.page.evaluate("agent.stops") == 1


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


async def test_a_site_translates_it(talk_on: Open) -> None:
    """What it leaves out stays English; what is no text is left out."""
    texts = {"title": "Hilfe", "greeting": "Was möchten Sie tun?", "stop": 7, "no_such": "x"}
    script = f"<script>webagentTexts = {json.dumps(texts)}</script>"
    talk = await talk_on(f"<title>x</title>{script}")
    await talk.open()
    await expect(talk.panel).to_have_accessible_name("Hilfe")
    await expect(talk.log).to_contain_text("Was möchten Sie tun?")
    await talk.tell(STARTED)
    await expect(talk.panel.get_by_role("button", name="Stop", exact=True)).to_be_visible()


async def test_hostile_data_is_only_shown(talk: Talk) -> None:
    """Markup stays text, a megabyte does not stop the page, anything may be missing."""
    markup = "<img src=x onerror=\"document.title='hacked'\"><b>bold</b>"
    await talk.tell(
        STARTED | {"goal": markup},
        step("a", tool=markup, arguments={markup: markup}, value=[markup], why=markup),
        step("b", "failed", error={"kind": "threw", "message": markup, "help": markup}),
        step("c", tool="big", value={"text": "y" * 2_000_000}),
        step("d", tool="deep", value=json.loads("[" * 300 + "]" * 300)),
        FINISHED | {"text": markup, "ok": False},
    )
    await talk.request(APPROVAL | {"text": markup, "details": {"origins": {"x": {"from": "?"}}}})
    await expect(talk.panel.locator(".request")).to_contain_text(markup)
    await expect(talk.panel.locator("img, b")).to_have_count(0)
    assert await talk.page.title() == "A shop"
    assert re.search("hacked", await talk.log.inner_text())


async def test_a_start_that_takes_long_shows_how_far_it_is(talk: Talk) -> None:
    """Python is downloaded with the first goal of a visit."""
    await talk.start(GOAL)
    bar = talk.panel.locator(".doing")
    await expect(bar).to_have_text("Starting …")
    await talk.page.evaluate(
        "agent.dispatchEvent(new CustomEvent('progress', "
        "{detail: {phase: 'download', loaded: 3, total: 8}}))"
    )
    await expect(bar).to_have_text("Starting … 37 %")
    await talk.tell(STARTED)
    await expect(bar).to_have_text("Working …")


async def test_a_no_is_no_failure(talk: Talk) -> None:
    """What the person did not allow stands there once, quietly, without words meant for a model."""
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
    """Once something else was done, what goes wrong is told."""
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


async def test_the_end_of_a_run_ends_its_steps(talk: Talk) -> None:
    """A step that ran when the run was stopped turns no longer."""
    await talk.tell(
        STARTED,
        step("s1", "started"),
        {
            "type": "finished",
            "ok": False,
            "text": "",
            "error": {"kind": "cancelled", "message": "x"},
        },
    )
    await expect(talk.log.locator(".outcome.ended")).to_have_text("Stopped.")
    await expect(talk.log.locator(".step.started")).to_have_count(0)
    await expect(talk.log.locator(".step.cancelled")).to_have_count(1)


async def test_leaving_the_site_is_called_so(talk: Talk) -> None:
    """To go elsewhere reads nothing here and sends nothing."""
    details = {"action": "goto_url", "effect": "read", "to": "https://example.com"}
    await talk.request(APPROVAL | {"details": details})
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("Leaves this site for https://example.com")
    await expect(card).not_to_contain_text("only reads")


async def test_words_with_a_call_are_its_title(talk: Talk) -> None:
    """What a model says beside a call is not shown twice."""
    said = "First I look whether it is free."
    await talk.tell(
        STARTED,
        {"type": "text", "text": said, "final": True},
        step("s1", "started", tool="isFree", why=said),
        step("s1", tool="isFree", why=said),
    )
    await expect(talk.log.get_by_text(said)).to_have_count(1)
    await expect(talk.log.locator(".step .title")).to_have_text(said)
