"""The shop's contact page offers tools in all four ways, and works for whoever needs none."""

from __future__ import annotations

import functools
import json
import re
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, FrameLocator, Page, expect

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import ONLY_LOCAL, TEMPLATE, Watch
from tests.server import Server
from tests.tsc import compile_errors

BOOK = "the-salt-ledger"
ORDER = "I would like to order:\n\n2 × The Salt Ledger\n\nSubtotal £19.98"
MESSAGE = {
    "name": "Ada Quillfeather",
    "email": "ada@catchword.example",
    "topic": "find",
    "message": "I am looking for a book about hedges.",
}


@pytest_asyncio.fixture(name="native_context", scope="module", loop_scope="session")
async def _native_context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser that has `document.modelContext` itself."""
    native = await browser.browser_type.launch(
        executable_path=find_chromium(), args=[*ARGS, ONLY_LOCAL, "--enable-features=WebMCP"]
    )
    yield await native.new_context()
    await native.close()


@pytest_asyncio.fixture(name="contact", loop_scope="session")
async def _contact(started_page: Page, template: Server) -> Page:
    """The contact page with its agent ready."""
    return await open_contact(started_page, template)


@pytest_asyncio.fixture(name="native_contact", loop_scope="session")
async def _native_contact(
    native_context: BrowserContext, template: Server, watch: Watch
) -> AsyncIterator[Page]:
    """The contact page in a browser that has `modelContext` itself."""
    page = await native_context.new_page()
    watch.attach(page)
    yield await open_contact(page, template)
    await page.close()
    watch.check()


async def open_contact(page: Page, template: Server) -> Page:
    """Open the page, and wait for its agent and for the frame's tools."""
    await page.goto(f"{template.url}/contact.html")
    await page.evaluate("webagent.ready")
    await until(page, "tools.some((tool) => tool.name === 'visit_cancel' && tool.available)")
    return page


@pytest.fixture(name="plain", scope="module")
def _plain() -> Iterator[str]:
    """A static server that knows nothing of agents; gives its URL."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(TEMPLATE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def until(page: Page, condition: str) -> None:
    """Wait until something holds for `tools`, the registry's list."""
    await page.evaluate(f"""(async () => {{
        const holds = (tools) => {condition};
        while (!holds(await webagent.tools())) await new Promise(requestAnimationFrame);
    }})()""")


async def fill_basket(page: Page) -> None:
    """Put two copies of a book into the basket, so that there is something to order."""
    await page.evaluate("id => webagent.call('addToBasket', id, 2)", BOOK)
    await until(page, "tools.some((tool) => tool.name === 'draftOrder')")


async def call(page: Page, name: str, given: dict[str, Any]) -> Any:
    """Call a tool of the registry with one object."""
    return await page.evaluate("([name, given]) => webagent.call(name, given)", [name, given])


async def call_form(page: Page, given: dict[str, Any]) -> None:
    """Call the form's tool, and go on when it waits for a person; `outcome` gives what comes of it."""
    await page.evaluate(
        """(given) => new Promise((resolve) => {
            webagent.addEventListener("call", ({ detail }) => {
              if (detail.source === "form" && detail.state === "progress") resolve();
            });
            window.outcome = webagent.call("contactForm", given).catch((error) => error);
        })""",
        given,
    )


async def hours(page: Page) -> list[str]:
    """Return the hours that the frame offers."""
    hour = frame(page).locator("[name=time]")
    return list(await hour.evaluate_all("(radios) => radios.map((radio) => radio.value)"))


def re_order(rest: str) -> re.Pattern[str]:
    """Return what matches a message with the order, whose sum is followed by `rest`."""
    return re.compile(f"^{re.escape(ORDER)}{rest}\n$")


def frame(page: Page) -> FrameLocator:
    """Return the part of the page that is in a frame."""
    return page.frame_locator("iframe")


async def test_the_contact_page_offers_tools_in_all_four_ways(contact: Page) -> None:
    """Functions, a component's tools that the manifest names, a script's tool and a form are one list."""
    await fill_basket(contact)
    tools = await contact.evaluate("webagent.tools()")

    assert [tool["source"] for tool in tools[:13]] == ["manifest"] * 13
    assert [(tool["name"], tool["source"], tool["effect"]) for tool in tools[13:]] == [
        ("visit_arrange", "manifest", "write"),
        ("visit_cancel", "manifest", "write"),
        ("draftOrder", "modelContext", "write"),
        ("contactForm", "form", "unknown"),
    ]
    assert all(tool["available"] for tool in tools)
    assert await contact.evaluate("webagent.findings()") == []


