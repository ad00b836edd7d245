"""Frames that go: their tools go with them, and nobody waits for what cannot come."""

from __future__ import annotations

import pytest

from tests.e2e.components.conftest import Shop, Site, frames, tool

pytestmark = pytest.mark.conformance

NEVER = "(top.postMessage('running', '*'), await new Promise(() => {}))"
START = """(name) => new Promise((running) => {
             addEventListener("message", ({data}) => { if (data === "running") running(); });
             window.failed = webmcp.executeTool(name, {}, {timeout_ms: Infinity})
               .catch(({kind, tool}) => [kind, tool]);
           })"""

GOING = {
    "removed": "document.querySelector('iframe').remove()",
    "removed with its parent": "document.body.replaceChildren()",
    "navigated": "document.querySelector('iframe').src = '/other'",
    "emptied": "document.querySelector('iframe').src = 'about:blank'",
}


@pytest.mark.parametrize("foreign", [False, True], ids=["same origin", "cross origin"])
@pytest.mark.parametrize("how", GOING.values(), ids=GOING)
async def test_a_frame_that_goes_takes_its_tools_along(
    top: Shop, shop: Site, partner: Site, how: str, foreign: bool
) -> None:
    """A call in its middle rejects with `page_gone`, the list loses the tools, the others work on."""
    site = partner if foreign else shop
    going = site.page("/going", tool("never", NEVER, component="part"), origins=shop.origin)
    other = partner.page("/staying", tool("stays"), origins=shop.origin)
    shop.page("/other")
    body = f"<div>{frames(going)}</div>"
    home = shop.page("/", origins=partner.origin, body=body)
    await top.open(home, "part_never")
    await top.add(other)
    await top.lists("part_never", "stays")
    await top.lists("part_never", "stays", frame=top.frame(other))
    await top.page.evaluate(START, "part_never")
    await top.page.evaluate(how)
    assert await top.page.evaluate("failed") == ["page_gone", "part_never"]
    await top.lists("stays")
    await top.lists("stays", frame=top.frame(other))
    assert (await top.call("part_never"))["error"]["kind"] == "unknown_tool"
    assert await top.call("stays") == "stays"


async def test_a_call_between_frames_ends_with_its_owner(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A frame that waits for another frame's tool hears `page_gone` when that one is removed."""
    owner = partner.page("/owner", tool("never", NEVER), origins=shop.origin)
    caller = shop.page("/caller")
    home = shop.page("/", origins=partner.origin, body=frames(owner, caller))
    await top.open(home, "never")
    frame = top.frame(caller)
    await top.lists("never", frame=frame)
    running = (
        "new Promise((done) => addEventListener('message', (e) => e.data === 'running' && done()))"
    )
    waiting = await top.page.evaluate_handle(f"({{done: {running}}})")
    failed = await frame.evaluate_handle(
        "({call: webmcp.executeTool('never').catch(({kind}) => kind)})"
    )
    await waiting.evaluate("({done}) => done")
    await top.page.evaluate("document.querySelector('iframe').remove()")
    assert await failed.evaluate("({call}) => call") == "page_gone"


async def test_a_caller_that_goes_aborts_what_it_called(
    top: Shop, shop: Site, partner: Site
) -> None:
    """The signal of a tool aborts when the frame that called it is removed."""
    caller = partner.page("/caller", origins=shop.origin)
    wait = """await new Promise((done) => {
                signal.onabort = () => { top.aborted = signal.reason.name; done(); };
                top.waiting = true;
              })"""
    owner = shop.page("/owner", tool("wait", wait))
    home = shop.page("/", origins=partner.origin, body=frames(caller, owner))
    await top.open(home, "wait")
    await top.lists("wait", frame=top.frame(caller))
    await top.frame(caller).evaluate("void webmcp.executeTool('wait')")
    await top.page.wait_for_function("window.waiting")
    await top.page.evaluate("document.querySelector('iframe').remove()")
    await top.page.wait_for_function("window.aborted === 'AbortError'")


async def test_the_next_document_of_a_frame_joins_anew(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A navigation replaces a frame's tools by those of its new document."""
    first = partner.page("/first", tool("first"), origins=shop.origin)
    second = partner.page("/second", tool("second"), origins=shop.origin)
    await top.open(shop.page("/", origins=partner.origin, body=frames(first)), "first")
    await top.page.evaluate("url => { document.querySelector('iframe').src = url }", second)
    await top.lists("second")
    assert await top.call("second") == "second"


async def test_a_frame_that_leaves_without_a_word(top: Shop, shop: Site, partner: Site) -> None:
    """One that is torn out before it can say so is gone all the same."""
    mute = "addEventListener('pagehide', (event) => event.stopImmediatePropagation(), {capture: true});"
    url = partner.raw(
        "/mute",
        f'<meta name="webmcp-origins" content="{shop.origin}"><script>{mute}</script>'
        f'<script type="module">import webmcp from "/components.js"; {tool("mute", NEVER)}</script>',
    )
    await top.open(shop.page("/", origins=partner.origin, body=frames(url)), "mute")
    await top.page.evaluate(START, "mute")
    await top.page.evaluate(GOING["removed"])
    assert await top.page.evaluate("failed") == ["page_gone", "mute"]
    assert await top.page.evaluate("webmcp.getTools()") == []


async def test_a_frame_comes_back_from_the_cache(top: Shop, shop: Site, partner: Site) -> None:
    """A document that the browser restores from its cache joins again, with its tools and a list."""
    url = partner.page("/frame", tool("back"), origins=shop.origin)
    home = shop.page("/", tool("home"), origins=partner.origin, body=frames(url))
    await top.open(home, "back", "home")
    frame = top.frame(url)
    await top.lists("back", "home", frame=frame)
    await frame.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    await top.lists("home")
    await top.lists("back", frame=frame)
    await frame.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    await top.lists("back", "home")
    await top.lists("back", "home", frame=frame)
    assert await top.call("home", frame=frame) == "home"
