"""Only our forms do this: additions that disturb nothing, and repairs of the browser's faults."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms

pytestmark = pytest.mark.conformance


async def test_title(run_ours: Run) -> None:
    """`toolparamtitle` is the title of a property, and a new one makes a new definition."""
    code = """
        const made = await form('<label>L <input name="a" toolparamtitle="T"></label>'
            + '<input type="radio" name="r" value="x" toolparamtitle="R">');
        const title = async () => Object.values((await listed()).inputSchema.properties)
            .map((property) => [property.title, Object.keys(property).join(' ')]);
        await later();
        const seen = [await title()];
        const changed = next(mc, 'toolchange');
        made.elements[0].setAttribute('toolparamtitle', 'U');
        await changed;
        return [...seen, (await title())[0][0]]"""
    expected = [[["T", "type title description"], ["R", "type anyOf enum title"]], "U"]
    assert await with_forms(run_ours)(code) == expected


async def test_window(run_ours: Run) -> None:
    """The window hears of a form's run, of its end by the caller, and of its end by a reset, each once."""
    code = """
        const seen = [];
        for (const type of ['toolactivated', 'toolcancel']) {
            addEventListener(type, (event) => seen.push([type, event.toolName, event.cancelable, event.constructor.name]));
        }
        const made = await waiting();
        const stop = new AbortController();
        const first = await start({}, {signal: stop.signal});
        stop.abort();
        await first.over;
        await later();
        const second = await start();
        made.reset();
        await second.over;
        return seen"""
    activated = ["toolactivated", "t", False, "ToolActivatedEvent"]
    cancelled = ["toolcancel", "t", False, "ToolCancelEvent"]
    assert await with_forms(run_ours)(code) == [activated, cancelled] * 2


@pytest.mark.parametrize("act", ["made.remove()", "made.removeAttribute('tooldescription')"])
async def test_removed(run_ours: Run, act: str) -> None:
    """The page and its window hear once that a form has gone while it waited, before the caller does."""
    code = f"""
        const seen = [];
        for (const target of [mc, globalThis]) {{
            target.addEventListener('toolcancel', ({{toolName}}) => seen.push([toolName, target === mc]));
        }}
        const made = await waiting();
        const box = await start();
        box.over.then(() => seen.push('rejected'));
        {act};
        await later();
        return seen"""
    assert await with_forms(run_ours)(code) == [["t", True], ["t", False], "rejected"]


async def test_window_and_scripts(run_ours: Run) -> None:
    """The window hears of the tools of scripts, too."""
    code = """
        const seen = [];
        for (const type of ['toolactivated', 'toolcancel']) addEventListener(type, (event) => seen.push(type, event.toolName));
        await mc.registerTool(tool({name: 's', execute: () => new Promise(() => {})}));
        const stop = new AbortController();
        const activated = next(mc, 'toolactivated'), cancelled = next(mc, 'toolcancel');
        const over = mc.executeTool((await toolsBy()).s, {}, {signal: stop.signal}).catch(() => {});
        await activated;
        stop.abort();
        await cancelled;
        await over;
        return seen"""
    assert await run_ours(code) == ["toolactivated", "s", "toolcancel", "s"]


MARKS = """
    const marks = () => [made.hasAttribute('data-tool-form-active'), go().hasAttribute('data-tool-submit-active')];
    const outline = (element) => {
        const {outlineStyle, outlineWidth, outlineColor, outlineOffset} = getComputedStyle(element);
        return [outlineStyle, outlineWidth, outlineColor, outlineOffset].join(' ');
    };"""
ENDS = {
    "go().click()": "done",
    "made.reset()": "UnknownError: Tool execution cancelled by a form reset",
    "stop.abort('why')": "why",
}


@pytest.mark.parametrize("end", ENDS)
async def test_indicator(run_ours: Run, end: str) -> None:
    """While a call waits its form and button carry attributes, and the outline that goes with them."""
    code = f"""
        const made = await waiting();
        answer(made);
        {MARKS}
        const stop = new AbortController();
        const seen = [marks()];
        const activated = next(mc, 'toolactivated');
        const over = mc.executeTool(await listed(), {{}}, {{signal: stop.signal}}).catch((error) => error.message
            ? `${{error.name}}: ${{error.message}}` : error);
        await activated;
        made.append(document.createElement('p'));
        go().blur();
        seen.push(marks(), outline(made), outline(go()));
        document.documentElement.style.colorScheme = 'dark';
        seen.push(outline(made), outline(go()));
        {end};
        seen.push(await over);
        await later();
        return [...seen, marks()]"""
    outlines = [
        f"dashed 1px rgb({color}) -1px"
        for color in ("0, 0, 255", "255, 0, 0", "0, 255, 255", "255, 192, 203")
    ]
    expected = [[False, False], [True, True], *outlines, ENDS[end], [False, False]]
    assert await with_forms(run_ours)(code) == expected


