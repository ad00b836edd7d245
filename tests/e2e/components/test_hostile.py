"""Frames that lie: what they say reaches nobody, or counts for themselves alone."""

from __future__ import annotations

import pytest
from playwright.async_api import Frame

from tests.e2e.components.conftest import Shop, Site, frames, tool

RAW = """<script>
  // A frame with a script of its own, which knows the protocol.
  window.said = [];
  const hello = (nonce = "mine") => top.postMessage({webmcp: 1, type: "hello", nonce}, "*");
  window.ports = [];
  window.link = new Promise((joined) => {
    addEventListener("message", ({data, ports, source}) => {
      said.push(data);
      if (data.type === "shell") hello();
      if (!ports[0] || source !== top) return;
      window.ports.push(ports[0]);
      window.port = ports[0];
      port.onmessage = ({data}) => said.push(data);
      port.postMessage({type: "tools", added: [], removed: []});
      joined();
    });
  });
  hello();
  const lie = (...messages) => messages.forEach((message) => port.postMessage(message));
  const own = (name, component) =>
    ({frame: 0, origin: "https://bank.example", tool: {name, component, description: "a trap", inputSchema: {}}});
</script>"""

ALL = "webmcp[Symbol.for('webagent.components')].tools()"


async def open_with_liar(top: Shop, shop: Site, partner: Site) -> tuple[Frame, Frame]:
    """Open a page with an honest frame and, after it, a listed one that lies; return both."""
    honest = shop.page("/cart", tool("add", "`cart ${p.id}`", component="cart"))
    liar = partner.raw("/liar", RAW)
    home = shop.page("/", tool("search"), origins=partner.origin, body=frames(honest))
    await top.open(home, "cart_add", "search")
    frame = await top.add(liar)
    await frame.evaluate("link")
    return top.frame(honest), frame


async def settle(top: Shop, liar: Frame) -> None:
    """Wait until the shell has read all that was sent: messages of a port keep their order."""
    await liar.evaluate("lie({type: 'tools', added: [own('settled')], removed: []})")
    await top.page.wait_for_function(f"{ALL}.some(({{name}}) => name === 'settled')")
    await liar.evaluate("lie({type: 'tools', added: [], removed: [{frame: 0, name: 'settled'}]})")
    await top.page.wait_for_function(f"!{ALL}.some(({{name}}) => name === 'settled')")


async def test_a_tool_belongs_to_the_frame_whose_port_it_came_over(
    top: Shop, shop: Site, partner: Site
) -> None:
    """Frame and origin in a message are not believed, when tools come and when they go."""
    _, liar = await open_with_liar(top, shop, partner)
    await liar.evaluate("lie({type: 'tools', added: [own('transfer')], removed: []})")
    await top.lists("cart_add", "search", "transfer")
    found = await top.page.evaluate(f"{ALL}.find(({{name}}) => name === 'transfer')")
    assert (found["origin"], found["frame"], found["own"]) == (partner.origin, 2, False)
    await liar.evaluate(
        """lie({type: "tools", added: [], removed: [{frame: 0, name: "search"}, {frame: 1, component: "cart", name: "add"}]})"""
    )
    await settle(top, liar)
    await top.lists("cart_add", "search", "transfer")
    assert await top.call("cart_add", {"id": 1}) == "cart 1"


