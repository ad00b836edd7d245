"""Whether a goal wants something filled in, and not sent; nothing irreversible is called for it."""

from __future__ import annotations

import re
from typing import Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.pages.intents import Part

_LONGEST: Final = 2_000
_FILLING: Final = re.compile(
    r"\b(?:fill(?:s|ed|ing)?(?: (?:in|out|up))?|pre-?fill"
    r"|(?:complete|do) (?:\w+ ){0,4}(?:form|fields?|questionnaire|survey)"
    r"|(?:füll\w*|ausfüll\w*|ausgefüllt|trag\w* .{0,60}\bein|eintragen)|rempli\w*"
    r"|(?:enter|put|type|write|insert|populate) (?:\S+ ){0,8}(?:form|fields?|box|boxes)"
    r"|compl[éèe]t\w* .{0,40}(?:formulaire|champs?)"
    r"|rellen\w*|complet\w* .{0,40}formulario|compil\w*|riempi\w*|preench\w*|vul\w* .{0,60}\bin|invul\w*"
    r"|fyll\w*|udfyld\w*|täyt\w*|wypełni\w*|vypln\w*|заполн\w*|doldur\w*)\b",
    re.IGNORECASE,
)
"""More languages than the planner reads: what this misses is sent."""


def only_fills_in(sentence: Sentence) -> bool:
    """Whether a goal wants something filled in and does not order to send it."""
    return _FILLING.search(sentence.text[:_LONGEST]) is not None and not (
        Part(sentence, 0, len(sentence.tokens)).sends
    )
