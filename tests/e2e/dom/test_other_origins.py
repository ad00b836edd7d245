"""Forms that lead to another origin: judged before anything is typed, and until it is sent."""

from __future__ import annotations

import pytest

from tests.e2e.dom.conftest import Dom
from tests.e2e.dom.site import Site

FIELDS = """<input aria-label=Name name=n><input aria-label=Password name=p type=password>
    <input aria-label=Code name=c autocomplete=one-time-code><button>Send</button>"""
TYPED = "[...document.querySelectorAll('input')].map((field) => field.value).join('')"


def form(attributes: str, script: str = "") -> str:
    return f"<body><form id=f {attributes}>{FIELDS}</form><script>{script}</script>"


@pytest.mark.parametrize("label", ["Password", "Code"])
@pytest.mark.parametrize("submit", [True, False])
async def test_no_secret_is_typed_for_another_origin(
    dom: Dom, other: Site, label: str, submit: bool
) -> None:
    """Even where the caller allows that origin; earlier entries are not typed either."""
    await dom.open(form(f"action={other.origin}/x"))
    error = await dom.fail(
        "enter_data",
        form_data=[{"label": "Name", "text": "Ada"}, {"label": label, "text": "1234"}],
        submit=submit,
        allow_origin=[other.origin],
    )

    assert error["kind"] == "origin_mismatch"
    assert f"`{label}` would be sent to `{other.origin}`" in error["message"]
    assert f"the page is of `{dom.site.origin}`" in error["message"]
    assert await dom.evaluate(TYPED) == ""


async def test_data_is_sent_to_another_origin_that_was_allowed(dom: Dom, other: Site) -> None:
    """And is not even typed otherwise; without submitting, nothing is sent."""
    await dom.open(form(f"action={other.origin}/held/x"))
    entries = [{"label": "Name", "text": "Ada"}]
    error = await dom.fail("enter_data", form_data=entries, submit=True)
    typed = await dom.evaluate(TYPED)
    await dom.act("enter_data", form_data=entries, submit=False)
    reply = await dom.act("enter_data", form_data=entries, submit=True, allow_origin=[other.origin])

    assert error["kind"] == "origin_mismatch"
    assert f"`--allow-origin {other.origin}`" in error["help"]
    assert typed == ""
    assert reply["navigates"]


CHANGES = {
    "while typing": "f.oninput = () => { f.action = 'AWAY' }",
    "in the handler": "f.onsubmit = () => { f.action = 'AWAY' }",
    "by the button": "f.onclick = () => { f.querySelector('button').formAction = 'AWAY' }",
    "by a script": "f.onsubmit = (event) => { event.preventDefault(); f.action = 'AWAY'; "
    "HTMLFormElement.prototype.submit.call(f) }",
    "by an address": "f.onsubmit = (event) => { event.preventDefault(); "
    "location = 'AWAY?' + f.p.value }",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
async def test_a_target_that_changes_is_noticed(dom: Dom, other: Site, change: str) -> None:
    """Nothing is sent, and no secret is left in the page."""
    await dom.open(form("action=/in", change.replace("AWAY", f"{other.origin}/x")))
    entries = [{"label": "Name", "text": "Ada"}, {"label": "Password", "text": "ropewalk14"}]
    error = await dom.fail("enter_data", form_data=entries, submit=True)

    assert error["kind"] == "origin_mismatch"
    assert other.origin in error["message"]
    assert await dom.evaluate(TYPED) == "Ada"
    assert dom.page.url.startswith(dom.site.origin)


async def test_a_click_submits_no_secret_to_another_origin(dom: Dom, other: Site) -> None:
    """Nor anything else that was not allowed; a button that submits nothing is only clicked."""
    await dom.open(
        "<body><form method=post onsubmit='event.preventDefault(); window.sent = true'>"
        f"<input aria-label=Password type=password value=x>"
        f"<button formaction={other.origin}/x>Send</button><button type=button>Show</button></form>"
    )
    listed = {e["name"]: e["id"] for e in (await dom.snapshot())["elements"]}
    allowed = [other.origin]
    secret = await dom.fail("click", pp_id=listed["Send"], allow_origin=allowed)
    await dom.evaluate("document.querySelector('input').value = ''")
    plain = await dom.fail("click", pp_id=listed["Send"])
    shown = await dom.act("click", pp_id=listed["Show"])
    kept = await dom.evaluate("window.sent")
    await dom.act("click", pp_id=listed["Send"], allow_origin=allowed)

    assert (secret["kind"], plain["kind"]) == ("origin_mismatch", "origin_mismatch")
    assert not shown["navigates"]
    assert (kept, await dom.evaluate("window.sent")) == (None, True)


LATER = {
    "in the handler": CHANGES["in the handler"],
    "by the button": CHANGES["by the button"],
    "by a script": CHANGES["by a script"],
    "by an address": CHANGES["by an address"],
    "by another button": "f.lastElementChild.type = 'button';"
    "f.onclick = () => { location = 'AWAY?' + f.p.value }",
}


@pytest.mark.parametrize("change", LATER.values(), ids=LATER.keys())
@pytest.mark.parametrize("label", ["Password", "Name"])
async def test_a_click_is_watched_until_a_secret_is_sent(
    dom: Dom, other: Site, change: str, label: str
) -> None:
    """The target changes with the click that comes after the typing; a secret makes any field one."""
    await dom.open(form("action=/in", change.replace("AWAY", f"{other.origin}/x")))
    entry = {"label": label, "text": "ropewalk14", "secret": True}
    await dom.act("enter_data", form_data=[entry], submit=False)
    snapshot = await dom.snapshot()
    button = next(each for each in snapshot["elements"] if each["role"] == "button")
    error = await dom.fail("click", pp_id=button["id"], allow_origin=[other.origin])

    assert "ropewalk14" not in str(snapshot)
    assert error["kind"] == "origin_mismatch"
    assert dom.page.url.startswith(dom.site.origin)
    assert await dom.evaluate(TYPED) == "ropewalk14"


async def test_a_search_is_not_typed_for_another_origin(dom: Dom, other: Site) -> None:
    """The base of the page counts, and names of controls hide nothing."""
    await dom.open(
        f"<base href='{other.origin}/'><body><img name=baseURI><form role=search action=found>"
        "<input type=search name=action aria-label=Find><button>Go</button></form>"
    )
    error = await dom.fail("search", query="tea")

    assert error["kind"] == "origin_mismatch"
    assert await dom.evaluate(TYPED) == ""


async def test_targets_on_the_page_itself_are_its_own(dom: Dom) -> None:
    """A dialog, a script, and an address that is not one."""
    for attributes in ("method=dialog action=https://other.example/", "action=javascript:void(0)"):
        await dom.open(form(attributes))
        reply = await dom.act(
            "enter_data", form_data=[{"label": "Password", "text": "x"}], submit=True
        )
        assert "submitted" in reply["did"]
