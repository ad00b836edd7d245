"""What is read from results, chosen from them, and said about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import takes_at_most

from webagent.agent.deterministic.corrections import allowed_by
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.agent.deterministic.reading.values import values_of
from webagent.agent.deterministic.results import (
    Asked,
    answer,
    done,
    intended,
    pick,
    read_result,
    refusal_of,
    to_do,
)
from webagent.agent.deterministic.things import value_for

NOW = datetime(2026, 11, 24, 10, 0)

KAYAKS = [
    {"id": "k1", "name": "River Otter", "colour": "blue", "pricePerDayEur": 42, "lengthCm": 410, "rating": 4.1, "available": True},
    {"id": "k2", "name": "Sea Fox", "colour": "red", "pricePerDayEur": 18.5, "lengthCm": 520, "rating": 4.8, "available": False},
    {"id": "k3", "name": "Lake Heron", "colour": "blue", "pricePerDayEur": 27, "lengthCm": 365, "rating": 4.5, "available": True},
]  # fmt: skip

TASKS = [
    {"taskId": 4, "title": "Paint the fence", "due": "2026-12-01", "done": False, "assignee": "Ada Brook"},
    {"taskId": 9, "title": "Order gravel", "due": "2026-11-27", "done": True, "assignee": "Ben Osei"},
    {"taskId": 12, "title": "Call the plumber", "due": "2026-12-09", "done": False, "assignee": "Ada Brook"},
]  # fmt: skip


def asked(goal: str, lang: str = "en") -> Asked:
    speech = language(lang)
    tokens = tokens_of(goal, speech)
    return Asked(tokens, values_of(goal, tokens, speech, NOW), speech)


def said(goal: str, value: Any, tool: str = "", lang: str = "en", schema: Any = None) -> str:
    return answer(asked(goal, lang), read_result(value, schema, tool))


def picked(goal: str, value: Any, tool: str = "", lang: str = "en") -> list[str]:
    return [item.name for item in pick(read_result(value, None, tool), asked(goal, lang)).items]


# --- Picking ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "lang", "names"),
    [
        ("rent the cheapest one", "en", ["Sea Fox"]),
        ("the two cheapest", "en", ["Sea Fox", "Lake Heron"]),
        ("kayaks, the longest first", "en", ["River Otter", "Sea Fox", "Lake Heron"]),
        (
            "kayaks of at least 4 metres from cheapest to most expensive",
            "en",
            ["River Otter", "Sea Fox"],
        ),
        ("take the most expensive", "en", ["River Otter"]),
        ("the best rated kayak", "en", ["Sea Fox"]),
        ("the longest", "en", ["Sea Fox"]),
        ("the shortest kayak please", "en", ["Lake Heron"]),
        ("the second one", "en", ["Sea Fox"]),
        ("the last one", "en", ["Lake Heron"]),
        ("the red one", "en", ["Sea Fox"]),
        ("not the blue ones", "en", ["Sea Fox"]),
        ("the cheapest blue one", "en", ["Lake Heron"]),
        ("book the river oter", "en", ["River Otter"]),
        ("one under 20 euros", "en", ["Sea Fox"]),
        ("one longer than 4 metres and under 30 euros", "en", ["Sea Fox"]),
        ("which are available", "en", ["River Otter", "Lake Heron"]),
        ("which are not available", "en", ["Sea Fox"]),
        ("all of them", "en", ["River Otter", "Sea Fox", "Lake Heron"]),
        ("compare River Otter with Sea Fox", "en", ["River Otter", "Sea Fox"]),
        ("miete das günstigste", "de", ["Sea Fox"]),
        ("das rote bitte", "de", ["Sea Fox"]),
        ("nicht das blaue", "de", ["Sea Fox"]),
        ("réserve le moins cher", "fr", ["Sea Fox"]),
        ("la deuxième", "fr", ["Sea Fox"]),
        ("la más barata", "es", ["Sea Fox"]),
        ("la segunda", "es", ["Sea Fox"]),
    ],
)
def test_a_goal_picks_things(goal: str, lang: str, names: list[str]) -> None:
    assert picked(goal, KAYAKS, "list_kayaks", lang) == names


@pytest.mark.parametrize(
    ("goal", "things", "tool", "places"),
    [
        ("which tournaments are there", [{"name": "Harbour Open"}, {"name": "Summer Cup"}], "list_tournaments", [0, 1]),
        ("borrow Dune", [{"title": "A Guide to Dune"}, {"title": "Dune"}], "search_books", [1]),
        ("the first time", [{"slot": 1, "start": "2027-03-02T15:00"}, {"slot": 2, "start": "2027-03-02T09:00"}],
         "free_times", [1]),
        ("the earliest", [{"slot": 1, "date": "2027-03-02", "time": "15:00"}, {"slot": 2, "date": "2027-03-02", "time": "09:00"}],
         "free_times", [1]),
        ("the report from October", [{"report": 1, "date": "2026-11-02"}, {"report": 2, "date": "2026-10-09"}],
         "list_reports", [1]),
    ],
)  # fmt: skip
def test_names_and_times_pick_things(
    goal: str, things: list[dict[str, Any]], tool: str, places: list[int]
) -> None:
    items = pick(read_result(things, None, tool), asked(goal)).items
    assert [item.value for item in items] == [things[at] for at in places]


def test_what_stays_ambiguous_has_options() -> None:
    choice = pick(read_result(KAYAKS), asked("rent a kayak"))
    assert not choice.is_sure
    assert choice.options == ("River Otter", "Sea Fox", "Lake Heron")


def test_things_of_one_name_are_told_apart_by_what_differs() -> None:
    visits = [
        {"id": "v1", "pet": "Mo", "kind": "check-up", "start": "2026-12-01T09:00"},
        {"id": "v2", "pet": "Mo", "kind": "check-up", "start": "2026-12-08T09:00"},
    ]
    options = pick(read_result(visits), asked("cancel the visit")).options
    assert len(set(options)) == 2
    assert any("1 December 2026 at 09:00" in option for option in options) or options == (
        "v1",
        "v2",
    )


def test_a_bound_that_nothing_keeps_says_so() -> None:
    choice = pick(read_result(KAYAKS), asked("one under 10 euros"))
    assert choice.items == ()
    assert "10 euros" in choice.reason


def test_a_time_is_of_the_clock() -> None:
    slots = [{"date": "2026-12-01", "time": "08:40"}, {"date": "2026-12-02", "time": "15:20"}]
    assert picked("in the morning", slots) == ["1 December 2026"]


def test_a_number_of_an_argument_names_nothing() -> None:
    things = [
        {"id": 771, "kind": "espresso", "weeks": 4},
        {"id": 764, "kind": "filter", "weeks": 2},
    ]
    goal = "hold my espresso subscription until May 2"
    words = asked(goal)
    used = frozenset(range(len(words.tokens) - 3, len(words.tokens)))
    found = pick(read_result(things), replace(words, used=used)).items
    assert [item.value for item in found] == things[:1]


def test_an_order_names_the_field_beside_it() -> None:
    assert picked("the one with the highest rating", KAYAKS) == ["Sea Fox"]
    assert picked("the lowest price", KAYAKS) == ["Sea Fox"]
    assert picked("which task is due first", TASKS) == ["Order gravel"]


def test_a_verb_does_not_mean_a_flag() -> None:
    alarms = [
        {"id": 1, "name": "early", "paused": True},
        {"id": 2, "name": "late", "paused": False},
    ]
    assert len(picked("pause the alarm", alarms)) == 2
    assert picked("pause the late alarm", alarms) == ["late"]


def test_a_flag_that_one_thing_has_as_a_number_empties_nothing() -> None:
    things = [{"name": "Ash", "open": False}, {"name": "Elm", "open": 1}]
    assert picked("which are open", things) == ["Ash", "Elm"]


def test_an_object_may_have_its_things_by_their_ids() -> None:
    things = {"a1": {"name": "Ash", "price": 3}, "a2": {"name": "Elm", "price": 2}}
    assert picked("the cheapest", things) == ["Elm"]
    assert value_for(read_result(things).items[1], "id", {"type": "string"}) == "a2"
    assert not read_result({"home": {"city": "Rye"}, "address": {"city": "Hove"}}).is_list


def test_a_list_inside_of_a_thing_is_chosen_from() -> None:
    order = {
        "orderId": "o-9",
        "lines": [
            {"sku": "A1", "name": "tent", "price": 90},
            {"sku": "B2", "name": "rope", "price": 12},
        ],
    }
    assert picked("the cheapest in my order", order) == ["rope"]


# --- Fields that fit parameters -----------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "parameter", "schema", "noun", "value"),
    [
        ({"payee_id": "p-1", "name": "Ida"}, "payee_id", {"type": "string"}, "", "p-1"),
        ({"id": "p-1", "name": "Ida"}, "payeeId", {"type": "string"}, "payees", "p-1"),
        ({"isbn": "978-3", "title": "Moor"}, "isbn", {"type": "string"}, "", "978-3"),
        ({"number": 12, "title": "Bug"}, "number", {"type": "integer"}, "", 12),
        ({"number": 12, "title": "Bug"}, "issue", {"type": "integer"}, "issues", 12),
        ({"thread": "th-1", "subject": "Hi"}, "thread_id", {"type": "string"}, "", "th-1"),
        ({"orderId": "o-3"}, "order", {"type": "string"}, "", "o-3"),
        ({"login": "pn", "name": "Priya"}, "login", {"type": "string"}, "", "pn"),
        (
            {"sku": "A-12", "id": 7},
            "productCode",
            {"type": "string", "pattern": "^A-"},
            "products",
            "A-12",
        ),
        ({"product": {"id": "x1"}, "qty": 2}, "product_id", {"type": "string"}, "", "x1"),
        ({"id": 7}, "room_id", {"type": "string"}, "rooms", None),
        ({"price": 7}, "room_id", {"type": "integer"}, "", None),
    ],
)
def test_a_field_fits_a_parameter(
    item: Any, parameter: str, schema: Any, noun: str, value: Any
) -> None:
    thing = read_result([item]).items[0]
    assert value_for(thing, parameter, schema, noun=noun) == value


def test_the_same_name_fits_better_than_a_guess() -> None:
    thing = read_result([{"id": "b-1", "customer_id": "c-1", "name": "Lu"}]).items[0]
    assert value_for(thing, "customer_id", {"type": "string"}) == "c-1"


# --- Answers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "value", "tool", "lang", "parts"),
    [
        ("how many kayaks are there", KAYAKS, "list_kayaks", "en", ["3", "kayaks"]),
        ("how many kayaks are available", KAYAKS, "list_kayaks", "en", ["2"]),
        ("how many tasks are not done", TASKS, "list_tasks", "en", ["2"]),
        ("how many kayaks are there", {"kayaks": KAYAKS, "total": 40}, "list_kayaks", "en", ["40 kayaks"]),
        ("what is the total", {"items": [{"name": "tea", "price": 3.5}, {"name": "pie", "price": 4.25}], "totalEur": 9.25},
         "get_basket", "en", ["9.25 EUR"]),
        ("which kayak is the cheapest?", KAYAKS, "", "en", ["Sea Fox", "18.50 EUR"]),
        ("how long is the Sea Fox", KAYAKS, "", "en", ["520 centimeters"]),
        ("is the Sea Fox available?", KAYAKS, "", "en", ["No", "Sea Fox"]),
        ("is the Lake Heron available", KAYAKS, "", "en", ["Yes", "Lake Heron"]),
        ("who has to call the plumber", TASKS, "", "en", ["Ada Brook"]),
        ("when is the gravel due", TASKS, "", "en", ["27 November 2026"]),
        ("compare the price of Sea Fox and Lake Heron", KAYAKS, "", "en", ["18.50 EUR", "27 EUR", "Sea Fox", "Lake Heron"]),
        ("what is the total of these", [{"item": "tea", "amountCents": 350}, {"item": "pie", "amountCents": 425}], "", "en", ["7.75"]),
        ("how much did I spend at Carrefour", [{"payee": "Carrefour", "amountEur": 35.5}, {"payee": "Lidl", "amountEur": 9},
          {"payee": "Carrefour", "amountEur": 14}], "list_payments", "en", ["49.50 EUR"]),
        ("how much is in my account", {"iban": "X1", "balance": 12.5, "currency": "GBP"}, "get_account", "en", ["12.50 GBP"]),
        ("is it open on sunday", {"branch": "North", "open": False}, "get_hours", "en", ["No"]),
        ("how many are in stock", {"sku": "A1", "stock": 14}, "get_stock", "en", ["14"]),
        ("is it in stock", {"sku": "A1", "stock": 0}, "get_stock", "en", ["No", "0"]),
        ("how long does it take", {"durationMin": 95}, "get_route", "en", ["95 minutes"]),
        ("how many hours does it take", {"durationMin": 90}, "get_route", "en", ["1.5 hours"]),
        ("where is my luggage", {"status": "loaded", "location": "Belt 4"}, "track_bag", "en", ["Belt 4"]),
        ("wann beginnt der Kurs", {"kurs": "Ton", "start": "2026-12-01T18:30"}, "", "de", ["1 December 2026 at 18:30"]),
        ("wer leitet den Kurs", {"kurs": "Ton", "teacher": "Uwe Lang"}, "", "de", ["Uwe Lang"]),
        ("combien ça coûte", {"price": 12, "days": 3}, "", "fr", ["12"]),
        ("¿cuántas tareas hay?", TASKS, "", "es", ["3"]),
        ("how many orders do I have", {"orders": [{"id": 1, "item": "a"}], "total": 57, "page": 1}, "list_orders", "en", ["57"]),
        ("what is the total of my basket", {"items": [{"name": "tea", "price": 3}], "total": 9.5}, "get_basket", "en", ["9.50"]),
        ("what does it cost", "12.99", "get_price", "en", ["12.99"]),
        ("is it free", True, "is_free", "en", ["Yes"]),
        ("anything?", [], "find_things", "en", ["Nothing was found"]),
        ("how many are left", [], "find_things", "en", ["none"]),
        ("what is there", None, "find_things", "en", ["no answer"]),
        ("show it", {"result": {"data": {"title": "Moor", "pages": 210}}, "ok": True}, "get_book", "en", ["Moor", "210"]),
        ("list them", '[{"name": "Ox"}, {"name": "Elk"}]', "list_animals", "en", ["Ox", "Elk"]),
        ("which is the best price", KAYAKS, "", "en", ["Sea Fox"]),
        ("which of my bookings was rejected?", [{"bookingId": 7, "boat": "Sea Fox", "booked": "2026-11-20"}], "list_bookings", "en", ["Sea Fox"]),
        ("show me the details", {"title": "Sea Fox", "description": "It has two seats.", "seats": 5}, "get_kayak", "en", ["two seats and", "5"]),
        ("how did I paddle last night", {"night": "2026-11-23", "score": 74}, "get_report", "en", ["74"]),
        ("rides of at least 30 euros", [{"ride": "R-1", "date": "2026-11-01", "dropoff": "Pier", "fareEur": 61}, {"ride": "R-2", "date": "2026-11-02", "dropoff": "Opera", "fareEur": 38}], "list_rides", "en", ["61", "38"]),
    ],
)  # fmt: skip
def test_an_answer_has_what_was_asked(
    goal: str, value: Any, tool: str, lang: str, parts: list[str]
) -> None:
    text = said(goal, value, tool, lang)
    assert all(part in text for part in parts), text
    assert text[0].isupper()
    assert text.endswith(".")


def test_a_superlative_has_one_article() -> None:
    """The words of the goal may have one already."""
    text = said("what is the most expensive kayak?", KAYAKS)
    assert text.startswith("The most expensive is River Otter")


@pytest.mark.parametrize(
    ("title", "thing", "words"),
    [
        ("Look at a book", "Dune", "look at “Dune”"),
        ("Look at a book", "", "look at a book"),
        ("Look at your account", "", "look at your account"),
        ("Search for a hotel", "Ritz", "search for “Ritz”"),
        ("Write to the shop", "", "write to the shop"),
        ("Add to your list", "Dune", "add “Dune” to your list"),
        ("Add to the basket", "", "add it to the basket"),
        ("Pay for the order", "7", "pay for the order (7)"),
        ("Add a book to a list", "Dune", "add a book (Dune) to a list"),
    ],
)
def test_a_title_becomes_a_clause(title: str, thing: str, words: str) -> None:
    """Prepositions and articles of titles stay as they are."""
    assert intended("anything", frozenset(), title, thing, []) == words


@pytest.mark.parametrize(
    ("title", "description", "words"),
    [
        ("", "Put a book into the visitor's basket.", "put a book into your basket"),
        ("", "Give the visitor points.", "give you points"),
        ("Set a day", "Set the hour at which the user carries it home.", "set a day"),
    ],
)
def test_a_description_of_the_visitor_is_about_you(
    title: str, description: str, words: str
) -> None:
    """One that says what the visitor does is not told: its verb would have to follow."""
    assert to_do("anything", frozenset(), title, description) == words


def test_a_noun_behind_an_article_is_no_verb() -> None:
    """Though `visit` is one elsewhere, and the tool has it in its name."""
    assert to_do("cancelVisit", frozenset(("visit",)), "Cancel the visit") == "cancel the visit"


def test_a_thing_stands_before_out_of() -> None:
    doing = intended("removeFromBasket", frozenset(), "Take out of the basket", "Dune", [])
    assert doing == "take “Dune” out of the basket"


def test_a_long_list_says_how_many_there_are() -> None:
    text = said("show the seats", [{"seat": f"row {n}"} for n in range(1000)], "list_seats")
    assert "There are 1000 seats" in text
    assert "995 more" in text


def test_hidden_characters_are_shown() -> None:
    text = said("what is it", [{"name": "gift\u202e0001\x1b[2J", "price": 3}])
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "⟨202E⟩" in text


def test_an_action_is_said_as_done() -> None:
    value = {
        "bookingRef": "ZX9",
        "status": "confirmed",
        "total_eur": 24.5,
        "start": "2026-12-01T09:00",
    }
    text = done("bookTable", {"name": "Ida Roth", "people": 2}, read_result(value))
    assert text.startswith("I booked the table (Ida Roth).")
    assert "24.50 EUR" in text
    assert "ZX9" in text
    assert "1 December 2026" in text
    assert done("lock", {"what": "shed"}, read_result("ok")) == "I locked “shed”."


# --- Results of strangers -----------------------------------------------------------------

KEYS = st.sampled_from(
    [
        "id",
        "name",
        "price",
        "date",
        "items",
        "total",
        "ok",
        "$type",
        "value",
        "unit",
        "currency",
        "status",
        "",
        "名",
    ]
) | st.text(max_size=8)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
    | st.sampled_from(["2026-02-30", "2026-12-01T25:00", "99:99", "PT9999999M", "EUR", "1.2.3,4", "\ud800", "{", "[[", 10**400, -(10**4000)])
)  # fmt: skip
RESULTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=30,
)
GOALS = st.sampled_from([
    "what is the total", "the cheapest under 20 euros before friday", "how many are not done", "compare a and b",
    "is it open", "when, where and who", "the second one", "all but the red one", "how long is it in hours", "",
])  # fmt: skip


@given(RESULTS, GOALS, RESULTS)
def test_no_result_raises_or_overflows(value: Any, goal: str, schema: Any) -> None:
    result = read_result(value, schema, "list_things")
    question = asked(goal)
    for text in (
        answer(question, result),
        answer(None, result),
        done("doIt", {"x": value}, result),
    ):
        assert 0 < len(text) <= 600
        assert "\n" not in text
    choice = pick(result, question)
    assert len(choice.options) <= 8
    for item in choice.items[:3]:
        value_for(item, "thing_id", schema, noun="things")
    allowed_by(value)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": [value]}
    return value


@pytest.mark.hostile
@pytest.mark.parametrize(
    "value",
    [
        [
            {"id": n, "name": f"thing {n}", "price": n % 97, "tags": ["a", "b"]}
            for n in range(100_000)
        ],
        {str(n): {"id": n, "name": f"thing {n}"} for n in range(100_000)},
        {f"key{n}": n for n in range(100_000)},
        [{f"key{n}": "word " * 500 for n in range(300)} for _ in range(300)],
        [" ".join(f"w{n}x{m}" for m in range(50)) for n in range(5_000)],
        deep(900),
        "[" * 100_000,
        '{"a":' * 50_000,
        "x" * 1_000_000,
        [[[1] * 100] * 100] * 100,
        {"items": [{"name": "a" * 100_000, "price": "9" * 5_000}]},
    ],
    ids=["list", "keyed", "wide", "full", "words", "deep", "open", "json", "long", "lists", "text"],
)
def test_a_huge_result_takes_little_time(value: Any) -> None:
    question = asked(
        "the cheapest thing under 20 euros that is not red, or compare wing with wanted words " * 5
    )

    def use() -> None:
        result = read_result(value, None, "list_things")
        assert len(answer(question, result)) <= 600
        pick(result, question)
        done("do_it", {"a": value}, result)
        allowed_by(value)

    assert takes_at_most(5, use)


@pytest.mark.parametrize(
    ("goal", "value", "text"),
    [
        ("is room Elm free", [{"room": "Oak", "free": True}, {"room": "Elm", "free": False}], "No, Elm is not free."),
        ("will it rain", {"date": "2026-11-25", "rain": False}, "No, it has no rain. The date is 25 November 2026."),
        ("is it open", {"opens": "10:00", "status": "closed"}, "The status is closed. It opens at 10:00."),
        ("how heavy is it in kg", {"weightG": 4200}, "The weight is 4.2 kilograms."),
        ("what is the difference between Inn and Lodge", [{"name": "Inn", "price": 40}, {"name": "Lodge", "price": 65}],
         "The price is 40 for Inn and 65 for Lodge. The difference is 25."),
        ("compare the Inn with the Red Lodge", [{"name": "Inn", "price": 40}, {"name": "Red Lodge", "price": 65}, {"name": "Red Hut", "price": 9}],
         "The price is 40 for Inn and 65 for Red Lodge. The difference is 25."),
        ("which are open", [{"name": "Ash", "open": True}, {"name": "Elm", "open": True}, {"name": "Oak", "open": False}],
         "There are 2: Ash (open) and Elm (open)."),
        ("how much did I spend in total", {"payments": [{"payee": "Inn", "amount": 4}, {"payee": "Bar", "amount": 5}], "total": 2},
         "The total amount of 2 is 9."),
        ("how much do I pay and until when does it run", {"fee": 39, "validUntil": "2026-08-31"},
         "The fee is 39 and it is valid until 31 August 2026."),
        ("which lessons do I have", {"monday": [{"subject": "Maths"}], "tuesday": [{"subject": "Art"}]},
         "For monday, there is one: Maths. For tuesday, there is one: Art."),
        ("are you open", {"opens": "10:00", "closes": "18:00"}, "It opens at 10:00. It closes at 18:00."),
        ("how long are you open", {"opens": "10:00", "closes": "18:00"}, "It opens at 10:00. It closes at 18:00."),
        ("how much water did we use", {"priceEur": 31, "volumeL": 840},
         "The price is 31 EUR. The volume is 840 liters."),
    ],
)  # fmt: skip
def test_an_answer_is_a_sentence(goal: str, value: Any, text: str) -> None:
    assert said(goal, value) == text


def test_an_argument_is_no_news() -> None:
    """A field that only repeats what was asked for answers nothing."""
    result = read_result({"day": "sunday", "opens": "8 h", "closes": "13 h"}, None, "getHours")
    text = answer(asked("until when can I come on sunday"), result, {"day": "sunday"})
    assert "sunday" not in text
    assert "13 h" in text


@pytest.mark.parametrize(
    ("goal", "words", "names"),
    [
        ("have you got something with cello", "cello", ["Slow River", "Cello Suite"]),
        ("find the cello suite", "cello suite", ["Cello Suite"]),
        ("tents under 20 euros", "20", ["Slow River", "Cello Suite"]),
    ],
)
def test_the_words_of_a_search_choose_only_a_whole_name(
    goal: str, words: str, names: list[str]
) -> None:
    """What a search finds is meant, even if it does not have its words."""
    things = [{"title": "Slow River"}, {"title": "Cello Suite"}]
    said = asked(goal)
    given = frozenset(at for at, token in enumerate(said.tokens) if token.text in words.split())
    choice = pick(read_result(things), replace(said, used=given, given=given))
    assert [item.name for item in choice.items] == names


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"ok": False, "error": "sold out"}, "sold out"),
        ({"status": "error", "message": "out of stock"}, "out of stock"),
        ({"status": "failed", "errors": [{"message": "no stock"}]}, "no stock"),
        ({"errors": ["sold out"]}, "sold out"),
        ({"result": {"ok": False, "reason": "sold out"}}, "sold out"),
        ({"isError": True, "content": []}, "it was not done"),
        ("Error: out of stock", "out of stock"),
    ],
)
def test_a_change_that_was_not_made_is_no_success(value: Any, reason: str) -> None:
    """The same said by what only reads may be what was asked for."""
    assert reason in (refusal_of("buy", {}, value, reads=False) or "")


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("addToCart", False),
        ("addToCart", {"added": False, "cart": []}),
        ("send_message", {"sent": False}),
        ("cancel_order", {"id": 7, "canceled": False}),
        ("cancelOrder", {"isCancelled": False}),
        ("book", {"result": {"booked": False}}),
    ],
)
def test_a_change_that_denies_itself_is_no_success(tool: str, value: Any) -> None:
    assert refusal_of(tool, {"id": 7}, value, reads=False) == "the site says that it was not done"
    assert refusal_of(tool, {"id": 7}, value, reads=True) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "value"),
    [
        ("toggleMute", {}, False),
        ("stopRecording", {}, {"recording": False}),
        ("stop_timer", {}, False),
        ("set_alarm", {"on": True}, False),
        ("mute", {"muted": False}, {"muted": False}),
        ("addToCart", {"id": 7}, {"added": True, "gift": False}),
        ("place_order", {"id": 7}, {"paid": False, "order": 3}),
    ],
)
def test_what_is_off_is_no_failure(tool: str, arguments: dict[str, Any], value: Any) -> None:
    """`false` may be what a switch was set to, or may be about something else."""
    assert refusal_of(tool, arguments, value, reads=False) is None


@pytest.mark.parametrize(
    "value",
    [
        {"status": "failed", "id": 7},
        "error: disk full",
        {"errors": ["a"]},
        {"result": {"ok": False}},
    ],
)
def test_a_look_may_find_failures(value: Any) -> None:
    """The state of an order, or the lines of a log."""
    assert refusal_of("orders", {}, value, reads=True) is None


@pytest.mark.parametrize("value", [{"status": "ready"}, {"errors": []}, "errors: 0", {"state": 3}])
def test_a_change_that_was_made_is_a_success(value: Any) -> None:
    assert refusal_of("order", {}, value, reads=False) is None
