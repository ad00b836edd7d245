"""Answers from the text of a page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.core.agent.deterministic.pages.pages import AIDE, AYUDA, HARBOUR, LADEN, SHOP, follow

from webagent.page.snapshot import Snapshot

_NOTHING = "I can’t find that on this page."


@pytest.mark.parametrize(
    ("goal", "page", "says", "silent"),
    [
        (
            "what does the page say about the ferry to Gull Island?",
            HARBOUR,
            "leaves at nine and at five",
            "Dogs",
        ),
        ("what about dogs?", HARBOUR, "Dogs travel for free.", "ferry"),
        ("what does it say about returns?", SHOP, "within 30 days", "lorry"),
        ("how much is shipping to Germany?", SHOP, "Country: Germany, Price: 4.90 €", "France"),
        ("how much is shipping to France?", SHOP, "7.50 €", "Germany"),
        (
            "when are you open?",
            SHOP,
            "Monday to Friday: 9 am to 5 pm\nSaturday: 10 am to 2 pm",
            "30",
        ),
        ("when do you open on Saturday?", SHOP, "Saturday: 10 am", "lorry"),
        ("where is the shop?", SHOP, "14 Quay Street", "30"),
        ("how many parking places are there?", SHOP, "12 parking places", "Quay"),
        ("who is the head of the workshop?", SHOP, "Tom Barrow", "Mara"),
        ("who wrote this?", SHOP, "Mara Quill", "Tom"),
        ("wie viel kostet der Versand nach Deutschland?", LADEN, "4,90 €", "7,50"),
        ("was kostet der Versand nach Frankreich?", LADEN, "7,50 €", "4,90"),
        ("wann habt ihr geöffnet?", LADEN, "Montag bis Freitag: 9 bis 17 Uhr", "30"),
        ("was steht hier über die Rückgabe?", LADEN, "innerhalb von 30 Tagen", "Versand"),
        ("wer hat das geschrieben?", LADEN, "Petra Lindner", "30"),
        ("combien coûte la livraison en France ?", AIDE, "7,50 €", "bateaux"),
        ("quand le magasin est-il ouvert ?", AIDE, "de 9 h à 17 h", "bateaux"),
        ("qui a écrit cette page ?", AIDE, "Claire Morel", "bateaux"),
        ("¿cuánto cuesta el envío a España?", AYUDA, "6,20 €", "barcos"),
        ("¿cuándo abre la tienda?", AYUDA, "de 9:00 a 17:00", "barcos"),
        ("¿quién escribió esto?", AYUDA, "Lucía Romero", "barcos"),
        ("when are you open?", LADEN, "9 bis 17 Uhr", "30"),
        ("what does it say about returns?", LADEN, "30 Tagen", "Uhr"),
    ],
)
def test_answer(goal: str, page: Snapshot, says: str, silent: str) -> None:
    """A question is answered with the passage that has the kind of answer it wants."""
    outcome = follow(goal, page)
    assert outcome.acts == []
    assert says in outcome.said
    assert silent not in outcome.said


@pytest.mark.parametrize(
    ("goal", "page"),
    [
        ("who is the head librarian?", SHOP),
        ("how much is shipping to Spain?", SHOP),
        ("how much is a lamp?", SHOP),
        ("what does it say about dogs?", SHOP),
        ("when does the train to Gull Bay leave?", SHOP),
        ("wie viel kostet der Versand nach Spanien?", LADEN),
        ("combien coûte la livraison en Suède ?", AIDE),
        ("¿cuánto cuesta el envío a Portugal?", AYUDA),
        ("who wrote this?", HARBOUR),
        ("is there a swimming pool?", HARBOUR),
    ],
)
def test_says_nothing_that_the_page_does_not(goal: str, page: Snapshot) -> None:
    """What the page does not say is not guessed."""
    outcome = follow(goal, page)
    assert outcome.task is None or outcome.task.state == "failed"


def test_an_answer_names_its_heading() -> None:
    """The one that it is under."""
    outcome = follow("what does it say about returns?", SHOP)
    assert outcome.task is not None
    assert outcome.said.startswith("Returns: You can return unused goods")


def test_length() -> None:
    """An extract is no longer than 400 characters, and ends with a sentence."""
    text = "## Tides\n" + " ".join(
        f"The tide of day {n} is high at noon and low at dusk." for n in range(60)
    )
    outcome = follow("what does it say about tides?", Snapshot(text=text))
    assert len(outcome.said) < 420
    assert outcome.said.endswith(".")


@pytest.mark.parametrize(
    ("goal", "page"),
    [
        ("what is this page about?", SHOP),
        ("worum geht es hier?", LADEN),
        ("de quoi parle cette page ?", AIDE),
        ("¿de qué trata esta página?", AYUDA),
    ],
)
def test_about(goal: str, page: Snapshot) -> None:
    """What a page is about is its title and its first sentences, without notices."""
    outcome = follow(goal, page)
    assert any(word in outcome.said for word in ("boats", "Boote", "bateaux", "barcos"))
    assert "cookies" not in outcome.said


@pytest.mark.parametrize(
    ("goal", "page"),
    [
        ("summarise the page in two sentences", SHOP),
        ("summarise this in two sentences", SHOP),
        ("fasse die Seite in zwei Sätzen zusammen", LADEN),
        ("résume cette page en deux phrases", AIDE),
        ("resume la página en dos frases", AYUDA),
    ],
)
def test_picked(goal: str, page: Snapshot) -> None:
    """A summary of some sentences is picked from the page, and says so."""
    outcome = follow(goal, page)
    assert outcome.acts == []
    told, _, sentences = outcome.said.partition(": ")
    assert told == "2 sentences from the page, word for word"
    assert sentences.count(".") == 2
    assert "cookies" not in sentences


@pytest.mark.parametrize(
    "goal",
    [
        "when do you open on Saturday?",
        "who is the head librarian?",
        "which section is about poetry?",
    ],
)
def test_no_marks_for_an_answer(goal: str) -> None:
    """A line of links answers nothing."""
    text = (
        '[1] link "Opening hours" [2] link "Contact"\n'
        '[3] searchbox "Search for poetry" = "poetry" [4] button "Search"\n# Welcome to the harbour'
    )
    outcome = follow(goal, replace(HARBOUR, text=text))
    assert outcome.task is None or outcome.task.state == "failed"


def test_plain_lines() -> None:
    """A line that answers is told without the marks of the elements in it."""
    text = '- Dogs may come along: [9] checkbox "We bring a dog" [2] link "Prices"'
    assert (
        follow("what about dogs?", replace(HARBOUR, text=text)).said
        == "Dogs may come along: Prices"
    )


def test_names_in_outlines() -> None:
    """What is said of outlines and links is names, not numbers, roles and brackets."""
    assert follow("give me the outline of the page", HARBOUR).said == "Harbour news\nFerries"
    assert follow("show the navigation of the site", HARBOUR).said == "Harbour news\nContact"
    assert follow("open the opening hours", HARBOUR).said == "I opened “Opening hours”."
    assert (
        follow("extract the tables of this page", HARBOUR).said
        == "Fares (Who, Price; 1 row): Adult, 4"
    )


def test_list_after_a_colon() -> None:
    """What a line announces is a part of the answer."""
    page = Snapshot(
        text="# Trips\nYou need to bring for the trip:\n- a warm coat\n- a lamp\n# Other\nNothing."
    )
    said = follow("what do I need to bring for the trip?", page).said
    assert "a warm coat" in said
    assert "a lamp" in said
    assert "Nothing" not in said
