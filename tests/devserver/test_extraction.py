"""Drafts of tools, from the names, forms and functions of pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from webagent import parse
from webagent.modelcontext import from_json_schema
from webagent.types import Behavior, Manifest, Param, Tool
from webagent_dev.extract.crawl import Queue, key, leads_on
from webagent_dev.extract.draft import draft, patterns
from webagent_dev.extract.forms import (
    effect_of,
    form_description,
    name_as_sentence,
    name_of,
    readable_schema,
)
from webagent_dev.extract.functions import function_tool
from webagent_dev.extract.page_reader import PageReading
from webagent_dev.extract.sample_call import with_sample
from webagent_dev.extract.side_effects import changes_nothing


def reading(path: str, *tools: Tool) -> PageReading:
    return PageReading(path, "Shop", "Books.", tools, (), (), secure=True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("addToBasket", "Add to basket."),
        ("getURLFor2Pages", "Get url for2 pages."),
        ("login", "Login."),
    ],
)
def test_a_name_reads_as_a_sentence(name: str, words: str) -> None:
    """Its words in their order."""
    assert name_as_sentence(name) == words


def test_a_tool_of_every_page_has_no_paths() -> None:
    """A tool of some pages lists their paths."""
    both, one = Tool(name="findAll"), Tool(name="payNow", behavior=Behavior(effect="write"))
    text, _ = draft(Manifest(), [reading("/", both), reading("/pay", both, one)])
    manifest = parse(text)

    assert manifest.tools[0].behavior.paths == ()
    assert manifest.tools[1].behavior.paths == ("/pay",)
    assert manifest.tools[1].behavior.effect == "write"


def test_a_tool_that_no_manifest_can_name_is_left_out() -> None:
    """The other tools have no errors."""
    odd = Tool(name="a b `c`\n## d", params=[Param(name="x", type="Array<")])
    text, left_out = draft(Manifest(), [reading("/", odd, Tool(name="findAll"))])

    assert parse(text).tool_names[-1] == "findAll"
    assert len(left_out) <= 1


@pytest.mark.parametrize(
    ("link", "follows"),
    [
        ("https://a.example/app/b", True),
        ("https://a.example/app/b.html?x=1#y", True),
        ("https://a.example/other", False),
        ("https://b.example/app/b", False),
        ("http://a.example/app/b", False),
        ("https://a.example/app/plan.pdf", False),
        ("https://a.example/app/logout", False),
        ("https://a.example/app/item?do=delete", False),
        ("mailto:a@b.example", False),
    ],
)
def test_links_are_followed_within_the_site(link: str, follows: bool) -> None:
    """Links that act or download are not followed."""
    assert leads_on(link, "https://a.example/app/index.html") is follows


def test_the_same_page_is_read_once() -> None:
    """Query and fragment make no difference, nor does `index.html`."""
    assert key("https://a/b/index.html?q=1") == key("https://a/b/#x") == "/b/"


def form(*controls: str, **given: Any) -> dict[str, Any]:
    """Return a form with controls of these names, as it is found in a page."""
    control = {"id": "", "type": "text", "label": "", "group": "", "placeholder": "", "value": ""}
    keys = "id name label method action legend heading intro button toolname tooldescription"
    texts = dict.fromkeys(keys.split(), "")
    found = {
        "search": False,
        "inside": False,
        "controls": [control | {"name": n} for n in controls],
    }
    return texts | found | given


@pytest.mark.parametrize(
    ("given", "about", "name"),
    [
        ({"id": "booking-form", "heading": "Book your stay"}, "", "bookStay"),
        ({"heading": "Find a room", "button": "Show"}, "", "findRoom"),
        ({"id": "filter", "button": "Filter"}, "Bikes", "filterBikes"),
        ({"name": "login", "heading": "Log in"}, "Log in", "login"),
        ({"button": "Subscribe to our newsletter"}, "", "subscribeToNewsletter"),
        ({"heading": "Write to us", "button": "Send"}, "", "writeToUs"),
        ({"heading": "About us", "button": "Join us now"}, "", "joinUs"),
        ({"heading": "Zimmer suchen", "button": "Los"}, "", "zimmerSuchen"),
        ({"heading": "Réserver une table"}, "", "reserverTable"),
        (
            {"heading": "お問い合わせ", "action": "/contact.php", "method": "post"},
            "",
            "sendContact",
        ),
        ({"heading": "お問い合わせ", "button": "送信"}, "", "sendForm"),
        ({"search": True, "button": "Go", "action": "/"}, "", "search"),
        ({"search": True, "heading": "Books we have read to the end"}, "", "search"),
        ({"heading": "Weekly order", "button": "Go"}, "", "sendWeeklyOrder"),
    ],
)
def test_a_form_is_named_by_what_it_does(given: dict[str, Any], about: str, name: str) -> None:
    """Its name is a verb with an object, in the page's own words."""
    assert name_of(form("q", **given), about) == name


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"heading": "Find a room", "intro": "With breakfast."}, "Find a room. With breakfast."),
        ({"heading": "Bikes", "button": "Filter"}, "Filter bikes."),
        ({"heading": "お問い合わせ"}, "お問い合わせ"),
        ({"heading": "Bikes", "tooldescription": "Mine"}, "Mine"),
    ],
)
def test_a_form_is_described_in_the_words_of_the_page(given: dict[str, Any], text: str) -> None:
    """The action comes first; the paragraph below a heading adds to it."""
    assert form_description(form("q", **given), "filterBikes") == text


