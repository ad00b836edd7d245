"""Every action that a model can take, on a page of ours: one run takes them all, each has a test."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext

from tests.e2e.agent.hands import PLACES, Hands, Outcome, hands_for
from tests.model_server import Json, ModelServer, Script, asks
from tests.server import HostedServer, Server

SITE = Path(__file__).parent / "site"
PICTURE = base64.b64encode(b"a picture, as far as anybody knows").decode()
END = ("finish", {"text": "Two offers.", "success": True, "data": {"count": 2}})
PLAN = ("make_plan", {"plan": "I will do what is asked."})


@pytest.fixture(name="exchange", scope="module")
def _exchange() -> Iterator[Server]:
    server = HostedServer(SITE)
    yield server
    server.stop()


def person(request: Mapping[str, Any]) -> Any:
    """Agree to everything, give a picture, and answer what is asked."""
    if request["kind"] == "file":
        file = {"name": "sorrel.txt", "type": "text/plain", "data": PICTURE}
        return {"yes": True, "files": [file]}
    return "Sunday" if request["kind"] == "question" else True


async def taken(hands: Hands, server: Server, *steps: tuple[str, Json] | Script) -> Outcome:
    """Let a model take these actions one after the other, on the page as it is first shown."""
    await hands.page.goto(f"{server.url}/index.html")
    turns = [step if not isinstance(step, tuple) else asks(step) for step in steps]
    with ModelServer(asks(PLAN), *turns, asks(END)) as model:
        return await hands.run("do it", model=model.url, person=person)


def numbered(role: str, name: str, act: str, **more: Any) -> Script:
    """Ask for an action on an element, whose number is read from the request to the model."""

    def turn(body: Json) -> Any:
        told = "\n".join(str(message.get("content")) for message in body["messages"])
        found = re.findall(rf'\[(\d+)\] {role} "{re.escape(name)}', told)
        assert found, f"the model was sent no {role} `{name}`"
        return asks((act, {"pp_id": int(found[-1]), **more}))

    return turn


OFFER = [
    {"label": "Plant", "text": "Sorrel"},
    {"name": "kind", "select": ["Vegetable"]},
    {"label": "Grams", "text": "3"},
    {"label": "Organic", "check": True},
    {"label": "Picture", "files": ["sorrel.txt"]},
]


@dataclass(frozen=True)
class Stay:
    """A run that stayed on its page."""

    outcome: Outcome
    said: str
    """The text of the page in the end."""
    rows: int
    """Of the table."""
    scrolled: float

    def value(self, action: str) -> Any:
        """Return what came of the one time that an action was taken."""
        (value,) = self.outcome.values(action)
        return value


@pytest_asyncio.fixture(name="stay", scope="module", loop_scope="session", params=PLACES)
async def _stay(
    request: pytest.FixtureRequest, context: BrowserContext, exchange: Server
) -> AsyncIterator[Stay]:
    """The outcome of all actions that leave the page where it is."""
    hands = await hands_for(request.param, await context.new_page())
    outcome = await taken(
        hands,
        exchange,
        ("call_tool", {"name": "listOffers", "arguments": {}}),
        ("execute_js", {"code": "(await global.listOffers()).length"}),
        ("read_file", {"filename": "sorrel.txt"}),
        ("find_code", {"title": "List the offers"}),
        ("navigation_outline", {}),
        ("section_outline", {}),
        ("form_details", {}),
        ("table_details", {}),
        ("get_summary", {}),
        ("take_screenshot", {"selector": "table"}),
        ("take_screenshot", {"marks": True}),
        numbered("button", "Show more", "take_screenshot"),
        ("communicate", {"summary": "I found two offers.", "question": "On which day?"}),
        ("click", {"pp_id": 9999}),
        numbered("button", "Show more", "click"),
        numbered("button", "Show more", "click"),
        ("enter_data", {"form_data": [{"label": "Grams", "text": "0"}], "submit": True}),
        ("enter_data", {"form_data": OFFER, "submit": True}),
        ("scroll", {"direction": "bottom"}),
        ("wait", {"seconds": 0.2}),
    )
    page = hands.page
    yield Stay(
        outcome,
        str(await page.text_content("#said")),
        await page.locator("#offers tr").count(),
        await page.evaluate("scrollY"),
    )
    await page.close()


async def test_call_tool(stay: Stay) -> None:
    """`call_tool` gives what the page's function gives."""
    assert stay.value("call_tool")[0] == {"plant": "Beetroot", "grams": 20}


async def test_execute_js(stay: Stay) -> None:
    """`execute_js` gives the value of the last expression."""
    assert stay.value("execute_js")["value"] == 2


async def test_read_file(stay: Stay) -> None:
    """`read_file` reads a file that the person gives."""
    assert "as far as anybody knows" in stay.value("read_file")["text"]


