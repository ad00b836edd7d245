"""The card that asks cannot lie: it shows what is there, all of it, and only a person answers."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.panel.conftest import PAGE, Open, Talk
from tests.e2e.panel.story import APPROVAL, FINISHED, QUESTION, SPENT, STARTED

MARKS = """(card) => [...card.querySelectorAll(".mark")].map((mark) => mark.textContent)"""


def approval(arguments: dict[str, Any], **details: Any) -> dict[str, Any]:
    """Return a request to send money with these arguments."""
    sent = {"tool": "transfer", "effect": "irreversible", "grants": [], "session": False}
    return {
        "kind": "approval",
        "text": "May I use `Transfer`? This cannot be undone.",
        "details": APPROVAL["details"] | sent | {"arguments": arguments, "origins": {}} | details,
    }


def allow(talk: Talk) -> Locator:
    """Return the button that allows the action."""
    return talk.panel.get_by_role("button", name="Allow", exact=False).first


async def marks(talk: Talk) -> list[str]:
    """Return what the card marks."""
    found: list[str] = await talk.panel.locator(".request").evaluate(MARKS)
    return found


async def read_on(talk: Talk) -> None:
    """Press `Read on` until all was shown."""
    more = talk.panel.get_by_role("button", name="Read on")
    body = talk.panel.locator(".asking")
    await expect(more).to_be_visible()
    while await more.is_visible():
        before = await body.evaluate("(body) => body.scrollTop")
        await more.click()
        # It may be at its end, which the panel notices with the next frame.
        await talk.page.wait_for_function(
            """before => {
                const body = document.querySelector("webagent-panel").shadowRoot.querySelector(".asking");
                const { scrollTop, clientHeight, scrollHeight } = body;
                return scrollTop !== before || scrollTop + clientHeight >= scrollHeight - 2;
            }""",
            arg=before,
        )
        # The browser reports the scrolling with its next frame.
        await talk.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        )


async def test_characters_that_turn_text_are_shown(talk: Talk) -> None:
    """A number that a control character turns round is not read as another one."""
    await talk.request(approval({"amount": "\u202e0001", "to\u200b": "a\u0007b"}))
    assert await marks(talk) == ["⟨202E⟩", "⟨200B⟩", "⟨0007⟩"]
    await expect(talk.panel.locator(".given dd").first).to_have_text("⟨202E⟩0001")


async def test_blank_lines_push_nothing_out_of_sight(talk: Talk) -> None:
    """The text after them is in view, and the card says how many there were."""
    await talk.request(approval({"note": "Thanks!" + "\n" * 700 + "- Ann", "amount": 1000}))
    assert await marks(talk) == ["… 698 blank lines"]
    amount = talk.panel.locator(".given dd").last
    await expect(amount).to_have_text("1000")
    await expect(amount).to_be_in_viewport(ratio=1)
    await expect(allow(talk)).to_be_enabled()


@pytest.mark.conformance
async def test_a_long_text_is_there_to_its_end(talk: Talk) -> None:
    """Its length is stated, all of it can be reached, and only then it can be allowed."""
    text = "".join(f"line {n} of the letter\n" for n in range(1_200)) + "and my house"
    await talk.request(approval({"letter": text}))
    region = talk.panel.get_by_role("group", name="letter, ")
    await expect(talk.panel.locator(".size")).to_have_text(f"{len(text):,} characters")
    await expect(talk.panel.locator(".hint")).to_contain_text("There is more to read.")
    await expect(allow(talk)).to_be_disabled()
    await region.evaluate(
        """async (region) => {
          const frame = () => new Promise(requestAnimationFrame);
          for (let at = -1; at !== region.scrollTop; ) {
            at = region.scrollTop;
            region.scrollBy(0, 300);
            await frame();
            await frame();
          }
        }"""
    )
    assert await region.evaluate("(region) => region.textContent") == text
    await expect(allow(talk)).to_be_enabled()
    await allow(talk).click()
    assert await talk.answers() == [{"yes": True}]


async def test_a_long_text_is_read_with_the_keyboard(talk: Talk) -> None:
    """The key End leads to the end of the text; until then a press of the button allows nothing."""
    await talk.request(approval({"letter": "word " * 24_086 + "end"}))
    region = talk.panel.get_by_role("group", name="120,433 characters")
    await region.focus()
    await expect(allow(talk)).to_be_disabled()
    await allow(talk).evaluate("(button) => button.focus()")
    await talk.page.keyboard.press("Enter")
    assert await talk.page.evaluate("agent.answers") == []
    await region.focus()
    for _ in range(30):
        await talk.page.keyboard.press("End")
        if await allow(talk).get_attribute("aria-disabled") == "false":
            break
        await talk.page.evaluate("new Promise((done) => requestAnimationFrame(done))")
    await expect(allow(talk)).to_be_enabled()
    await expect(region).to_contain_text("end")


async def test_many_arguments_are_read_first(talk: Talk) -> None:
    """Each press of `Read on` shows the next part."""
    await talk.request(approval({f"argument{n}": "word " * 30 for n in range(30)}))
    await expect(allow(talk)).to_be_disabled()
    await read_on(talk)
    await expect(talk.panel.locator(".given dd").last).to_be_in_viewport()
    await expect(allow(talk)).to_be_enabled()


async def test_a_huge_value_does_not_hold_up_the_page(talk: Talk) -> None:
    """Fifteen million characters are shown in blocks, and only those that are near."""
    await talk.page.evaluate(
        """details => {
          details.arguments = { data: "x y ".repeat(3_750_000) };
          window.longest = 0;
          new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
          }).observe({ type: "longtask" });
          agent.request({ kind: "approval", text: "May I?", details });
        }""",
        approval({})["details"],
    )
    await expect(talk.panel.locator(".size")).to_have_text("15,000,000 characters")
    filled = talk.panel.locator(".long pre:not(.waiting)")
    await expect(filled.first).to_contain_text("x y")
    assert await filled.count() < 10
    assert await talk.panel.locator(".long pre").count() == 1_500
    # About 100 ms on a busy machine; laying out all of it takes many seconds.
    assert await talk.page.evaluate("longest") < 1_000


async def test_large_objects_state_their_size(talk: Talk) -> None:
    """A list of many items says how many, however it is shown."""
    rows = [{"id": n, "note": "\u202ex"} for n in range(400)]
    await talk.request(
        approval({"short": [*range(12)], "rows": rows, "one": {"a": {"b": "\u202e1"}}})
    )
    sizes = await talk.panel.locator(".size").all_inner_texts()
    assert sizes[:2] == ["12 items", "400 items"]
    assert sizes[2].endswith(" characters")
    assert {*await marks(talk)} == {"⟨202E⟩"}


@pytest.mark.parametrize("where", ["tool", "value", "text"])
async def test_letters_of_another_script_are_named(talk: Talk, where: str) -> None:
    """They are marked where they are, and explained above."""
    words = {
        "tool": approval({"x": 1}, tool="p\u0430y", similar=["pay"]),
        "value": approval({"to": "shop of p\u0430ypal"}),
        "text": approval({"x": 1}) | {"text": "May I press `C\u0430ncel`?"},
    }
    await talk.request(words[where])
    odd = talk.panel.locator(".odd")
    await expect(odd).to_contain_text("letter 2 is Cyrillic \u0430 (U+0430)")
    assert "\u0430" in await marks(talk)
    if where == "tool":
        await expect(odd).to_contain_text("p\u0430y looks like pay, which is another tool")


async def test_several_calls_are_one_list(talk: Talk) -> None:
    """All of them are shown, and one yes allows them all."""
    calls = [{"to": f"ann{n}@example.org", "amount": n} for n in range(1, 13)]
    await talk.request(approval(calls[0], calls=calls))
    await expect(talk.panel.locator(".request")).to_contain_text("12 calls")
    await expect(talk.panel.locator(".calls > li")).to_have_count(12)
    button = talk.panel.get_by_role("button", name="Allow all 12")
    await expect(button).to_be_disabled()
    await read_on(talk)
    await button.click()
    assert await talk.answers() == [{"yes": True}]


async def test_no_and_stop_is_always_there(talk: Talk) -> None:
    """It ends the run with one press, at each kind of request, and while there is more to read."""
    file = {"kind": "file", "text": "Please give me the file `cv.pdf`.", "details": {}}
    plan = {"kind": "plan", "text": "", "details": {}}
    requests = [approval({"letter": "word " * 1_000}), QUESTION, file, plan]
    for number, request in enumerate(requests, 1):
        await talk.request(request)
        await talk.panel.get_by_role("button", name="No, and stop").click()
        assert (await talk.answers(number))[-1] == {"yes": False, "stop": True}


async def test_unseen_values_of_a_form_are_listed(talk: Talk) -> None:
    """With its names, and what is odd about them."""
    sends = {"action": "delete", "token": "•••", "am\u202eount": "0001", "p\u0430y": ["a", "b"]}
    await talk.request(approval({"pp_id": 7}, tool="", sends=sends))
    card = talk.panel.locator(".request")
    await expect(card).to_contain_text("Also sent, but not shown on the page:")
    await expect(card.locator(".given").last).to_contain_text("actiondelete")
    await expect(card.locator(".given").last).to_contain_text("token•••")
    assert await marks(talk) == ["\u0430", "⟨202E⟩", "\u0430"]
    await expect(card.locator(".odd")).to_contain_text("is Cyrillic")


async def test_a_name_is_shown_as_it_is(talk: Talk) -> None:
    """The first letter of a question is not made a capital: `sewCoat` is not `SewCoat`."""
    await talk.request({"kind": "question", "text": "`sewCoat` asks: Which colour?", "details": {}})
    style = "(asked) => getComputedStyle(asked, '::first-letter').textTransform"
    assert await talk.panel.locator(".asked").evaluate(style) == "none"


async def test_permissions_are_listed_and_taken_back(talk: Talk) -> None:
    """The details of the panel say what needs no yes any more."""
    grants = [
        {"key": "click Save on /", "kind": "control", "text": "press `Sa\u202eve` on `/`"},
        {"key": "kind:button on /", "kind": "kind", "text": "press any button on `/`"},
    ]
    await talk.request(APPROVAL | {"details": APPROVAL["details"] | {"grants": grants}})
    await talk.panel.get_by_role("button", name="Allow for this session").click()
    await talk.panel.get_by_role("button", name="press any button on /").click()
    assert await talk.answers() == [{"yes": True, "grant": "kind:button on /"}]

    await talk.page.evaluate("grants => { agent.grants = grants; }", grants)
    await talk.tell(STARTED, SPENT, FINISHED)
    await talk.panel.get_by_role("button", name="Details").click()
    rows = talk.panel.locator(".allowed li")
    await expect(rows).to_have_count(2)
    await expect(rows.first).to_contain_text("press Sa⟨202E⟩ve on /")
    await expect(rows.first.locator(".mark")).to_have_text("⟨202E⟩")
    await rows.first.get_by_role("button", name="Take back").click()
    await expect(rows).to_have_count(1)
    await rows.first.get_by_role("button", name="Take back").click()
    await expect(rows).to_have_text(["Nothing."])
    assert await talk.page.evaluate("agent.grants") == []


async def test_a_script_of_the_page_answers_nothing(talk: Talk) -> None:
    """Clicks, keys and submissions of scripts do not count, even with a way into the panel."""
    await talk.request(APPROVAL)
    await expect(allow(talk)).to_be_enabled()
    press = """() => {
      const root = document.querySelector("webagent-panel").shadowRoot;
      for (const element of root.querySelectorAll("button, label, input, textarea, form")) {
        element.click();
        element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
        element.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
        if (element.matches("input, textarea")) element.value = "yes";
        const key = { key: "Enter", code: "Enter", bubbles: true, cancelable: true };
        element.dispatchEvent(new KeyboardEvent("keydown", key));
        element.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
        element.requestSubmit?.();
      }
    }"""
    await talk.page.evaluate(press)
    await talk.panel.get_by_role("button", name="No", exact=True).click()
    await talk.page.evaluate(press)
    assert await talk.page.evaluate("[agent.answers, agent.stops, agent.goals]") == [[], 0, []]
    await talk.panel.get_by_label("Why not?").press("Enter")
    assert await talk.answers() == [{"yes": False, "text": "yes"}]
    await talk.request(QUESTION)
    await talk.page.evaluate(press)
    assert len(await talk.answers()) == 1
    await talk.panel.get_by_label("Your answer").press("Enter")
    assert (await talk.answers(2))[1] == {"yes": True, "text": "yes"}


async def test_a_click_on_its_way_answers_nothing(talk_on: Open) -> None:
    """A request that has just appeared, or moved, is not answered by a click meant for the page."""
    talk: Talk = await talk_on(viewport={"width": 800, "height": 700}, reduced_motion="reduce")
    await talk.open()
    await talk.page.clock.install()
    await talk.page.clock.pause_at(4_000_000_000)
    await talk.request(APPROVAL)
    where = """(button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }"""
    await talk.page.clock.run_for(400)
    await talk.page.mouse.click(*await allow(talk).evaluate(where))
    assert await talk.page.evaluate("agent.answers") == []
    await talk.page.clock.run_for(200)
    await talk.page.evaluate(
        "document.documentElement.style.setProperty('--webagent-width', '500px')"
    )
    await talk.page.mouse.click(*await allow(talk).evaluate(where))
    assert await talk.page.evaluate("agent.answers") == []
    await talk.page.clock.run_for(700)
    await talk.page.mouse.click(*await allow(talk).evaluate(where))
    assert await talk.page.evaluate("agent.answers") == [{"yes": True}]


COVER = """<div id="cover" popover="manual" style="position:fixed;inset:0;width:100vw;height:100vh;
  margin:0;border:0;background:#fff;pointer-events:none">Win a prize!</div>"""


