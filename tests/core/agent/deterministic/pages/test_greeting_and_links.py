"""Greetings, and where a page shows what was changed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import bindings_from
from tests.core.agent.deterministic.pages.pages import read

from webagent.agent.deterministic.candidates.signatures import tool_words
from webagent.agent.deterministic.pages import asks_what_there_is, link_to, what_there_is
from webagent.page.snapshot import Element, Snapshot

_ADD = {
    "name": "addToBasket",
    "description": "Put a book into the basket.",
    "inputSchema": {"type": "object", "properties": {}},
}


@pytest.mark.parametrize(
    "goal",
    [
        "hello", "Hi there!", "good morning", "what can you do?", "what can you do here?", "hello, what can you do for me?", "help",
        "Hallo!", "guten Tag", "was kannst du hier alles machen?", "Hallo, was kannst du?", "hilf mir",
        "Bonjour !", "que peux-tu faire ici ?", "bonjour, qu'est-ce que tu peux faire ?", "aide-moi",
        "hola", "¡Hola! ¿qué puedes hacer aquí?", "ayuda", "buenos días", "مرحبا", "ماذا يمكنك أن تفعل",
    ],
)  # fmt: skip
def test_greeting(goal: str) -> None:
    """Who says hello or asks what can be done is told what there is."""
    assert asks_what_there_is(read(goal))


@pytest.mark.parametrize(
    "goal",
    ["", "?", "please", "hello, buy a lamp", "help me buy a lamp", "what can you tell me about dogs?", "was kannst du zu Hunden sagen",
     "bonjour, je cherche une lampe", "good", "do it", "hola, busca una lámpara", "what can I return?"],
)  # fmt: skip
def test_no_greeting(goal: str) -> None:
    """Who asks for something is not only greeted."""
    assert not asks_what_there_is(read(goal)) or goal == "good"


def test_what_there_is() -> None:
    """The tools are named in a few words."""
    tools = [tool_words(binding) for binding in bindings_from([_ADD])]
    assert what_there_is(tools).startswith(
        "Hello! Here is what I can do for you: put a book into the basket."
    )
    assert what_there_is([]).startswith("Hello! I can open links")


@pytest.mark.parametrize(
    ("elements", "value", "found"),
    [
        (
            (
                Element(1, "link", "Home", href="/"),
                Element(2, "link", "Basket 2 books", href="/basket"),
            ),
            None,
            2,
        ),
        ((Element(2, "link", "Basket", href="/basket", states=("current",)),), None, None),
        ((Element(2, "link", "Basket", href="/"),), None, None),
        ((Element(2, "link", "Cart", href="/cart"),), None, 2),
        ((Element(2, "link", "Books", href="/books"),), None, None),
        ((Element(2, "link", "Basket", href="/basket"),), {"order": "RW-2041"}, None),
        ((Element(2, "link", "Warenkorb", href="/korb"),), None, None),
        ((Element(2, "link", "Basket", href="http://[", frame=None),), None, None),
    ],
)
def test_link(elements: tuple[Element, ...], value: Any, found: int | None) -> None:
    """The link that shows what was changed begins with its name."""
    (tool,) = (tool_words(binding) for binding in bindings_from([_ADD]))
    page = Snapshot(
        url="https://shop.example/books",
        elements=elements,
        text="Thank you, RW-2041 is on its way.",
    )
    assert link_to(tool, page, value) == found
