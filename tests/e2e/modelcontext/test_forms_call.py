"""Calls of a form's tool: who submits, what the page answers, and what ends a call."""

from __future__ import annotations

import pytest

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.forms import with_forms

UPDATED = "UnknownError: Tool execution cancelled, since tool definition was updated"
NO_BUTTON = (
    "UnknownError: No submit button was found, but for a form without `toolautosubmit`, "
    "there must be a submit button"
)
NO_ANSWER = (
    "UnknownError: The site has a programming error: it called preventDefault() on the 'submit' event, "
    "without also calling respondWith() with the tool result"
)


async def test_automatic(run: Run) -> None:
    """A form with `toolautosubmit` is submitted at once, by its first button, filled in."""
    code = """
        const made = await form('<input name="a"><button disabled></button><button type="button"></button>'
            + '<button id="first">1</button><button>2</button>');
        answer(made, (event) => [event.agentInvoked, event.isTrusted, event.submitter.id, made.elements[0].value]);
        return call({a: 'x'})"""
    assert await with_forms(run)(code) == '[true,true,"first","x"]'


async def test_automatic_without_a_button(run: Run) -> None:
    """A form with `toolautosubmit` needs no button."""
    code = "answer(await form(''), ({submitter}) => submitter); return call()"
    assert await with_forms(run)(code) == "null"


async def test_waits_for_the_person(run: Run) -> None:
    """Any other form is filled, its button is focused, and the call waits for a submission; edits are kept."""
    code = """
        const made = await waiting();
        answer(made, ({agentInvoked}) => agentInvoked + made.elements[0].value);
        const box = await start({a: 'x'});
        const seen = [made.elements[0].value, document.activeElement.id];
        await later();
        seen.push(box.outcome);
        made.elements[0].value += ' edited';
        go().click();
        return [...seen, await box.over]"""
    assert await with_forms(run)(code) == ["x", "go", "waits", "truex edited"]


@pytest.mark.parametrize(
    "inside", ["", "<button disabled></button>", "<button type=button></button>"]
)
async def test_needs_a_button(run: Run, inside: str) -> None:
    """A form that waits for the person needs a button that submits it, inside or not."""
    code = "await form(given, ''); return call({})"
    assert await with_forms(run)(code, inside) == NO_BUTTON


async def test_button_outside(run: Run) -> None:
    """A button or image elsewhere that names the form will do."""
    code = """
        const made = await form('', 'id="f"');
        made.insertAdjacentHTML('afterend', '<input type="image" form="f" id="go">');
        answer(made);
        const box = await start();
        const focused = document.activeElement.id;
        go().click();
        return [focused, await box.over]"""
    assert await with_forms(run)(code) == ["go", "done"]


SUBMISSIONS = {
    "go().click()": "true true",
    "made.requestSubmit()": "true true",
    "made.dispatchEvent(new SubmitEvent('submit', {cancelable: true})); made.requestSubmit(go())": "true true",
}


@pytest.mark.parametrize("submission", SUBMISSIONS)
async def test_submissions(run: Run, submission: str) -> None:
    """Every real submission answers the call; an event that a script made up does not."""
    code = f"""
        const made = await waiting();
        answer(made, (event) => event.agentInvoked + ' ' + event.isTrusted);
        const box = await start();
        {submission};
        return box.over"""
    assert await with_forms(run)(code) == SUBMISSIONS[submission]


async def test_submissions_without_a_call(run: Run) -> None:
    """Without a call, no submission is an agent's, and none can be answered."""
    code = """
        const made = await waiting();
        const seen = [];
        made.addEventListener('submit', (event) => {
            event.preventDefault();
            try { event.respondWith('x'); } catch ({name}) { seen.push(event.agentInvoked, name); }
        });
        go().click();
        seen.push(new SubmitEvent('submit').agentInvoked);
        return seen"""
    assert await with_forms(run)(code) == [False, "InvalidStateError", False]


ANSWERS = {
    "'text'": "text",
    "''": "",
    "undefined": "undefined",
    "null": "null",
    "42": "42",
    "10n": "10",
    "({a: 1, b: undefined})": '{"a":1}',
    "[1, 'x', null]": '[1,"x",null]',
    "new Date(0)": '"1970-01-01T00:00:00.000Z"',
    "() => 1": "undefined",
    "Promise.resolve({z: 1})": '{"z":1}',
    "({then(resolve) { resolve('thenable'); }})": "thenable",
    "circular": "UnknownError: respondWith promise resolved with an object that could not be serialized to JSON",
}


@pytest.mark.parametrize("value", ANSWERS)
async def test_answers(run: Run, value: str) -> None:
    """The page's answer reaches the caller as text."""
    code = f"""
        const circular = {{}};
        circular.circular = circular;
        answer(await form('<input name="a">'), () => {value});
        return call({{}})"""
    assert await with_forms(run)(code) == ANSWERS[value]


