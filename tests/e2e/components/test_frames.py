"""Components across frames: who joins, who is listed, who is called."""

from __future__ import annotations

import pytest

from tests.e2e.components.conftest import Shop, Site, frames, tool

FOUR = ("cart_add", "news", "partner_pay", "search")


async def open_four(top: Shop, shop: Site, partner: Site, stranger: Site) -> dict[str, str]:
    """Open a page with frames of its own origin, a listed one and one that is not listed."""
    urls = {
        "cart": shop.page("/cart", tool("add", "`cart ${p.id}`", component="cart")),
        "news": shop.page("/news", tool("news")),
        "partner": partner.page(
            "/pay", tool("pay", "`paid ${p.sum}`", component="partner"), origins=shop.origin
        ),
        "stranger": stranger.page("/spy", tool("spy"), origins=shop.origin),
    }
    home = shop.page(
        "/", tool("search"), origins=partner.origin, body=frames(*urls.values(), urls["stranger"])
    )
    await top.open(home, *FOUR)
    return urls


async def test_every_frame_lists_the_same(
    top: Shop, shop: Site, partner: Site, stranger: Site
) -> None:
    """The top page and all frames that it lets in have one list, and any calls any tool."""
    urls = await open_four(top, shop, partner, stranger)
    inside = [None, *(top.frame(urls[name]) for name in ("cart", "news", "partner"))]
    for frame in inside:
        await top.lists(*FOUR, frame=frame)
        assert await top.call("search", frame=frame) == "search"
        assert await top.call("cart_add", {"id": 7}, frame=frame) == "cart 7"
        assert await top.call("news", frame=frame) == "news"
        assert await top.call("partner_pay", {"sum": 5}, frame=frame) == "paid 5"
        assert await top.call("pay", {"sum": 5}, frame=frame) == "paid 5"
    listed = await top.page.evaluate(
        "webmcp.getTools().then((all) => all.find(({name}) => name === 'add'))"
    )
    assert listed == {
        "name": "add",
        "component": "cart",
        "description": "does add",
        "inputSchema": {"type": "object", "properties": {}},
    }


async def test_an_unlisted_origin_is_refused_and_reported_once(
    top: Shop, shop: Site, partner: Site, stranger: Site
) -> None:
    """Two frames of one origin give one warning and one event; their calls fail with `denied`."""
    warnings: list[str] = []
    top.page.on("console", lambda said: warnings.append(said.text))
    await top.page.add_init_script(
        """addEventListener("message", () => {
             if (!window.refused && window.webmcp) {
               window.refused = []; webmcp.on("refused:origin", (detail) => refused.push(detail));
             }
           }, {capture: true})"""
    )
    urls = await open_four(top, shop, partner, stranger)
    for frame in [frame for frame in top.page.frames if frame.url == urls["stranger"]]:
        denied = await top.call("search", frame=frame)
        assert denied["error"]["kind"] == "denied"
        assert f'content="{stranger.origin}"' in denied["error"]["message"]
        names = "webmcp.getTools().then((all) => all.map(({name}) => name))"
        assert await frame.evaluate(names) == ["spy"]
        assert await top.call("spy", frame=frame) == "spy"
    assert await top.page.evaluate("refused") == [{"origin": stranger.origin}]
    assert len([text for text in warnings if stranger.origin in text]) == 1
    assert (await top.call("spy"))["error"]["kind"] == "unknown_tool"


async def test_a_frame_keeps_its_tools_from_a_page_it_does_not_list(
    top: Shop, shop: Site, partner: Site
) -> None:
    """A page does not get a site's tools by putting the site into a frame."""
    warnings: list[str] = []
    top.page.on("console", lambda said: warnings.append(said.text))
    url = partner.page("/pay", tool("pay"))
    await top.open(
        shop.page("/", tool("search"), origins=partner.origin, body=frames(url)), "search"
    )
    denied = await top.call("search", frame=top.frame(url))
    assert denied["error"]["kind"] == "denied"
    assert f'<meta name="webmcp-origins" content="{shop.origin}">' in denied["error"]["message"]
    assert len([text for text in warnings if shop.origin in text]) == 1


async def test_a_sandboxed_frame_is_refused(top: Shop, shop: Site) -> None:
    """An opaque origin is nobody's, even when a list says `null`."""
    shop.raw(
        "/box",
        """<script>
          const hello = () => top.postMessage({webmcp: 1, type: "hello", nonce: "n"}, "*");
          onmessage = ({data}) => data.type === "shell" ? hello() : document.title = data.type;
          hello();
        </script>""",
    )
    body = '<iframe sandbox="allow-scripts" src="/box"></iframe>'
    await top.open(shop.page("/", tool("search"), origins="null", body=body), "search")
    await top.page.frames[1].wait_for_function("document.title === 'refused'")