async def test_indicator_yields(run_ours: Run) -> None:
    """Any rule of the page, however weak, overrides the outline; in a shadow tree it is shown as well."""
    code = """
        document.head.insertAdjacentHTML('beforeend', '<style>form { outline: 3px solid green }</style>');
        const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});
        root.innerHTML = '<form toolname="u" tooldescription="d"><button>b</button></form>';
        const made = await waiting();
        await start();
        const tool = await listed('u');
        const activated = next(mc, 'toolactivated');
        void told(mc.executeTool(tool));
        await activated;
        return [made, root.querySelector('form')].map((form) => getComputedStyle(form).outlineStyle)"""
    assert await with_forms(run_ours)(code) == ["solid", "dashed"]


@pytest.mark.parametrize("value", [3.14159265358979, 1234567.5, 2147483648, -1e-7])
async def test_numbers_keep_their_digits(run_ours: Run, value: float) -> None:
    """A number gets into the form with all its digits."""
    code = "const made = await form('<input name=a>'); answer(made, () => made.elements[0].value); return call({a: given})"
    assert float(await with_forms(run_ours)(code, value)) == value


async def test_second_call_ends_the_first(run_ours: Run) -> None:
    """A second call of the same form takes it over, when its input fits; the first one fails."""
    code = """
        answer(await waiting());
        const first = await start({a: '1'});
        const misfit = await call({b: '2'});
        const waits = first.outcome;
        const second = await start({a: '2'});
        go().click();
        return [misfit.split(' ')[0], waits, await first.over, await second.over]"""
    expected = [
        "UnknownError:",
        "waits",
        "UnknownError: Tool execution cancelled, since the tool was called again",
        "done",
    ]
    assert await with_forms(run_ours)(code) == expected


ACTS = [
    "made.remove()",
    "made.removeAttribute('tooldescription')",
    "made.setAttribute('tooltitle', 'x')",
]


@pytest.mark.parametrize("act", ACTS)
async def test_promised_answers_arrive(run_ours: Run, act: str) -> None:
    """Once the page has promised an answer, it may remove or change the form."""
    code = f"""
        let resolve;
        const made = await form('');
        answer(made, () => new Promise((given) => resolve = given));
        const box = await start();
        {act};
        await later();
        resolve('answer');
        return box.over"""
    assert await with_forms(run_ours)(code) == "answer"


async def test_taken_away_while_filled(run_ours: Run) -> None:
    """A page that removes the form while it is filled ends the call."""
    code = """
        const made = await form('<input name="a">');
        made.elements[0].oninput = () => made.remove();
        return told(mc.executeTool(await listed(), {a: 'x'}))"""
    expected = "UnknownError: Tool execution cancelled, since tool definition was updated"
    assert await with_forms(run_ours)(code) == expected


async def test_checkboxes_are_clicked(run_ours: Run) -> None:
    """Checkboxes and radio buttons are clicked, as frameworks expect; a click that is undone still sets them."""
    code = """
        const made = await form('<input type="checkbox" name="a"><input type="radio" name="r" value="x">');
        const seen = [];
        for (const type of ['click', 'input', 'change']) {
            made.addEventListener(type, ({target}) => seen.push(`${type} ${target.name} ${target.checked}`));
        }
        made.elements[1].onclick = (event) => event.preventDefault();
        answer(made);
        await call({a: true, r: 'x'});
        return seen"""
    expected = [f"{kind} {name} true" for name in "ar" for kind in ("click", "input", "change")]
    assert await with_forms(run_ours)(code) == expected


async def test_rejected_answer(run_ours: Run) -> None:
    """An answer that fails is reported without the reason; the page has no uncaught error from it."""
    code = """
        answer(await form(''), () => Promise.reject(new Error('secret')));
        return call()"""
    assert await with_forms(run_ours)(code) == "UnknownError: respondWith promise was rejected"


async def test_changes_are_reported_once(run_ours: Run) -> None:
    """However much of a form changes at once, it is one change; the tool is there all the time."""
    code = """
        const made = await form('<input name="a">');
        await later();
        const seen = [];
        mc.addEventListener('toolchange', async () => seen.push((await mc.getTools()).length));
        made.setAttribute('toolname', 'renamed');
        made.elements[0].required = true;
        made.insertAdjacentHTML('beforeend', '<input name="b">');
        await later();
        return seen"""
    assert await with_forms(run_ours)(code) == [1]
