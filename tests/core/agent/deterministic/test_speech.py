"""The planner's replies in the language of the goal, or else of the page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Refused, bindings_from, follow

from webagent.agent.person import NOT_ALLOWED
from webagent.speech import speaking, speech

BOOKS = [
    {"id": "dune", "title": "Dune", "author": "Frank Herbert", "price": 12.5, "currency": "EUR", "available": True,
     "published": "1965-08-01"},
    {"id": "hobbit", "title": "The Hobbit", "author": "J. R. R. Tolkien", "price": 8.99, "currency": "EUR",
     "available": False, "published": "1937-09-21"},
]  # fmt: skip
READS = {"readOnlyHint": True}
TEXT = {"type": "string"}
TOOLS = bindings_from(
    [
        {"name": "searchBooks", "title": "Bücher suchen", "description": "Search the books by title and author.",
         "annotations": READS, "inputSchema": {"type": "object", "required": ["query"], "properties": {"query": TEXT}}},
        {"name": "addToBasket", "title": "In den Korb legen", "description": "Put a book into the basket.",
         "annotations": {"readOnlyHint": False},
         "inputSchema": {"type": "object", "required": ["bookId"],
                         "properties": {"bookId": TEXT, "quantity": {"type": "integer"}}}},
        {"name": "getBasket", "description": "What is in the basket.", "annotations": READS,
         "inputSchema": {"type": "object", "properties": {}}},
        {"name": "getShipping", "description": "Delivery cost and time to a country.", "annotations": READS,
         "inputSchema": {"type": "object", "required": ["country"],
                         "properties": {"country": {"type": "string", "enum": ["DE", "FR", "ES"]}}}},
    ]
)  # fmt: skip


def call(name: str, arguments: dict[str, Any]) -> Any:
    """Answer as the shop does."""
    match name:
        case "searchBooks":
            words = arguments["query"].lower()
            return [book for book in BOOKS if words in f"{book['title']} {book['author']}".lower()]
        case "getBasket":
            return {"items": [{"title": "Dune", "quantity": 2, "price": 12.5}], "total": 25.0, "currency": "EUR"}  # fmt: skip
        case "addToBasket":
            return {"quantity": arguments.get("quantity", 1), "total": 12.5}
    return {"price": 3.5, "currency": "EUR", "days": 3, "weight_kg": 0.5}


@pytest.mark.parametrize(
    ("goal", "plan", "text"),
    [
        ("was liegt in meinem Korb?", "Ich werde „get basket“ ausführen.",
         "Es gibt 1 Treffer: Dune (Menge 2, Preis 12,50). Summe: 25 EUR."),
        ("finde Bücher von Tolkien", "Ich werde „Bücher suchen“ für „Tolkien“ ausführen.",
         "Es gibt 1 Treffer: The Hobbit (Autor J. R. R. Tolkien, Preis 8,99 EUR, verfügbar: nein,"
         " erschienen 21. September 1937)."),
        ("was kostet der Versand nach Frankreich?", "Ich werde „get shipping“ ausführen (Land FR).",
         "Preis: 3,50 EUR."),
        ("lege Dune in den Korb", "Ich werde „In den Korb legen“ für „Dune“ ausführen.",
         "Erledigt: „In den Korb legen“ für „Dune“. Summe: 12,50; Menge: 1."),
        ("qu'est-ce qu'il y a dans mon panier ?", "Je vais utiliser « get basket ».",
         "Il y a 1 résultat : Dune (quantité 2, prix 12,50). Total : 25 EUR."),
        ("¿qué hay en mi cesta?", "Voy a usar «get basket».",
         "Hay 1 resultado: Dune (cantidad 2, precio 12,50). Total: 25 EUR."),
        ("أضف Dune إلى السلة", "سأقوم بما يلي: استخدام «In den Korb legen» من أجل «Dune».",
         "تم: «In den Korb legen» من أجل «Dune». المجموع: 12.50؛ الكمية: 1."),
        ("what is in my basket?", "I will use “get basket”.",
         "There is one: Dune (quantity 2, price 12.50). The total is 25 EUR."),
    ],
)  # fmt: skip
async def test_a_goal_is_answered_in_its_own_language(goal: str, plan: str, text: str) -> None:
    """On an English page; numbers, dates and units are written as the language has them."""
    outcome = await follow(goal, TOOLS, call)
    told = (outcome.plan.text, outcome.text)
    assert tuple(one.replace("\u00a0", " ") for one in told) == (plan, text)


@pytest.mark.parametrize("goal", ["Dune", "xyzzy"])
async def test_a_goal_of_no_language_is_answered_in_that_of_the_page(goal: str) -> None:
    """A name alone, or nothing that is known."""
    with speaking(speech("de")):
        outcome = await follow(goal, TOOLS, call)
    assert outcome.text.startswith("Das kann ich auf dieser Seite nicht erledigen.")
    assert (await follow(goal, TOOLS, call)).text.startswith("I cannot do that on this page.")


async def test_an_english_goal_on_a_german_page_is_answered_in_english() -> None:
    """Whoever writes it reads it."""
    with speaking(speech("de")):
        outcome = await follow("what is in my basket?", TOOLS, call)
    assert outcome.text.startswith("There is one: Dune (quantity 2")


@pytest.mark.parametrize(
    ("goal", "asked", "ending"),
    [
        ("lege ein Buch in den Korb", "Was genau meinen Sie (Buch)? Der Name genügt.",
         "Ich habe abgebrochen, weil ich keine Antwort auf meine Frage bekommen habe."),
        ("ajoute un livre au panier", "De quoi s’agit-il précisément (livre) ? Le nom suffit.",
         "Je me suis arrêté, car ma question est restée sans réponse."),
    ],
)  # fmt: skip
async def test_it_asks_in_the_language_of_the_goal(goal: str, asked: str, ending: str) -> None:
    """And says in it that nobody has answered; nothing that is written for a model is shown."""
    outcome = await follow(goal, TOOLS, call)
    assert [question.replace("\u00a0", " ") for question in outcome.questions] == [asked]
    assert outcome.text == ending


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("lege Dune in den Korb", "„In den Korb legen“ habe ich nicht ausgeführt, weil Sie es nicht erlaubt haben."),
        ("put Dune into the basket", "I did not put a book into the basket, because you did not allow it."),
    ],
)  # fmt: skip
async def test_a_no_is_told_in_the_words_of_a_person(goal: str, text: str) -> None:
    """Without the names of tools and the words that a model reads."""

    def refuse(name: str, arguments: dict[str, Any]) -> Any:
        if name == "addToBasket":
            raise Refused(f"{NOT_ALLOWED} to call `{name}`")
        return call(name, arguments)

    outcome = await follow(goal, TOOLS, refuse)
    assert outcome.text == text
    assert not re.search("`|model|call ", outcome.text)


async def test_an_answer_to_a_question_in_german_goes_on_in_german() -> None:
    """The reply keeps the language of the goal, whatever the answer is."""
    outcome = await follow("lege ein Buch in den Korb", TOOLS, call, answers=["Dune"])
    assert outcome.calls[-1] == ("addToBasket", {"bookId": "dune"})
    assert outcome.text.startswith("Erledigt: „In den Korb legen“ für „Dune“.")
