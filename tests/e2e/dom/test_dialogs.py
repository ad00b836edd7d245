"""The dialogs of the browser that a page opens during an action, and answers to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.dom.conftest import Dom

DELETE = "<body><button onclick=\"window.said = confirm('Delete 3 files?')\">Delete</button>"
YES = {"kind": "confirm", "text": "Delete 3 files?", "accept": True}
NATIVE = (
    "['alert', 'confirm', 'prompt'].map((name) => String(window[name]).includes('[native code]'))"
)


@contextmanager
def answering(dom: Dom, answer: str | bool) -> Iterator[list[str]]:
    """Answer the dialogs of the browser as a person does; yield their words."""
    asked: list[str] = []

    async def on_dialog(dialog: Any) -> None:
        asked.append(dialog.message)
        if answer is False:
            await dialog.dismiss()
        else:
            await dialog.accept(answer if isinstance(answer, str) else "")

    dom.page.on("dialog", on_dialog)
    yield asked
    dom.page.remove_listener("dialog", on_dialog)


@pytest.mark.parametrize("answer", [True, False])
async def test_the_reply_has_the_dialogs_and_their_answers(dom: Dom, answer: bool) -> None:
    """A person, or the driver, answers as ever, and the agent reads what was asked."""
    await dom.open(DELETE)
    with answering(dom, answer) as asked:
        reply = await dom.act("click", pp_id=await dom.id("Delete"))

    assert asked == ["Delete 3 files?"]
    assert reply["dialogs"] == [{"kind": "confirm", "text": "Delete 3 files?", "accepted": answer}]
    assert await dom.evaluate("said") is answer


async def test_an_answer_beforehand_counts_once(dom: Dom) -> None:
    """It answers the dialog of its words, and is gone with the action."""
    await dom.open(DELETE)
    button = await dom.id("Delete")
    with answering(dom, False) as asked:
        reply = await dom.act("click", pp_id=button, dialog=YES)
        said = await dom.evaluate("said")
        native = await dom.evaluate(NATIVE)
        again = await dom.act("click", pp_id=button)
        outside = await dom.evaluate("confirm('Delete 3 files?')")

    assert said is True
    assert reply["dialogs"] == [{"kind": "confirm", "text": "Delete 3 files?", "accepted": True}]
    assert native == [True, True, True]
    assert again["dialogs"][0]["accepted"] is False
    assert outside is False
    assert len(asked) == 2


@pytest.mark.parametrize(
    "opens",
    [
        "confirm('Delete 4 files?')",
        "prompt('Delete 3 files?')",
        "confirm('Delete 3 files?' + ' '.repeat(2000) + 'And the rest?')",
        "(confirm('Delete 3 files?'), confirm('Delete 3 files?'))",
    ],
)
async def test_an_answer_is_for_these_words_alone(dom: Dom, opens: str) -> None:
    """Another question, another kind, a longer one, or a second one is dismissed."""
    await dom.open(f'<body><button onclick="window.said = {opens}">Delete</button>')
    with answering(dom, False) as asked:
        await dom.act("click", pp_id=await dom.id("Delete"), dialog=YES)

    assert not await dom.evaluate("said")
    assert len(asked) == 1


async def test_prompts_get_their_text(dom: Dom) -> None:
    """A prompt is answered with the text; its own proposal is left to a person."""
    await dom.open("<body><button onclick=\"window.said = prompt('Name?', 'x')\">Rename</button>")
    button = await dom.id("Rename")
    answer = {"kind": "prompt", "text": "Name?", "accept": True, "answer": "Harbour"}
    await dom.act("click", pp_id=button, dialog=answer)
    given = await dom.evaluate("said")
    with answering(dom, False):
        dismissed = await dom.act("click", pp_id=button)

    assert given == "Harbour"
    assert dismissed["dialogs"] == [{"kind": "prompt", "text": "Name?", "accepted": False}]
    assert await dom.evaluate("said") is None


async def test_alerts_are_reported_up_to_a_limit(dom: Dom) -> None:
    """A page that talks without end is cut, and so are its words."""
    await dom.open(
        """<body><button onclick="for (let i = 0; i < 30; i += 1) alert('x'.repeat(5000))">Go</button>"""
    )
    with answering(dom, True) as asked:
        reply = await dom.act("click", pp_id=await dom.id("Go"))

    assert len(asked) == 30
    assert reply["dialogs"] == [{"kind": "alert", "text": "x" * 1000}] * 10


HOSTILE = [
    "window.kept = window.confirm",
    "window.confirm = () => true",
    "Object.defineProperty(window, 'confirm', { value: () => true, configurable: false })",
    "Object.defineProperty(window, 'confirm', { get() { throw new Error('no') }, configurable: true })",
    "delete window.confirm",
    "Object.freeze(window.confirm)",
]


@pytest.mark.parametrize("replacing", HOSTILE)
@pytest.mark.parametrize("when", ["before", "during"])
async def test_a_page_that_replaces_confirm(dom: Dom, replacing: str, when: str) -> None:
    """Its own function stays where the page has put it, and ours is used no more after the action."""
    before, during = (replacing, "") if when == "before" else ("", replacing)
    await dom.open(f"<body><button>Go</button><script>{before}</script>")
    await dom.evaluate(
        f"document.querySelector('button').onclick = () => {{ try {{ {during} }} catch {{}} }}; 1"
    )
    await dom.act("click", pp_id=await dom.id("Go"), dialog=YES)
    with answering(dom, False) as asked:
        kept = await dom.evaluate("window.kept ? kept('Delete 3 files?') : null")

    assert kept in (None, False)
    assert asked == ([] if kept is None else ["Delete 3 files?"])


async def test_words_that_throw(dom: Dom) -> None:
    """An error in the words of a dialog reaches the page, and the action goes on."""
    await dom.open("""<body><button>Go</button><script>document.querySelector("button").onclick = () => {
        try { confirm({ toString() { throw new Error("mine") } }) } catch (error) { window.caught = error.message } }</script>""")
    reply = await dom.act("click", pp_id=await dom.id("Go"))

    assert await dom.evaluate("caught") == "mine"
    assert "dialogs" not in reply


async def test_dialogs_of_frames(dom: Dom) -> None:
    """Frames of the same origin have functions of their own."""
    dom.site.pages["/inner"] = DELETE
    await dom.open("<body><iframe src=/inner></iframe>")
    reply = await dom.act("click", pp_id=await dom.id("Delete"), dialog=YES)

    assert reply["dialogs"][0]["accepted"] is True
    assert await dom.evaluate("frames[0].said")


OWN = """<body><dialog aria-label=Sure><p>Sure?</p><button>Yes</button><button>No</button></dialog><script>
  const dialog = document.querySelector("dialog"); dialog.addEventListener("cancel", () => window.cancelled = true);
  dialog.%s()</script>"""


@pytest.mark.parametrize("way", ["showModal", "show"])
async def test_a_dialog_of_the_page_is_closed(dom: Dom, way: str) -> None:
    """It is cancelled as by Escape; to accept it, its button is named."""
    await dom.open(OWN % way)
    yes = await dom.id("Yes")
    error = await dom.fail("answer_dialog", accept=True)
    reply = await dom.act("answer_dialog", accept=False)

    assert f'`click` the one that is meant: [{yes}] button "Yes"' in error["help"]
    assert reply["did"] == 'closed `[1] dialog "Sure"`'
    assert await dom.evaluate("[cancelled, dialog.open]") == [True, False]
    assert (await dom.fail("answer_dialog", accept=False))["message"] == "no dialog is open"


async def test_a_dialog_made_of_other_elements_gets_escape(dom: Dom) -> None:
    """It closes if the page closes it on that key; otherwise the error says that it stays open."""
    await dom.open("""<body><div role=dialog aria-modal=true aria-label=Sure><button>No</button></div><script>
        const box = document.querySelector("[role=dialog]");
        box.onkeydown = (event) => { if (event.key === "Escape" && window.may) setTimeout(() => box.hidden = true, 80) }</script>""")
    error = await dom.fail("answer_dialog", accept=False)
    await dom.evaluate("window.may = true")
    await dom.act("answer_dialog", accept=False)

    assert "stays open" in error["message"]
    assert await dom.evaluate("box.hidden")
