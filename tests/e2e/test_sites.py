"""Sites that are not ours in shape: from `init --into` to a call of a tool that `extract` found."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.test_commands import command
from tests.e2e.test_extract import drafted, extract, tool
from webagent.types import Manifest

SITES = Path(__file__).parent.parent / "sites"
OVERLAY = "document.querySelector('webagent-overlay') === null"
_REMEDY = re.compile(r"`(toolname=.+?)` into `(<form.*?>)`((?:, `name=\".*?\"` into `<.*?>`)*)")
_NAME = re.compile(r"`(name=\".*?\")` into `(<.*?>)`")


async def adopted(site: str, folder: Path) -> Path:
    """Return a copy of a site to which `init --into` has added what it needs."""
    root = shutil.copytree(SITES / site, folder / site)
    code, out, _ = await command("init", "--into", root, "--yes")
    assert code == 0, out
    return root


async def extracted(root: Path, url: str, *options: str) -> tuple[Manifest, str, str]:
    """Return what is drafted of a folder, its text, and what is left to do.

    The same is drafted at the address.
    """
    by_folder, by_url = await asyncio.gather(extract(root, *options), extract(url))
    assert (by_folder[0], by_url[0]) == (0, 0)
    assert drafted(by_folder[1]) == drafted(by_url[1])
    return drafted(by_folder[1]), by_folder[1], by_folder[2]


def follow(notes: str, root: Path) -> None:
    """Write into the pages what was said to write."""
    texts = {path: path.read_text("utf-8") for path in root.rglob("*.html")}
    for attributes, tag, controls in _REMEDY.findall(notes):
        changes = [(tag, attributes), *((where, name) for name, where in _NAME.findall(controls))]
        for start, added in changes:
            # As the author wrote it.
            written = unescape(start).replace('=""', "")
            for path, text in texts.items():
                texts[path] = text.replace(written, f"{written[:-1]} {added}>", 1)
    for path, text in texts.items():
        path.write_text(text, "utf-8")


async def settled(page: Page, url: str) -> None:
    """Open a page; its agent is there, and nothing lies over it."""
    await page.goto(url)
    await page.evaluate("webagent.ready")
    assert await page.evaluate(OVERLAY)


def types(manifest: Manifest, name: str) -> dict[str, str]:
    """Return the types of a tool's parameters; those that may be left out have a `?`."""
    params = tool(manifest, name).params
    return {f"{param.name}{'' if param.required else '?'}": param.type for param in params}


@pytest.mark.conformance
async def test_static_pages_with_forms(
    page: Page, watch: Watch, serve: Serve, tmp_path: Path
) -> None:
    """Each form is named once, typed, and works as a tool when its tag says so."""
    root = await adopted("forms", tmp_path)
    server = serve(root)
    await settled(page, server.url)
    manifest, text, notes = await extracted(root, server.url)

    effects = {one.name: (one.behavior.effect, [*one.behavior.paths]) for one in manifest.tools}
    assert effects == {
        "findRoom": ("read", ["/"]),
        "orderGiftVoucher": ("irreversible", ["/"]),
        "searchSite": ("read", ["/", "/book.html", "/rooms.html"]),
        "subscribeToNewsletter": ("write", ["/", "/rooms.html"]),
        "writeReview": ("irreversible", ["/rooms.html"]),
        "askForCall": ("unknown", ["/book.html"]),
        "bookStay": ("irreversible", ["/book.html"]),
        "cancelBooking": ("irreversible", ["/book.html"]),
        "login": ("write", ["/account/login.html"]),
        "sendContact": ("irreversible", ["/ja/index.html"]),
    }
    assert types(manifest, "bookStay") == {
        "arrival": "string",
        "nights": "number",
        "room": '"r1" | "r2" | "r3"',
        "time?": "string",
        "breakfast": '"full" | "continental" | "none"',
        "extras?": '("parking" | "cot" | "dog")[]',
        "guest": "string",
        "email": "string",
        "phone?": "string",
        "wishes?": "string",
        "terms": "boolean",
    }
    booking = tool(manifest, "bookStay")
    assert booking.input_schema
    assert booking.input_schema["properties"]["arrival"]["format"] == "date"
    assert booking.params[2].description.startswith("Room: `r1` Single, north; `r2` Double")
    assert booking.description.startswith("Book your stay. We hold the room until six")
    assert types(manifest, "askForCall") == {
        "callbackPhone": "string",
        "callbackWhen?": '"morning" | "afternoon"',
    }
    assert tool(manifest, "sendContact").params[0].description == "お名前"

    follow(notes, root)
    assert "`event.respondWith?.(answer)` behind the `preventDefault()` of its script" in notes
    script = root / "hotel.js"
    answer = "event.preventDefault(); event.respondWith?.(Promise.resolve({ thanked: true }));"
    script.write_text(script.read_text("utf-8").replace("event.preventDefault();", answer), "utf-8")
    (root / "webagents.md").write_text(text, "utf-8")
    server = serve(root)
    await settled(page, f"{server.url}/book.html")
    await page.evaluate("""() => {
        window.asked = webagent.call("askForCall", "+44 20 7946 0958", "afternoon");
    }""")
    await page.click("form[data-tool-form-active] button")
    answered = await page.evaluate("window.asked")
    said = await page.text_content("[role=status]")
    await settled(page, server.url)
    await page.evaluate("void webagent.call('findRoom', '2030-05-01', '2030-05-03', 2, 'double')")
    await page.wait_for_url("**/rooms.html?*")

    assert answered == {"thanked": True}
    assert said == "Thank you: callbackPhone +44 20 7946 0958, callbackWhen afternoon"
    assert await page.text_content("#rooms") == "Double, fell view: £132 a night"


