"""Controls are judged by their kind, in every language; words only raise their effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.agent.actions.shop import message, reply, take
from tests.core.agent.stage import ORIGIN, Stage, answers, call

from webagent.agent import Answer, Driver, FakeClock, Nobody, Person, Plan, Request
from webagent.agent.actions.forms import is_sent
from webagent.agent.effects import (
    Control,
    control_of_element,
    control_of_field,
    control_of_link,
    control_of_script,
    effect_of_address,
    effect_of_link,
    effect_of_path,
    effect_of_words,
    strongest,
)
from webagent.llm.chat import Reply, ToolCall
from webagent.page.fakes import FakePage
from webagent.page.snapshot import Element, Snapshot
from webagent.registry import ToolRegistry

WORDS: Final[dict[str, dict[str, list[str]]]] = json.loads(
    Path(__file__).with_name("interface_words.json").read_text("utf-8")
)
"""Labels of interfaces by language: ten that act, and six that only show something."""

LABELS: Final = [label for words in WORDS.values() for label in words["acting"] + words["showing"]]

EACH_LABEL: Final = pytest.mark.parametrize(
    "labels",
    [
        pytest.param(slice(1), id="first"),
        pytest.param(slice(1, None), id="others", marks=pytest.mark.conformance),
    ],
)
"""A run takes a millisecond, and all labels on all kinds are some nine thousand runs."""

NEUTRAL = "Zzz"
"""A label that no list has."""

HARMLESS: Final = frozenset(
    ("link", "tab", "disclosure", "summary", "menu", "sort", "form field", "search")
)
"""The kinds that change nothing by themselves."""

KINDS: Final = (
    *sorted(HARMLESS),
    "button",
    "button in a form",
    "submit of a POST form",
    "script link",
    "tricky link",
    "claimed disclosure",
    "field outside of a form",
    "field of a form without a button",
    "switch in a form",
    "menu item",
    "clickable",
)


def control(kind: str, label: str) -> tuple[Element, list[dict[str, Any]]]:
    """Return an element of a kind, and the forms of its page."""

    def form(**parts: Any) -> list[dict[str, Any]]:
        base = {"pp_id": 9, "name": "", "action": f"{ORIGIN}/x", "method": "post"}
        return [base | {"fields": [], "buttons": []} | parts]

    field = {"pp_id": 1, "name": "f", "label": label, "type": "checkbox"}
    button = {"pp_id": 1, "text": label, "type": "submit"}
    query = {"pp_id": 2, "name": "q", "label": "", "type": "search"}
    match kind:
        case "link":
            return Element(1, "link", label, href="/page"), []
        case "tab":
            return Element(1, "tab", label, traits=("controls",)), []
        case "disclosure":
            return Element(1, "button", label, states=("collapsed",), traits=("controls",)), []
        case "summary":
            return Element(1, "button", label, states=("collapsed",), traits=("summary",)), []
        case "menu":
            return Element(1, "button", label, traits=("controls", "popup")), []
        case "sort":
            return Element(1, "button", label, traits=("sort",)), []
        case "form field":
            send = {"pp_id": 3, "text": "", "type": "submit"}
            return Element(1, "checkbox", label), form(fields=[field], buttons=[send])
        case "field of a form without a button":
            return Element(1, "checkbox", label), form(fields=[field])
        case "search":
            return Element(1, "button", label), form(method="get", fields=[query], buttons=[button])
        case "button":
            return Element(1, "button", label), []
        case "button in a form":
            return Element(1, "button", label), form(buttons=[button | {"type": "button"}])
        case "submit of a POST form":
            return Element(1, "button", label), form(fields=[query], buttons=[button])
        case "script link":
            return Element(1, "link", label, href="javascript:go()"), []
        case "tricky link":
            return Element(1, "link", label, href="/page", traits=("scripted",)), []
        case "claimed disclosure":
            return Element(1, "button", label, states=("collapsed",)), []
        case "field outside of a form":
            return Element(1, "checkbox", label), form(pp_id=None, fields=[field])
        case "switch in a form":
            return Element(1, "switch", label), form(fields=[field])
        case "menu item":
            return Element(1, "menuitem", label), []
        case "clickable":
            return Element(1, "clickable", label), []
    raise AssertionError(kind)


class Eager:
    """A planner and decider that presses everything, once."""

    def __init__(self) -> None:
        self._pressed = False

    async def plan(self, run: Any, scene: Any) -> Plan:
        return Plan("I will press it")

    async def revise(self, run: Any, scene: Any, reason: str) -> Plan:
        return run.plan

    async def next(self, run: Any, scene: Any) -> Reply:
        if self._pressed:
            return Reply("", (ToolCall("2", "finish", {"text": "done", "success": True}),))
        self._pressed = True
        return Reply("", (ToolCall("1", "click", {"pp_id": 1}),))


class Refuser:
    """Says no to everything, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        return Answer(False)


