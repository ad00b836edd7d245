"""The panel in the language of its page, and in one that the site adds."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import Watch
from tests.e2e.panel.conftest import Open
from tests.e2e.panel.site import Site
from tests.e2e.panel.story import APPROVAL, SEARCH, STARTED

PAGE = """<title>A shop</title><meta name="viewport" content="width=device-width">
<script>document.documentElement.lang = "LANGUAGE"</script><main><h1>A shop</h1></main>"""


async def test_it_is_in_the_language_of_the_page(talk_on: Open) -> None:
    """Texts, plurals and numbers; `lang` may name a region."""
    talk = await talk_on(PAGE.replace("LANGUAGE", "de-DE"))
    await talk.open()
    await expect(talk.panel).to_have_accessible_name("Assistent")
    await expect(talk.log).to_contain_text("Was möchten Sie hier tun?")
    assert await talk.panel.evaluate("panel => panel.closest('[lang]').lang.slice(0, 2)") == "de"
    await talk.tell(STARTED)
    details = APPROVAL["details"] | {"arguments": {"note": "x" * 12_345}}
    await talk.request(APPROVAL | {"details": details})
    await expect(talk.panel).to_contain_text("12.345 Zeichen")
    await expect(talk.panel.get_by_role("button", name="Einmal erlauben")).to_be_visible()


async def test_after_a_failed_download_of_the_texts_the_panel_opens(
    talk_on: Open, watch: Watch
) -> None:
    """At the next click."""
    talk = await talk_on(PAGE.replace("LANGUAGE", "de"))
    opened = "import('/panel.js').then(({ openPanel }) => openPanel(agent)).then(() => '', String)"
    await talk.page.route("**/texts.js", lambda route: route.abort())
    await talk.page.goto(talk.url)
    assert "reload the page" in await talk.page.evaluate(opened)
    watch.errors.clear()

    await talk.page.unroute("**/texts.js")
    assert await talk.page.evaluate(opened) == ""
    await expect(talk.panel).to_have_accessible_name("Assistent")


async def test_arabic_runs_from_right_to_left(talk_on: Open) -> None:
    """On a page too that does not say its direction, and without sideways scrolling on a small phone."""
    talk = await talk_on(PAGE.replace("LANGUAGE", "ar"), viewport={"width": 320, "height": 640})
    await talk.open()
    await talk.tell(STARTED, SEARCH)
    await talk.request(APPROVAL)
    await expect(talk.panel.get_by_role("button", name="السماح مرة واحدة")).to_be_visible()
    assert await talk.panel.evaluate("panel => getComputedStyle(panel).direction") == "rtl"
    wider = "panel => [panel, ...panel.querySelectorAll('.log, .requests, .asking, .tail')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)"
    assert await talk.panel.evaluate(wider) == []


@pytest.mark.parametrize("language", ["hu", "", "x_y", "toString"])
async def test_a_language_without_texts_is_english(talk_on: Open, language: str) -> None:
    """`lang` may hold anything."""
    talk = await talk_on(PAGE.replace("LANGUAGE", language))
    await talk.open()
    await expect(talk.panel).to_have_accessible_name("Assistant")
    assert await talk.panel.evaluate("panel => panel.closest('[lang]').lang") == "en"


async def test_a_site_adds_a_language_with_a_file(talk_on: Open, site: Site) -> None:
    """A script's words come before the file's, and what is no text is left out."""
    texts = {"title": "Hulp", "start": "Beginnen", "stop": 7, "agent": {"yes": "ja"},
             "items": {"one": "{count} onderdeel", "other": "{count} onderdelen"}, "calls": {"one": "x"}}  # fmt: skip
    site.pages["/texts/nl.json"] = json.dumps(texts)
    named = '<meta name="webagent-texts" content="/texts/nl.json"><script>webagentTexts = { start: "Ga" }</script>'
    talk = await talk_on(PAGE.replace("LANGUAGE", "nl") + named)
    await talk.open()
    await expect(talk.panel).to_have_accessible_name("Hulp")
    await expect(talk.panel.get_by_role("button", name="Ga", exact=True)).to_be_visible()
    await expect(talk.goal).to_be_visible()


async def test_texts_of_another_origin_are_not_read(talk_on: Open, site: Site) -> None:
    """A site words its requests itself."""
    site.pages["/texts/nl.json"] = json.dumps({"title": "Hulp"})
    elsewhere = site.origin.replace("127.0.0.1", "localhost")
    named = f'<meta name="webagent-texts" content="{elsewhere}/texts/nl.json">'
    talk = await talk_on(PAGE.replace("LANGUAGE", "nl") + named)
    await talk.open()
    await expect(talk.panel).to_have_accessible_name("Assistant")