@pytest.mark.conformance
async def test_they_are_declared_together(contact: Page) -> None:
    """The declarations of all four compile, and one program uses them."""
    await fill_basket(contact)
    text = await contact.evaluate("webagent.typescript()")
    program = f"""
        const {{ title }} = await global.getBookDetails("{BOOK}");
        const {{ topic, message }} = await global.draftOrder({{ country: "Ireland" }});
        const {{ time }} = await global.visit_arrange("{(await hours(contact))[0]}");
        return [topic, message.includes(title), time, await global.visit_cancel()];
    """
    form = f"await global.contactForm({json.dumps(MESSAGE)});"
    result = await contact.evaluate("(program) => webagent.execute(program)", program)

    used = f"{text}\nexport const used = async () => {{ {form} {program} }};"
    assert compile_errors({"all": text, "used": used}) == {}
    assert result["ok"], result
    assert result["value"] == ["order", True, (await hours(contact))[0], {"arranged": False}]
    assert [each["source"] for each in result["calls"]] == [
        "manifest",
        "modelContext",
        "manifest",
        "manifest",
    ]


async def test_the_form_waits_for_the_visitor(contact: Page) -> None:
    """An agent fills it in, the visitor reads, changes and sends it, the agent has the receipt."""
    await call_form(contact, {**MESSAGE, "newsletter": True})
    note = contact.locator("#contact-note")
    button = contact.get_by_role("button", name="Send message")
    await expect(note).to_contain_text("Your assistant has filled this in")
    await expect(button).to_be_focused()
    assert await contact.input_value("#message") == MESSAGE["message"]
    await contact.fill("#name", "Ada")
    await button.click()
    receipt = await contact.evaluate("outcome")

    assert receipt["name"] == "Ada"
    assert receipt["topicLabel"] == "Find a book for me"
    assert receipt["newsletter"] is True
    await expect(contact.locator("#confirmation")).to_contain_text(receipt["reference"])


@pytest.mark.conformance
async def test_the_form_is_the_same_tool_in_a_browser_that_has_such(native_contact: Page) -> None:
    """The browser's own `modelContext` fills it in, reports why it is refused, and gives the receipt."""
    page = native_contact
    own = "/native code/.test(Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get)"
    assert await page.evaluate(own)
    await call_form(page, {**MESSAGE, "message": "short"})
    await page.get_by_role("button", name="Send message").click()
    said = await page.evaluate("outcome.then(({ kind, message }) => ({ kind, message }))")
    await call_form(page, MESSAGE)
    await expect(page.locator("#contact-note")).to_contain_text("Your assistant")
    await page.get_by_role("button", name="Send message").click()
    receipt = await page.evaluate("outcome")

    assert said["kind"] == "invalid_arguments"
    assert "Message needs at least 10 characters" in said["message"]
    assert receipt["name"] == MESSAGE["name"]
    await expect(page.locator("#confirmation")).to_contain_text(receipt["reference"])


@pytest.mark.conformance
async def test_a_second_message_comes_out_from_behind_the_confirmation(contact: Page) -> None:
    """The form is shown again with what the agent wrote, and nothing else of the message before."""
    await call_form(contact, {**MESSAGE, "newsletter": True})
    await contact.get_by_role("button", name="Send message").click()
    await contact.evaluate("outcome")
    assert not await contact.is_visible("#contact-form")
    await call_form(contact, {**MESSAGE, "message": "And one about moss, please."})

    await expect(contact.get_by_role("button", name="Send message")).to_be_focused()
    assert not await contact.is_visible("#confirmation")
    assert not await contact.is_checked("#newsletter")
    await contact.get_by_role("button", name="Send message").click()
    assert (await contact.evaluate("outcome"))["newsletter"] is False


async def test_the_agent_hears_why_a_message_was_not_sent(contact: Page) -> None:
    """A refusal of the shop is shown at the field, to the visitor and to the agent alike."""
    await call_form(contact, {**MESSAGE, "message": "short"})
    await contact.get_by_role("button", name="Send message").click()
    said = await contact.evaluate("outcome.then(({ kind, message }) => ({ kind, message }))")

    assert said["kind"] == "invalid_arguments"
    assert "Message needs at least 10 characters" in said["message"]
    assert await contact.input_value("#message") == "short"


@pytest.mark.conformance
async def test_a_message_that_the_shop_cannot_take_fails_the_call(contact: Page) -> None:
    """When sending itself fails, the page says why, and the call fails."""
    await contact.evaluate("""globalThis.sendContactMessage = async () => {
        throw new Error("the post is on strike");
    }; 0""")
    await call_form(contact, MESSAGE)
    await contact.get_by_role("button", name="Send message").click()

    assert await contact.evaluate("outcome.then(({ kind }) => kind)") == "threw"
    await expect(contact.locator("#contact-problem")).to_have_text("The post is on strike.")