async def test_find_code(stay: Stay) -> None:
    """`find_code` finds a sample by its title."""
    (sample,) = stay.value("find_code")
    assert sample["language"] == "js"
    assert sample["code"].strip() == "const offers = await listOffers();"


async def test_navigation_outline(stay: Stay) -> None:
    """`navigation_outline` lists the links of the navigation."""
    listed = str(stay.value("navigation_outline"))
    assert "About us" in listed
    assert "about.html" in listed


async def test_section_outline(stay: Stay) -> None:
    """`section_outline` lists the headings with the beginning of the text below each."""
    listed = str(stay.value("section_outline"))
    assert "Offer seeds" in listed
    assert "Compost." in listed


async def test_form_details(stay: Stay) -> None:
    """`form_details` describes each field."""
    fields = {f["name"]: f for form in stay.value("form_details") for f in form["fields"]}
    assert fields["plant"]["required"] is True
    assert fields["grams"]["type"] == "number"


async def test_table_details(stay: Stay) -> None:
    """`table_details` gives caption, headers and rows."""
    (table,) = stay.value("table_details")
    assert table["caption"] == "Seeds on offer"
    assert table["headers"] == ["Plant", "Grams"]
    assert table["rows"][1] == ["Marigold", "5"]


async def test_get_summary(stay: Stay) -> None:
    """`get_summary` says what page this is."""
    summary = stay.value("get_summary")
    assert summary["title"] == "Seed exchange"
    assert "Offers" in str(summary["headings"])


async def test_take_screenshot(stay: Stay) -> None:
    """`take_screenshot` gives a PNG of an element by selector or number, and of the whole page."""
    pictures = [base64.b64decode(file["data"]) for file in stay.outcome.result["files"]]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)
    table, whole, button = (struct.unpack(">II", picture[16:24]) for picture in pictures)
    assert whole[1] > 3000 > table[1] > button[1] > 10


async def test_marks_of_a_screenshot(stay: Stay) -> None:
    """With `marks` the reply says what they are."""
    marked = [value.get("marks") for value in stay.outcome.values("take_screenshot")]
    assert marked[0] is marked[2] is None
    assert re.fullmatch(r"\d\d elements, each with its pp_id", marked[1])


async def test_communicate(stay: Stay) -> None:
    """`communicate` asks the person, and the answer comes back."""
    assert stay.value("communicate") == {"answer": "Sunday"}


async def test_an_element_that_is_not_there(stay: Stay) -> None:
    """A number that nothing has is an error that a model can mend."""
    (error,) = stay.outcome.errors("click")
    assert error["kind"] == "invalid_arguments"
    assert "9999" in error["message"]


async def test_numbers_stay(stay: Stay) -> None:
    """A number stays with its element when others come before it."""
    clicks = stay.outcome.of("step", action="click", state="finished")
    assert len({click["arguments"]["pp_id"] for click in clicks}) == 1
    assert stay.rows == 4


async def test_enter_data(stay: Stay) -> None:
    """`enter_data` fills text, choice, number, box and file, and submits."""
    assert stay.said == "Offered: plant=Sorrel kind=v grams=3 organic=on picture=sorrel.txt"


async def test_enter_data_that_is_refused(stay: Stay) -> None:
    """The browser's complaint comes back with the field."""
    (error,) = stay.outcome.errors("enter_data")
    assert "Plant" in error["message"] or "Grams" in error["message"]


async def test_scroll(stay: Stay) -> None:
    """`scroll` moves the page."""
    assert stay.scrolled > 1000


async def test_wait(stay: Stay) -> None:
    """`wait` takes as long as it says."""
    (step,) = stay.outcome.of("step", action="wait", state="finished")
    assert step["duration_ms"] >= 200


async def test_finish(stay: Stay) -> None:
    """`finish` ends the run with words and data."""
    assert stay.outcome.ok
    assert stay.outcome.result["text"] == "Two offers."
    assert stay.outcome.result["value"] == {"count": 2}


async def test_going_from_page_to_page(hands: Hands, exchange: Server) -> None:
    """`goto_url`, `click_link` and `search` leave the page, and the run goes on in the next."""
    outcome = await taken(
        hands,
        exchange,
        ("goto_url", {"url": "/about.html"}),
        ("click_link", {"text": "Seeds"}),
        ("search", {"query": "red beet"}),
    )

    assert outcome.result["ok"], outcome.result
    assert hands.page.url.endswith("/found.html?q=red+beet")
    taken_in_order = [event["action"] for event in outcome.of("step", state="finished")]
    assert taken_in_order == ["make_plan", "goto_url", "click_link", "search", "finish"]


async def test_finish_without_success(hands: Hands, exchange: Server) -> None:
    """`finish` can say that the goal was not reached."""
    outcome = await taken(hands, exchange, ("finish", {"text": "No seeds.", "success": False}))

    assert not outcome.ok
