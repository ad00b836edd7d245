"""Questions that a site's search of its texts answers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.deterministic.harness import Outcome, bindings_from, follow

from webagent.page.snapshot import Snapshot

SECTION = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("title", "page", "url", "text")},
}
SEARCH = {
    "name": "searchHelp",
    "description": "Search the help by words, and return the sections that fit best.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "Words to look for."}},
        "required": ["query"],
    },
    "outputSchema": {"type": "array", "items": SECTION},
    "annotations": {"readOnlyHint": True},
}
REFUNDS = {
    "title": "Refunds",
    "page": "Payments",
    "url": "https://site.example/payments/#refunds",
    "text": "You get the money back within five days. Write to us with the number of your order.",
}
KILN = {
    "title": "Firing a kiln",
    "page": "Pottery",
    "url": "https://site.example/pottery/#kiln",
    "text": "Heat the kiln slowly for two hours. After that it may rise by 150 degrees in an hour. "
    * 9,
}


async def ask(goal: str, *sections: dict[str, str], page: str = "") -> Outcome:
    """Return what comes of a goal on a site whose search finds some sections."""

    def call(name: str, arguments: dict[str, Any]) -> Any:
        return list(sections)

    snapshot = Snapshot(url="https://site.example/", text=page)
    return await follow(goal, bindings_from([SEARCH]), call, snapshot=snapshot)


async def test_the_section_that_is_asked_about_is_told_in_short() -> None:
    """With its heading, and with where it is."""
    found = await ask("How do I fire a kiln?", REFUNDS, KILN)
    assert found.calls == [("searchHelp", {"query": "fire kiln"})]
    assert found.success
    assert found.text.startswith("Firing a kiln: Heat the kiln slowly for two hours.")
    assert len(found.text) < 450
    assert found.data == {name: KILN[name] for name in ("title", "page", "url")}


@pytest.mark.parametrize(
    ("goal", "title", "text"),
    [
        ("Wie brenne ich Keramik?", "Keramik brennen", "Den Ofen zwei Stunden lang langsam aufheizen."),
        ("Comment cuire la céramique ?", "Cuire la céramique", "Chauffer le four lentement pendant deux heures."),
        ("¿Cómo cocer la cerámica?", "Cocer la cerámica", "Calentar el horno despacio durante dos horas."),
        ("كيف أحرق الخزف؟", "أحرق الخزف", "سخّن الفرن ببطء لمدة ساعتين قبل رفع الحرارة."),
    ],
)  # fmt: skip
async def test_questions_in_other_languages_are_answered(goal: str, title: str, text: str) -> None:
    """By sections in the same one."""
    found = await ask(goal, {**REFUNDS, "title": title, "page": title, "text": text})
    assert found.success
    assert found.text == f"{title}: {text}"


async def test_what_no_section_says_is_not_answered() -> None:
    """The sections that the search shows are offered, without their texts."""
    found = await ask("Who invented the glaze of Meissen?", REFUNDS, KILN)
    assert found.success
    assert found.text == (
        "I found no definite answer to that. A search for “invented glaze Meissen” "
        "shows Refunds and Firing a kiln."
    )
    assert [each["url"] for each in found.data] == [REFUNDS["url"], KILN["url"]]
    assert all("text" not in each for each in found.data)


async def test_a_search_without_results_says_so() -> None:
    """With the words of the search."""
    found = await ask("How do I fire a kiln?")
    assert not found.success
    assert found.text == "I found nothing for “fire kiln”."


async def test_a_question_about_the_page_is_read_on_the_page() -> None:
    """The search is for questions about the whole site."""
    found = await ask("What does this page say about glaze?", KILN, page="# Glaze\nGlaze is glass.")
    assert found.calls == []
    assert "Glaze is glass." in found.text


async def test_an_order_lists_what_the_search_gives() -> None:
    """No passage is chosen."""
    found = await ask("Search the help for kiln", REFUNDS, KILN)
    assert found.success
    assert found.text.startswith("There are 2: Refunds (page Payments, ")
    assert "and Firing a kiln (page Pottery, " in found.text
    assert found.data == [REFUNDS, KILN]
