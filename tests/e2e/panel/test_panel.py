"""The panel as a person sees and uses it during a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.async_api import expect

from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.story import (
    ADDED,
    APPROVAL,
    BOOKS,
    FAILED,
    FINISHED,
    GOAL,
    PLANNED,
    SEARCH,
    SENT,
    SPENT,
    STARTED,
    step,
)


def content(path: Path) -> str:
    return path.read_text("utf-8")


async def test_a_goal_starts_a_run(talk: Talk) -> None:
    """Enter sends it, Shift with Enter begins a line; an empty field is not a goal."""
    await talk.goal.press("Enter")
    await talk.goal.fill("one")
    await talk.goal.press("Shift+Enter")
    await talk.goal.press_sequentially("two")
    assert await talk.page.evaluate("agent.goals") == []
    await talk.goal.press("Enter")
    assert await talk.page.evaluate("agent.goals") == ["one\ntwo"]
    await expect(talk.panel.get_by_role("button", name="Stop", exact=True)).to_be_visible()


async def test_a_run_is_shown_as_it_goes(talk: Talk) -> None:
    """Goal, plan, steps, text and outcome are shown in their order."""
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


async def test_a_step_unfolds_to_its_arguments_and_result(talk: Talk) -> None:
    """Long ones are cut until the person asks for all."""
    long = {"text": "x" * 5000}
    await talk.tell(STARTED, SEARCH, step("long", tool="getText", value=long))
    search, text = talk.log.locator(".step").nth(0), talk.log.locator(".step").nth(1)
    await expect(search.get_by_text("Unfinished Tales").first).to_be_hidden()
    await search.locator("summary").click()
    await expect(search.locator(".cards")).to_contain_text("Unfinished Tales")
    await search.get_by_text("Details").click()
    await expect(search.locator("pre", has_text="Unfinished Tales")).to_be_visible()
    await expect(search.locator("dl")).to_contain_text("Tolkien")

    await text.locator("summary").click()
    assert len(await text.locator("pre").inner_text()) < 1000
    await text.get_by_role("button", name="Show all").click()
    await expect(text.locator("pre")).to_contain_text("x" * 5000)


async def test_the_calls_of_a_program_are_below_it(talk: Talk) -> None:
    """A call knows its program; the program is an argument that can be read."""
    program = step("p", "started", action="execute_js", arguments={"code": "await global.a()"})
    await talk.tell(STARTED, program, step("c", tool="a", parent="p", value=1))
    outer = talk.log.locator(".steps:not(.inner) > .step")
    await expect(outer).to_have_count(1)
    await expect(outer.locator(".inner .step")).to_contain_text("Use a")
    await outer.locator("summary").first.click()
    await expect(outer.get_by_text("await global.a()")).to_be_visible()


async def test_steps_with_only_text_have_no_line(talk: Talk) -> None:
    """Their text is in the conversation itself."""
    await talk.tell(STARTED, step("f", action="finish", arguments={"text": "x"}), FINISHED)
    await expect(talk.log.locator(".step")).to_have_count(0)
    await expect(talk.log.locator(".outcome")).to_have_count(1)


async def test_the_last_words_are_shown_once(talk: Talk) -> None:
    """An outcome that is already in the conversation is not repeated."""
    await talk.tell(STARTED, {"type": "text", "text": FINISHED["text"], "final": True}, FINISHED)
    assert (await talk.log.inner_text()).count("cheapest of three") == 1


async def test_only_the_last_wait_for_a_model_is_shown(talk: Talk) -> None:
    """Until the model answers."""
    waits = [{"type": "retrying", "reason": "busy", "wait_s": wait} for wait in (1, 2)]
    await talk.tell(STARTED, *waits)
    await expect(talk.log.locator(".note")).to_have_text(["Trying again in 2 s …"])
    await talk.tell({"type": "text", "text": "I see", "final": False})
    await expect(talk.log.locator(".note")).to_have_count(0)


async def test_stop_stops_everything(talk: Talk) -> None:
    """The run's signal is aborted, the agent is stopped, and its requests are withdrawn."""
    await talk.start(GOAL)
    await talk.tell(STARTED)
    await talk.request(APPROVAL)
    await talk.panel.get_by_role("button", name="Stop", exact=True).click()
    assert await talk.answers() == [{"yes": False}]
    assert await talk.page.evaluate("[agent.stops, agent.signals[0].aborted]") == [1, True]
    await talk.tell({"type": "finished", "ok": False, "text": "", "error": {"message": "stopped"}})
    await expect(talk.log.locator(".outcome.bad")).to_contain_text("stopped")