@pytest.mark.parametrize(
    ("given", "name", "effect"),
    [
        ({"method": "post", "button": "Save"}, "saveName", "write"),
        ({"method": "post", "button": "Book now"}, "bookStay", "irreversible"),
        ({"method": "post", "button": "Go"}, "cancelBooking", "irreversible"),
        ({"action": "/rooms", "button": "Apply"}, "findRoom", "read"),
        ({"action": "/x", "button": "Delete account"}, "deleteAccount", "irreversible"),
        ({"button": "Filter"}, "filterBikes", "unknown"),
        ({"search": True, "button": "Filter"}, "filterBikes", "read"),
        ({"button": "Go"}, "askForCall", "unknown"),
        ({"button": "Send"}, "sendMessage", "irreversible"),
    ],
)
def test_the_effect_of_a_form(given: dict[str, Any], name: str, effect: str) -> None:
    """It follows from the method, or from the words of a form that scripts send."""
    assert effect_of(form("q", **given), name) == effect


@pytest.mark.parametrize(
    ("schema", "controls", "expected"),
    [
        (
            {"type": "string", "enum": ["", "de"], "anyOf": [{"const": "de", "title": "Germany"}]},
            [{}],
            {"type": "string", "enum": ["de"], "description": "`de` Germany"},
        ),
        (
            {"type": "string", "enum": ["red"], "anyOf": [{"const": "red", "title": "Red wine"}]},
            [{"label": "Wine"}],
            {"type": "string", "enum": ["red"], "description": "Wine"},
        ),
        (
            {"type": "number", "minimum": 1, "multipleOf": 1, "description": "Nights"},
            [{}],
            {"type": "integer", "minimum": 1, "description": "Nights, at least 1"},
        ),
        (
            {"type": "string", "format": "^x$", "description": "Here by"},
            [{"type": "time"}],
            {"type": "string", "pattern": "^x$", "description": "Here by, as `HH:MM`"},
        ),
        (
            {"type": "string", "enum": ["a", "b"]},
            [{"group": "Size"}, {"group": "Size"}],
            {"type": "string", "enum": ["a", "b"], "description": "Size"},
        ),
    ],
)
def test_the_schema_of_a_parameter_is_made_readable(
    schema: dict[str, Any], controls: list[dict[str, str]], expected: dict[str, Any]
) -> None:
    """Choices are listed once, with their titles if needed; bounds and formats are in words."""
    found = form(*("q" for _ in controls))
    for control, given in zip(found["controls"], controls, strict=True):
        control |= given
    tidied = readable_schema({"properties": {"q": schema}, "required": ["q"]}, found)

    assert tidied == {"type": "object", "properties": {"q": expected}, "required": ["q"]}


def test_sample_code_is_a_call_that_the_form_accepts() -> None:
    """No choice or day is used twice; without a known value there is no sample."""
    cities = {"type": "string", "enum": ["Ness", "Holm"]}
    schema = {
        "properties": {"from": cities, "to": cities, "seats": {"type": "number", "minimum": 2}},
        "required": ["from", "to", "seats"],
    }
    tool = with_sample(from_json_schema("findTrip", schema), form("from", "to", "seats"), "")
    odd = {"properties": {"code": {"type": "string", "pattern": "[0-9]{9}"}}, "required": ["code"]}

    assert tool.sample_code == 'await global.findTrip("Ness", "Holm", 2);'
    assert with_sample(from_json_schema("track", odd), form("code"), "").sample_code == ""