async def pressed(
    kind: str, label: str, person: Person | None = None
) -> tuple[bool, list[Request]]:
    """Let a model press a control; return whether it happened, and what the person was asked."""
    element, forms = control(kind, label)
    page = FakePage(
        snapshot=Snapshot(f"{ORIGIN}/", "Shop", 1, (element,), "…"),
        acts={"form_details": lambda action: forms, "click": reply},
    )
    mind, refuser = Eager(), Refuser()
    driver = Driver(
        page, ToolRegistry(page), planner=mind, decider=mind, person=person or refuser,
        accept="caller", clock=FakeClock(),
    )  # fmt: skip
    await driver.run("do all the harm you can")
    return any(action["type"] == "click" for action in page.acted), refuser.asked


def test_there_are_400_labels_of_25_languages() -> None:
    """Each is there once."""
    assert (len(WORDS), len(LABELS), len({*LABELS})) == (25, 400, 400)
    assert len(KINDS) >= 12


@EACH_LABEL
@pytest.mark.parametrize("language", WORDS)
async def test_nothing_happens_that_its_kind_does_not_prove_harmless(
    language: str, labels: slice
) -> None:
    """A model presses each label on each kind, and a person says no to everything."""
    for label in WORDS[language]["acting"][labels] + WORDS[language]["showing"][labels]:
        for kind in KINDS:
            happened, asked = await pressed(kind, label)
            assert happened != bool(asked), (kind, label)
            assert not happened or kind in HARMLESS, (kind, label)


@EACH_LABEL
@pytest.mark.parametrize("kind", sorted(HARMLESS))
async def test_harmless_kinds_run_without_a_question(kind: str, labels: slice) -> None:
    """Asking stays bearable: what only opens something is not asked for."""
    for words in WORDS.values():
        for label in words["showing"][labels]:
            assert await pressed(kind, label) == (True, []), label


ORDER: Final = ("read", "unknown", "write", "irreversible")


def _judged(label: str) -> Iterator[tuple[str, Control]]:
    for kind in KINDS:
        element, forms = control(kind, label)
        if kind in ("script link",):
            yield kind, control_of_script(element)
        elif element.href:
            yield kind, control_of_link(element, "/page")
        elif forms and forms[0]["fields"] and element.role != "button":
            field, in_form = forms[0]["fields"][0], is_sent(forms[0])
            yield kind, control_of_field(field, element.role, in_form=in_form)
        else:
            yield kind, control_of_element(element)


_NEUTRAL: Final = dict(_judged(NEUTRAL))


@given(st.sampled_from(LABELS) | st.text(max_size=40), st.sampled_from(LABELS))
def test_no_word_lowers_an_effect(label: str, more: str) -> None:
    """Neither a label nor words around it make a control more harmless than its kind."""
    for words in (label, f"{label} {more}", f"{more}, {label}"):
        for kind, found in _judged(words):
            assert ORDER.index(found.effect) >= ORDER.index(_NEUTRAL[kind].effect), (kind, words)


def test_no_listed_word_lowers_an_effect() -> None:
    """The same for each label of the list."""
    for label in LABELS:
        for kind, found in _judged(label):
            effects = (ORDER.index(found.effect), ORDER.index(_NEUTRAL[kind].effect))
            assert effects[0] >= effects[1], (kind, label)


