"""Forms that are filled in, and sent only if that was said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.pages.pages import FORMS, HARBOUR, follow

from webagent.agent.deterministic.pages.fields import form_in

_GERMAN = [
    {
        "fields": [
            {"pp_id": 11, "label": "Name", "type": "text", "required": True},
            {"pp_id": 12, "label": "E-Mail", "type": "email", "required": True},
            {"pp_id": 13, "label": "Nachricht", "type": "textarea"},
        ]
    }
]


def _entered(goal: str, *answers: str, forms: Any = FORMS) -> Any:
    outcome = follow(
        goal, HARBOUR, answers, lambda act: forms if act.name == "form_details" else {}
    )
    assert [act.name for act in outcome.acts] == ["form_details", "enter_data"], outcome
    return outcome.acts[-1].arguments


def test_fills_a_form() -> None:
    """A form is filled in by its labels, and not sent unless that is said."""
    assert _entered(
        "fill in the form with full name Ada Lovelace, email ada@mail.example and topic visit"
    ) == {
        "form_data": [
            {"pp_id": 11, "text": "Ada Lovelace"},
            {"pp_id": 12, "text": "ada@mail.example"},
            {"pp_id": 13, "select": ["Visit"]},
        ],
        "submit": False,
    }


@pytest.mark.parametrize(
    ("end", "sends"),
    [
        (" and send it", True),
        (", then submit the form", True),
        (", but don't send it", False),
        (" without sending it", False),
        ('. Message: "please send me a chart"', False),
        ("", False),
    ],
)
def test_sends_if_told(end: str, sends: bool) -> None:
    """A form is sent for an order to send it, not for the word in a text or a denial."""
    goal = f"fill in the form with full name “Ada Lovelace” and email ada@mail.example{end}"
    assert _entered(goal)["submit"] is sends


@pytest.mark.parametrize(
    ("goal", "sends"),
    [
        ("fülle das Formular mit E-Mail ada@mail.example und Name „Ada Lovelace“ aus", False),
        (
            "fülle das Formular mit E-Mail ada@mail.example und Name „Ada Lovelace“ aus und schick es ab",
            True,
        ),
        (
            "fülle das Formular mit E-Mail ada@mail.example und Name „Ada Lovelace“ aus, aber schick es nicht ab",
            False,
        ),
        ("remplis le formulaire avec email ada@mail.example et Full name « Ada Lovelace »", False),
        (
            "remplis le formulaire avec email ada@mail.example et Full name « Ada Lovelace » et envoie-le",
            True,
        ),
        ("rellena el formulario con email ada@mail.example y Full name «Ada Lovelace»", False),
        (
            "rellena el formulario con email ada@mail.example y Full name «Ada Lovelace» y envíalo",
            True,
        ),
    ],
)
def test_languages(goal: str, sends: bool) -> None:
    """The same in other languages."""
    entered = _entered(goal, forms=_GERMAN if "Formular" in goal else FORMS)
    assert {"pp_id": 11, "text": "Ada Lovelace"} in entered["form_data"]
    assert {"pp_id": 12, "text": "ada@mail.example"} in entered["form_data"]
    assert entered["submit"] is sends


def test_asks_for_fields() -> None:
    """What a form needs and nobody gave is asked for."""
    outcome = follow("fill in the form with email ada@mail.example", HARBOUR, ["Ada Lovelace"])
    assert outcome.asked == ["Full name"]
    assert {"pp_id": 11, "text": "Ada Lovelace"} in outcome.acts[-1].arguments["form_data"]


@pytest.mark.parametrize(
    "goal", ["sign in", "melde mich an", "connecte-moi", "inicia sesión", "سجل الدخول"]
)
def test_signs_in(goal: str) -> None:
    """To sign in the person is asked, one thing at a time, and the form with the password is sent."""
    outcome = follow(goal, HARBOUR, ["ada@mail.example", "•••1"])
    assert outcome.asked == ["Email", "Password"]
    assert outcome.acts[-1].arguments == {
        "form_data": [
            {"pp_id": 21, "text": "ada@mail.example"},
            {"pp_id": 22, "text": "•••1"},
        ],
        "submit": True,
    }


def test_stops_asking() -> None:
    """Answers that give nothing end the task."""
    outcome = follow("fill in the form", HARBOUR, [""] * 9)
    assert outcome.task is not None
    assert outcome.task.state == "failed"


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        {"forms": 3},
        [{}],
        [{"fields": [None, {"pp_id": "x"}, {"pp_id": True, "label": "a"}]}],
        [[]],
    ],
)
def test_strange_forms(value: Any) -> None:
    """What a page says of its forms may be anything."""
    assert form_in(value, password=False) == []


def test_form_with_a_password() -> None:
    """A form with a password is only for signing in."""
    assert [field["pp_id"] for field in form_in(FORMS, password=True)] == [21, 22]
    assert [field["pp_id"] for field in form_in(FORMS, password=False)] == [11, 12, 13, 14, 15]


def test_secrets() -> None:
    """Secrets are placeholders in the notes, and go into no field that takes none."""
    outcome = follow("sign in", HARBOUR, ["ada@mail.example", "ropewalk14"])
    assert "ropewalk14" not in str(outcome.task)
    outcome = follow("sign in as ada@mail.example with password •••1", HARBOUR)
    assert outcome.asked == []
    assert outcome.acts[-1].arguments["form_data"] == [
        {"pp_id": 21, "text": "ada@mail.example"},
        {"pp_id": 22, "text": "•••1"},
    ]
    outcome = follow("fill in the form with email ada@mail.example and password •••1", HARBOUR)
    assert outcome.asked == ["Full name"]
