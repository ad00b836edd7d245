"""The interfaces as script sees them, where they are, and the alias of the earlier drafts."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext

from tests.e2e.modelcontext.conftest import Run, our_script, table
from tests.e2e.modelcontext.sites import Site

LOOK = {
    "String(mc)": "[object ModelContext]",
    "mc === document.modelContext": True,
    "mc instanceof ModelContext && mc instanceof EventTarget": True,
    "ModelContext.name": "ModelContext",
    "ModelContext.length": 0,
    "Object.keys(ModelContext.prototype).sort().join(' ')": "executeTool getTools ontoolactivated ontoolcancel ontoolchange registerTool",
    "['registerTool', 'getTools', 'executeTool'].map((name) => mc[name].length).join(' ')": "1 0 1",
    "outcome((async () => new ModelContext())())": "TypeError",
    "outcome((async () => ModelContext())())": "TypeError",
    "outcome(mc.getTools.call({}))": "TypeError",
    "outcome((async () => Object.create(mc).ontoolchange)())": "TypeError",
    "typeof Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').set": "undefined",
    "Object.keys(window).filter((name) => /^(Model|Tool)/.test(name)).length": 0,
    "new ToolActivatedEvent('x').toolName": "",
    "new ToolCancelEvent('x', {toolName: 5, bubbles: true}).toolName": "5",
    "new ToolCancelEvent('x', {bubbles: true}).bubbles": True,
    "String(new ToolCancelEvent('x', null))": "[object ToolCancelEvent]",
    "outcome((async () => new ToolCancelEvent())())": "TypeError",
    "ToolActivatedEvent.length": 1,
}


async def test_look(run: Run) -> None:
    """Names, prototypes and descriptors are those of Web IDL."""
    assert await run(table("{}", LOOK)) == LOOK


async def test_insecure_page(
    browsers: dict[str, Browser], contexts: dict[str, BrowserContext]
) -> None:
    """A page that is not a secure context has no `modelContext`, neither the browser's nor ours."""
    for context in contexts.values():
        page = await context.new_page()
        await page.goto("data:text/html,<p>text")
        assert (
            await page.evaluate("'modelContext' in document || 'modelContext' in navigator")
            is False
        )
        await page.close()


async def test_file(contexts: dict[str, BrowserContext], tmp_path: Path) -> None:
    """A page that is a file has tools, and can execute them."""
    path = tmp_path / "page.html"
    path.write_text("<!doctype html><p>text")
    code = """async () => {
        const mc = document.modelContext;
        await mc.registerTool({name: 't', description: 'd', execute: () => 'done'});
        const [tool] = await mc.getTools();
        return [tool.origin, await mc.executeTool(tool)];
    }"""
    for context in contexts.values():
        page = await context.new_page()
        await page.goto(path.as_uri())
        assert await page.evaluate(code) == ["file://", "done"]
        await page.close()


@pytest.mark.chromium("Firefox has no `modelContext` of its own")
async def test_native_is_left_alone(browsers: dict[str, Browser], site: Site) -> None:
    """Where the browser has `modelContext`, our script changes nothing, and adds no alias."""
    page = await browsers["native"].new_page()
    await page.goto(site.origin)
    before = await page.evaluate(
        "Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get.toString()"
    )
    await page.add_script_tag(content=our_script())
    after = await page.evaluate(
        "[Object.getOwnPropertyDescriptor(Document.prototype, 'modelContext').get.toString(), 'modelContext' in navigator]"
    )
    assert after == [before, False]
    await page.close()


async def test_run_twice_is_run_once(run_ours: Run) -> None:
    """A second copy of the script finds the first, and tools stay as they are."""
    code = """
        await mc.registerTool(tool());
        document.body.append(Object.assign(document.createElement('script'), {textContent: given}));
        return [mc === document.modelContext, (await document.modelContext.getTools()).length];"""
    assert await run_ours(code, our_script()) == [True, 1]