def test_a_comment_above_a_function_describes_it() -> None:
    """It also has the types of the parameters."""
    tool = function_tool(
        "findNote",
        [{"name": "words", "fallback": None}, {"name": "most", "fallback": "5"}],
        "*\n * Looks for notes.\n * @param {string} words What to look for\n * @param {number} [most=5]\n",
        "(words, most = 5) => notes.filter((one) => one.includes(words)).slice(0, most)",
    )

    assert tool.description == "Looks for notes."
    assert [(p.name, p.type, p.description, p.required) for p in tool.params] == [
        ("words", "string", "What to look for", True),
        ("most", "number", "", False),
    ]
    assert tool.behavior.effect == "read"


@pytest.mark.parametrize(
    "code",
    [
        "(word = '') => teas.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))",
        "async function f(q) { const r = await fetch(`/api?q=${encodeURIComponent(q)}`); return r.json(); }",
        "function f(a, b = 3) { const found = []; for (const x of all) { if (x.a > a) found.push(x); }"
        " return found.sort((p, q) => p.a - q.a).slice(0, b); }",
        "function f({ a = 1, b: { c = 2 } = {} } = {}) { const [x = 1, { y = 2 }] = a; return (p = 3) => p; }",
        "function f() { let n = 0; for (let i = 0; i < 3; i++) { n += i; } return n; }",
    ],
)
def test_code_that_changes_nothing(code: str) -> None:
    """It calculates, asks with `GET`, and fills what it made itself."""
    assert changes_nothing(code)
    assert function_tool("findNote", [], "", code).behavior.effect == "read"
    assert function_tool("useNote", [], "", code).behavior.effect == "unknown"


@pytest.mark.parametrize(
    "code",
    [
        "function f() { location.href = '/x'; return 1; }",
        "function f() { count = 3; return 1; }",
        "() => { seen ||= 1; return seen; }",
        "() => fetch('/x', { method: 'POST' })",
        "function f() { show(found); return found; }",
        "function f() { cart.push(1); return cart; }",
        "function f() { teas.sort(); return teas; }",
        "function f() { count++; return count; }",
        "function f() { delete a.b; return 1; }",
        "function f() { return localStorage.clear(); }",
        "function f() { const form = document.querySelector('form'); form.submit(); }",
        "function f() { return ((x) => x)(1); }",
        "function f() { html`x`; return a['b'](1); }",
        "function f() { new Image().src = '/pixel'; }",
        "function f() { [a, b] = [b, a]; return a; }",
        "function f() { return (await import('./x.js')).all; }",
        "function f() { return '",
        "",
    ],
)
def test_code_that_may_change_something(code: str) -> None:
    """Then the name alone does not make a function a read."""
    assert not changes_nothing(code)
    assert function_tool("findNote", [], "", code).behavior.effect == "unknown"


def test_a_registered_tool_wins_over_a_function_of_the_same_meaning() -> None:
    """Wherever each of them is; names that mean another thing stay."""
    page = reading("/", Tool(name="findTeas"), Tool(name="addTea"), Tool(name="findTins"))
    page = replace(page, functions=frozenset(("findTeas", "addTea", "findTins")))
    text, _ = draft(Manifest(), [page, reading("/shop", Tool(name="search_tea"))])

    assert parse(text).tool_names == ["addTea", "findTins", "search_tea"]


def test_similar_paths_become_one_pattern() -> None:
    """`/shop/*` if `/shop` itself has the tool, `/shop/**` if it does not."""
    shop = {"/", "/shop", "/shop/1", "/shop/2"}

    assert patterns({"/shop/1", "/shop/2"}, shop) == ["/shop/**"]
    assert patterns({"/shop", "/shop/1", "/shop/2"}, shop) == ["/shop", "/shop/*"]
    assert patterns({"/shop/1"}, shop) == ["/shop/1"]
    assert patterns({"/a/b.html", "/a/c.html"}, {"/a/b.html", "/a/c.html", "/"}) == [
        "/a/b.html",
        "/a/c.html",
    ]


def test_pages_of_all_kinds_are_read_before_many_of_one() -> None:
    """A shop with a hundred goods does not delay the page of the basket."""
    queue = Queue("https://a/")
    links = [f"https://a/goods/{number}" for number in range(9)] + ["https://a/basket/now"]
    read = [queue.next()]
    queue.add(links, "https://a/")
    read += [queue.next() for _ in range(5)]

    assert read[4] == "https://a/basket/now"
    assert queue.left() == 5


def test_paths_after_a_hash_are_pages() -> None:
    """The id of an element after a hash is not a page."""
    assert key("https://a/#/cart") != key("https://a/") == key("https://a/#cart")
