"""When a form is a tool, and when it becomes another one."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms

pytestmark = pytest.mark.conformance


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
    """A new form is registered in a later task, and `toolchange` reports it; one that left again never is."""
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
    "f.setAttribute('toolname', 'other')": True,
    "f.setAttribute('tooldescription', 'other')": True,
    "f.setAttribute('tooltitle', 'other')": True,
    "f.toggleAttribute('toolautosubmit')": True,
    "f.removeAttribute('tooldescription')": True,
    "f.setAttribute('toolname', 'a b')": True,
    "f.remove()": True,
    "document.body.prepend(f)": True,
    "$('box').innerHTML = '<input name=z>'": True,
    "$('box').innerHTML = '<input name=z><input name=y>'": True,
    "$('i').remove()": True,
    "$('box').append($('i'))": True,
    "$('i').name = 'z'": True,
    "$('i').type = 'number'": True,
    "$('i').required = true": True,
    "$('i').pattern = 'x'": True,
    "$('i').disabled = true": True,
    "$('i').readOnly = true": True,
    "$('s').multiple = true": True,
    "$('fs').disabled = true": True,
    "$('n').min = 3": True,
    "$('n').setAttribute('value', '1.5')": True,
    "$('i').setAttribute('toolparamdescription', 'd')": True,
    "$('n').setAttribute('aria-description', 'd')": True,
    "$('i').id = 'j'": True,
    "$('l').remove()": True,
    "$('i').setAttribute('form', 'no')": True,
    "document.body.insertAdjacentHTML('beforeend', '<input form=f name=z>')": True,
    "$('i').required = $('n').required = true": True,
    "$('i').required = true; $('i').required = false": False,
    "f.setAttribute('tooldescription', 'd')": False,
    "$('i').value = 'z'": False,
    "$('i').placeholder = 'z'": False,
    "$('i').type = 'unheard-of'": False,
    "$('box').innerHTML = '<button>x</button><p>x</p>'": False,
    "$('s').add(new Option('y'))": False,
    "$('o').value = 'y'": False,
    "$('l').firstChild.data = 'z'": False,
    "$('b').remove()": False,
    "f.action = '/z'; f.noValidate = true; f.className = 'z'": False,
}


@pytest.mark.parametrize(("change", "told"), CHANGES.items(), ids=list(CHANGES))
async def test_change(run: Run, change: str, told: bool) -> None:
    """`toolchange` reports a new definition, and nothing else that happens to a form."""
    code = f"""
        const $ = (id) => document.getElementById(id);
        const f = await form(given, 'id="f"');
        await later();
        let changes = 0;
        mc.addEventListener('toolchange', () => changes++);
        {change};
        await later();
        return changes"""
    assert bool(await with_forms(run)(code, INSIDE)) is told


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
