"""Keys, drags, uploads and answers to dialogs: what each is allowed to do, and what reaches the page."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from tests.core.agent.actions.shop import ELEMENTS, MESSAGE, SEARCH, message, reply, take
from tests.core.agent.stage import ORIGIN, Stage, answers, call, finish

from webagent.agent import Answer, GivenFile, Policy
from webagent.llm.chat import ToolCall
from webagent.page.snapshot import Element

PREFERENCES = {
    "pp_id": None,
    "action": None,
    "method": None,
    "fields": [
        {"pp_id": 30, "name": "country", "label": "Country", "type": "select"},
        {"pp_id": 31, "name": "note", "label": "Note", "type": "textarea"},
        {"pp_id": 32, "name": "cv", "label": "CV", "type": "file"},
    ],
    "buttons": [],
}
UPLOADS = {
    "pp_id": 40,
    "name": "apply",
    "action": f"{ORIGIN}/apply",
    "method": "post",
    "fields": [{"pp_id": 41, "name": "cv", "label": "CV", "type": "file"}],
    "buttons": [{"pp_id": 42, "text": "Send in", "type": "submit"}],
}
MORE = (
    Element(2, "textbox", "Email"),
    Element(5, "searchbox", "Search"),
    Element(30, "combobox", "Country"),
    Element(31, "textbox", "Note"),
    Element(32, "file", "CV"),
    Element(33, "option", "Draft of May", states=("focused",)),
    Element(34, "region", "Trash: delete"),
    Element(41, "file", "CV"),
)
GESTURES = ("hover", "drag", "press_key", "answer_dialog", "upload")


@pytest.fixture(name="desk")
def _desk(shop: Stage) -> Stage:
    """The shop with an editor, lists and files."""
    shop.page.acts |= dict.fromkeys(GESTURES, reply)
    forms = [MESSAGE, SEARCH, PREFERENCES, UPLOADS]
    shop.page.acts["form_details"] = lambda action: forms
    shop.show("Work", *ELEMENTS, *MORE)
    return shop


KEYS: list[tuple[dict[str, Any], str | None]] = [
    ({"key": "Escape"}, None),
    ({"key": "Shift+Tab", "pp_id": 30}, None),
    ({"key": "PageDown"}, None),
    ({"key": "ArrowLeft", "pp_id": 31}, None),
    ({"key": "a", "pp_id": 2}, None),
    ({"key": "Backspace", "pp_id": 2}, None),
    ({"key": "Enter", "pp_id": 5}, None),
    ({"key": "Enter", "pp_id": 9}, None),
    ({"key": "Enter", "pp_id": 2}, "write"),
    ({"key": "Enter", "pp_id": 31}, "write"),
    ({"key": "Control+Enter", "pp_id": 5}, "unknown"),
    ({"key": "a", "pp_id": 31}, "unknown"),
    ({"key": "Delete", "pp_id": 31}, "unknown"),
    ({"key": "ArrowDown", "pp_id": 30}, "unknown"),
    ({"key": "Enter", "pp_id": 7}, "unknown"),
    ({"key": "Space", "pp_id": 7}, "unknown"),
    ({"key": "Space", "pp_id": 13}, "write"),
    ({"key": "Enter", "pp_id": 8}, "irreversible"),
    ({"key": "j"}, "unknown"),
    ({"key": "Control+s"}, "unknown"),
    ({"key": "F5"}, "unknown"),
    ({"key": "Delete"}, "irreversible"),
    ({"key": "Backspace", "pp_id": 7}, "irreversible"),
    ({"key": "Control+Delete", "pp_id": 2}, "irreversible"),
]


@pytest.mark.parametrize(("arguments", "effect"), KEYS)
async def test_a_key_is_judged_by_what_takes_it(
    desk: Stage, arguments: dict[str, Any], effect: str | None
) -> None:
    """Enter is judged as sending or pressing, other keys as editing, choosing, or a shortcut."""
    given = [Answer(True)] if effect else []
    done, asked = await take(desk, call("press_key", **arguments), *given)

    assert done.ok, done.error
    assert [request.details["effect"] for request in asked] == ([effect] if effect else [])
    assert desk.page.acted[-1]["type"] == "press_key"


async def test_a_key_goes_to_the_element_that_was_judged(desk: Stage) -> None:
    """Without a number it is the element that has the focus, which the page is given by number."""
    _, asked = await take(desk, call("press_key", key="Delete"), Answer(True))

    assert "the key `Delete on Draft of May`" in asked[0].text
    assert desk.page.acted[-1] == {"type": "press_key", "key": "Delete", "pp_id": 33}


async def test_enter_in_a_form_of_another_origin_asks(desk: Stage) -> None:
    """It sends the form, so the other origin is asked for and then allowed in the page."""
    foreign = SEARCH | {"action": "https://find.example/"}
    desk.page.acts["form_details"] = lambda action: [foreign]
    done, asked = await take(desk, call("press_key", key="Enter", pp_id=5), Answer(True))

    assert done.ok
    assert asked[0].details["to"] == "https://find.example"
    assert desk.page.acted[-1]["allow_origin"] == ["https://find.example"]


@pytest.mark.parametrize("key", ["•••", "•••2", "•", "Hello", "Hyper+a", "\x00", ""])
async def test_what_is_not_a_key_is_refused(desk: Stage, key: str) -> None:
    """Texts and placeholders of secrets are not typed, and nobody is asked."""
    done, asked = await take(desk, call("press_key", key=key, pp_id=2))

    assert (done.ok, asked) == (False, [])
    assert done.error is not None
    assert done.error["kind"] == "invalid_arguments"
    assert not [acted for acted in desk.page.acted if acted["type"] == "press_key"]


async def test_pointing_runs_and_dragging_asks(desk: Stage) -> None:
    """Nothing says what a drag does; the words of its target raise it."""
    hovered, none = await take(desk, call("hover", pp_id=7))
    _, moved = await take(desk, call("drag", pp_id=7, by_x=20), Answer(True))
    _, thrown = await take(desk, call("drag", pp_id=33, to=34), Answer(True))
    nowhere, _ = await take(desk, call("drag", pp_id=33))
    both, _ = await take(desk, call("drag", pp_id=33, to=34, by_y=1))

    assert (hovered.ok, none) == (True, [])
    assert moved[0].details["effect"] == "unknown"
    assert thrown[0].details["effect"] == "irreversible"
    assert thrown[0].text.startswith("May I drag `Draft of May onto Trash: delete`?")
    assert "it is not said where" in message(nowhere)
    assert "it is not said where" in message(both)


CV = GivenFile("cv.pdf", "", b"%PDF")


async def test_files_are_those_that_the_person_gives(desk: Stage) -> None:
    """A field of a form that is sent takes them without a further question, with their type."""
    taken = call("upload", pp_id=41, files=["cv.pdf"])
    done, asked = await take(desk, taken, Answer(True, files=(CV,)))

    assert done.ok
    assert [request.kind for request in asked] == ["file"]
    data = base64.b64encode(b"%PDF").decode()
    assert desk.page.acted[-1] == {
        "type": "upload",
        "pp_id": 41,
        "files": [{"name": "cv.pdf", "type": "application/pdf", "data": data}],
    }


@pytest.mark.parametrize("pp_id", [32, 34])
async def test_files_that_may_be_sent_at_once_are_asked_for(desk: Stage, pp_id: int) -> None:
    """A field outside of a form, or a place to drop files, may send them."""
    taken = call("upload", pp_id=pp_id, files=["cv.pdf"])
    done, asked = await take(desk, taken, Answer(False))

    assert not done.ok
    assert [request.kind for request in asked] == ["approval"]
    assert "this may be sent at once" in asked[0].text.lower() or pp_id == 34
    assert not [acted for acted in desk.page.acted if acted["type"] == "upload"]


def opens(*dialogs: dict[str, Any]) -> Any:
    """Return an act of the page that opens dialogs, and gets one answered."""

    def act(action: Any) -> dict[str, Any]:
        given = action.get("dialog")
        found = [
            dialog | {"accepted": True}
            if given and (given["kind"], given["text"]) == (dialog["kind"], dialog["text"])
            else dialog
            for dialog in dialogs
        ]
        return reply(action) | {"dialogs": found}

    return act


CONFIRM = {"kind": "confirm", "text": "Delete 3 files?", "accepted": False}
PROMPT = {"kind": "prompt", "text": "New name?", "accepted": False}
YES = call("answer_dialog", accept=True)


async def ran(stage: Stage, *calls: ToolCall, given: tuple[Answer, ...] = (), **more: Any) -> Any:
    """Return what came of the last call, and what was asked."""
    person = answers(*given)
    driver = stage.driver(*calls, finish(success=False), person=person, **more)
    result = await driver.run("go")
    return result.run.done()[len(calls) - 1], person.asked


async def test_a_confirm_is_accepted_with_a_yes_of_its_own(desk: Stage) -> None:
    """The action is taken again with the answer, which is asked for every time and says for what."""
    desk.page.acts["click"] = opens(CONFIRM)
    done, asked = await ran(
        desk, call("click", pp_id=7), YES, given=(Answer(True, session=True), Answer(True))
    )

    assert done.value["answered"] is True
    assert asked[1].text.startswith("May I answer `Delete 3 files?` with OK? This cannot be undone")
    assert asked[1].details["grants"] == []
    clicks = [acted for acted in desk.page.acted if acted["type"] == "click"]
    answer = {"kind": "confirm", "text": "Delete 3 files?", "accept": True}
    assert clicks == [
        {"type": "click", "pp_id": 7},
        {"type": "click", "pp_id": 7, "dialog": answer},
    ]


async def test_a_confirm_is_not_covered_by_allowed_writes(desk: Stage) -> None:
    """A policy that lets all writes run still asks before a confirm is accepted."""
    desk.page.acts["click"] = opens(CONFIRM)
    clicked = call("click", pp_id=7)
    done, asked = await ran(
        desk, clicked, YES, given=(Answer(False),), policy=Policy(allow_writes=True)
    )

    assert not done.ok
    assert len(asked) == 1
    assert len([acted for acted in desk.page.acted if acted["type"] == "click"]) == 1


async def test_a_dialog_that_changed_its_words_is_not_answered(desk: Stage) -> None:
    """The result says so, and the page got no yes to the other words."""
    desk.page.acts["click"] = opens(CONFIRM)
    looks = iter([CONFIRM, CONFIRM | {"text": "Delete everything?"}])
    desk.page.acts["click"] = lambda action: opens(next(looks))(action)
    done, _ = await ran(desk, call("click", pp_id=7), YES, given=(Answer(True), Answer(True)))

    assert done.value["answered"] is False
    assert done.value["dialogs"][0]["accepted"] is False


async def test_a_prompt_gets_a_text(desk: Stage) -> None:
    """Its answer is a write at least, and holds no secret."""
    desk.page.acts["click"] = opens(PROMPT)
    clicked = call("click", pp_id=7)
    named = call("answer_dialog", accept=True, text="Harbour")
    done, asked = await ran(desk, clicked, named, given=(Answer(True), Answer(True)))
    secret = call("answer_dialog", accept=True, text="•••")
    refused, _ = await ran(desk, clicked, secret, given=(Answer(True),))
    without, _ = await ran(desk, clicked, YES, given=(Answer(True),))

    assert done.value["answered"] is True
    assert asked[1].details["effect"] == "write"
    assert asked[1].details["arguments"]["dialog"] == "New name?"
    assert "a secret is not entered into a prompt" in message(refused)
    assert "a `prompt` is answered with a text" in message(without)


@pytest.mark.parametrize(
    "before",
    [
        [],
        [{"kind": "alert", "text": "Done."}],
        [CONFIRM | {"accepted": True}],
        "Delete 3 files?",
        [7, {"kind": "confirm"}, {"kind": "other", "text": "x"}],
    ],
)
async def test_only_a_dialog_that_was_dismissed_is_answered(desk: Stage, before: Any) -> None:
    """An alert has no answer, an accepted one has it, and a page may return anything."""
    desk.page.acts["click"] = lambda action: reply(action) | {"dialogs": before}
    done, asked = await ran(desk, call("click", pp_id=7), YES, given=(Answer(True),))

    assert len(asked) == 1
    assert ("was accepted already" if "accepted" in str(before) else "opened no dialog") in message(
        done
    )


async def test_an_answer_is_for_the_last_action(desk: Stage) -> None:
    """A dialog of an earlier action, or one that followed an answer, is not answered."""
    desk.page.acts["click"] = opens(CONFIRM, CONFIRM | {"text": "Really?"})
    later = call("press_key", key="Escape")
    old, _ = await ran(desk, call("click", pp_id=7), later, YES, given=(Answer(True),))
    given = (Answer(True),) * 2
    chained, _ = await ran(desk, call("click", pp_id=7), YES, YES, given=given)

    assert "opened no dialog" in message(old)
    assert "opened no dialog" in message(chained)


async def test_a_dialog_is_closed_without_a_question(desk: Stage) -> None:
    """To cancel changes nothing; the page closes its own dialog."""
    done, asked = await take(desk, call("answer_dialog", accept=False))

    assert (done.ok, asked) == (True, [])
    assert desk.page.acted[-1] == {"type": "answer_dialog", "accept": False}