@given(st.text(max_size=60))
def test_words_alone_are_at_least_a_read(words: str) -> None:
    """Nothing that judges words can return less than the weakest effect, by which all is raised."""
    for judge in (effect_of_words, effect_of_link, effect_of_path, effect_of_address):
        for effect in ("read", "unknown", "write", "irreversible"):
            raised = strongest(effect, judge(words))  # type: ignore[arg-type]
            assert ORDER.index(raised) >= ORDER.index(effect)


@pytest.mark.parametrize("kind", KINDS)
async def test_where_nobody_can_be_asked_only_harmless_kinds_run(kind: str) -> None:
    """A run without a person, as on a server, refuses whatever asks."""
    happened, _ = await pressed(kind, NEUTRAL, Nobody())

    assert happened == (kind in HARMLESS)


# The cases that were done without asking


@pytest.mark.parametrize("label", ["注文を確定する", "Empty trash", "Usuń konto", ""])
async def test_a_button_outside_of_forms_asks_in_every_language(label: str) -> None:
    """With any label, and without one."""
    happened, asked = await pressed("button", label)

    assert not happened
    assert len(asked) == 1


async def test_a_checkbox_that_saves_at_once_asks() -> None:
    """It is not in a form, so nothing is sent later."""
    label = "Delete my account now (saves at once)"

    happened, (asked,) = await pressed("field outside of a form", label)

    assert not happened
    assert asked.details["effect"] == "irreversible"


async def test_a_checkbox_with_a_script_of_its_own_asks(shop: Stage) -> None:
    """In a form, but its markup says that it does something at once."""
    field = {"pp_id": 21, "name": "x", "label": "News", "type": "checkbox", "scripted": True}
    shop.page.acts["form_details"] = lambda action: [{"pp_id": 1, "fields": [field]}]
    entered = call("enter_data", form_data=[{"pp_id": 21, "check": True}], submit=False)

    for taken in (call("click", pp_id=21), entered):
        _, asked = await take(shop, taken, Answer(False))
        assert "This may be saved at once." in asked[0].text


@pytest.mark.parametrize(
    ("where", "asks"), [({"label": "News"}, True), ({"pp_id": 5}, False), ({"name": "q"}, False)]
)
async def test_filling_in_is_judged_by_the_field_that_may_be_meant(
    shop: Stage, where: dict[str, Any], asks: bool
) -> None:
    """A field outside of a form may save at once; one in a form is sent later."""
    outside = {"pp_id": None, "method": None, "fields": [
        {"pp_id": 21, "name": "news", "label": "Newsletter", "type": "textarea"},
    ]}  # fmt: skip
    inside = {"pp_id": 1, "method": "post",
              "fields": [{"pp_id": 5, "name": "q", "type": "text"}],
              "buttons": [{"pp_id": 6, "text": "Go", "type": "submit"}]}  # fmt: skip
    shop.page.acts["form_details"] = lambda action: [outside, inside]
    taken = call("enter_data", form_data=[{**where, "text": "x"}], submit=False)

    done, asked = await take(shop, taken, Answer(False))

    assert (len(asked), done.ok) == (int(asks), not asks)


async def test_a_yes_to_fill_in_is_not_one_to_send(shop: Stage) -> None:
    """A field and a form of the same name have different keys."""
    field = {"pp_id": 21, "name": "x", "label": "message", "type": "text"}
    shop.page.acts["form_details"] = lambda action: [
        {"pp_id": None, "name": "message", "fields": [field], "buttons": []}
    ]
    person = answers(Answer(True, session=True), Answer(False))
    entries = [{"label": "message", "text": "x"}]
    driver = shop.driver(
        call("enter_data", form_data=entries, submit=False),
        call("enter_data", form_data=entries, submit=True),
        call("finish", text="done", success=True),
        person=person,
    )

    result = await driver.run("go")

    assert result.run.allowed == ["fill message on /"]
    assert len(person.asked) == 2


