"""How the input of a call gets into the form: what fits, what does not, and which events the page gets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms

pytestmark = pytest.mark.conformance

RADIOS = "<input type=radio name=a value=x><input type=radio name=a value=1>"
BOXES = "<input type=checkbox name=a value=x><input type=checkbox name=a value=1 checked>"
SELECT = "<select name=a><option value=''>-<option>x<option>1</select>"
MULTIPLE = "<select name=a multiple><option selected>x<option>1</select>"

FITS: list[tuple[str, Any, str]] = [
    ("<input name=a>", "text", "text"),
    ("<input name=a>", "two\nlines", "twolines"),
    ("<input name=a>", 12, "12"),
    ("<input name=a>", 1.5, "1.5"),
    ("<input name=a>", True, "true"),
    ("<input name=a value=x>", "", ""),
    ("<input name=a maxlength=2>", "longer", "longer"),
    ("<textarea name=a></textarea>", "two\nlines", "two\nlines"),
    ("<input type=number name=a>", 7, "7"),
    ("<input type=number name=a>", "1e2", "1e2"),
    ("<input type=range name=a>", 250, "100"),
    ("<input type=range name=a>", "x", "50"),
    ("<input type=color name=a>", "#FF0000", "#ff0000"),
    ("<input type=color name=a>", "blurple", "#000000"),
    ("<input type=date name=a>", "2020-02-29", "2020-02-29"),
    ("<input type=month name=a>", "2020-02", "2020-02"),
    ("<input type=week name=a>", "2020-W53", "2020-W53"),
    ("<input type=datetime-local name=a>", "2020-02-29 12:30", "2020-02-29T12:30"),
    ("<input type=email multiple name=a>", "a@b.example , c@d.example", "a@b.example,c@d.example"),
    ("<input type=hidden name=a toolparamdescription=d>", "x", "x"),
    ("<input type=checkbox name=a>", True, "on"),
    ("<input type=checkbox name=a>", 1, "on"),
    ("<input type=checkbox name=a>", "TRUE", "on"),
    ("<input type=checkbox name=a checked>", "0", ""),
    ("<input type=checkbox name=a checked>", False, ""),
    (RADIOS, "x", "x"),
    (RADIOS, 1, "1"),
    (BOXES, ["x"], "x"),
    (BOXES, [1, "x"], "x,1"),
    (BOXES, [], ""),
    (SELECT, "x", "x"),
    (SELECT, 1, "1"),
    (MULTIPLE, [1], "1"),
    (MULTIPLE, [], ""),
]


@pytest.mark.parametrize(("inside", "value", "sent"), FITS, ids=[f"{i} {v!r}" for i, v, _ in FITS])
async def test_fits(run: Run, inside: str, value: Any, sent: str) -> None:
    """A value that fits is what the form would send."""
    code = """
        answer(await form(given.inside), ({target}) => new FormData(target).getAll('a').join());
        return call({a: given.value})"""
    assert (await with_forms(run)(code, {"inside": inside, "value": value})).replace(
        "\r", ""
    ) == sent


MISFITS: list[tuple[str, Any, str]] = [
    ("<input name=a>", None, ""),
    ("<input name=a>", {}, ""),
    ("<input name=a>", ["x"], ""),
    ("<input name=a>", "\n", '"\n" '),
    ("<input type=number name=a>", "x", '"x" '),
    ("<input type=number name=a>", "", '"" '),
    ("<input type=number name=a>", True, '"true" '),
    ("<input type=range name=a>", "", '"" '),
    ("<input type=date name=a>", "2020-02-30", '"2020-02-30" '),
    ("<input type=time name=a>", "25:00", '"25:00" '),
    ("<input type=month name=a>", "2020-13", '"2020-13" '),
    ("<input type=week name=a>", "2020-W54", '"2020-W54" '),
    ("<input type=checkbox name=a>", "on", '"on" '),
    ("<input type=checkbox name=a>", "", '"" '),
    ("<input type=checkbox name=a>", 0.5, '"0.5" '),
    (RADIOS, "Ex", '"Ex" '),
    (BOXES, "x", '"x" '),
    (BOXES, ["x", "x"], ""),
    (BOXES, ["no"], ""),
    (BOXES, [None], ""),
    (SELECT, "-", '"-" '),
    (MULTIPLE, "x", '"x" '),
    (MULTIPLE, ["x", "x"], ""),
    ("<input type=file name=a>", "x", '"x" '),
    ("<button name=a value=x>b</button>", "x", '"x" '),
    ("<input name=a><input name=a>", "x", '"x" '),
]


@pytest.mark.parametrize(
    ("inside", "value", "shown"), MISFITS, ids=[f"{i} {v!r}" for i, v, _ in MISFITS]
)
async def test_misfits(run: Run, inside: str, value: Any, shown: str) -> None:
    """A value that does not fit fails the call, and nothing is filled in, what fits neither."""
    code = """
        const made = await form('<input name="other">' + given.inside);
        answer(made);
        return [await call({other: 'x', a: given.value}), made.elements[0].value]"""
    told = f"UnknownError: Invalid value {shown}for parameter a"
    assert await with_forms(run)(code, {"inside": inside, "value": value}) == [told, ""]


@pytest.mark.parametrize("name", ["unknown", "frozen", "off", "toString"])
async def test_unknown(run: Run, name: str) -> None:
    """A name that no control takes values for fails the call."""
    code = """
        answer(await form('<input name="a"><input name="frozen" readonly><input name="off" disabled>'));
        return call({[given]: 'x'})"""
    told = f'UnknownError: Input contains a parameter "{name}" but there is no such parameter for the tool'
    assert await with_forms(run)(code, name) == told


async def test_array(run: Run) -> None:
    """An array is not an input of a form."""
    code = "answer(await form('<input name=a>')); return call(['x'])"
    expected = "UnknownError: JSON input arguments must be an object"
    assert await with_forms(run)(code) == expected


async def test_names_that_hide_members(run: Run) -> None:
    """Controls may be named like members of their form, or of every object."""
    names = [
        "elements",
        "submit",
        "requestSubmit",
        "addEventListener",
        "getRootNode",
        "__proto__",
        "nodeType",
    ]
    code = """
        const made = await form(given.map((name) => `<input name="${name}">`).join(''));
        document.addEventListener('submit', (event) => {
            event.preventDefault();
            event.respondWith([...made.querySelectorAll('input')].map(({value}) => value).join());
        });
        return call(JSON.parse(`{${given.map((name, n) => `"${name}": ${n}`)}}`))"""
    assert await with_forms(run)(code, names) == "0,1,2,3,4,5,6"


async def test_events(run: Run) -> None:
    """Controls that change say so, in the order of the input, with `input` and `change` as the browser makes them."""
    code = """
        const made = await form('<input name="same" value="x"><input name="text"><input type="checkbox" name="box">'
            + '<input type="radio" name="radio" value="r"><select name="list"><option>1<option>2</select>'
            + '<select name="many" multiple><option>1<option>2</select><input type="range" name="range">');
        const seen = [];
        for (const type of ['input', 'change']) {
            document.addEventListener(type, ({target, constructor, bubbles, composed, cancelable}) =>
                seen.push([type, target.name, constructor === Event, bubbles, composed, cancelable].join(' ')));
        }
        answer(made);
        await call({range: 1, many: ['1', '2'], list: '2', radio: 'r', box: true, text: 'y', same: 'x'});
        return seen"""
    names = ["range", "many", "list", "radio", "box", "text"]
    kinds = ["input {} true true true false", "change {} true true false false"]
    assert await with_forms(run)(code) == [kind.format(name) for name in names for kind in kinds]


async def test_accessors_of_frameworks(run: Run) -> None:
    """A framework that hides a control's value behind an accessor of its own hears of the new one."""
    code = """
        const made = await form('<input name="a"><input type="checkbox" name="b">');
        const [text, box] = made.elements;
        const seen = [];
        for (const [control, name] of [[text, 'value'], [box, 'checked']]) {
            const {get, set} = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, name);
            let known = control[name];
            Object.defineProperty(control, name, {configurable: true, get: () => get.call(control),
                set: (value) => { known = value; set.call(control, value); }});
            control.addEventListener('input', () => { if (control[name] !== known) seen.push(control[name]); });
        }
        answer(made);
        await call({a: 'x', b: true});
        return seen"""
    assert await with_forms(run)(code) == ["x", True]


async def test_live_options(run: Run) -> None:
    """Options that a page adds later fit, though the schema does not show them before the form changes."""
    code = """
        const made = await form('<select name="a"><option>x</select>');
        made.elements[0].add(new Option('new'));
        answer(made, () => made.elements[0].value);
        return [await call({a: 'new'}), (await listed()).inputSchema.properties.a.enum]"""
    assert await with_forms(run)(code) == ["new", ["x"]]