async def test_a_frame_inside_a_frame_joins_the_top(
    top: Shop, shop: Site, partner: Site, stranger: Site
) -> None:
    """A nested frame registers with the outermost page, also below one that may not."""
    inner = shop.page("/inner", tool("inner"))
    deep = partner.page("/deep", tool("deep"), origins=shop.origin)
    middle = partner.page("/middle", origins=shop.origin, body=frames(inner))
    foreign = stranger.raw("/foreign", frames(deep))
    home = shop.page("/", origins=partner.origin, body=frames(middle, foreign))
    await top.open(home, "deep", "inner")
    assert await top.call("deep", frame=top.frame(inner)) == "deep"
    assert await top.call("inner") == "inner"


async def test_a_document_without_an_address_joins(top: Shop, shop: Site) -> None:
    """A `srcdoc` frame has its parent's origin and takes part."""
    module = f"import webmcp from '{shop.origin}/components.js'; {tool('inline')}"
    source = f'<script type="module">{module}</script>'.replace('"', "&quot;")
    await top.open(
        shop.page("/", tool("search"), body=f'<iframe srcdoc="{source}"></iframe>'),
        "inline",
        "search",
    )
    await top.lists("inline", "search", frame=top.page.frames[1])
    assert await top.call("search", frame=top.page.frames[1]) == "search"
    assert await top.call("inline") == "inline"


async def test_frames_may_be_there_before_the_shell(top: Shop, shop: Site, partner: Site) -> None:
    """Frames whose script ran first join when the top page's script comes; early calls wait."""
    inner = shop.page("/inner", tool("inner"))
    outer = partner.page("/outer", tool("outer"), origins=shop.origin, body=frames(inner))
    meta = f'<meta name="webmcp-origins" content="{partner.origin}">'
    await top.page.goto(shop.raw("/", f"{meta}<body>{frames(outer)}"))
    await top.lists("inner", frame=top.frame(inner))
    early = await top.frame(inner).evaluate_handle("({answer: webmcp.executeTool('search')})")
    await top.page.evaluate(
        """import("/components.js").then(({registerTool}) => registerTool(
             {name: "search", description: "finds", execute: () => "found"}))"""
    )
    await top.lists("inner", "outer", "search")
    assert await early.evaluate("({answer}) => answer") == "found"


@pytest.mark.conformance
async def test_a_call_that_no_shell_hears_says_so(top: Shop, shop: Site) -> None:
    """Without `components.js` in the top page a call of another frame's tool times out with the reason."""
    url = shop.page("/frame", tool("own"))
    await top.page.goto(shop.raw("/", f"<body>{frames(url)}"))
    await top.lists("own", frame=top.frame(url))
    late = await top.call("search", frame=top.frame(url), options="{timeout_ms: 20}")
    assert late["error"]["kind"] == "timeout"
    assert "load components.js there" in late["error"]["message"]


async def test_the_event_carries_the_list_after_every_change(
    top: Shop, shop: Site, partner: Site
) -> None:
    """Every frame hears of its own changes at once and of all others' in order, each with the whole list."""
    url = partner.page("/frame", origins=shop.origin)
    await top.open(shop.page("/", tool("a"), origins=partner.origin, body=frames(url)), "a")
    frame = top.frame(url)
    await top.lists("a", frame=frame)
    listen = """() => { window.heard = []; webmcp.on("change:tools",
                  (tools) => heard.push(tools.map(({name, description}) => name + description).join())) }"""
    await top.page.evaluate(listen)
    await frame.evaluate(listen)
    own = await frame.evaluate(
        """() => {
          const define = (name, description) => webmcp.registerTool({name, description, execute() {}});
          define("c", "1"); define("b", "1"); define("c", "2");
          webmcp.unregisterTool("b"); webmcp.unregisterTool("b");
          return heard;
        }"""
    )
    assert own == ["adoes a,c1", "adoes a,b1,c1", "adoes a,b1,c2", "adoes a,c2"]
    await top.page.wait_for_function("heard.length === 4")
    assert await top.page.evaluate("heard") == own
    await top.page.evaluate("webmcp.unregisterTool('a')")
    await frame.wait_for_function("heard.length === 5")
    assert await frame.evaluate("heard[4]") == "c2"