async def test_a_run_that_does_not_start_says_why_and_restores_the_goal(talk: Talk) -> None:
    """The person need not write it again, and the cause is there for whoever mends it."""
    await talk.page.evaluate("agent.refuses = 'python did not start: no wasm'")
    await talk.start(GOAL)
    await expect(talk.log.locator(".outcome.bad")).to_contain_text(
        "The assistant could not start. Please try again."
    )
    cause = talk.log.get_by_text("python did not start: no wasm")
    await expect(cause).to_be_hidden()
    await talk.log.locator("summary").click()
    await expect(cause).to_be_visible()
    await expect(talk.log.locator(".bubble")).to_have_count(0)
    await expect(talk.goal).to_have_value(GOAL)


async def test_a_cost_is_shown_or_unknown(talk: Talk) -> None:
    """An unknown cost is never zero; without a model there is no cost at all."""
    line = talk.panel.locator(".meter")
    await talk.tell(STARTED, SPENT)
    await expect(line).to_have_text("Steps 3 · 12 s · 4,210 tokens · $0.0012")
    await talk.tell(SPENT | {"usd": None})
    await expect(line).to_have_text("Steps 3 · 12 s · 4,210 tokens · Cost unknown")
    await talk.tell(STARTED | {"model": None}, SPENT)
    await expect(line).to_have_text("Steps 3 · 12 s")
    await talk.panel.get_by_role("button", name="Details").click()
    await expect(talk.panel.locator(".details")).to_contain_text("nothing is sent to a model")


async def test_a_second_model_is_shown(talk: Talk) -> None:
    """The conversation says once that it answers, and the details have its name."""
    switched = {"type": "switched", "model": "other-2", "reason": "the key is refused"}
    await talk.tell(STARTED, switched, SPENT)
    await expect(talk.log.locator(".note")).to_have_text("A second model answers from now on.")
    await talk.panel.get_by_role("button", name="Details").click()
    await expect(talk.panel.locator(".details")).to_contain_text("other-2")


async def test_the_messages_to_the_model_can_be_read(talk: Talk) -> None:
    """The panel shows the last conversation as it was sent."""
    await talk.tell(STARTED, SENT)
    await talk.panel.get_by_role("button", name="Details").click()
    details = talk.panel.locator(".details")
    await details.get_by_text("What the model is sent").click()
    for text in ("small-1", "You work on a web page for a person.", "searchBooks({})"):
        await expect(details).to_contain_text(text)


async def test_the_transcript_can_be_saved(talk: Talk) -> None:
    """It is the agent's; for a run of an earlier page, it is the panel's."""
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
    """It is offered while nothing runs; what runs were about is not meant by later goals."""
    await talk.page.evaluate("sessionStorage.setItem('webagent.recent', '[]')")
    fresh = talk.panel.get_by_role("button", name="New conversation")
    await expect(fresh).to_be_hidden()
    await talk.tell(STARTED)
    await expect(fresh).to_be_hidden()
    await talk.tell(FINISHED)
    await fresh.click()
    await expect(talk.log).to_contain_text("What would you like to do here?")
    assert await talk.page.evaluate("sessionStorage.getItem('webagent.recent')") is None
    await talk.load()
    assert GOAL not in await talk.log.inner_text()


async def test_it_can_be_minimised_while_a_run_goes_on(talk: Talk) -> None:
    """A small sign shows the current step, and that an answer is needed."""
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
    """The button says so beforehand."""
    await talk.tell(STARTED)
    await talk.panel.get_by_role("button", name="Stop and close").click()
    await expect(talk.page.locator("webagent-panel")).to_have_count(0)
    assert await talk.page.evaluate("agent.stops") == 1


async def test_a_site_translates_it(talk_on: Open) -> None:
    """Missing texts stay English, and values that are not text are ignored."""
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
    """Python is downloaded with the first goal of a visit, which is shown meanwhile."""
    await talk.start("my password is rook")
    bubble = talk.log.locator(".bubble")
    await expect(bubble).to_contain_text("my password is rook")
    bar, words = talk.panel.get_by_role("progressbar"), talk.panel.locator(".doing")
    progress = "agent.dispatchEvent(new CustomEvent('progress', {{detail: {}}}))"
    known: str = (
        "document.querySelector('webagent-panel').shadowRoot.querySelector('progress').position"
    )
    await expect(words).to_have_text("Starting …")
    assert await talk.page.evaluate(known) == -1
    await talk.page.evaluate(progress.format("{phase: 'download', loaded: 3, total: 8}"))
    assert await talk.page.evaluate(known) == 3 / 8
    await talk.page.evaluate(progress.format("{phase: 'python', loaded: 0, total: 1}"))
    assert await talk.page.evaluate(known) == -1
    await talk.tell(STARTED | {"goal": "my password is •••"})
    await expect(words).to_have_text("Working …")
    await expect(bubble).to_have_text("You: my password is •••")
    await expect(bar).to_be_visible()
    await talk.tell(FINISHED)
    await expect(bar).to_be_hidden()


