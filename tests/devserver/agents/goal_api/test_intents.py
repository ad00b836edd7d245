"""The intent of a task: its params decide first, then the words of its goal."""

from __future__ import annotations

import pytest

from webagent_dev.agents.goal_api.actor import page_type_of
from webagent_dev.agents.goal_api.intents import address_in, intent_of, query_in
from webagent_dev.agents.goal_api.request import Credentials, Params
from webagent_dev.agents.goal_api.worker import CredentialMask

ADA = Credentials("ada", "ropewalk14")

BY_WORDS = [
    ("Search for harbour books", "search"),
    ("find the salt ledger", "search"),
    ("look up Tansley Hedge in the catalogue", "search"),
    ("Log in to my account", "login"),
    ("please sign in", "login"),
    ("login", "login"),
    ("Log in and find my orders", "login"),
    ("Extract the price table", "extract_tables"),
    ("get the table of prices", "extract_tables"),
    ("extract the article's text", "extract"),
    ("scrape all links", "extract"),
    ("fill the contact form with name Ada", "fill_form"),
    ("submit it", "fill_form"),
    ('fill the form with topic Find a book and message "please search"', "fill_form"),
    ("fill in the search form", "fill_form"),
    ("Browse the delivery page", "browse"),
    ("inform me about the platform, a stable one", "browse"),
    ("go to https://shop.example/search/table/login", "browse"),
    ("search", "search"),
]


@pytest.mark.parametrize(("goal", "name"), BY_WORDS)
def test_the_words_of_a_goal_say_what_it_wants(goal: str, name: str) -> None:
    """Whole words, without addresses and quotations."""
    assert intent_of(goal, Params()).name == name


@pytest.mark.parametrize(
    ("params", "name"),
    [
        (Params(search_query="tea", credentials=ADA, extract=("tables",)), "search"),
        (Params(credentials=ADA, extract=("tables",)), "login"),
        (Params(extract=("links", "Tables")), "extract_tables"),
        (Params(extract=("table",)), "extract_tables"),
        (Params(extract=("prices",)), "extract"),
        (Params(url="/x"), "fill_form"),
    ],
)
def test_params_come_before_words(params: Params, name: str) -> None:
    """The goal does not matter then."""
    assert intent_of("fill the form", params).name == name


ADDRESSES = [
    ("see https://shop.example/a?b=1#c, please", "https://shop.example/a?b=1#c"),
    ("(https://x.org/a(b))", "https://x.org/a(b)"),
    ("open HTTP://Shop.example.", "HTTP://Shop.example"),
    ("Open shop.example/contact!", "https://shop.example/contact"),
    ("www.books.museum is it", "https://www.books.museum"),
    ("localhost:8000/x works", "http://localhost:8000/x"),
    ("go to contact.html?topic=order please", "contact.html?topic=order"),
    ("read /delivery.", "/delivery"),
    ("first a.example, then https://b.example", "https://b.example"),
    ("e.g. v1.0 of Node.js, i.e. readme.md at 3.14", ""),
    ("mail ada@shop.example", ""),
    ("this and/or that, 1/2, c.f. etc.", ""),
    ("script.py and notes.txt", ""),
    ("", ""),
]


@pytest.mark.parametrize(("goal", "url"), ADDRESSES)
def test_an_address_is_found_in_a_goal(goal: str, url: str) -> None:
    """Other words with dots are not addresses."""
    assert address_in(goal) == url


def test_the_address_of_the_params_comes_first() -> None:
    """Before the goal's."""
    assert intent_of("open https://a.example", Params(url="/b")).url == "/b"


QUERIES = [
    ("Search for harbour books on https://shop.example/x.", "harbour books"),
    ("search the site for “tea pots” and list them", "tea pots"),
    ("search 'soup'", "soup"),
    ("find the salt ledger. Then stop", "salt ledger"),
    ("look up Tansley Hedge in the catalogue", "Tansley Hedge"),
    ("search for cats and dogs", "cats and dogs"),
    ("search for cats, and then open the first", "cats"),
    ("find information about the platform!", "information about the platform"),
    ("fill in the search form", ""),
    ("open the search page", ""),
    ("search", ""),
]


@pytest.mark.parametrize(("goal", "query"), QUERIES)
def test_the_search_query_is_found_in_a_goal(goal: str, query: str) -> None:
    """Quoted, or up to the end of the sentence."""
    assert query_in(goal) == query


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("extract the links", ("links",)),
        ("extract links and text", ("links", "text")),
        ("scrape it", ("text",)),
    ],
)
def test_kinds_to_extract_are_found_in_a_goal(goal: str, wanted: tuple[str, ...]) -> None:
    """Text by default."""
    assert intent_of(goal, Params()).extract == wanted


def test_credentials_are_not_in_any_repr() -> None:
    """Neither in their own nor in that of a container."""
    intent = intent_of("log in", Params(credentials=ADA))

    assert "ropewalk14" not in repr(intent)
    assert "ada" not in repr(intent)


def test_credentials_are_masked_everywhere() -> None:
    """A password also within a word, a name as a whole word, in any case; never a key."""
    hide = CredentialMask(Credentials("ada", "rope"))

    assert hide({"ada": ["Hello ADA", {"x": "tightropes and canada"}], "n": 1}) == {
        "ada": ["Hello •••", {"x": "tight•••s and canada"}],
        "n": 1,
    }
    assert CredentialMask(Credentials("ada", "a"))("a banana") == "••• banana"
    assert CredentialMask(None)("ada") == "ada"


@pytest.mark.parametrize(
    ("kind", "name"),
    [("two_factor", "TwoFactorAuth"), ("listing", "List"), ("home", "Other"), (None, "Other")],
)
def test_page_types_have_the_names_of_the_api(kind: str | None, name: str) -> None:
    """Any other is `Other`."""
    assert page_type_of(kind) == name