@pytest.mark.chromium("only there an observer knows what is painted over an element")
async def test_a_covered_request_is_not_allowed(talk_on: Open) -> None:
    """A layer that lets clicks through, and shows something else, is noticed."""
    talk: Talk = await talk_on(PAGE + COVER, reduced_motion="reduce")
    await talk.open()
    await talk.request(APPROVAL)
    await expect(allow(talk)).to_be_enabled()
    await talk.page.evaluate("cover.showPopover()")
    await expect(allow(talk)).to_be_disabled()
    await expect(talk.panel.locator(".hint")).to_have_text(
        "Part of the page is covering this request."
    )
    await talk.page.evaluate("cover.hidePopover()")
    await expect(allow(talk)).to_be_enabled()
    await allow(talk).click()
    assert await talk.answers() == [{"yes": True}]


@pytest.mark.chromium("only there an observer knows what is painted over an element")
async def test_the_hint_at_a_covered_request_stays(talk_on: Open) -> None:
    """It moves the buttons, which then have to settle again, but it is not hidden meanwhile."""
    # A clock that stands still does so in all pages of a context.
    talk: Talk = await talk_on(PAGE + COVER, alone=True, reduced_motion="reduce")
    await talk.open()
    await talk.page.clock.install()
    await talk.page.clock.pause_at(4_000_000_000)
    await talk.request(APPROVAL)
    await talk.page.clock.run_for(700)
    await expect(allow(talk)).to_be_enabled()
    await talk.page.evaluate("cover.showPopover()")
    hint = talk.panel.locator(".hint")
    await expect(hint).to_be_visible()
    for _ in range(24):
        await talk.page.clock.run_for(50)
        assert await hint.is_visible()
        assert await hint.text_content() == "Part of the page is covering this request."
    await expect(allow(talk)).to_be_disabled()