async def test_an_own_tool_is_called_directly(top: Shop, shop: Site) -> None:
    """A tool of the own frame gets the very object, and no message is sent."""
    url = shop.page("/frame", tool("same", "p", component="part"))
    await top.open(shop.page("/", body=frames(url)), "part_same")
    for name in ("same", "part_same"):
        assert await top.frame(url).evaluate(
            """async (name) => {
              MessagePort.prototype.postMessage = () => { throw new Error("a message was sent") };
              const parameters = {window};
              return await webmcp.executeTool(name, parameters) === parameters;
            }""",
            name,
        )


async def test_the_own_tool_comes_first_and_else_the_oldest(
    top: Shop, shop: Site, partner: Site
) -> None:
    """Two frames may own one component and name; a replacement keeps its age, a removal gives way."""
    both = [
        partner.page(path, tool("who", f"'{path}'", component="who"), origins=shop.origin)
        for path in ("/old", "/new")
    ]
    home = shop.page("/", origins=partner.origin, body=frames(both[0]))
    await top.open(home, "who_who")
    await top.add(both[1])
    await top.page.wait_for_function(
        "webmcp[Symbol.for('webagent.components')].tools().length === 2"
    )
    assert await top.call("who_who") == "/old"
    assert await top.call("who_who", frame=top.frame(both[0])) == "/old"
    assert await top.call("who_who", frame=top.frame(both[1])) == "/new"
    await top.frame(both[0]).evaluate(tool("who", "'replaced'", component="who"))
    assert await top.call("who_who", frame=top.frame(both[0])) == "replaced"
    assert await top.call("who") == "replaced"
    await top.page.evaluate("document.querySelector('iframe').remove()")
    assert await top.call("who") == "/new"
    assert await top.page.evaluate("webmcp.getTools().then((all) => all.length)") == 1


async def test_a_thousand_tools(top: Shop, shop: Site, partner: Site) -> None:
    """A frame registers a thousand tools one by one; all are listed everywhere and called."""
    many = """for (let i = 0; i < 1000; i++) webmcp.registerTool({name: "t" + i,
                description: "number " + i, execute: () => i});"""
    url = partner.page("/many", many, origins=shop.origin)
    other = shop.page("/other")
    home = shop.page("/", origins=partner.origin, body=frames(url, other))
    names = [f"t{number}" for number in range(1000)]
    await top.open(home, *names)
    await top.lists(*names, frame=top.frame(other))
    values = await top.frame(other).evaluate(
        """async () => {
          const called = (await webmcp.getTools()).map(({name}) => webmcp.executeTool(name));
          return (await Promise.all(called)).toSorted((a, b) => a - b);
        }"""
    )
    assert values == list(range(1000))


async def test_a_page_without_frames_works_alone(top: Shop, shop: Site) -> None:
    """In one page, without the rest of webagent, tools are listed and called; two scripts share one API."""
    await top.open(shop.page("/", tool("only", "p.n + 1")), "only")
    assert await top.call("only", {"n": 1}) == 2
    same = """async () => {
      const [first, second] = [await import("/components.js"), await import("/components.js?again")];
      return first.default === webmcp && second.default === webmcp
        && second.getTools === webmcp.getTools && first.TOOLS_CHANGE_EVENT === "change:tools"
        && first.registerTool({name: "x", description: "x", execute() {}}) === undefined
        && first.unregisterTool("x") === undefined;
    }"""
    assert await top.page.evaluate(same)


async def test_a_list_waits_for_the_shell(top: Shop, shop: Site, partner: Site) -> None:
    """The first list of a frame has the tools of the others, however early it asks."""
    code = "window.first = webmcp.getTools().then((all) => all.map(({name}) => name));"
    url = partner.page("/early", code, origins=shop.origin)
    home = shop.page("/", tool("search"), origins=partner.origin, body=frames(url))
    await top.open(home, "search")

    assert await top.frame(url).evaluate("first") == ["search"]
    assert await top.page.evaluate("webmcp.getTools() instanceof Promise")


@pytest.mark.conformance
async def test_a_list_does_not_wait_for_a_shell_for_ever(top: Shop, shop: Site) -> None:
    """In a page without our script a frame lists its own tools, after some seconds."""
    url = shop.page("/alone", tool("own"))
    await top.page.goto(shop.raw("/", frames(url)))
    frame = top.frame(url)

    await frame.wait_for_function("window.webmcp")
    names = "webmcp.getTools().then((all) => all.map(({name}) => name))"
    assert await frame.evaluate(names) == ["own"]