async def test_frames_without_the_script(browsers: dict[str, Browser], site: Site) -> None:
    """A script tag in the top page also serves its `about:blank` and `srcdoc` frames."""
    page = await browsers["ours"].new_page()
    await page.goto(site.origin)
    await page.add_script_tag(content=our_script())
    names = await page.evaluate(
        """async () => {
        for (const [name, attributes] of Object.entries({blank: {}, srcdoc: {srcdoc: '<p>text'}})) {
            const child = await frame('', attributes);
            await child.contentDocument.modelContext.registerTool(tool({name, execute: () => name}));
        }
        const tools = await document.modelContext.getTools();
        return Promise.all(tools.map((tool) => document.modelContext.executeTool(tool)));
    }"""
    )
    assert names == ["blank", "srcdoc"]
    await page.close()


@pytest.mark.parametrize(("attribute", "present"), [("", True), (' data-navigator="off"', False)])
async def test_alias_can_be_switched_off(
    browsers: dict[str, Browser], site: Site, attribute: str, present: bool
) -> None:
    """`data-navigator="off"` on the script tag leaves `navigator` as it is."""
    page = await browsers["ours"].new_page()
    await page.route(
        "**/page",
        lambda route: route.fulfill(
            content_type="text/html", body=f'<script{attribute} src="/ours.js"></script>'
        ),
    )
    await page.route(
        "**/ours.js", lambda route: route.fulfill(content_type="text/javascript", body=our_script())
    )
    await page.goto(f"{site.origin}/page")
    assert await page.evaluate("['modelContext' in document, 'modelContext' in navigator]") == [
        True,
        present,
    ]
    await page.close()


async def test_alias_of_the_earlier_drafts(run_ours: Run) -> None:
    """`navigator.modelContext` takes the calls of the earlier drafts, and JSON text as input."""
    code = """
        const {modelContext} = navigator, names = async () => Object.keys(await toolsBy()).join(' ');
        const told = [];
        modelContext.addEventListener('toolchange', () => told.push('told'));
        modelContext.registerTool(tool({name: 'one', execute: ({a}) => a}));
        modelContext.registerTool(tool({name: 'two'}));
        const both = await names();
        const {one} = await toolsBy();
        const results = [await modelContext.executeTool(one, '{"a": 5}'), await modelContext.executeTool(one, {a: 6}),
            await outcome(modelContext.executeTool(one, 'no JSON'))];
        modelContext.unregisterTool('one');
        const rest = await names();
        modelContext.provideContext({tools: [tool({name: 'three'}), tool({name: 'four'})]});
        const provided = await names();
        modelContext.clearContext();
        return [both, results, rest, provided, await names(), told.length > 0, modelContext === navigator.modelContext];"""
    assert await run_ours(code) == [
        "one two",
        ["5", "6", "SyntaxError"],
        "two",
        "four three",
        "",
        True,
        True,
    ]


async def test_alias_leaves_other_tools_alone(run_ours: Run) -> None:
    """The alias does not clear tools registered on `document`, and a name is taken once."""
    code = """
        await mc.registerTool(tool());
        navigator.modelContext.clearContext();
        navigator.modelContext.unregisterTool('t');
        return [await outcome(navigator.modelContext.registerTool(tool())), Object.keys(await toolsBy())];"""
    assert await run_ours(code) == ["InvalidStateError", ["t"]]


async def test_alias_warns_once(contexts: dict[str, BrowserContext], site: Site) -> None:
    """The first use of the alias says in the console that it is deprecated, and what to write."""
    page = await contexts["ours"].new_page()
    warnings: list[str] = []
    page.on(
        "console",
        lambda message: warnings.append(message.text) if message.type == "warning" else None,
    )
    await page.goto(site.origin)
    await page.evaluate("void navigator.modelContext; void navigator.modelContext")
    assert len(warnings) == 1
    assert "document.modelContext" in warnings[0]
    await page.close()
