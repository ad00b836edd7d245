"""Keys: what the page gets, what a browser does on them, and where they are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom

KEYS = """<script>window.seen = []; for (const type of ["keydown", "keypress", "beforeinput", "input", "keyup", "click", "submit"])
  addEventListener(type, (event) => seen.push([type, event.key ?? event.data ?? ""].join(" ").trim()), true)</script>"""


async def test_a_key_is_a_whole_one(dom: Dom) -> None:
    """The page gets a key with its code and modifiers, and the text goes where the cursor is."""
    await dom.open(f"""<body><input aria-label=Name value=ac>{KEYS}<script>
        const field = document.querySelector("input"); field.setSelectionRange(1, 1);
        field.onkeydown = (event) => window.key = [event.code, event.keyCode, event.shiftKey, event.composed]</script>""")
    reply = await dom.act("press_key", key="Shift+B", pp_id=await dom.id("Name"))

    assert await dom.evaluate("seen") == [
        *("keydown B", "keypress B", "beforeinput B", "input B", "keyup B"),
    ]
    assert await dom.evaluate("key") == ["KeyB", 66, True, True]
    assert await dom.evaluate("field.value") == "aBc"
    assert reply["did"] == 'pressed `Shift+B` on `[1] textbox "Name"`, which made it `aBc`'
    assert "left_out" not in reply


@pytest.mark.parametrize(
    ("field", "key", "state"),
    [
        ("<input aria-label=f value=abc>", "Backspace", "ab"),
        ("<input aria-label=f value=abc>", "Delete", "abc"),
        ("<textarea aria-label=f>a</textarea>", "Enter", "a\n"),
        ("<input aria-label=f value=abc maxlength=3>", "d", "abc"),
        ("<input aria-label=f value=abc readonly>", "d", "abc"),
        ("<input type=number aria-label=f value=5 step=2>", "ArrowUp", "7"),
        ("<input type=range aria-label=f value=5>", "ArrowLeft", "4"),
        ("<input type=range aria-label=f value=5 max=9>", "End", "9"),
        ("<select aria-label=f><option>a<option disabled>b<option>c</select>", "ArrowDown", "c"),
        ("<input aria-label=f value=abc onkeydown='event.preventDefault()'>", "d", "abc"),
        ("<input aria-label=f value=abc onbeforeinput='event.preventDefault()'>", "d", "abc"),
    ],
)
async def test_keys_edit_and_choose(dom: Dom, field: str, key: str, state: str) -> None:
    """A field changes as under a person's hands, unless the page or the field prevents it."""
    await dom.open(f"""<body>{field}<script>const field = document.body.firstChild;
        if (typeof field.selectionStart === "number") field.setSelectionRange(99, 99)</script>""")
    number = (await dom.snapshot())["elements"][0]["id"]
    await dom.act("press_key", key=key, pp_id=number)

    assert await dom.evaluate("field.value") == state


async def test_an_editor_takes_keys(dom: Dom) -> None:
    """Text, line breaks and deletions go into editable elements."""
    await dom.open("<body><div contenteditable aria-label=Note>ab</div>")
    note = await dom.id("Note")
    await dom.evaluate("getSelection().selectAllChildren(document.querySelector('div'))")
    await dom.evaluate("document.querySelector('div').focus()")
    await dom.evaluate("getSelection().collapseToEnd()")
    for key in ("c", "Backspace", "Backspace", "Enter", "d"):
        await dom.act("press_key", key=key, pp_id=note)

    assert (await dom.evaluate("document.querySelector('div').innerText")).split() == ["a", "d"]


