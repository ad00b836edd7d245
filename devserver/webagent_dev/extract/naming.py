"""Names for tools, made of the words that a page has for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


READING = _listed(
    """find search filter list show get view see browse look check count compare track fetch read
    chercher rechercher trouver filtrer afficher buscar
    encontrar filtrar ver cerca cercare trova"""
)
"""Verbs of what changes nothing."""

_DOING = _listed(
    """accept activate add apply become approve archive ask assign book build buy calculate call cancel
    change checkout choose claim clear clone close comment confirm connect contribute copy create
    delete deliver disable donate download edit empty enable enrol enroll enter estimate export
    follow give hire import invite join leave let like login log logout make manage merge message
    move notify offer open order participate pay pick plan play post preview print publish purchase
    put rate redeem refund register remove rename renew rent reorder reply report request reserve
    reset restore review save schedule select sell send set share signature signin signup solve sort
    start stop submit subscribe support switch take tell test transfer translate try turn unsubscribe
    update upgrade upload use verify visit vote watch win write
    abonner acheter commander connecter contacter creer ecrire envoyer inscrire payer reserver
    comprar contactar crear enviar escribir iniciar pagar pedir registrar reservar suscribir
    acquista contatta crea invia iscriviti ordina paga prenota scrivi"""
)
VERBS = READING | _DOING

_AT_THE_END = _listed(
    """suchen finden filtern zeigen anzeigen abonnieren absenden abschicken anfragen anmelden bestellen
    bewerten buchen kaufen kontaktieren registrieren reservieren schreiben senden spenden teilnehmen
    vereinbaren zoeken boeken kopen versturen"""
)
"""Verbs of languages that have them there."""
_TAKES_OBJECT = _listed("filter sort search find list update edit add save create order")
"""Verbs that say little without what they are about."""
_IDLE = _listed(
    """a an and any be can do for form go here how i it its just me my now of ok on or our please shall
    should some submit that the these this to us we what when where with you your at by
    der die das den dem ein eine einen uns unser unsere ihr ihre bitte jetzt le la les un une des
    du vos votre nos notre el los las una su sus il lo gli uno del della php html htm aspx asp jsp
    action"""
)
"""Words that name nothing at either end of a name."""
_ARTICLES = _listed(
    """a an the my our your this that these now please der die das den dem ein eine einen unser
    unsere le la les un une des vos votre nos notre el los las una il lo gli uno"""
)
_PEOPLE = _listed("us me uns nous nos ons")
"""Whom a verb without another object is about: `Write to us`."""
_MOST_WORDS = 4
_FEW_WORDS = 2
_PLAIN = {"ß": "ss", "æ": "ae", "ø": "o", "đ": "d", "ł": "l", "œ": "oe"}


def words_of(text: str) -> list[str]:
    """Return the words of a text or of an identifier, small and in ASCII; none of other scripts."""
    apart = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", text[:200])
    folded = "".join(_PLAIN.get(letter, letter) for letter in apart.lower())
    ascii_text = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    ascii_text = re.sub(r"\b(log|sign)[ -](in|out|up|on)\b", r"\1\2", ascii_text)
    if len(ascii_text.strip()) * 2 < len(folded.strip()):
        # Most letters are of another script, so the rest is not a name.
        return []
    return re.findall(r"[a-z0-9]+", ascii_text.replace("'", ""))


_ALIKE = (
    _listed("find search query lookup"),
    _listed("get list show view see read fetch load display"),
    _listed("add create new insert make"),
    _listed("remove delete"),
    _listed("update edit change set save modify"),
    _listed("send submit post"),
    _listed("buy purchase order checkout"),
)
"""Verbs with which tools that do the same are named."""
_BETWEEN = _ARTICLES | _listed("to from in into of for by on at")


def meaning(name: str) -> tuple[str, frozenset[str]]:
    """Return what two names have in common that say the same: `search_teas` and `findTea`."""
    verb, *others = words_of(name) or [name]
    same = next((min(words) for words in _ALIKE if verb in words), verb)
    nouns = frozenset(
        word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
        for word in others
        if word not in _BETWEEN
    )
    return same, nouns


def joined(words: Iterable[str]) -> str:
    """Return words as one identifier: `findRoom`; empty if none begins with a letter."""
    given = [*words]
    while given and not given[0][0].isalpha():
        given.pop(0)
    return "".join(word if index == 0 else word.capitalize() for index, word in enumerate(given))


def phrase(text: str) -> list[str]:
    """Return the words of a text that make a name: no articles, nothing idle at the ends."""
    # Words after a dash, a colon or a full stop only explain.
    words = [word for word in words_of(re.split(r"[:.!?–—|(]", text)[0]) if word not in _ARTICLES]
    while words and words[0] in _IDLE:
        words.pop(0)
    words = words[:_MOST_WORDS]
    named = [*words]
    while named and named[-1] in _IDLE:
        named.pop()
    has_object = len(named) > 1 or not is_doing(named) or words[-1] not in _PEOPLE
    return named if has_object else words


def is_doing(words: list[str]) -> bool:
    """Whether words say what is done; some languages have their verb at the end."""
    return bool(words) and (words[0] in VERBS or words[-1] in _AT_THE_END)


def tool_name(texts: Iterable[str], *, about: str = "", verb: str = "send") -> str:
    """Return a name that says what is done.

    Args:
        texts: What the page calls it, the best first.
        about: What the page that it is on is about, for a verb without an object.
        verb: What is done where no text says it.
    """
    phrases = [words for text in texts if (words := phrase(text))]
    for words in phrases:
        if len(words) > 1 and is_doing(words):
            return joined(words)
    for words in phrases:
        if is_doing(words):
            noun = phrase(about)
            if words[0] in _TAKES_OBJECT and 0 < len(noun) <= 2 and not is_doing(noun):
                return joined([*words, *noun])
            return joined(words)
    for words in phrases:
        if len(words) <= _FEW_WORDS and joined(words):
            return joined([verb, *words])
    return verb if verb in READING else joined([verb, "form"])