LISTENERS = {
    "event.preventDefault(); event.respondWith('1'); event.respondWith('2')": "2",
    "event.preventDefault()": NO_ANSWER,
    "try { event.respondWith('x') } catch { event.preventDefault() }": NO_ANSWER,
    "event.preventDefault(); try { event.respondWith() } catch {}": NO_ANSWER,
    "event.preventDefault(); made.reset(); event.respondWith('x')": "UnknownError: Tool execution cancelled by a form reset",
    "event.preventDefault(); event.respondWith('x'); made.requestSubmit()": "x",
    "event.preventDefault(); Promise.resolve().then(() => event.respondWith('x'))": "x",
}


@pytest.mark.parametrize("listener", LISTENERS)
async def test_listeners(run: Run, listener: str) -> None:
    """The last answer counts; who prevents the submission has to give one while the event is under way."""
    code = f"""
        const made = await form('<input name="a">');
        made.addEventListener('submit', (event) => {{ {listener} }});
        return call({{a: 'x'}})"""
    assert await with_forms(run)(code) == LISTENERS[listener]


async def test_refused_answers(run: Run) -> None:
    """Too early, too late, and of another kind are refused by name."""
    code = """
        const made = await form('<input name="a">');
        const seen = [];
        const attempt = (act) => { try { act(); } catch ({name}) { seen.push(name); } };
        let late;
        made.addEventListener('submit', (event) => {
            late = event;
            attempt(() => event.respondWith('early'));
            event.preventDefault();
            attempt(() => event.respondWith());
            attempt(() => event.respondWith.call({}, 1));
            event.respondWith('x');
        });
        seen.push(await call());
        attempt(() => late.respondWith('late'));
        return [...seen, late.agentInvoked]"""
    errors = ["InvalidStateError", "TypeError", "TypeError", "x", "InvalidStateError", True]
    assert await with_forms(run)(code) == errors


async def test_listeners_of_ancestors(run: Run) -> None:
    """A listener anywhere on the event's way may answer, the first and the last."""
    code = """
        await form('');
        const seen = [];
        for (const capture of [true, false]) {
            addEventListener('submit', (event) => {
                seen.push(event.agentInvoked);
                event.preventDefault();
                event.respondWith(String(capture));
            }, {capture});
        }
        return [await call(), ...seen]"""
    assert await with_forms(run)(code) == ["false", True, True]


NAVIGATIONS = {
    "target=frame": "made.requestSubmit()",
    "target=frame class=x": "made.submit()",
    "method=dialog": "go().click()",
}


@pytest.mark.parametrize("attributes", NAVIGATIONS)
async def test_navigation(run: Run, attributes: str) -> None:
    """A submission that nobody prevents gives the caller null, wherever it goes."""
    code = f"""
        const made = await form('<button id="go">go</button>', given);
        document.body.insertAdjacentHTML('beforeend', '<iframe name="frame"></iframe>');
        const box = await start();
        {NAVIGATIONS[attributes]};
        return box.over"""
    assert await with_forms(run)(code, attributes) is None


INVALID = {
    "await call({n: 9})": "toolautosubmit",
    "await start({n: 9}).then((box) => { go().click(); return box.over; })": "",
    "await start({n: 9}).then((box) => { made.requestSubmit(); return box.over; })": "",
}


@pytest.mark.parametrize("submission", INVALID)
async def test_validation(run: Run, submission: str) -> None:
    """A submission of an invalid form fails the call, in the browser's own words, and keeps the values."""
    code = f"""
        const made = await form('<input name="n" type="number" max="3"><input required><button id="go">go</button>', given);
        answer(made);
        const invalid = [];
        document.addEventListener('invalid', ({{target}}) => invalid.push(target.name), true);
        const outcome = {submission};
        const [n, unnamed] = [...made.elements].map(({{validationMessage}}) => validationMessage);
        return [outcome === `UnknownError: Form validation failed: n: ${{n}}. : ${{unnamed}}. `, invalid,
            made.elements[0].value]"""
    assert await with_forms(run)(code, INVALID[submission]) == [True, ["n", ""], "9"]


async def test_validity_asked_for(run: Run) -> None:
    """A page that asks for validity ends no call, nor does a click that submits nothing."""
    code = """
        const made = await waiting('<input name="a" required>');
        answer(made);
        const box = await start();
        made.reportValidity();
        go().addEventListener('click', (event) => { made.checkValidity(); event.preventDefault(); }, {once: true});
        go().click();
        await later();
        const waits = box.outcome;
        made.elements[0].value = 'x';
        go().click();
        return [waits, await box.over]"""
    assert await with_forms(run)(code) == ["waits", "done"]


@pytest.mark.parametrize("attribute", ["novalidate", "formnovalidate"])
async def test_no_validation(run: Run, attribute: str) -> None:
    """A form, or a button, that wants no validation gets none."""
    code = """
        const [whole, button] = given === 'novalidate' ? [given, ''] : ['', given];
        answer(await form(`<input name="a" required><button ${button}></button>`, `toolautosubmit ${whole}`));
        return call()"""
    assert await with_forms(run)(code, attribute) == "done"


