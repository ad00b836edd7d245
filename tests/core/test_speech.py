"""The agent's texts: each language has all of them, the code uses all, and numbers have their forms."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections import defaultdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from webagent.agent.grants import KINDS, VERBS
from webagent.agent.permissions import _ACTION_PHRASES, _NAMELESS
from webagent.agent.redact import Kind, asks_for_secret
from webagent.speech import LANGUAGES, is_said, listed, plural, say, speaking, speech, spoken

CORE = Path(__file__).parents[2] / "core" / "webagent"
OTHERS = [code for code in LANGUAGES if code != "en"]
FORMS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "fr": {"one", "other"},
    "es": {"one", "other"},
    "ar": {"one", "two", "few", "many", "other"},
}
SAME = {"doing": "tool", "word": "label"}
"""Names of the same value: where English makes words of a name, others quote it."""


def read(code: str) -> dict[str, Any]:
    """Return the file of a language."""
    data: dict[str, Any] = json.loads(
        (files("webagent.speech") / f"{code}.json").read_text("utf-8")
    )
    return data


def forms_of(text: Any) -> list[str]:
    """Return a text in all its forms."""
    return [text] if isinstance(text, str) else [*text.values()]


def places(text: str) -> set[str]:
    """Return the names of the places in a text."""
    return {SAME.get(name, name) for name in re.findall(r"\{(\w+)\}", text)}


def patterns_of(node: ast.expr) -> list[str]:
    """Return what the keys of a call may be, as regular expressions."""
    if isinstance(node, ast.IfExp):
        return [*patterns_of(node.body), *patterns_of(node.orelse)]
    if isinstance(node, ast.Constant):
        return [re.escape(str(node.value))]
    assert isinstance(node, ast.JoinedStr), ast.unparse(node)
    parts = (re.escape(p.value) if isinstance(p, ast.Constant) else r"\w+" for p in node.values)
    return ["".join(parts)]


@cache
def said_in_code() -> dict[str, list[set[str]]]:
    """Return the keys that the code says, as regular expressions, each with the values that it gives."""
    found: dict[str, list[set[str]]] = defaultdict(list)
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "say"
            ):
                for pattern in patterns_of(node.args[0]):
                    found[pattern].append({str(keyword.arg) for keyword in node.keywords})
    return found


def test_the_code_says_texts_that_there_are_and_all_of_them() -> None:
    """A key that the code makes of parts stands for all that fit."""
    known, said = read("en")["texts"], said_in_code()
    used = {key for key in known for pattern in said if re.fullmatch(pattern, key)}
    assert not [pattern for pattern in said if not any(re.fullmatch(pattern, key) for key in known)]
    assert known.keys() - used == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_has_places_for_values_that_it_is_given(code: str) -> None:
    """Each call gives all the values that a text of its key asks for."""
    said = said_in_code()
    for key, text in read(code)["texts"].items():
        # `may_act` is said by itself, `may_click_nameless` by the longer of two patterns.
        pattern = max((one for one in said if re.fullmatch(one, key)), key=lambda one: (one == key, len(one)))  # fmt: skip
        for form in forms_of(text):
            asked = set(re.findall(r"\{(\w+)\}", form))
            assert all(asked <= names for names in said[pattern]), key


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_text_with_the_same_places(code: str) -> None:
    """Only a form for exactly one or two may leave its number out."""
    english, other = read("en")["texts"], read(code)["texts"]
    assert other.keys() == english.keys()
    for key, text in other.items():
        own, wanted = forms_of(text)[-1], forms_of(english[key])[-1]
        assert places(own) - {"noun"} == places(wanted) - {"noun"}, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_with_forms_has_all_of_its_language(code: str) -> None:
    """The forms are those that the language tells apart."""
    data = read(code)
    for key, text in {**data["texts"], **data.get("units", {})}.items():
        if isinstance(text, dict):
            assert {*text} <= FORMS[code], key
            assert "other" in text, key
        if key in data.get("units", {}):
            assert isinstance(text, str) or {*text} == FORMS[code], key


@pytest.mark.parametrize("code", OTHERS)
def test_units_and_labels_are_the_same_in_all_languages(code: str) -> None:
    """German has them all."""
    german, other = read("de"), read(code)
    assert other["units"].keys() == german["units"].keys()
    assert other["labels"].keys() == german["labels"].keys()


def test_each_kind_of_request_has_its_text() -> None:
    """The keys that are made of the names of actions, controls and secrets."""
    known = read("en")["texts"]
    made = [f"grant_any_{kind}" for kind in KINDS] + [f"grant_{verb}" for verb in VERBS]
    made += [f"may_{action}" for action in _ACTION_PHRASES]
    made += [f"may_{action}_nameless" for action in _NAMELESS]
    made += [f"again_{kind}" for kind in Kind.__args__]
    assert not [key for key in made if key not in known]


@pytest.mark.parametrize(
    ("code", "count", "form"),
    [
        ("en", 1, "one"), ("en", 0, "other"), ("de", 2, "other"), ("es", 1, "one"),
        ("fr", 0, "one"), ("fr", 1.5, "one"), ("fr", 2, "other"),
        ("ar", 0, "zero"), ("ar", 1, "one"), ("ar", 2, "two"), ("ar", 3, "few"), ("ar", 10, "few"), ("ar", 11, "many"),
        ("ar", 99, "many"), ("ar", 100, "other"), ("ar", 103, "few"), ("ar", 111, "many"),
    ],
)  # fmt: skip
def test_the_form_of_a_number(code: str, count: float, form: str) -> None:
    """They are those of CLDR."""
    assert plural(code, count) == form


def test_a_language_is_spoken_within_a_block() -> None:
    """The tag may name a region; an unknown language is English."""
    with speaking(speech("de-AT")):
        assert say("only", count=1) == "Es gibt nur einen Treffer."
        assert listed(["A", "B", "C"], joint="or") == "A, B oder C"
        with speaking(speech("ar")):
            assert say("only", count=3) == "لا توجد إلا 3 نتائج."
        with speaking(None):
            assert spoken().code == "de"
    assert say("only", count=1) == "There is only one."
    assert speech("tlh").code == "en"


@pytest.mark.parametrize(
    ("last", "both", "either"),
    [("Italia", "A e Italia", "A o Italia"), ("hielo", "A y hielo", "A o hielo"), ("hijos", "A e hijos", "A o hijos"),
     ("otro", "A y otro", "A u otro"), ("“Oslo”", "A y “Oslo”", "A u “Oslo”"), ("8", "A y 8", "A u 8")],
)  # fmt: skip
def test_spanish_joins_change_before_their_own_sound(last: str, both: str, either: str) -> None:
    """`y` before an `i` and `o` before an `o`, as they are spoken."""
    with speaking(speech("es")):
        assert listed(["A", last]) == both
        assert listed(["A", last], joint="or") == either


async def test_a_task_speaks_the_language_in_which_it_was_made() -> None:
    """Two runs at once do not mix their languages."""

    async def yes() -> str:
        await asyncio.sleep(0)
        return say("yes")

    with speaking(speech("fr")):
        first = asyncio.ensure_future(yes())
    with speaking(speech("es")):
        second = asyncio.ensure_future(yes())
    assert (await first, await second, say("yes")) == ("oui", "sí", "yes")


def test_a_site_gives_texts_of_its_own() -> None:
    """Other values and other keys are left out; the rest stays English."""
    own = {"yes": "ja", "only": {"one": "Er is er 1.", "other": "Er zijn er {count}."}, "no": 7, "nope": "x",
           "none": {"one": "x"}, "done": "", "plan": "x" * 2_000, "hello": {"other": {"other": "x"}}}  # fmt: skip
    with speaking(speech("nl", own)):
        assert say("yes") == "ja"
        assert say("only", count=4) == "Er zijn er 4."
        assert say("no") == "no"
        assert say("plan", steps="wait") == "I will wait."
        assert say("hello").startswith("Hello!")
    assert say("yes") == "yes"


def test_values_are_not_read_as_texts() -> None:
    """A value with a place in it stays as it is."""
    assert say("found_nothing", words="{words} {count}") == "I found nothing for “{words} {count}”."


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_question_is_known_again(code: str) -> None:
    """In every language, whatever it asks for."""
    with speaking(speech(code)):
        text = say("shall_i", what=say("use", tool="A\nB"))
        assert is_said("shall_i", text)
        assert not is_said("shall_i", say("ask_which", choices="A"))


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("label", ["password", "pin", "code"])
def test_a_question_for_a_secret_is_one_in_every_language(code: str, label: str) -> None:
    """Its answer is masked."""
    with speaking(speech(code)):
        name = spoken().labels.get(label, label)
        question = say("ask_value", doing="log you in", tool="x", label=name)
        again = say(f"again_{label}")
    assert label == "code" or asks_for_secret(question), question
    assert label == "code" or asks_for_secret(again), again
