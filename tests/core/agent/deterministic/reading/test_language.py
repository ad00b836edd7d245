"""Languages as data: which one it is, what its words mean, and the generated part."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webagent.agent.deterministic.reading.language import detect, language, languages
from webagent.agent.deterministic.reading.tokens import Token, identifier_words, tokens_of

ROOT = Path(__file__).parents[5]


def glosses(text: str, code: str, word: str) -> frozenset[str]:
    return next(token.glosses for token in tokens_of(text, language(code)) if token.text == word)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("show me the cheapest flight", "en"),
        ("Zeige mir den günstigsten Flug", "de"),
        ("zeig mir bitte alle Rechnungen vom Mai", "de"),
        ("Fuege zwei Lampen zum Warenkorb hinzu", "de"),
        ("montre-moi le vol le moins cher", "fr"),
        ("réserve une table pour deux", "fr"),
        ("muéstrame el vuelo más barato", "es"),
        ("cancela la reserva de mañana por favor", "es"),
        ("احجز طاولة لخمسة أشخاص غدا", "ar"),
        ("book a table at Der Alte Wirt for two", "en"),
        ("rajoute deux croissants", "fr"),
        ("donne-moi ta liste", "fr"),
        ("apunta leche", "es"),
        ("bestell Brot", "de"),
        ("e-mail Tom", "en"),
        ("xyz", "en"),
        ("", "en"),
    ],
)
def test_detect(text: str, code: str) -> None:
    """A text is in the language of most of its words."""
    assert detect(text).code == code


@pytest.mark.parametrize(
    ("code", "text", "word", "gloss"),
    [
        ("de", "zeige die Rechnungen", "zeige", "show"),
        ("de", "zeige die Rechnungen", "Rechnungen", "invoic"),
        ("de", "schalte das Licht im Wohnzimmer ein", "schalte", "enabl"),
        ("de", "schalte das Licht im Wohnzimmer aus", "schalte", "disabl"),
        ("de", "füge zwei Lampen hinzu", "füge", "add"),
        ("de", "fuege zwei Lampen hinzu", "fuege", "add"),
        ("de", "lösche die Kundennummer", "Kundennummer", "custom"),
        ("de", "loesche alles", "loesche", "delet"),
        ("de", "sage den Termin ab", "sage", "cancel"),
        ("de", "wir bestellten zwei Pizzen", "bestellten", "order"),
        ("fr", "montre-moi les chambres", "montre", "show"),
        ("fr", "ajoute deux lampes au panier", "panier", "basket"),
        ("fr", "mets à jour l'adresse", "mets", "updat"),
        ("fr", "mets à jour l'adresse", "adresse", "address"),
        ("fr", "la facture envoyée hier", "envoyée", "send"),
        ("fr", "nous annulons la commande", "annulons", "cancel"),
        ("es", "envíamelo a casa", "envíamelo", "send"),
        ("es", "muéstrame las habitaciones", "habitaciones", "room"),
        ("es", "cancela la reserva", "cancela", "cancel"),
        ("es", "no recibió el paquete", "recibió", "receiv"),
        ("es", "¿me lo enviarían a casa?", "enviarían", "send"),
        ("ar", "احجز طاولة", "احجز", "book"),
        ("en", "turn the lamp off", "turn", "disabl"),
        ("en", "cancelled bookings", "cancelled", "cancel"),
    ],
)
def test_glosses(code: str, text: str, word: str, gloss: str) -> None:
    """A generic word has an English meaning; a verb and its particle have one together."""
    assert gloss in glosses(text, code, word)


@pytest.mark.parametrize(
    ("code", "text", "word", "gloss"),
    [
        ("en", "chuck the blue one out", "chuck", "remov"),
        ("en", "put me down for pottery", "put", "enrol"),
        ("en", "give Ana a heads up", "heads", "notifi"),
        ("en", "bump it to Tuesday", "bump", "reschedul"),
        ("en", "how is the roof coming along", "coming", "status"),
        ("en", "how full is the pool", "full", "occup"),
        ("en", "is it ready yet", "ready", "status"),
        ("en", "whats it trading at", "trading", "quot"),
        ("en", "what am I down for", "down", "registr"),
        ("en", "what am I paying per month", "paying", "subscript"),
        ("de", "wie kalt ist es im Keller", "kalt", "temperatur"),
        ("de", "mein Rad wurde geklaut", "geklaut", "theft"),
        ("de", "schmeiß die alte Lampe am Freitag raus", "schmeiß", "remov"),
        ("de", "pack noch zwei Brote rein", "pack", "add"),
        ("de", "gib mir Bescheid", "gib", "notifi"),
        ("de", "schieb den Termin nach hinten", "schieb", "postpon"),
        ("fr", "rajoute un pain", "rajoute", "add"),
        ("fr", "préviens Luc", "préviens", "notifi"),
        ("fr", "décale mon rendez-vous", "décale", "reschedul"),
        ("es", "apúntame a cerámica", "apúntame", "enrol"),
        ("es", "échale un vistazo a mi cuenta", "vistazo", "view"),
        ("fr", "je voudrais me faire rembourser le taxi", "rembourser", "expens"),
        ("fr", "il y a du monde ?", "monde", "occup"),
        ("es", "me duele la espalda", "duele", "pain"),
        ("es", "se ha abollado la puerta", "abollado", "damag"),
        ("es", "hazme saber si hay sitio", "saber", "notifi"),
    ],
)
def test_everyday_words(code: str, text: str, word: str, gloss: str) -> None:
    """People say it otherwise than tools do."""
    assert gloss in glosses(text, code, word)


@pytest.mark.parametrize(
    ("code", "text", "role", "meaning"),
    [
        ("en", "what's up with my bike", "questions", "is"),
        ("en", "until when are you there", "questions", "when"),
        ("de", "bis wann habt ihr auf", "questions", "when"),
        ("de", "wie sieht's aus mit dem Dach", "questions", "is"),
        ("fr", "ça coûte combien", "questions", "how much"),
        ("es", "cuánto le debo", "questions", "how much"),
        ("en", "gimme two of those", "wanting", True),
        ("de", "bräuchte noch eine Decke", "wanting", True),
        ("fr", "je vais prendre le vert", "wanting", True),
        ("es", "me pones dos cafés", "wanting", True),
        ("en", "any chance you could call me", "polite", True),
        ("de", "seid so nett und ruft an", "polite", True),
        ("fr", "auriez-vous la gentillesse de rappeler", "polite", True),
        ("es", "hazme el favor de llamar", "polite", True),
    ],
)
def test_everyday_forms(code: str, text: str, role: str, meaning: object) -> None:
    """People ask, wish and are polite in many forms."""
    speech = language(code)
    found = speech.phrase_at(tokens_of(text, speech), 0, role)
    assert found is not None
    assert found[0].meaning == meaning


def test_a_particle_says_nothing_beside_its_verb() -> None:
    """What `away` says in `throw it away` is in what the verb means."""
    assert tokens_of("wirf es weg", language("de"))[-1].is_stop
    assert not tokens_of("der Weg", language("de"))[-1].is_stop
    assert not tokens_of("get it back", language("en"))[0].is_stop


def test_a_phrase_means_no_less_because_of_its_particle() -> None:
    """`Put down` is to lower, and `put me down` to enrol as well."""
    assert "lower" in glosses("put it down", "en", "put")
    assert {"lower", "enrol"} <= glosses("put me down for pottery", "en", "put")


def test_pronouns_at_the_end_of_verbs() -> None:
    """`Envíamelo` says "it"."""
    token = tokens_of("envíamelo", language("es"))[0]
    assert token.pronoun == "one"
    assert tokens_of("envíamelas", language("es"))[0].pronoun == "many"


def test_phrases_have_roles() -> None:
    """A phrase is found by its role, the longest first."""
    speech = language("en")
    tokens = tokens_of("the day after tomorrow", speech)
    found = speech.phrase_at(tokens, 0, "days")
    assert found is not None
    assert (found[0].meaning, found[1]) == (2, 4)
    assert speech.phrase_at(tokens, 4, "days") is None
    assert speech.roles["superlatives"]["cheapest"] == ["price", "min"]


@pytest.mark.parametrize("code", languages())
def test_languages_have_the_same_parts(code: str) -> None:
    """No language lacks a role that English has words for."""
    speech = language(code)
    needed = {role for role, words in language("en").roles.items() if words}
    optional = {
        "ones", "number_scales", "number_pronouns", "moment_bounds", "halves", "articles",
        "times_words", "minor_currencies", "amounts", "totals", "clock_cues", "fraction_tails",
    }  # fmt: skip
    assert {role for role in needed - optional if not speech.roles[role]} == set()
    assert len(speech.glosses) > (250 if code not in ("en", "ar") else 90)


def test_tokens() -> None:
    """Tokens have places; what is glued to figures is cut off, and ids stay whole."""
    texts = [
        token.text
        for token in tokens_of("buy 750g of AB-12 at 7pm (twenty-five) •••3", language("en"))
    ]
    assert texts == [
        "buy",
        "750",
        "g",
        "of",
        "AB-12",
        "at",
        "7",
        "pm",
        "(",
        "twenty",
        "-",
        "five",
        ")",
        "•••3",
    ]
    token: Token = tokens_of("•••3", language("en"))[0]
    assert token.is_secret
    assert not token.is_sign


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("addToBasket", ("add", "to", "basket")),
        ("get_user_id", ("get", "user", "id")),
        ("open-door2", ("open", "door", "2")),
        ("HTTPServer", ("http", "server")),
        ("", ()),
    ],
)
def test_identifier_words(name: str, words: tuple[str, ...]) -> None:
    """A name is taken apart."""
    assert identifier_words(name) == words


@pytest.mark.process
def test_generated_data_are_up_to_date() -> None:
    """What CLDR and the stemmers say of the data by hand was generated from them."""
    pytest.importorskip("babel")
    command = [sys.executable, "-m", "tests.goals.languages", "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_a_compound_that_is_known_means_its_parts_too() -> None:
    """`Kochbücher` are found on the shelf `cookery`."""
    both = glosses("Zeig mir die Kochbücher", "de", "Kochbücher")
    assert {"cookbook", "book"} <= both
    assert both & tokens_of("cookery", language("en"))[0].glosses
