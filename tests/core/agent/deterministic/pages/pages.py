"""Pages to read and to act on, and what the planner's page part does with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.pages import Act, PageActions, PageIntent, PageTask, intent_of
from webagent.page.snapshot import Element, Snapshot

NOW = datetime(2026, 11, 22, 9)

HARBOUR = Snapshot(
    url="https://site.example/",
    title="Harbour news",
    elements=(
        Element(1, "link", "Opening hours", href="/hours"),
        Element(2, "link", "Contact", href="/contact"),
        Element(3, "searchbox", "Search the site"),
        Element(4, "button", "Show more"),
        Element(5, "textbox", "Email"),
        Element(6, "textbox", "Password"),
        Element(7, "link", "Gull Island tours", href="/tours"),
        Element(8, "link", "Gull Island map", href="/map"),
    ),
    text="## Ferries\nThe ferry to Gull Island leaves at nine and at five.\nDogs travel for free.",
)

SHOP = Snapshot(
    url="https://shop.example/help",
    title="Help – The Ropewalk",
    elements=(
        Element(1, "link", "Returns", href="#returns"),
        Element(2, "link", "Shipping", href="https://shop.example/help#shipping"),
        Element(20, "heading", "Returns", level=2),
    ),
    text="""\
[1] link "Returns" [2] link "Shipping"
# Help
By Mara Quill, 3 March 2026
The Ropewalk sells rope, charts and lamps to people with small boats.
We have been here since 1921, and most of what we sell we make ourselves.
This site uses cookies to count its visitors on every page.
## Returns
You can return unused goods within 30 days. Send them to us with the invoice in the parcel.
We pay the money back within a week. Rope that was cut to length cannot be returned.
## Shipping
Country | Price | Days
Germany | 4.90 € | 2
France | 7.50 € | 3
Parcels over 20 kg go by lorry.
## Opening hours
Monday to Friday: 9 am to 5 pm
Saturday: 10 am to 2 pm
## Where we are
You find the shop at 14 Quay Street, Gull Bay.
There are 12 parking places behind the house.
The head of the workshop is Tom Barrow.
""",
)

LADEN = Snapshot(
    url="https://laden.example/hilfe",
    title="Hilfe",
    text="""\
# Hilfe
Von Petra Lindner
Die Seilerei verkauft Seile und Lampen für kleine Boote.
## Rückgabe
Sie können unbenutzte Ware innerhalb von 30 Tagen zurückgeben. Das Geld erstatten wir in einer Woche.
## Versandkosten
Der Versand nach Deutschland kostet 4,90 €. Nach Frankreich kostet er 7,50 €.
## Öffnungszeiten
Montag bis Freitag: 9 bis 17 Uhr
Samstag: 10 bis 14 Uhr
""",
)

AIDE = Snapshot(
    url="https://boutique.example/aide",
    title="Aide",
    text="""\
# Aide
Par Claire Morel
La corderie vend des cordes et des lampes pour les petits bateaux.
## Livraison
La livraison en France coûte 7,50 €. Elle dure trois jours.
## Horaires
Du lundi au vendredi, le magasin est ouvert de 9 h à 17 h.
""",
)

AYUDA = Snapshot(
    url="https://tienda.example/ayuda",
    title="Ayuda",
    text="""\
# Ayuda
Por Lucía Romero
La cordelería vende cuerdas y lámparas para barcos pequeños.
## Envío
El envío a España cuesta 6,20 €. Tarda dos días.
## Horario
De lunes a viernes la tienda abre de 9:00 a 17:00.
""",
)

FORMS = [
    {
        "fields": [
            {"pp_id": 11, "label": "Full name *", "type": "text", "required": True},
            {"pp_id": 12, "label": "Email", "type": "email", "required": True},
            {
                "pp_id": 13,
                "label": "Topic",
                "type": "select",
                "options": ["Order", "Visit", "Other"],
            },
            {"pp_id": 14, "label": "Newsletter", "type": "checkbox"},
            {"pp_id": 15, "label": "Message", "type": "textarea", "required": False},
        ]
    },
    {
        "fields": [
            {"pp_id": 21, "label": "Email", "type": "email", "required": True},
            {"pp_id": 22, "label": "Password", "type": "password", "required": True},
        ]
    },
]

READ: dict[str, Any] = {
    "get_summary": {"title": "Harbour news", "page_type": "article"},
    "section_outline": {
        "level": 0,
        "heading": "Harbour news",
        "text": '[1] link "Opening hours"',
        "pp_ids": [1],
        "children": [{"level": 2, "heading": "Ferries", "pp_ids": [2], "children": []}],
    },
    "navigation_outline": {
        "text": "Harbour news", "url": "/", "children": [{"text": "Contact", "url": "/contact", "children": []}],
    },
    "find_code": [{"title": "Tides", "language": "js", "code": "tides.today()"}],
    "form_details": FORMS,
    "table_details": [{"caption": "Fares", "headers": ["Who", "Price"], "rows": [["Adult", "4"]]}],
}  # fmt: skip


@dataclass
class Outcome:
    """What was done on a page for a goal."""

    intent: PageIntent | None
    acts: list[Act] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    task: PageTask | None = None

    @property
    def said(self) -> str:
        """What came of it."""
        return self.task.said if self.task else ""


def read(goal: str) -> Sentence:
    """Return a goal as it is read."""
    return Sentence.read(goal, NOW)


def intent(goal: str, page: Snapshot) -> PageIntent | None:
    """Return what a goal asks of a page."""
    sentence = read(goal)
    return intent_of(sentence, 0, len(sentence.tokens), page)


def follow(
    goal: str, page: Snapshot, answers: Sequence[str] = (), act: Callable[[Act], Any] | None = None
) -> Outcome:
    """Do what a goal asks of a page; its task is plain data between the steps."""
    sentence, waiting = read(goal), list(answers)
    found = intent_of(sentence, 0, len(sentence.tokens), page)
    outcome = Outcome(found)
    if found is None:
        return outcome
    task = PageTask.begin(found, 0, len(sentence.tokens))
    for _ in range(12):
        outcome.task = task = PageTask(**json.loads(json.dumps(asdict(task))))
        actions = PageActions(sentence, page)
        step = actions.next(task)
        if step is None:
            return outcome
        if step.asks:
            outcome.asked += task.asked
            outcome.questions.append(step.arguments["question"])
            if not waiting:
                return outcome
            answer = waiting.pop(0)
            actions.answer(task, answer, read(answer))
            continue
        outcome.acts.append(step)
        default = READ.get(step.name, {"did": f"did {step.name}", "navigates": False})
        actions.absorb(task, act(step) if act else default)
    raise AssertionError("no end after 12 steps")