@pytest.mark.conformance
async def test_the_order_is_written_above_the_visitors_words(contact: Page) -> None:
    """`draftOrder` names the price, keeps what was typed, and replaces the order it wrote before."""
    await fill_basket(contact)
    await contact.fill("#message", "Please wrap them.")
    first = await call(contact, "draftOrder", {"country": "Ireland"})
    again = await call(contact, "draftOrder", {})

    assert first == {
        "topic": "order",
        "message": f"{ORDER}, and £6.20 to send them to Ireland.\nPlease wrap them.",
    }
    assert again["message"] == f"{ORDER}, without delivery.\nPlease wrap them."
    assert await contact.input_value("#message") == again["message"]
    assert await contact.input_value("#topic") == "order"


async def test_the_order_is_offered_while_there_is_one_to_write(contact: Page) -> None:
    """`draftOrder` goes with the basket, and with the form when the message is sent."""
    button = contact.get_by_role("button", name="Write my basket in")
    await fill_basket(contact)
    await expect(button).to_be_visible()
    await contact.evaluate("id => webagent.call('removeFromBasket', id)", BOOK)
    await until(contact, "!tools.some((tool) => tool.name === 'draftOrder')")
    await expect(button).to_be_hidden()
    await fill_basket(contact)
    await contact.evaluate("given => webagent.invoke('sendContactMessage', given)", MESSAGE)
    await until(contact, "!tools.some((tool) => tool.name === 'draftOrder')")
    await contact.get_by_role("button", name="Write another message").click()
    await until(contact, "tools.some((tool) => tool.name === 'draftOrder')")


@pytest.mark.conformance
async def test_an_order_that_nobody_waits_for_is_not_written(contact: Page, watch: Watch) -> None:
    """A call that is given up while the price is looked up leaves the message as it is."""
    await fill_basket(contact)
    await contact.fill("#message", "Mine alone.")
    kind = await contact.evaluate("""(async () => {
        const asked = new Promise((resolve) => {
          globalThis.getDeliveryPrice = (country) => new Promise((answer) =>
            resolve(() => answer({ country, price: 1 })));
        });
        const outcome = webagent.call("draftOrder", { country: "Ireland" }).catch(({ kind }) => kind);
        const answer = await asked;
        await webagent.stop();
        answer();
        return outcome;
    })()""")
    await contact.evaluate("new Promise(requestAnimationFrame)")

    assert kind == "cancelled"
    assert await contact.input_value("#message") == "Mine alone."
    assert all("tool execution failed" in error for error in watch.errors), watch.errors
    watch.errors.clear()


@pytest.mark.conformance
async def test_a_call_reaches_the_frame_and_the_page_around_it(contact: Page) -> None:
    """`visit_arrange` marks the hour in the frame; the page says so and puts it into the order."""
    await fill_basket(contact)
    await call(contact, "draftOrder", {"country": "Ireland"})
    time = (await hours(contact))[2]
    arranged = await contact.evaluate("time => webagent.call('visit_arrange', time)", time)

    assert arranged["time"] == time
    await expect(frame(contact).locator(f"[value='{time}']")).to_be_checked()
    await expect(frame(contact).locator("#visit-answer")).to_contain_text(
        f"at 12:00. Ask for {arranged['host']}."
    )
    await expect(contact.locator("#visit")).to_contain_text("We expect you on")
    await expect(contact.locator("#message")).to_have_value(
        re_order(r"\. I will collect them on \w+ \d+ \w+ at 12:00\.")
    )
    assert await contact.evaluate("webagent.call('visit_cancel')") == {"arranged": False}
    await expect(contact.locator("#visit")).to_be_empty()
    await expect(frame(contact).locator("#visit-cancel")).to_be_hidden()


async def test_a_site_without_agents_works_for_its_visitors(
    page: Page, plain: str, watch: Watch
) -> None:
    """On a plain server nothing is missing but one file, and nobody notices."""
    await page.goto(f"{plain}/book.html?id={BOOK}")
    await page.fill("#quantity", "2")
    await page.get_by_role("button", name="Add to basket").click()
    await expect(page.locator("#buy-result")).to_contain_text("your basket")
    await page.goto(f"{plain}/contact.html?topic=order")
    await expect(page.locator("#message")).to_have_value(f"{ORDER}, without delivery.\n")
    await frame(page).get_by_text("14:00").first.click()
    await expect(page.locator("#message")).to_have_value(
        re_order(r"\. I will collect .* at 14:00\.")
    )
    await page.fill("#name", "Ada")
    await page.fill("#email", "ada@catchword.example")
    await page.get_by_role("button", name="Send message").click()
    await expect(page.locator("#confirmation")).to_contain_text("Thank you, Ada")

    assert all("404" in error for error in watch.errors), watch.errors
    watch.errors.clear()