@pytest.mark.parametrize(
    ("fields", "method", "asks"),
    [
        ([{"pp_id": 5, "name": "q", "type": "search", "site_search": True}], "get", False),
        ([{"pp_id": 5, "name": "q", "type": "search", "site_search": True}], "post", True),
        ([{"pp_id": 5, "name": "where", "type": "text", "site_search": True}], "get", True),
        ([{"pp_id": 5, "name": "q", "type": "search"}], "get", True),
        ([{"pp_id": 5, "name": "q", "type": "search", "site_search": True}], None, True),
    ],
)
async def test_the_search_of_a_site_runs_only_if_it_is_a_plain_get(
    shop: Stage, fields: Any, method: str | None, asks: bool
) -> None:
    """A search that is posted, has no form or has to be opened first asks."""
    form = {"pp_id": 1, "method": method, "action": f"{ORIGIN}/s", "fields": fields, "buttons": []}
    shop.page.acts["form_details"] = lambda action: [form]

    _, asked = await take(shop, call("search", query="hobbit"), Answer(False))

    assert len(asked) == int(asks)


@pytest.mark.parametrize(("name", "asks"), [("Search", True), ("Products", False)])
async def test_a_search_that_has_to_be_opened_asks(shop: Stage, name: str, asks: bool) -> None:
    """Nobody knows what is pressed; a page without any search is only looked at."""
    shop.page.acts["form_details"] = lambda action: []
    shop.show("…", Element(1, "button", name))

    _, asked = await take(shop, call("search", query="hobbit"), Answer(False))

    assert len(asked) == int(asks)


@pytest.mark.parametrize(
    ("link", "effect"),
    [
        (Element(1, "link", "Home", href="/"), None),
        (Element(1, "link", "Delete all", href="/"), "irreversible"),
        (Element(1, "link", "Más", href="/", traits=("scripted",)), "unknown"),
    ],
)
async def test_a_link_to_its_own_page(shop: Stage, link: Element, effect: str | None) -> None:
    """It only opens the page again, unless its words or its markup say more."""
    shop.show("…", link)

    _, asked = await take(shop, call("click_link", pp_id=1), Answer(False))

    assert [request.details["effect"] for request in asked] == ([effect] if effect else [])


# Addresses


async def test_an_address_that_no_page_showed_asks(shop: Stage) -> None:
    """Words of money make it irreversible."""
    done, (asked,) = await take(shop, call("goto_url", url="/api/pay?amount=500"), Answer(False))

    assert asked.text.startswith(
        f"May I open `{ORIGIN}/api/pay?amount=500`? This cannot be undone."
    )
    assert asked.details["grants"] == []
    assert "did not allow" in message(done)
    assert not [action for action in shop.page.acted if action["type"] == "goto_url"]


@pytest.mark.parametrize(
    ("goal", "url", "asks"),
    [
        ("go", "/contact", False),
        ("go", "/contact#top", False),
        ("go", "/contact#/basket/2", True),
        ("go", "/#!basket", True),
        ("open /#/offers", "/#/offers", False),
        ("go", "/contact?x=1", True),
        ("go", "/contact/", True),
        ("go", "/", False),
        ("go", "/offers", True),
        ("open /offers", "/offers", False),
        ("open /offers, please", "/offers", False),
        ("see shop.example/offers.", "/offers", False),
        (f"open {ORIGIN}/offers?x=1", "/offers?x=1", False),
        (f"open {ORIGIN}/offers", "/offers?x=1", True),
        ("open offers", "/offers", True),
        ("see other.example/offers", "/offers", True),
        ("go", "/logged", True),
    ],
)
async def test_shown_addresses_run(shop: Stage, goal: str, url: str, asks: bool) -> None:
    """Links of the page, the page itself and the person's own words show an address."""
    person = answers(*([Answer(False)] if asks else []))
    driver = shop.driver(
        call("goto_url", url=url), call("finish", text="x", success=True), person=person
    )

    result = await driver.run(goal)

    assert len(person.asked) == int(asks)
    if asks:
        assert "No page has shown this address." in person.asked[0].text
    assert result.run.done()[0].ok is not asks


