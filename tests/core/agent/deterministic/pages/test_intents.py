"""What a goal asks of the page itself, in four languages and in one that is data alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.core.agent.deterministic.pages.pages import HARBOUR, SHOP, follow, intent, read

from webagent.agent.deterministic.pages import intent_of
from webagent.page.snapshot import Element, Snapshot


@pytest.mark.parametrize(
    ("goal", "action", "arguments"),
    [
        ("open the opening hours", "click_link", {"pp_id": 1}),
        ("please go to the contact page", "click_link", {"pp_id": 2}),
        ("open https://site.example/map", "goto_url", {"url": "https://site.example/map"}),
        ("click the show more button", "click", {"pp_id": 4}),
        ("open the second link", "click_link", {"pp_id": 2}),
        ("click “Show more”", "click", {"pp_id": 4}),
        ("search for the ferry to Gull Island", "search", {"query": "ferry to Gull Island"}),
        ("scroll down", "scroll", {"direction": "down"}),
        ("scroll to the bottom", "scroll", {"direction": "bottom"}),
        ("extract the tables of this page", "table_details", {}),
        ("summarize this page", "get_summary", {}),
        ("give me the outline of the page", "section_outline", {}),
        ("show the navigation of the site", "navigation_outline", {}),
        ("take a screenshot", "take_screenshot", {}),
        ("show me the code on this page", "find_code", {}),
        ("öffne die Contact-Seite", "click_link", {"pp_id": 2}),
        ("kannst du bitte auf Show more klicken?", "click", {"pp_id": 4}),
        ("ich möchte die Contact-Seite öffnen", "click_link", {"pp_id": 2}),
        ("suche nach Gull Island", "search", {"query": "Gull Island"}),
        ("scrolle ganz nach unten", "scroll", {"direction": "bottom"}),
        ("zeig mir die Tabellen auf dieser Seite", "table_details", {}),
        ("fasse diese Seite zusammen", "get_summary", {}),
        ("mach bitte einen Screenshot", "take_screenshot", {}),
        ("ouvre la page Contact", "click_link", {"pp_id": 2}),
        ("cherche les horaires du bateau", "search", {"query": "horaires du bateau"}),
        ("fais défiler la page vers le bas", "scroll", {"direction": "down"}),
        ("montre-moi les tableaux de cette page", "table_details", {}),
        ("résume cette page", "get_summary", {}),
        ("abre la página Contact", "click_link", {"pp_id": 2}),
        ("busca los horarios del barco", "search", {"query": "horarios del barco"}),
        ("muéstrame las tablas de esta página", "table_details", {}),
        ("resume esta página", "get_summary", {}),
        ("افتح صفحة Contact", "click_link", {"pp_id": 2}),
        ("لخص هذه الصفحة", "get_summary", {}),
    ],
)
def test_one_action(goal: str, action: str, arguments: dict[str, Any]) -> None:
    """A request that the page itself can serve is one action of the page."""
    outcome = follow(goal, HARBOUR)
    assert [(act.name, dict(act.arguments)) for act in outcome.acts] == [(action, arguments)]
    assert outcome.task is not None
    # A search is done when the page that follows shows what was searched for.
    assert outcome.task.state == "done" or action == "search"


@pytest.mark.parametrize(
    "goal",
    [
        "don't open the contact page",
        "please do not click show more",
        "never scroll down",
        "I already opened the contact page",
        "my login does not work",
        "login is broken",
        "I was on https://site.example/map",
        "don't open https://site.example/map",
        "the contact page does not open",
        "how do I open the contact page?",
        "what happens when I click show more?",
        "should I click show more?",
        "is the contact page open?",
        "book a table for two",
        "open the garage door",
        "pay the bill",
        "order two lamps",
        "öffne die Contact-Seite nicht",
        "bitte nicht auf Show more klicken",
        "klick nicht auf Show more",
        "klick nicht auf „Show more“",
        "öffne nicht https://site.example/map",
        "zeig mir nicht die Tabellen dieser Seite",
        "click not on show more",
        "ne clique pas sur Show more",
        "no hagas clic en Show more",
        "ich habe die Contact-Seite geöffnet",
        "warum öffnet sich die Contact-Seite nicht?",
        "er will die Contact-Seite öffnen",
        "n'ouvre pas la page Contact",
        "j'ai ouvert la page Contact",
        "no abras la página Contact",
        "he abierto la página Contact",
        "لا تفتح صفحة Contact",
    ],
)
def test_nothing_is_touched(goal: str) -> None:
    """Nothing is clicked, opened or filled for a statement, a denial, or another question."""
    found = intent(goal, HARBOUR)
    assert found is None or found.name == "read"


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("what is this page about?", "about"),
        ("who wrote this?", "author"),
        ("who is the author of this article?", "author"),
        ("worum geht es auf dieser Seite?", "about"),
        ("wer hat das geschrieben?", "author"),
        ("de quoi parle cette page ?", "about"),
        ("qui a écrit ceci ?", "author"),
        ("¿de qué trata esta página?", "about"),
        ("¿quién escribió esto?", "author"),
        ("what does it say about returns?", "read"),
        ("how much is shipping to Germany?", "read"),
        ("when are you open?", "read"),
    ],
)
def test_question(goal: str, name: str) -> None:
    """A question that the page answers is one to read it."""
    found = intent(goal, SHOP)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("goal", "direction"),
    [
        ("scroll up", "up"),
        ("scroll to the top", "top"),
        ("scroll", "down"),
        ("scrolle nach oben", "up"),
        ("baja", "down"),
    ],
)
def test_direction(goal: str, direction: str) -> None:
    """Where to scroll is said, or down."""
    found = intent(goal, HARBOUR)
    assert found is not None
    assert (found.name, found.text) == ("scroll", direction)


def test_asks_which_of_two() -> None:
    """Of two links that fit alike none is opened before the person says which."""
    outcome = follow("open Gull Island", HARBOUR)
    assert outcome.questions == ["Which one do you mean: “Gull Island tours”, “Gull Island map”?"]
    assert outcome.acts == []
    for answer in ("Gull Island map", "the map", "the second one"):
        outcome = follow("open Gull Island", HARBOUR, [answer])
        assert [act.arguments for act in outcome.acts] == [{"pp_id": 8}]


def test_doors() -> None:
    """Doors with numbers are told apart, and the first is not opened for want of a number."""
    doors = Snapshot(elements=tuple(Element(n, "button", f"Open door {n}") for n in (1, 2, 3)))
    assert follow("click open door 2", doors).acts[0].arguments == {"pp_id": 2}
    assert follow("click the third button", doors).acts[0].arguments == {"pp_id": 3}
    assert follow("press the third button", doors).acts[0].arguments == {"pp_id": 3}
    assert follow("press the fourth button", doors).acts == []
    outcome = follow("click open door", doors)
    assert outcome.acts == []
    assert "Open door 3" in outcome.questions[0]


def test_disabled() -> None:
    """A button that cannot be pressed is not pressed."""
    page = Snapshot(elements=(Element(1, "button", "Save", states=("disabled",)),))
    assert intent("click save", page) is None


def test_no_field_to_search_in() -> None:
    """Without a field to search in, what is looked for is read on the page."""
    found = intent("find the returns policy", SHOP)
    assert found is None or found.name == "read"


def test_score() -> None:
    """What explains all words scores more than what leaves some."""
    whole, half = intent("open contact", HARBOUR), intent("open contact tomorrow evening", HARBOUR)
    assert whole is not None
    assert half is None or half.score < whole.score


def test_login_without_a_password() -> None:
    """Where there is no field for a password the link to sign in is opened."""
    page = replace(HARBOUR, elements=(Element(1, "link", "Log in", href="/login"),))
    assert follow("log in", page).acts[0].arguments == {"pp_id": 1}


def test_parts() -> None:
    """Each part of a goal is read by itself, and one does not explain the other."""
    sentence = read("open contact and don't scroll down")
    found = [intent_of(sentence, first, end, HARBOUR) for first, end in ((0, 2), (2, 6))]
    assert [one and one.name for one in found] == ["open", None]
    filled = intent("fill in the form with email ada@mail.example and book a table", HARBOUR)
    sent = intent("fill in the form with email ada@mail.example and send it", HARBOUR)
    assert filled is not None
    assert filled.features["unexplained"] == 2
    assert sent is not None
    assert sent.features["unexplained"] == 0


def test_name_with_a_negator() -> None:
    """A negator may belong to the name of a button."""
    page = Snapshot(elements=(Element(1, "button", "No thanks"), Element(2, "button", "Thanks")))
    assert follow("click no thanks", page).acts[0].arguments == {"pp_id": 1}
    assert intent("do not click no thanks", page) is None
