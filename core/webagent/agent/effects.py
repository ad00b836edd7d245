"""The effect of a page's own controls.

A control is judged by its kind: its role, its states and its markup. Only a kind that changes nothing
by itself is a read; every other control is of unknown effect, whatever its words, in every language.
Words raise an effect and never lower one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webagent.page.snapshot import Element
from webagent.types import Effect

_IRREVERSIBLE = (
    r"pay|pays|buy|purchase|order|check ?out|place order|delete|erase|destroy|wipe|send|transfer|withdraw"
    r"|donate|unsubscribe|cancel (?:\w+ ){0,3}(?:subscription|membership|order|booking|reservation|account|plan)"
    r"|close (?:\w+ ){0,2}account|terminate|deactivate|book now|confirm (?:\w+ ){0,3}(?:order|payment|purchase|booking)"
    r"|publish|sign contract|bid|trade|sell|refund"
    r"|zahlen|bezahlen|kaufen|bestellen|löschen|senden|absenden|abschicken|überweisen|kündigen|spenden"
    r"|payer|acheter|commander|supprimer|envoyer|virement|résilier"
    r"|pagar|comprar|pedir|eliminar|borrar|enviar|transferir|pagare|acquista|elimina|invia"
)
"""Words of controls whose effect cannot be undone."""

_WRITE = (
    r"submit|save|add|update|apply|confirm|accept|agree|approve|subscribe|sign ?up|register|create|post"
    r"|upload|share|remove|cancel|edit|rename|move|reserve|book|continue|proceed|finish|complete|done"
    r"|log ?in|sign ?in|log ?out|sign ?out|join|follow|like|vote|rate|review|reply|comment|invite"
    r"|enable|disable|activate|reset|change|set|assign|archive|schedule|request|enrol|enroll|redeem|yes|ok"
    r"|speichern|hinzufügen|bestätigen|anmelden|abmelden|registrieren|weiter|ändern|entfernen"
    r"|enregistrer|ajouter|confirmer|continuer|valider|guardar|añadir|confirmar|continuar|aceptar"
)
"""Words of controls that change something."""

_LINK = (
    r"add|remove|cancel|log ?out|sign ?out|follow|unfollow|like|vote|upvote|downvote|enable|disable"
    r"|activate|archive|accept|approve|confirm|redeem|join|leave|apply"
)
"""First words of links that change something. A link called `Log in` only opens a page."""

_ADDRESS = (
    r"log ?out|sign ?out|delete|remove|unsubscribe|destroy|cancel|add to (?:cart|basket)|cart add"
)
"""Words of addresses that change something when they are opened."""

_FINAL = re.compile(rf"(?<!\w)(?:{_IRREVERSIBLE})(?!\w)", re.IGNORECASE)
_CHANGING = re.compile(rf"(?<!\w)(?:{_WRITE})(?!\w)", re.IGNORECASE)
_ACTING_LINK = re.compile(rf"(?:{_LINK})(?!\w)", re.IGNORECASE)
_ACTING_ADDRESS = re.compile(rf"(?<!\w)(?:{_ADDRESS})(?!\w)", re.IGNORECASE)
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_/.?=&%+]+")
_LONGEST = 300
_ORDER: tuple[Effect, ...] = ("read", "unknown", "write", "irreversible")
"""Weakest first. An unknown effect asks as a write does, and gives way to one that is known."""


def effect_of_words(words: str) -> Effect:
    """Return the effect that these words of a button name; `read` if they name none."""
    text = " ".join(words[:_LONGEST].split())
    if _FINAL.search(text):
        return "irreversible"
    return "write" if _CHANGING.search(text) else "read"


def effect_of_link(words: str) -> Effect:
    """Return the same of what opens something; `Order history` and `Send a message` name none."""
    text = " ".join(words[:_LONGEST].split())
    if len(text.split()) <= 2 and _FINAL.match(text) and not text.lower().startswith("order"):
        return "irreversible"
    return "write" if _ACTING_LINK.match(text) else "read"


def effect_of_path(path: str) -> Effect:
    """Return the same of a link's address; `/logout` and `/items/5/delete` name a write."""
    return "write" if _ACTING_ADDRESS.search(_spaced(path)) else "read"


