"""The use of tools: what pages of a site report in Chromium, and what its owner sees."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.async_api import Browser, Request, Response, expect

from tests.e2e.siteserver.bookshop import PICTURES, Visitor, bookshop
from tests.model_server import asks
from webagent_site.broker.ledger import Budget, Limit

WITHOUT_MODEL = {"visitor": Budget(day=Limit(requests=0))}
USAGE = "/__webagent__/usage"


def sent_by(visitor: Visitor) -> list[Request]:
    """Return the list to which the reports of a page are added."""
    sent: list[Request] = []
    visitor.page.on("request", lambda asked: USAGE in asked.url and sent.append(asked))
    return sent


def _reports_books(response: Response) -> bool:
    return USAGE in response.url and "findBooks" in (response.request.post_data or "")


async def test_the_owner_sees_how_tools_are_used(
    visitor: Visitor, browser: Browser, tmp_path: Path
) -> None:
    """Calls, a refusal, a stop and two thumbs arrive; arguments and words stay in the page."""
    sent = sent_by(visitor)
    find = asks(("findBooks", {"query": "harbour"}))
    end = asks(("finish", {"text": "There is Harbour Lights.", "success": True}))
    add = asks(("addBook", {"title": "Harbour Lights"}))
    script = (find, end, add, end, add)
    may = {"x-owner": "yes"}

    with bookshop(
        tmp_path, *script, usage=lambda request: request.headers.get("x-owner") == "yes"
    ) as site:
        await visitor.ask(site.origin, "find books about harbour")
        helped = visitor.panel.locator(".rate")
        await expect(helped).to_contain_text("Did this help?", timeout=60_000)
        await visitor.picture("helped")
        await helped.get_by_role("button", name="Yes").click()
        await expect(helped).to_have_text("Thank you.")

        await visitor.tell("add the first one")
        await visitor.panel.locator(".request").get_by_role("button", name="No", exact=True).click()
        await visitor.panel.locator(".request").get_by_role("button", name="No", exact=True).click()
        await expect(helped).to_have_count(1, timeout=60_000)
        await helped.get_by_role("button", name="No").click()

        await visitor.tell("add it now")
        await expect(visitor.panel.locator(".request")).to_be_visible(timeout=60_000)
        await visitor.panel.get_by_role("button", name="Stop", exact=True).click()
        await visitor.reads("Stopped.")

        stranger = await visitor.page.request.get(site.origin + USAGE)
        assert stranger.status == 404
        context = await browser.new_context(extra_http_headers=may)
        owner = await context.new_page()
        rows = owner.locator("tbody tr")
        # The count of the run before may still be on its way.
        async with visitor.page.expect_response(_reports_books) as answered:
            await visitor.page.evaluate("webagent.call('findBooks', 'tea')")
        assert (await answered.value).status == 204

        for width in (1280, 390):
            for scheme in ("light", "dark"):
                await owner.set_viewport_size({"width": width, "height": 600})
                await owner.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                await owner.goto(site.origin + USAGE)
                assert await owner.evaluate("document.documentElement.scrollWidth") <= width
                if PICTURES:
                    await owner.screenshot(path=f"{PICTURES}/usage-{width}-{scheme}.png")
        names = ("Calls", "Errors", "Refused", "Stopped", "Helped", "Did not help")
        found = [
            [await row.locator(f"[data-name='{name}']").inner_text() for name in names]
            for row in await rows.all()
        ]
        await context.close()

    assert found == [["2", "0", "0", "0", "1", "0"], ["0", "0", "1", "1", "0", "1"]]
    bodies = [json.loads(each.post_data or "") for each in sent]
    assert {name for body in bodies for event in body["events"] for name in event} == {
        *("type", "tool", "duration_ms")
    }
    assert all("x-webagent-token" in each.headers and "?" not in each.url for each in sent)


async def test_nothing_is_sent_where_nobody_counts(visitor: Visitor, tmp_path: Path) -> None:
    """Without `usage` the page has no question, and reports to nobody."""
    sent = sent_by(visitor)
    with bookshop(tmp_path, **WITHOUT_MODEL) as site:
        await visitor.ask(site.origin, "find books about harbour")
        await visitor.reads("Harbour Lights")
        await visitor.page.evaluate(
            "webagent.runs().then((runs) => runs.rate === undefined || Promise.reject('counted'))"
        )
        await visitor.page.goto("about:blank")
        await expect(visitor.panel).to_have_count(0)

    assert sent == []
