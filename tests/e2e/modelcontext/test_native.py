"""Our script in a browser that has `document.modelContext` itself."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.e2e.modelcontext.conftest import FLAGS, Run, our_script, runner
from tests.e2e.modelcontext.forms import with_forms
from tests.e2e.modelcontext.sites import Site

pytestmark = pytest.mark.conformance


@pytest_asyncio.fixture(name="run_both", loop_scope="session", params=list(FLAGS))
async def _run_both(
    request: pytest.FixtureRequest, browsers: dict[str, Browser], site: Site, other: Site
) -> AsyncIterator[Run]:
    """Our script, where the browser has its own `modelContext` and where it has not."""
    context = await browsers[request.param].new_context()
    await context.add_init_script(our_script())
    # It may run more than once.
    await context.add_init_script(our_script())
    page = await context.new_page()
    await page.goto(site.origin)
    yield runner(page, site, other)
    await context.close()


async def test_window(run_both: Run) -> None:
    """The window hears of the runs of forms and scripts, each event once."""
    code = """
        const seen = [];
        for (const type of ['toolactivated', 'toolcancel']) {
            addEventListener(type, (event) => seen.push([type, event.toolName, event.constructor.name]));
        }
        const stop = new AbortController();
        await waiting();
        await mc.registerTool(tool({name: 's', execute: () => 'done'}));
        const box = await start({}, {signal: stop.signal});
        const cancelled = next(mc, 'toolcancel');
        stop.abort();
        await cancelled;
        await mc.executeTool((await toolsBy()).s);
        await later();
        return seen"""
    assert await with_forms(run_both)(code) == [
        ["toolactivated", "t", "ToolActivatedEvent"],
        ["toolcancel", "t", "ToolCancelEvent"],
        ["toolactivated", "s", "ToolActivatedEvent"],
    ]


async def test_titles(run_both: Run) -> None:
    """`toolparamtitle` is the title of a property, also in a shadow tree and in a frame; nothing else changes."""
    code = """
        const inside = '<label>L <input name="a" toolparamtitle="T"></label><input name="b">'
            + '<input type="radio" name="r" value="x" toolparamtitle="R">';
        const made = await form(inside);
        const host = document.body.appendChild(document.createElement('div'));
        host.attachShadow({mode: 'open'}).innerHTML = `<form toolname="u" tooldescription="d">${inside}</form>`;
        const child = await frame('');
        child.contentDocument.body.innerHTML = `<form toolname="w" tooldescription="d">${inside}</form>`;
        await mc.registerTool(tool({name: 's', inputSchema: {type: 'object', properties: {a: {}}}}));
        await listed('u');
        await listed('w');
        return (await mc.getTools()).map(({name, inputSchema}) => [name, JSON.stringify(inputSchema.properties)])"""
    form = (
        '{"a":{"type":"string","title":"T","description":"L"},"b":{"type":"string"},'
        '"r":{"type":"string","anyOf":[{"type":"string","const":"x"}],"enum":["x"],"title":"R"}}'
    )
    expected = [["s", '{"a":{}}'], ["t", form], ["u", form], ["w", form]]
    assert await with_forms(run_both)(code) == expected


async def test_own_context(run_both: Run) -> None:
    """The rest is as it was: names, lengths, rejections."""
    code = """
        const method = ModelContext.prototype.getTools;
        const error = await mc.getTools({fromOrigins: ['http://example.com']}).catch(({name}) => name);
        const illegal = await method.call({}).catch(({name}) => name);
        return [method.name, method.length, error, illegal, Object.keys(ModelContext.prototype).length]"""
    assert await with_forms(run_both)(code) == ["getTools", 0, "SecurityError", "TypeError", 6]