async def test_enter_sends_the_form_of_a_field(dom: Dom) -> None:
    """The form is sent by its button, as in a browser, and not if the page handles the key."""
    form = "<form action=/sent><input name=q aria-label=Query value=tea><button>Go</button></form>"
    await dom.open(f"<body>{form}")
    reply = await dom.act("press_key", key="Enter", pp_id=await dom.id("Query"))

    assert reply["navigates"]
    assert reply["url"].endswith("/sent?q=tea")
    await dom.page.wait_for_url("**/sent?q=tea")

    await dom.open(
        f"<body>{form}<script>onkeydown = (event) => event.preventDefault()</script>", "/2"
    )
    held = await dom.act("press_key", key="Enter", pp_id=await dom.id("Query"))

    assert not held["navigates"]
    assert held["did"] == 'pressed `Enter` on `[2] textbox "Query"`'


async def test_enter_does_not_send_a_form_elsewhere(dom: Dom) -> None:
    """A form of another origin is refused, as when it is filled in and sent."""
    await dom.open(
        "<body><form action=https://evil.example/in><input name=q aria-label=Query><button>Go</button></form>"
    )
    error = await dom.fail("press_key", key="Enter", pp_id=await dom.id("Query"))

    assert error["kind"] == "origin_mismatch"
    assert "`https://evil.example`" in error["message"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
async def test_keys_press_buttons_and_boxes(dom: Dom, key: str) -> None:
    """Enter presses with the key, Space when it is released; a box is only checked by Space."""
    await dom.open(
        f"<body><button>Add</button><form onsubmit='return false'><input type=checkbox aria-label=Box></form>{KEYS}"
    )
    await dom.act("press_key", key=key, pp_id=await dom.id("Add"))
    seen = await dom.evaluate("seen")
    await dom.act("press_key", key=key, pp_id=await dom.id("Box"))

    assert seen.count("click") == 1
    last = [one.split()[0] for one in seen][-2:]
    assert last == (["click", "keyup"] if key == "Enter" else ["keyup", "click"])
    assert await dom.evaluate("document.querySelector('input').checked") is (key == "Space")


async def test_tab_moves_the_focus(dom: Dom) -> None:
    """Through shadow trees too, forward and back, past what is disabled."""
    await dom.open("""<body><button>One</button><button disabled>Off</button><x-a></x-a><button>Three</button><script>
        document.querySelector("x-a").attachShadow({mode: "open"}).innerHTML = "<button>Two</button>"</script>""")
    one, two, three = [await dom.id(name) for name in ("One", "Two", "Three")]
    first = await dom.act("press_key", key="Tab", pp_id=one)
    second = await dom.act("press_key", key="Tab", pp_id=two)
    back = await dom.act("press_key", key="Shift+Tab", pp_id=three)

    assert first["did"].endswith(f'moved the focus to `[{two}] button "Two"`')
    assert second["did"].endswith(f'moved the focus to `[{three}] button "Three"`')
    assert back["did"].endswith(f'moved the focus to `[{two}] button "Two"`')


async def test_escape_closes_a_dialog(dom: Dom) -> None:
    """A modal dialog is cancelled; one that prevents it, or may not be closed so, stays."""
    await dom.open("""<body><dialog aria-label=Sure><button>Yes</button></dialog><script>
        const dialog = document.querySelector("dialog"); dialog.oncancel = () => window.cancelled = true; dialog.showModal()</script>""")
    reply = await dom.act("press_key", key="Escape", pp_id=await dom.id("Yes"))
    closed = await dom.evaluate("[cancelled, dialog.open]")
    await dom.evaluate("dialog.oncancel = (event) => event.preventDefault(); dialog.showModal(); 1")
    await dom.act("press_key", key="Escape", pp_id=await dom.id("Yes"))

    assert reply["did"].endswith("which closed the dialog")
    assert closed == [True, False]
    assert await dom.evaluate("dialog.open")


async def test_a_key_for_the_page(dom: Dom) -> None:
    """Without an element, a key goes to the page: its shortcuts get it, and pages scroll."""
    await dom.open(
        "<body style='height:4000px'><script>onkeydown = (event) => window.got = event.key</script>"
    )
    shortcut = await dom.act("press_key", key="Control+k")
    got = await dom.evaluate("got")
    down = await dom.act("press_key", key="PageDown")

    assert got == "k"
    assert "the page got the key, and nothing else happened" in shortcut["left_out"]
    assert down["did"].startswith("pressed `PageDown` on the page, which scrolled ")
    assert await dom.evaluate("scrollY") > 300


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("<button disabled>x</button>", {"key": "Enter"}, "is disabled"),
    ("<div role=button>x</div>", {"key": "Enter"}, "it cannot have the focus"),
    ("<button>x</button><div style='position:fixed;inset:0'>y</div>", {"key": "a"}, "is covered by"),
    ("<input aria-label=x type=password>", {"key": "a"}, "takes a secret"),
    ("<input aria-label=x autocomplete=cc-number>", {"key": "4"}, "takes a secret"),
    ("<div data-agent=readonly><input aria-label=x></div>", {"key": "a"}, "closed"),
    ("<input aria-label=x>", {"key": "•••"}, "there is no key"),
    ("<input aria-label=x>", {"key": "•"}, "there is no key"),
    ("<input aria-label=x>", {"key": "Hello"}, "there is no key"),
    ("<input aria-label=x>", {"key": ""}, "there is no key"),
    ("<input aria-label=x>", {"key": 7}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("html", "action", "why"), REFUSED)
async def test_keys_a_person_could_not_press(
    dom: Dom, html: str, action: dict[str, Any], why: str
) -> None:
    """Elements that cannot take a key, secrets, and what is not a key are refused."""
    await dom.open(f"<body>{html}")
    number = (await dom.snapshot())["elements"][0]["id"]
    if not why:
        assert (await dom.act("press_key", pp_id=number, **action))["did"].startswith("pressed `7`")
        return
    error = await dom.fail("press_key", pp_id=number, **action)

    assert why in error["message"]
    assert await dom.evaluate("document.querySelector('input')?.value ?? ''") == ""


async def test_a_key_names_the_element_that_takes_it(dom: Dom) -> None:
    """A field that has got the focus meanwhile does not take a key that was meant for the page."""
    await dom.open("<body><input aria-label=Name autofocus>")
    await dom.evaluate("document.querySelector('input').focus()")
    error = await dom.fail("press_key", key="a")

    assert error["message"] == '[1] textbox "Name" has the focus'
    assert "`pp_id`" in error["help"]


@pytest.mark.parametrize(
    "handler",
    [
        "event.target.remove()",
        "document.querySelector('#other').focus()",
        "event.target.disabled = true",
        "event.target.replaceWith(event.target.cloneNode(true))",
    ],
)
async def test_a_page_that_turns_on_the_keyboard(dom: Dom, handler: str) -> None:
    """A key whose element goes away writes into no other, and sends no form."""
    await dom.open(f"""<body><form action=/sent><input id=a aria-label=A onkeydown="{handler}">
        <input id=other aria-label=Other><button>Send</button></form>""")
    await dom.evaluate(
        "window.sent = 0; onsubmit = (event) => { event.preventDefault(); sent += 1 }; 1"
    )
    number = await dom.id("A")
    key = await dom.act("press_key", key="x", pp_id=number)
    values = await dom.evaluate("[...document.querySelectorAll('input')].map((one) => one.value)")

    assert set(values) <= {""}
    assert not key["navigates"]
    assert await dom.evaluate("sent") == 0


async def test_a_button_that_sends_elsewhere_is_left_by_tab(dom: Dom) -> None:
    """Only the keys that press it are refused there."""
    await dom.open(
        "<body><form action=https://evil.example/in><button>Go</button></form><button>Next</button>"
    )
    go = await dom.id("Go")
    reply = await dom.act("press_key", key="Tab", pp_id=go)
    error = await dom.fail("press_key", key="Space", pp_id=go)

    assert reply["did"].endswith('moved the focus to `[3] button "Next"`')
    assert error["kind"] == "origin_mismatch"