@pytest.mark.conformance
async def test_a_single_page_application(page: Page, serve: Serve, tmp_path: Path) -> None:
    """Its pages are those of its links; the tools of each are there on it, after a deep link too."""
    root = await adopted("spa", tmp_path)
    server = serve(root, "--spa")
    await settled(page, f"{server.url}/shop/3")
    manifest, text, _ = await extracted(root, server.url, "--spa")

    effects = {one.name: (one.behavior.effect, [*one.behavior.paths]) for one in manifest.tools}
    assert effects == {
        "openPage": ("unknown", []),
        "writeToUs": ("irreversible", ["/"]),
        "findBikes": ("unknown", ["/shop"]),
        "filterBikes": ("unknown", ["/shop"]),
        "getBasket": ("unknown", ["/basket"]),
        "emptyBasket": ("unknown", ["/basket"]),
        "rent_bike": ("write", ["/shop/**"]),
    }
    assert types(manifest, "rent_bike") == {
        "from": "string",
        "days": "number",
        "helmet?": "boolean",
    }
    assert types(manifest, "findBikes") == {"kind?": "string", "most?": "number"}
    assert tool(manifest, "openPage").description == "Goes to a page of the application."

    (root / "webagents.md").write_text(text, "utf-8")
    await settled(page, f"{serve(root, '--spa').url}/shop")
    found = await page.evaluate("webagent.call('findBikes', 'cargo')")
    arguments = ("from=2030-05-01", "days=2", "--site", root, "--spa", "--page", "/shop/3")
    code, out, err = await command("call", "rent_bike", *arguments)

    assert [bike["name"] for bike in found] == ["Long Tom"]
    assert code == 0, err
    assert json.loads(out) == {"bike": "Long Tom", "total": 62}


@pytest.mark.conformance
async def test_a_page_whose_tools_come_late(page: Page, serve: Serve, tmp_path: Path) -> None:
    """Also those behind a click, but nothing is clicked that does not say that it only opens."""
    root = await adopted("late", tmp_path)
    server = serve(root)
    await settled(page, server.url)
    manifest, text, _ = await extracted(root, server.url)

    effects = {one.name: one.behavior.effect for one in manifest.tools}
    assert effects == {
        "getNotices": "read",
        "addStop": "write",
        "find_sailings": "read",
        "clear_trip": "write",
        "buySeasonTicket": "irreversible",
    }
    port = '"Ness" | "Holm" | "Stack"'
    assert types(manifest, "find_sailings") == {"from": port, "to": port, "day": "string"}
    assert types(manifest, "addStop") == {"port": "unknown", "hours?": "number"}
    assert tool(manifest, "clear_trip").description == (
        "Takes all stops out of the trip. It is there once “Plan a trip” is open."
    )
    assert types(manifest, "buySeasonTicket") == {"holder": "string", "month": "string"}

    (root / "webagents.md").write_text(text, "utf-8")
    await settled(page, serve(root).url)
    await page.wait_for_function(
        "webagent.tools().then((all) => all.some(({ name, available, params }) =>"
        "  name === 'find_sailings' && available && params.length === 3))"
    )
    await page.wait_for_function(
        "document.getElementById('status').textContent.includes('is here')"
    )
    found = await page.evaluate("webagent.call('find_sailings', 'Ness', 'Holm', '2030-05-01')")

    assert [sailing["leaves"] for sailing in found["sailings"]] == ["08:10", "16:40"]


@pytest.mark.conformance
async def test_an_application_on_a_server_without_a_fallback(tmp_path: Path) -> None:
    """Pages that only its own links lead to are reached by those."""
    root = await adopted("spa", tmp_path)
    code, text, _ = await extract(root)

    assert code == 0
    assert {"findBikes", "getBasket", "rent_bike"} <= {*drafted(text).tool_names}


@pytest.mark.conformance
async def test_a_deep_link_of_a_folder_that_says_it_is_an_application(tmp_path: Path) -> None:
    """`webagent.toml` counts for pages that are opened straight from the folder too."""
    root = await adopted("spa", tmp_path)
    (root / "webagent.toml").write_text("[site]\nspa = true\n")
    arguments = ("rent_bike", "from=2030-05-01", "days=2", "--site", root, "--page", "/shop/1")
    code, out, err = await command("call", *arguments)

    assert code == 0, err
    assert json.loads(out) == {"bike": "Harbour", "total": 28}
