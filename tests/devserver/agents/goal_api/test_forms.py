"""The values that a goal has for a form."""

from __future__ import annotations

from typing import Any

import pytest

from webagent_dev.agents.goal_api.form_values import fields_of, filling_of, values_in, wants_submit

FIELDS: list[dict[str, Any]] = [
    {"pp_id": 1, "label": "Your name", "name": "name", "type": "text"},
    {"pp_id": 2, "label": "Email", "name": "email", "type": "email"},
    {"pp_id": 3, "label": "What it is about", "name": "topic", "type": "select-one"},
    {"pp_id": 4, "label": "Message", "name": "message", "type": "textarea"},
    {"pp_id": 5, "label": "Send me the letter", "name": "newsletter", "type": "checkbox"},
]
CONTACT = {"name": "Write to us", "fields": FIELDS, "buttons": [{"text": "Send message"}]}
SEARCH = {"name": "", "fields": [{"pp_id": 9, "label": "Search", "name": "q", "type": "search"}]}
SIGN_UP: dict[str, Any] = {
    "name": "Newsletter",
    "fields": [{"pp_id": 8, "label": "Email", "name": "email", "type": "email"}],
    "buttons": [{"text": "Subscribe"}],
}

VALUES: list[tuple[str, dict[int, Any]]] = [
    (
        "fill the contact form with name Ada and e-mail ada@example.org",
        {1: "Ada", 2: "ada@example.org"},
    ),
    (
        "Fill the contact form with the name Ada Quillfeather, email ada@example.org, topic Find a "
        'book for me and message "I want, name it, a book." and submit it',
        {1: "Ada Quillfeather", 2: "ada@example.org", 3: "Find a book for me", 4: "I want, name it, a book."},
    ),
    (
        "fill the form: name: Ada, email: ada@x.org, message: Hello there. I am Ada.",
        {1: "Ada", 2: "ada@x.org", 4: "Hello there. I am Ada."},
    ),
    (
        "Fill the message form with my name Ada Byron and my e-mail address ada@x.org. Do not send it.",
        {1: "Ada Byron", 2: "ada@x.org"},
    ),
    (
        "fill the form with name “Ada and Bob” and message Hi, email ada@x.org then send",
        {1: "Ada and Bob", 2: "ada@x.org", 4: "Hi"},
    ),
    ("name Vitamin A and my email a@x.org", {1: "Vitamin A", 2: "a@x.org"}),
    ("set name to Ada; tick newsletter", {1: "Ada", 5: True}),
    ("untick the newsletter", {5: False}),
    ("newsletter: yes", {5: "yes"}),
    ("name Ada Byron and Bob Babbage", {1: "Ada Byron and Bob Babbage"}),
    ("name Ada and Bob", {1: "Ada and Bob"}),
    ("topic Find a book and send", {3: "Find a book"}),
    ("topic Books and small cats", {3: "Books and small cats"}),
    ("fill in the form for ada@x.org", {2: "ada@x.org"}),
    ("fill in the form for ada@x.org and bob@x.org", {}),
    ("fill in the form", {}),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "values"), VALUES)
def test_values_are_found_by_the_names_of_the_fields(goal: str, values: dict[int, Any]) -> None:
    """Fields have labels, names and usual words; a value is quoted, or ends at the next field."""
    found = {e["pp_id"]: e.get("text", e.get("check")) for e in values_in(goal, FIELDS)}

    assert found == values


@pytest.mark.parametrize(
    ("goal", "sends"),
    [
        ("fill it in and submit", True),
        ("fill it in and send the message", True),
        ("fill it in", False),
        ("fill it in, don't submit it", False),
        ("fill it in without submitting", False),
        ('fill in message "please submit"', False),
    ],
)
def test_a_form_is_submitted_only_when_the_goal_says_so(goal: str, sends: bool) -> None:
    """A quoted word does not count, nor does a word after "don't" or "without"."""
    assert wants_submit(goal) is sends


def test_the_form_is_the_one_with_most_values_or_a_name() -> None:
    """A search form comes last; a form without fields never counts."""
    forms = [SEARCH, SIGN_UP, CONTACT]
    chosen = [
        filling_of(goal, forms)
        for goal in ("name Ada, email a@x.org", "newsletter form: email a@x.org", "fill the form")
    ]

    assert [filling.form["name"] for filling in chosen if filling] == [
        "Write to us",
        "Newsletter",
        "Newsletter",
    ]
    assert filling_of("fill", [{"fields": []}]) is None
    assert filling_of("fill", [{"fields": [{"pp_id": 1, "disabled": True}]}]) is None


def test_unknown_fields_are_reported() -> None:
    """The goal has them as `field: value` or `field = value`."""
    filling = filling_of("fill the form with name=Ada, colour=red", [CONTACT])

    assert filling
    assert filling.unknown == ("colour",)
    assert [entry["text"] for entry in filling.entries] == ["Ada"]


@pytest.mark.parametrize(
    ("goal", "unknown"),
    [
        ("fill the contact form with colour red and name Ada", "colour red"),
        ("fill in the form: name Ada; favourite colour red", "favourite colour red"),
        ("fill the form with name 'Ada' and colour 'red'", "colour 'red'"),
        ("fill the form with name Ada and phone 555 and send it", "phone"),
        ("fill the form with name Ada and shoesize 44", "shoesize"),
        ("fill the form with topic Find a book and size 44", "size"),
        ("fill the form with name Ada and colour red", "colour"),
        ('fill the form with name Ada and my colour "dark red"', "colour"),
        ("fill the form with name 'Ada', size XL, message hello", "size XL"),
    ],
)
def test_a_field_that_the_form_lacks_is_never_dropped(goal: str, unknown: str) -> None:
    """However the goal names it."""
    filling = filling_of(goal, [CONTACT])

    assert filling
    assert filling.unknown == (unknown,)


@pytest.mark.parametrize("goal", [goal for goal, _ in VALUES])
def test_goals_with_fields_of_the_form_name_no_other(goal: str) -> None:
    """Neither an order at the end nor words between the values are fields."""
    filling = filling_of(goal, [CONTACT])

    assert filling
    assert not filling.unknown


def test_the_value_of_a_password_field_is_secret() -> None:
    """The page does not show it."""
    fields = [{"pp_id": 1, "label": "Password", "name": "p", "type": "password"}]

    assert values_in("password: hunter22", fields) == [
        {"pp_id": 1, "text": "hunter22", "secret": True}
    ]


def test_malformed_fields_are_ignored() -> None:
    """A field needs a number; malformed buttons are ignored, too."""
    odd: list[Any] = [None, "x", {"label": "A"}, {"pp_id": "1"}, {"pp_id": [1]}, {"pp_id": True}]
    for buttons in (None, "Send", 3, [None, "Send"]):
        filling = filling_of("name Ada", [{"fields": [*odd, FIELDS[0]], "buttons": buttons}])
        assert filling
        assert filling.entries == ({"pp_id": 1, "text": "Ada"},)
    for fields in (None, "x", {}, odd):
        assert filling_of("name Ada", [{"fields": fields}]) is None


def test_only_the_first_fields_of_a_huge_form_are_read() -> None:
    """A page cannot keep the server busy."""
    fields = [{"pp_id": number, "label": f"Name {number}"} for number in range(5000)]

    assert [field["pp_id"] for field in fields_of({"fields": fields})] == list(range(200))