async def test_a_goal_outlives_a_page_that_is_left_while_the_agent_starts(talk: Talk) -> None:
    """It is written there for the person to send again."""
    await talk.start(GOAL)
    await talk.load()
    await expect(talk.goal).to_have_value(GOAL)


SUGGESTED = """# A shop

## Suggestions

Welcome to the shop.

- Find a book about <b>the</b> sea

## searchBooks

### Params
"""


async def test_an_empty_panel_suggests_goals(talk_on: Open) -> None:
    """The site's own ones, which are sent with a press; a script of the page cannot press them."""
    text = SUGGESTED.replace("<b>the</b>", "the")
    talk: Talk = await talk_on(f"{PAGE}<script>manifestText = {json.dumps(text)}</script>")
    await talk.open()
    await expect(talk.log).to_contain_text("Welcome to the shop.")
    suggestion = talk.log.get_by_role("button", name="Find a book about the sea")
    await suggestion.evaluate("button => button.click()")
    assert await talk.page.evaluate("agent.goals") == []
    await talk.goal.fill("what I began to write")
    await suggestion.click()
    assert await talk.page.evaluate("agent.goals") == ["Find a book about the sea"]
    await expect(talk.log.locator(".bubble")).to_contain_text("Find a book about the sea")
    await expect(suggestion).to_have_count(0)
    await talk.tell(STARTED, FINISHED)
    await expect(talk.goal).to_have_value("what I began to write")
    await talk.panel.get_by_role("button", name="New conversation").click()
    await expect(suggestion).to_be_visible()


async def test_suggestions_may_be_made_from_tools(talk_on: Open) -> None:
    """A section that is not for visitors stays where it is, and its markup text."""
    talk: Talk = await talk_on(f"{PAGE}<script>manifestText = {json.dumps(SUGGESTED)}</script>")
    await talk.open()
    await expect(talk.log.get_by_role("button")).to_have_text(["Search books"])
    await expect(talk.log).to_contain_text("What would you like to do here?")
    await talk.page.evaluate(
        "agent.text = `# A\n## pay\n### Params`, agent.dispatchEvent(new Event('manifestchange'))"
    )
    await expect(talk.log.get_by_role("button")).to_have_text(["Pay"])


async def test_the_end_of_a_run_ends_its_steps(talk: Talk) -> None:
    """The spinner of a step stops with the run."""
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


async def test_leaving_the_site_is_shown_as_such(talk: Talk) -> None:
    """The step neither reads the site nor sends anything."""
    details = {"action": "goto_url", "effect": "read", "to": "https://example.com"}
    await talk.request(APPROVAL | {"details": details})
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("Leaves this site for https://example.com")
    await expect(card).not_to_contain_text("only reads")


async def test_text_with_a_call_is_its_title(talk: Talk) -> None:
    """A model's text with a call is not shown twice."""
    said = "First I look whether it is free."
    await talk.tell(
        STARTED,
        {"type": "text", "text": said, "final": True},
        step("s1", "started", tool="isFree", why=said),
        step("s1", tool="isFree", why=said),
    )
    await expect(talk.log.get_by_text(said)).to_have_count(1)
    await expect(talk.log.locator(".step .title")).to_have_text(said)


async def test_a_picture_of_a_tool_is_shown(talk: Talk) -> None:
    """A screenshot is below its step; files that are not pictures are only named."""
    await talk.page.evaluate("""async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 600, height: 300 });
        canvas.getContext("2d").fillRect(0, 0, 600, 300);
        const png = await new Promise((done) => canvas.toBlob(done));
        agent.files["plan.png"] = agent.files["screenshot-1.png"] = new File([png], "plan.png", { type: png.type });
        agent.files["damaged.png"] = new File(["no picture"], "damaged.png", { type: "image/png" });
        agent.files["page.svg"] = new File(["<svg/>"], "page.svg", { type: "image/svg+xml" });
    }""")
    await talk.start(GOAL)
    names = ("damaged.png", "page.svg", "gone.png", "plan.png")
    value = {"n": 1, "none": None} | {name: {"file": name} for name in names}
    drawn = SEARCH | {"value": value}
    taken = step("s7", action="take_screenshot", value={"file": "screenshot-1.png", "width": 600})
    await talk.tell(STARTED, drawn, taken)
    images = talk.log.locator("img")

    await expect(images).to_have_count(2)
    assert [await image.get_attribute("alt") for image in await images.all()] == [
        "plan.png",
        "screenshot-1.png",
    ]
    await expect(images.first).to_be_visible()
    await expect(images.last).to_be_hidden()
    assert await images.first.evaluate("(image) => image.naturalWidth") == 600
    box, log = await images.first.bounding_box(), await talk.log.bounding_box()
    assert box is not None
    assert log is not None
    assert box["width"] <= log["width"]
    await talk.tell({**drawn, "run_id": "an earlier run"})
    await expect(images).to_have_count(1)