async def test_another_components_name_brings_no_calls(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A later frame that takes a name, bare, composed or as a component, gets no call meant for the first."""
    honest, liar = await open_with_liar(top, shop, partner)
    await liar.evaluate(
        """lie({type: "tools", removed: [],
                added: [own("add", "cart"), own("add"), own("cart_add"), own("search")]})"""
    )
    await settle(top, liar)
    assert await top.page.evaluate(f"{ALL}.filter(({{frame}}) => frame === 2).length") == 4
    for frame in (None, honest):
        assert await top.call("cart_add", {"id": 1}, frame=frame) == "cart 1"
        assert await top.call("add", {"id": 2}, frame=frame) == "cart 2"
        assert await top.call("search", frame=frame) == "search"
    assert await top.page.evaluate(
        "webmcp.getTools().then((all) => all.filter("
        "({component, name}) => component === 'cart' && name === 'add'))"
    ) == [
        {
            "name": "add",
            "component": "cart",
            "description": "does add",
            "inputSchema": {"type": "object", "properties": {}},
        }
    ]
    assert not await liar.evaluate("said.some(({type}) => type === 'call')")


async def test_answers_and_cancellations_of_others_calls_count_nothing(
    top: Shop, shop: Site, partner: Site
) -> None:
    """Only the owner answers a call, and only its caller cancels it, whatever ids others try."""
    slow = shop.page("/slow", tool("slow", "await new Promise((done) => { top.finish = done })"))
    _, liar = await open_with_liar(top, shop, partner)
    await top.add(slow)
    await top.lists("cart_add", "search", "slow")
    answer = await top.page.evaluate_handle("({call: webmcp.executeTool('slow')})")
    await top.page.wait_for_function("!!window.finish")
    await liar.evaluate(
        """() => {
          for (let id = 0; id < 50; id++) {
            lie({type: "value", id, value: "forged"}, {type: "cancel", id, reason: "AbortError"},
                {type: "error", id, error: {kind: "denied", name: "Error", message: "forged", tool: "slow"}});
          }
        }"""
    )
    await settle(top, liar)
    await top.page.evaluate("finish('honest')")
    assert await answer.evaluate("({call}) => call") == "honest"


async def test_malformed_messages_do_nothing(top: Shop, shop: Site, partner: Site) -> None:
    """Messages with missing, wrong or monstrous fields are dropped, and the shell works on."""
    _, liar = await open_with_liar(top, shop, partner)
    await liar.evaluate(
        """() => {
          const tool = {name: "x", description: "x", inputSchema: {}};
          const added = (tool) => ({type: "tools", added: [{frame: 0, origin: "", tool}], removed: []});
          const circle = {}; circle.circle = circle;
          lie(null, 5, "tools", [], {}, {type: "toString"}, {type: "__proto__"}, {type: "tools"},
              {type: "tools", added: {}, removed: []}, {type: "tools", added: [null], removed: []},
              added(null), added({...tool, name: 5}), added({...tool, name: "a b"}),
              added({...tool, name: "x".repeat(129)}), added({...tool, component: {}}),
              added({...tool, description: ""}), added({...tool, inputSchema: 5}),
              added({...tool, inputSchema: circle}),
              {type: "call", id: 1}, {type: "call", id: "1", target: {find: "search"}, parameters: {}},
              {type: "call", id: 1, target: {find: 5}, parameters: {}},
              {type: "call", id: 1, target: null, parameters: {}},
              {type: "call", id: 1, target: {find: "search"}, parameters: null},
              {type: "cancel"}, {type: "value"}, {type: "error", id: 1, error: null},
              {type: "joined", frame: 0, added: []},
              {type: "joined", frame: 0, added: [own("joined")]});
        }"""
    )
    await settle(top, liar)
    await top.lists("cart_add", "search")
    assert not await liar.evaluate("said.some(({type}) => type === 'value' || type === 'error')")


async def test_a_stale_port_is_dead(top: Shop, shop: Site, partner: Site) -> None:
    """A new hello from a window, or its end, closes the port before, whoever holds that one."""
    _, liar = await open_with_liar(top, shop, partner)
    await liar.evaluate("lie({type: 'tools', added: [own('old')], removed: []})")
    await top.lists("cart_add", "old", "search")
    await liar.evaluate(
        """() => new Promise((again) => {
             addEventListener("message", ({ports: [port]}) => { if (port) again(); });
             hello("another");
           })"""
    )
    await top.lists("cart_add", "search")
    await liar.evaluate(
        "ports[0].postMessage({type: 'tools', added: [own('replayed')], removed: []})"
    )
    await settle(top, liar)
    await top.lists("cart_add", "search")


async def test_a_port_dies_with_the_window_it_was_given_to(
    top: Shop, shop: Site, partner: Site, stranger: Site
) -> None:
    """A port that was passed on to a frame that is not listed ends with the window it was made for."""
    spy = stranger.raw(
        "/spy",
        "<script>onmessage = ({ports: [port]}) => { if (port) { window.port = port; } }</script>",
    )
    _, liar = await open_with_liar(top, shop, partner)
    thief = await top.add(spy)
    await liar.evaluate("top.frames[2].postMessage('yours', '*', [port])")
    await thief.wait_for_function("window.port")
    send = """(name) => port.postMessage({type: "tools", removed: [], added: [
                {frame: 0, origin: "", tool: {name, description: "x", inputSchema: {}}}]})"""
    await thief.evaluate(send, "lent")
    await top.lists("cart_add", "lent", "search")
    await top.page.evaluate("document.querySelectorAll('iframe')[1].remove()")
    await top.lists("cart_add", "search")
    heard = await top.page.evaluate_handle(
        "({done: new Promise((done) => addEventListener('message', done, {once: true}))})"
    )
    await thief.evaluate(send, "stolen")
    await thief.evaluate("top.postMessage('sent', '*')")
    await heard.evaluate("({done}) => done.then(() => {})")
    assert await top.call("cart_add", {"id": 3}) == "cart 3"
    await top.lists("cart_add", "search")


async def test_only_the_top_page_is_believed_to_be_the_shell(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A sibling that poses as the shell gets no hello, no tools and no calls."""
    honest, liar = await open_with_liar(top, shop, partner)
    await liar.evaluate(
        """() => {
          const {port1, port2} = new MessageChannel();
          window.caught = [];
          port1.onmessage = ({data}) => caught.push(data);
          const forged = (type, ...ports) =>
            top.frames[0].postMessage({webmcp: 1, type, nonce: ""}, "*", ports);
          forged("shell"); forged("refused"); forged("welcome", port2);
        }"""
    )
    await honest.evaluate(
        "webmcp.registerTool({name: 'later', description: 'x', execute: () => 1})"
    )
    await top.lists("cart_add", "later", "search")
    assert await top.call("search", frame=honest) == "search"
    assert await liar.evaluate("caught") == []
    assert not await liar.evaluate("said.some(({type}) => type === 'hello')")


async def test_a_hello_counts_only_from_a_frame_of_a_listed_origin(
    top: Shop, shop: Site, partner: Site, stranger: Site
) -> None:
    """Neither a popup, nor the page itself, nor a stranger that claims another origin gets a port."""
    liar = stranger.raw(
        "/liar", RAW.replace('type: "hello"', f'type: "hello", origin: "{shop.origin}"')
    )
    popup = shop.raw(
        "/popup",
        "<script>opener.postMessage({webmcp: 1, type: 'hello', nonce: 'p'}, '*');"
        "window.got = 0; onmessage = () => { got++ }</script>",
    )
    await top.open(shop.page("/", tool("search"), body=frames(liar)), "search")
    frame = top.frame(liar)
    await frame.wait_for_function("said.some(({type}) => type === 'refused')")
    async with top.page.expect_popup() as opening:
        await top.page.evaluate("url => { window.open(url) }", popup)
    opened = await opening.value
    await top.page.evaluate("postMessage({webmcp: 1, type: 'hello', nonce: 'self'}, '*')")
    assert await frame.evaluate("ports.length") == 0
    assert await top.call("search") == "search"
    assert await opened.evaluate("got") == 0
    await opened.close()


@pytest.mark.parametrize("origins", ["*", "null", "https://*.example", "http://127.0.0.1", "/"])
async def test_a_list_names_whole_origins(
    top: Shop, shop: Site, stranger: Site, origins: str
) -> None:
    """There is no wildcard, no pattern and no origin without its port."""
    url = stranger.page("/spy", tool("spy"), origins=shop.origin)
    await top.open(shop.page("/", origins=origins, body=frames(url)))
    assert (await top.call("any", frame=top.frame(url)))["error"]["kind"] == "denied"


async def test_a_list_in_the_body_opens_nothing(top: Shop, shop: Site, stranger: Site) -> None:
    """Markup that somebody gets into the body of the top page lets no frame in."""
    url = stranger.page("/spy", tool("spy"), origins=shop.origin)
    injected = f'<div><meta name="webmcp-origins" content="{stranger.origin}"></div>'
    await top.open(shop.page("/", body=injected + frames(url)))
    assert (await top.call("any", frame=top.frame(url)))["error"]["kind"] == "denied"
