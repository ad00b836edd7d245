"""The effect of a page's own controls, guessed from their words."""

from __future__ import annotations

import re

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
_ORDER: tuple[Effect, ...] = ("read", "write", "unknown", "irreversible")


def effect_of_words(words: str) -> Effect:
    """Return the effect of a control with this name: `read` if no word says otherwise."""
    text = " ".join(words[:_LONGEST].split())
    if _FINAL.search(text):
        return "irreversible"
    return "write" if _CHANGING.search(text) else "read"


def effect_of_link(words: str) -> Effect:
    """Return the effect of a link; `Order history` and `Send a message` only open a page."""
    text = " ".join(words[:_LONGEST].split())
    if len(text.split()) <= 2 and _FINAL.match(text) and not text.lower().startswith("order"):
        return "irreversible"
    return "write" if _ACTING_LINK.match(text) else "read"


def effect_of_path(path: str) -> Effect:
    """Return the effect of opening an address; `/logout` and `/items/5/delete` are writes."""
    text = " ".join(_SPLIT.sub(" ", path[:_LONGEST]).split())
    return "write" if _ACTING_ADDRESS.search(text) else "read"


def strongest(*effects: Effect) -> Effect:
    """Return the effect that needs the most care."""
    return max(effects, key=_ORDER.index)