def effect_of_address(path: str) -> Effect:
    """Return the same of an address that no page showed; `/api/pay` is irreversible."""
    return "irreversible" if _FINAL.search(_spaced(path)) else effect_of_path(path)


def _spaced(path: str) -> str:
    return " ".join(_SPLIT.sub(" ", path[:_LONGEST]).split())


def strongest(*effects: Effect) -> Effect:
    """Return the effect that needs the most care."""
    return max(effects, key=_ORDER.index)


@dataclass(frozen=True, slots=True)
class Control:
    """The judgement of a control: its kind, and the effect of using it."""

    effect: Effect
    kind: str = ""
    """The kind that a person may allow all of (`grants.KINDS`); empty if there is none."""


_TRICKS: Final = frozenset(("scripted", "nested", "download", "target"))
"""Traits of links that do something else than to open a page."""

_OPENERS: Final = frozenset(("button", "tab", "menuitem", "combobox", "treeitem"))
"""Roles that open something on the page, if the markup names what."""

_TYPED: Final = frozenset(
    ("text", "search", "email", "tel", "url", "password", "textarea", "date", "time", "datetime-local",
     "month", "week")
)  # fmt: skip
"""Types of native fields that a click only focuses."""

_INSTANT: Final = frozenset(("switch",))
"""Roles of fields that take effect at once even in a form."""


def control_of_link(element: Element, path: str) -> Control:
    """Return a link to another page of this site: a read, unless its words name more."""
    if _TRICKS & {*element.traits}:
        return control_of_script(element)
    return Control(strongest(effect_of_link(element.name), effect_of_path(path)))


def control_of_link_to_itself(element: Element) -> Control:
    """Return a link to the page that it is on: often a button for a script, so its words count."""
    if _TRICKS & {*element.traits}:
        return control_of_script(element)
    return Control(effect_of_words(element.name), "link")


def control_of_script(element: Element) -> Control:
    """Return a link that runs a script, or of which it is not known where it leads."""
    return Control(strongest("unknown", effect_of_words(element.name)), "link")


def control_of_element(element: Element) -> Control:
    """Return an element that is neither a link nor a field.

    A `<summary>` opens its `<details>` without any script. A column header sorts. A tab, a button or
    an item with a state or a popup opens what `aria-controls` names.
    """
    traits, states = {*element.traits}, {*element.states}
    if element.name.strip():
        if "summary" in traits:
            return Control(effect_of_link(element.name), "button")
        if "controls" in traits and element.role == "tab":
            return Control(effect_of_link(element.name), "element")
        if "sort" in traits and element.role == "button":
            return Control(effect_of_link(element.name), "button")
        opens = "popup" in traits or bool(states & {"expanded", "collapsed"})
        if "controls" in traits and opens and element.role in _OPENERS:
            return Control(effect_of_words(element.name), "button")
    kind = "button" if element.role == "button" else "element"
    return Control(strongest("unknown", effect_of_words(element.name)), kind)


def control_of_field(field: Mapping[str, Any], role: str, *, in_form: bool) -> Control:
    """Return a field that is filled in or chosen.

    In a form it takes effect when the form is sent. Outside of one, or with a script of its own, it
    may save at once; only a search field does not.

    Args:
        field: The field as `form_details` describes it.
        role: Its role; empty if it is not known.
        in_form: Whether it is in a form that is sent.
    """
    kind = field.get("type")
    instant = role in _INSTANT or kind in _INSTANT or field.get("scripted") is True
    if (in_form or kind in ("search", "searchbox")) and not instant:
        return Control("read", "field")
    label = str(field.get("label") or "")
    return Control(strongest("unknown", effect_of_words(label)), "field")


def is_focused_by_click(field: Mapping[str, Any]) -> bool:
    """Whether a click only puts the cursor into a field."""
    return field.get("type") in _TYPED and field.get("scripted") is not True
