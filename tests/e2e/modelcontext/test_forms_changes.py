"""When a form is a tool, and when it becomes another one."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms


async def test_attributes(run: Run) -> None:
    """A form is a tool when it has a proper name and a description, which may be empty."""
    code = """
        for (const attributes of ['toolname="named"', 'tooldescription="described"', 'toolname="a b" tooldescription',
            'toolname tooldescription', `toolname="${'x'.repeat(129)}" tooldescription`,
            `toolname="${'x'.repeat(128)}" tooldescription`, 'toolname="Full.1_-" tooldescription="D" tooltitle="T"']) {
            put(`<form ${attributes}></form>`);
        }
        await listed('Full.1_-');
        return (await mc.getTools()).map(({name, title, description}) => [name.slice(0, 9), title, description])"""
    expected = [["Full.1_-", "T", "D"], ["xxxxxxxxx", "", ""]]
    assert await with_forms(run)(code) == expected


async def test_later(run: Run) -> None:
    """A new form is registered in a later task, and `toolchange` tells of it; one that left again never is."""
    code = """
        let changes = 0;
        mc.addEventListener('toolchange', () => changes++);
        put('<form toolname="gone" tooldescription></form>').remove();
        put('<form toolname="t" tooldescription></form>');
        const now = (await mc.getTools()).length;
        await listed();
        await later();
        return [now, (await mc.getTools()).length, changes]"""
    assert await with_forms(run)(code) == [0, 1, 1]


INSIDE = (
    '<label id="l" for="i">Lab</label><input id="i" name="a"><select id="s" name="s"><option id="o">x</option></select>'
    '<fieldset id="fs"><input id="n" type="number" name="n"></fieldset><div id="box"></div><button id="b">b</button>'
)
CHANGES = {
    "f.setAttribute('toolname', 'other')": 2,
    "f.setAttribute('tooldescription', 'other')": 2,
    "f.setAttribute('tooltitle', 'other')": 2,
    "f.toggleAttribute('toolautosubmit')": 2,
    "f.removeAttribute('tooldescription')": 1,
    "f.setAttribute('toolname', 'a b')": 1,
    "f.remove()": 1,
    "document.body.prepend(f)": 2,
    "$('box').innerHTML = '<input name=z>'": 2,
    "$('box').innerHTML = '<input name=z><input name=y>'": 2,
    "$('i').remove()": 2,
    "$('box').append($('i'))": 2,
    "$('i').name = 'z'": 2,
    "$('i').type = 'number'": 2,
    "$('i').required = true": 2,
    "$('i').pattern = 'x'": 2,
    "$('i').disabled = true": 2,
    "$('i').readOnly = true": 2,
    "$('s').multiple = true": 2,
    "$('fs').disabled = true": 2,
    "$('n').min = 3": 2,
    "$('n').setAttribute('value', '1.5')": 2,
    "$('i').setAttribute('toolparamdescription', 'd')": 2,
    "$('n').setAttribute('aria-description', 'd')": 2,
    "$('i').id = 'j'": 2,
    "$('l').remove()": 2,
    "$('i').setAttribute('form', 'no')": 2,
    "document.body.insertAdjacentHTML('beforeend', '<input form=f name=z>')": 2,
    "$('i').required = $('n').required = true": 2,
    "$('i').required = true; $('i').required = false": 0,
    "f.setAttribute('tooldescription', 'd')": 0,
    "$('i').value = 'z'": 0,
    "$('i').placeholder = 'z'": 0,
    "$('i').type = 'unheard-of'": 0,
    "$('box').innerHTML = '<button>x</button><p>x</p>'": 0,
    "$('s').add(new Option('y'))": 0,
    "$('o').value = 'y'": 0,
    "$('l').firstChild.data = 'z'": 0,
    "$('b').remove()": 0,
    "f.action = '/z'; f.noValidate = true; f.className = 'z'": 0,
}


@pytest.mark.parametrize(("change", "events"), CHANGES.items(), ids=list(CHANGES))
async def test_change(run: Run, change: str, events: int) -> None:
    """A new definition takes the tool away and gives it back: two `toolchange`s; anything else gives none."""
    code = f"""
        const $ = (id) => document.getElementById(id);
        const f = await form(given, 'id="f"');
        await later();
        let changes = 0;
        mc.addEventListener('toolchange', () => changes++);
        {change};
        await later();
        return changes"""
    assert await with_forms(run)(code, INSIDE) == events


async def test_names(run: Run) -> None:
    """The first form of a name has it; another takes it when it changes after that, and never before."""
    code = """
        const [a, b] = ['1', '2'].map((text) => put(`<form toolname="x" tooldescription="${text}"></form>`));
        const list = async () => { await later(); return (await mc.getTools()).map((tool) => tool.name + tool.description).join() };
        const seen = [await list()];
        a.remove();
        seen.push(await list());
        b.setAttribute('tooldescription', '3');
        seen.push(await list());
        const gone = new AbortController();
        await mc.registerTool(tool({name: 'y', description: 's'}), {signal: gone.signal});
        const c = put('<form toolname="y" tooldescription="f"></form>');
        seen.push(await list());
        gone.abort();
        seen.push(await list());
        c.setAttribute('tooltitle', 'now');
        seen.push(await list());
        seen.push(await outcome(mc.registerTool(tool({name: 'y'}))));
        return seen"""
    expected = ["x1", "", "x3", "x3,ys", "x3", "x3,yf", "InvalidStateError"]
    assert await with_forms(run)(code) == expected


async def test_shadow(run: Run) -> None:
    """Forms in open and closed shadow trees are tools, however the trees came to be."""
    code = """
        const html = (name) => `<form toolname="${name}" tooldescription><input name="a"></form>`;
        const host = () => document.body.appendChild(document.createElement('div'));
        host().attachShadow({mode: 'open'}).innerHTML = html('open');
        host().attachShadow({mode: 'closed'}).innerHTML = html('closed');
        host().setHTMLUnsafe(`<div><template shadowrootmode="open">${html('declared')}</template></div>`);
        const outer = document.createElement('div');
        const inner = outer.attachShadow({mode: 'open'}).appendChild(document.createElement('p'));
        inner.attachShadow({mode: 'closed'}).innerHTML = html('nested');
        await listed('declared');
        const names = async () => (await mc.getTools()).map(({name}) => name).join();
        const seen = [await names()];
        document.body.append(outer);
        await listed('nested');
        outer.remove();
        await later();
        seen.push(await names());
        return seen"""
    assert await with_forms(run)(code) == ["closed,declared,open", "closed,declared,open"]