ENDS = {
    "made.reset()": "UnknownError: Tool execution cancelled by a form reset",
    "made.remove()": UPDATED,
    "made.removeAttribute('toolname')": UPDATED,
    "made.setAttribute('tooltitle', 'x')": UPDATED,
    "made.elements[0].required = true": UPDATED,
    "document.body.prepend(made)": UPDATED,
}


@pytest.mark.parametrize("act", ENDS)
async def test_ends(run: Run, act: str, request: pytest.FixtureRequest) -> None:
    """A call that waits ends when the form is reset, gone, or another tool than it was.

    The page gets an event unless the form was reset; Chromium 156 never sends it.
    """
    code = f"""
        const made = await waiting();
        mc.addEventListener('toolcancel', () => mc.cancelled = true);
        const box = await start({{a: 'x'}});
        {act};
        const outcome = await box.over;
        await later();
        return [outcome, mc.cancelled]"""
    ours = request.node.callspec.params["modelcontext_page"] == "ours"
    event = True if ours and ENDS[act] == UPDATED else None
    assert await with_forms(run)(code) == [ENDS[act], event]


TAKEN_AWAY = {
    "made.requestSubmit(); made.remove()": UPDATED,
    "made.requestSubmit(); made.removeAttribute('toolname')": UPDATED,
    "made.requestSubmit(); made.setAttribute('tooldescription', 'z')": "done",
    "made.addEventListener('submit', () => made.remove()); made.requestSubmit()": "done",
    "made.requestSubmit(); await null; made.remove()": "done",
}


@pytest.mark.parametrize("act", TAKEN_AWAY)
async def test_submitted_and_taken_away(run: Run, act: str) -> None:
    """A form that the page submits and takes away in one breath ends its call; a listener may do so."""
    code = f"""
        const made = await waiting();
        answer(made);
        const box = await start();
        {act};
        return box.over"""
    assert await with_forms(run)(code) == TAKEN_AWAY[act]


async def test_prevented_reset(run: Run) -> None:
    """A reset that the page prevents ends nothing, nor do changes that define nothing."""
    code = """
        const made = await waiting();
        answer(made);
        made.addEventListener('reset', (event) => event.preventDefault());
        const box = await start();
        made.reset();
        made.elements[0].placeholder = 'x';
        made.insertAdjacentHTML('beforeend', '<p>text</p>');
        await later();
        const waits = box.outcome;
        go().click();
        return [waits, await box.over]"""
    assert await with_forms(run)(code) == ["waits", "done"]


async def test_reset_before_the_answer(run: Run) -> None:
    """A reset ends a call for whose answer the page had promised."""
    code = """
        let resolve;
        const made = await form('');
        answer(made, () => new Promise((given) => resolve = given));
        const box = await start();
        made.reset();
        resolve('late');
        return box.over"""
    expected = "UnknownError: Tool execution cancelled by a form reset"
    assert await with_forms(run)(code) == expected


async def test_abort(run: Run) -> None:
    """A caller that aborts gets its own reason; then the page gets the event, and submissions are the person's again."""
    code = """
        const made = await waiting();
        const seen = [];
        mc.addEventListener('toolcancel', ({toolName, cancelable}) => seen.push(toolName, cancelable));
        made.addEventListener('submit', (event) => { event.preventDefault(); seen.push(event.agentInvoked); });
        const stop = new AbortController();
        const box = await start({}, {signal: stop.signal});
        box.over.then(() => seen.push('rejected'));
        const cancelled = next(mc, 'toolcancel');
        stop.abort(new DOMException('why', 'NotFoundError'));
        await cancelled;
        go().click();
        return [await box.over, ...seen]"""
    told = ["NotFoundError: why", "rejected", "t", False, False]
    assert await with_forms(run)(code) == told


async def test_again(run: Run) -> None:
    """A form that was called can be called again, and forms wait side by side."""
    code = """
        answer(await waiting());
        const other = put('<form toolname="u" tooldescription="d"><button id="other">o</button></form>');
        answer(other, () => 'other');
        const box = await start();
        const second = told(mc.executeTool(await listed('u')));
        await next(mc, 'toolactivated');
        document.getElementById('other').click();
        const seen = [await second, box.outcome];
        go().click();
        seen.push(await box.over);
        const again = await start();
        go().click();
        return [...seen, await again.over]"""
    assert await with_forms(run)(code) == ["other", "waits", "done", "done"]


async def test_shadow(run: Run) -> None:
    """A form in a shadow tree is filled, focused and answered like any other."""
    code = """
        const root = document.body.appendChild(document.createElement('div')).attachShadow({mode: 'open'});
        root.innerHTML = '<form toolname="t" tooldescription="d"><label for="i">L</label><input id="i" name="a"><button>b</button></form>';
        const made = root.querySelector('form');
        await listed();
        let kept;
        made.addEventListener('submit', (event) => kept = event);
        answer(made, () => made.elements[0].value);
        const box = await start({a: 'x'});
        const focused = root.activeElement.localName;
        root.querySelector('button').click();
        return [focused, await box.over, kept.agentInvoked]"""
    assert await with_forms(run)(code) == ["button", "x", True]