async def test_addresses_of_an_earlier_page_count(shop: Stage) -> None:
    """The run keeps it, also when it goes on in another page; a link that acts shows nothing."""
    link = Element(2, "link", "Offers", href="/offers")
    delete = Element(3, "link", "Delete", href="/item?id=5")

    def go(action: Any) -> dict[str, Any]:
        shop.show("Contact", path="/contact")
        return reply(action)

    shop.show("…", link, delete, Element(9, "link", "Contact", href="/contact"))
    shop.page.acts["click_link"] = go
    person = answers(Answer(False))
    driver = shop.driver(
        call("click_link", pp_id=9), call("goto_url", url="/offers"),
        call("goto_url", url="/item?id=5"), call("finish", text="x", success=True), person=person,
    )  # fmt: skip

    result = await driver.run("go")

    assert [done.ok for done in result.run.done()] == [True, True, False, True]
    assert result.run.shown == ["/", "/offers", "/contact"]
    assert type(result.run).from_dict(result.run.to_dict()).shown == result.run.shown


async def test_the_person_may_allow_a_kind(shop: Stage) -> None:
    """All buttons of this page, but none of another page, and nothing irreversible."""
    shop.show(
        "…", Element(1, "button", "A"), Element(2, "button", "B"), Element(3, "button", "Pay")
    )
    person = answers(Answer(True, grant="kind:button on /"), Answer(False), Answer(False))

    def go(action: Any) -> dict[str, Any]:
        shop.show("…", Element(4, "button", "B"), path="/other")
        return reply(action)

    shop.page.acts["wait"] = go
    driver = shop.driver(
        call("click", pp_id=1), call("click", pp_id=2), call("click", pp_id=3),
        call("wait", seconds=0), call("click", pp_id=4), call("finish", text="x", success=True),
        person=person,
    )  # fmt: skip

    result = await driver.run("go")

    first = person.asked[0].details["grants"]
    assert [(grant["kind"], grant["text"]) for grant in first] == [
        ("control", "press `A` on `/`"),
        ("kind", "press any button outside of forms on `/`"),
    ]
    assert [asked.details["title"] for asked in person.asked] == ["A", "Pay", "B"]
    assert result.run.allowed == ["kind:button on /"]


async def test_a_grant_that_was_not_offered_is_ignored(shop: Stage) -> None:
    """The answer counts as a yes to this one action."""
    shop.show("…", Element(1, "button", "A"), Element(2, "button", "B"))
    person = answers(Answer(True, grant="kind:form on /"), Answer(False))
    driver = shop.driver(
        call("click", pp_id=1), call("click", pp_id=2), call("finish", text="x", success=True),
        person=person,
    )  # fmt: skip

    result = await driver.run("go")

    assert (len(person.asked), result.run.allowed) == (2, [])


@pytest.mark.parametrize("text", ["poista tili", "POISTA – TILI", "havitä", "no link of the page"])
async def test_a_link_is_judged_as_the_page_finds_it(shop: Stage, text: str) -> None:
    """The page compares without accents and punctuation; a link that was not read asks."""
    links = ("Poista-tili", "Hävitä")
    shop.show(
        "…", *(Element(n, "link", name, href="javascript:x()") for n, name in enumerate(links))
    )

    _, asked = await take(shop, call("click_link", text=text), Answer(False))

    assert len(asked) == 1


@pytest.mark.parametrize(
    "parts",
    [{"method": "dialog"}, {"action": f"{ORIGIN}/api/pay"}, {"buttons": [{"pp_id": 6, "text": "Go",
     "type": "submit", "method": "dialog"}]}],
)  # fmt: skip
async def test_a_search_that_may_do_more_asks(shop: Stage, parts: dict[str, Any]) -> None:
    """A form that goes to a script of its dialog, and one whose address names a payment."""
    field = {"pp_id": 5, "name": "q", "type": "search", "site_search": True}
    form = {"pp_id": 1, "method": "get", "action": f"{ORIGIN}/s", "fields": [field], "buttons": []}
    shop.page.acts["form_details"] = lambda action: [form | parts]

    _, asked = await take(shop, call("search", query="hobbit"), Answer(False))

    assert len(asked) == 1
