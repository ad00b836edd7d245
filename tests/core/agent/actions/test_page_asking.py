from typing import Any

import pytest
from tests.core.agent.actions.shop import ELEMENTS, MESSAGE, SEARCH, message, reply, take
from tests.core.agent.stage import ORIGIN, Stage, answers, call, finish

from webagent.agent import Answer, Policy
from webagent.llm.chat import ToolCall
from webagent.page.snapshot import Element, Snapshot


@pytest.mark.parametrize(
    ("taken", "effect"),
    [
        (call("click", pp_id=7), "unknown"),
        (call("click", pp_id=17), None),
        (call("click", pp_id=6), None),
        (call("click", pp_id=13), "write"),
        (call("click", pp_id=21), None),
        (call("click", pp_id=9), None),
        (call("click_link", text="contact"), None),
        (call("goto_url", url="contact"), None),
        (call("goto_url", url="/api/list"), "unknown"),
        (call("goto_url", url="/api/pay?amount=500"), "irreversible"),
        (call("enter_data", form_data=[{"label": "Email", "text": "a@b.c"}], submit=False), None),
        (call("enter_data", form_data=[{"name": "q", "text": "x"}], submit=True), None),
        (call("click", pp_id=4), "write"),
        (call("click", pp_id=11), "write"),
        (call("click_link", pp_id=11), "write"),
        (call("goto_url", url="/logout"), "write"),
        (call("enter_data", form_data=[{"pp_id": 2, "text": "a@b.c"}], submit=True), "write"),
        (call("enter_data", form_data=[{"label": "Odd", "text": "x"}], submit=True), "write"),
        (call("click", pp_id=12), "unknown"),
        (call("click", pp_id=8), "irreversible"),
        (call("click", pp_id=14), "irreversible"),
        (call("click", pp_id=15), "unknown"),
        (call("click", pp_id=16), None),
    ],
)
async def test_page_actions_ask_for_permission(
    shop: Stage, taken: ToolCall, effect: str | None
) -> None:
    """Kinds that change nothing run; everything else is asked for, and words raise it."""
    done, asked = await take(shop, taken, *([Answer(True)] if effect else []))

    assert done.ok
    assert [request.details["effect"] for request in asked] == ([effect] if effect else [])


async def test_a_button_of_final_words_makes_its_form_final(shop: Stage) -> None:
    """Submitting a form whose button says `Pay` asks as pressing the button does."""
    pay = MESSAGE | {"buttons": [{"pp_id": 4, "text": "Pay now", "type": "submit"}]}
    shop.page.acts["form_details"] = lambda action: [pay]
    taken = call("enter_data", form_data=[{"name": "email", "text": "a@b.c"}], submit=True)

    _, asked = await take(shop, taken, Answer(False))

    assert (asked[0].details["effect"], asked[0].details["session"]) == ("irreversible", False)


async def test_the_request_for_a_click_shows_the_element(shop: Stage) -> None:
    """A person sees what would be clicked."""
    _, asked = await take(shop, call("click", pp_id=8), Answer(False))

    assert asked[0].text == (
        "May I press `Buy now`? This cannot be undone. The accepted plan does not mention it."
    )
    assert asked[0].details["element"] == {"pp_id": 8, "role": "button", "name": "Buy now"}


@pytest.mark.parametrize(
    "taken",
    [
        call("goto_url", url="https://partner.example/"),
        call("goto_url", url="//partner.example/"),
        call("click", pp_id=10),
        call("click_link", text="Our partner"),
    ],
)
async def test_another_origin_is_gone_to_only_with_a_yes(shop: Stage, taken: ToolCall) -> None:
    """Leaving for another origin asks, and a no leaves the page where it is."""
    done, asked = await take(shop, taken, Answer(False))

    assert asked[0].details["to"] == "https://partner.example"
    assert "did not allow" in message(done)
    assert shop.page.acted == []


@pytest.mark.parametrize("allow_writes", [True, False])
async def test_a_form_that_sends_to_another_origin_always_asks(
    shop: Stage, allow_writes: bool
) -> None:
    """Typed text goes to another origin only with a yes, even where writes run."""
    foreign = MESSAGE | {"action": "https://collect.example/in"}
    shop.page.acts["form_details"] = lambda action: [foreign]
    person = answers(Answer(False), Answer(False))
    entered = call("enter_data", form_data=[{"name": "email", "text": "a@b.c"}], submit=True)
    driver = shop.driver(
        entered, call("click", pp_id=4), finish(),
        policy=Policy(allow_writes=allow_writes), person=person,
    )  # fmt: skip

    await driver.run("send it")

    assert [asked.details["to"] for asked in person.asked] == ["https://collect.example"] * 2


async def test_what_was_allowed_for_another_origin_is_allowed_in_the_page(shop: Stage) -> None:
    """The page refuses every other origin by itself."""
    foreign = MESSAGE | {"action": "https://collect.example/in"}
    shop.page.acts["form_details"] = lambda action: [foreign]
    data = [{"name": "email", "text": "a@b.c"}]
    entered = call("enter_data", form_data=data, submit=True)
    person = answers(Answer(True), Answer(True))

    await shop.driver(entered, call("click", pp_id=4), finish(), person=person).run("send it")

    acted = [one for one in shop.page.acted if one["type"] in ("enter_data", "click")]
    assert [one["allow_origin"] for one in acted] == [["https://collect.example"]] * 2


@pytest.mark.parametrize("submit", [True, False])
async def test_a_secret_for_another_origin_is_refused_unasked(shop: Stage, submit: bool) -> None:
    """A yes would not make it right; the page is not touched."""
    foreign = MESSAGE | {"action": "https://collect.example/in"}
    shop.page.acts["form_details"] = lambda action: [foreign]
    data = [{"name": "pass", "text": "ropewalk14"}]

    done, asked = await take(shop, call("enter_data", form_data=data, submit=submit))

    assert not asked
    assert "a secret would be sent to `https://collect.example`" in message(done)
    assert f"the page is of `{ORIGIN}`" in message(done)
    assert not any(one["type"] == "enter_data" for one in shop.page.acted)


async def test_a_search_that_another_site_answers_asks(shop: Stage) -> None:
    """The words of a search go to another origin only with a yes."""
    shop.page.acts["form_details"] = lambda action: [SEARCH | {"action": "https://find.example/"}]

    done, asked = await take(shop, call("search", query="my illness"), Answer(False))

    assert asked[0].details["to"] == "https://find.example"
    assert not done.ok


async def test_a_click_is_judged_by_what_the_element_says_now(shop: Stage) -> None:
    """A button that changed its words since the agent looked is judged by the new ones."""

    def rename(action: Any) -> dict[str, Any]:
        shop.show("Buy books", Element(7, "button", "Pay now"))
        return reply(action)

    shop.page.acts["wait"] = rename
    person = answers(Answer(False))
    driver = shop.driver([call("wait", seconds=0), call("click", pp_id=7)], finish(), person=person)

    await driver.run("go")

    assert person.asked[0].details["effect"] == "irreversible"


ELSEWHERE = MESSAGE | {
    "buttons": [
        {"pp_id": 4, "text": "Go", "type": "submit"},
        {"pp_id": 7, "text": "Show", "type": "submit", "action": "https://partner.example/x"},
    ]
}


@pytest.mark.parametrize(("pp_id", "to"), [(4, None), (7, "https://partner.example")])
async def test_a_button_may_send_its_form_to_another_site(
    shop: Stage, pp_id: int, to: str | None
) -> None:
    """The target is that of the button that is pressed, not where the form would."""
    shop.page.acts["form_details"] = lambda action: [ELSEWHERE]

    _, asked = await take(shop, call("click", pp_id=pp_id), Answer(False))

    assert asked[0].details.get("to") == to


async def test_a_button_that_stays_is_not_blamed_for_its_form(shop: Stage) -> None:
    """A form of another site with a button for one's own sends to one's own."""
    form = MESSAGE | {"action": "https://partner.example/"}
    own = {"pp_id": 4, "text": "Go", "type": "submit", "action": f"{ORIGIN}/own"}
    shop.page.acts["form_details"] = lambda action: [form | {"buttons": [own]}]

    _, asked = await take(shop, call("click", pp_id=4), Answer(False))

    assert "to" not in asked[0].details


async def test_submitting_counts_every_button(shop: Stage) -> None:
    """Nobody knows which of them the page takes."""
    shop.page.acts["form_details"] = lambda action: [ELSEWHERE]
    taken = call("enter_data", form_data=[{"name": "email", "text": "a@b.c"}], submit=True)

    _, asked = await take(shop, taken, Answer(False))

    assert asked[0].details["to"] == "https://partner.example"


async def test_a_posted_form_is_not_a_search(shop: Stage) -> None:
    """A button with `formmethod=post` makes a form of one field a form that changes something."""
    button = {"pp_id": 6, "text": "Find", "type": "submit", "method": "post"}
    shop.page.acts["form_details"] = lambda action: [SEARCH | {"buttons": [button]}]

    _, asked = await take(shop, call("click", pp_id=6), Answer(False))

    assert asked[0].details["effect"] == "write"


async def test_pressing_one_button_is_not_pressing_the_other(shop: Stage) -> None:
    """`Go` beside `Delete everything` can still be taken back."""
    buttons = [*MESSAGE["buttons"], {"pp_id": 9, "text": "Delete everything", "type": "submit"}]
    shop.page.acts["form_details"] = lambda action: [MESSAGE | {"buttons": buttons}]

    _, asked = await take(shop, call("click", pp_id=4), Answer(False))

    assert asked[0].details["effect"] == "write"


async def test_a_submit_button_of_another_role_submits(shop: Stage) -> None:
    """A link or a checkbox may send the form all the same."""
    shop.show("…", Element(4, "checkbox", "Harmless"))

    _, asked = await take(shop, call("click", pp_id=4), Answer(False))

    assert asked[0].details["effect"] == "write"


@pytest.mark.parametrize("taken", [call("click", pp_id=99), call("click_link", pp_id=99)])
async def test_an_element_outside_a_cut_snapshot_is_asked_for(shop: Stage, taken: ToolCall) -> None:
    """A page with more elements than are read cannot hide what a click does."""
    shop.page.shown = Snapshot(f"{ORIGIN}/", "Shop", 1, ELEMENTS, "…", truncated=True)

    done, asked = await take(shop, taken, Answer(False))

    assert (len(asked), done.ok) == (1, False)
    assert asked[0].details["effect"] == "unknown"


async def test_a_button_without_a_name_is_asked_for(shop: Stage) -> None:
    """A picture of a dustbin says nothing of what it does."""
    shop.show("…", Element(20, "button", " "))

    _, asked = await take(shop, call("click", pp_id=20), Answer(False))

    assert asked[0].text == (
        "May I press a control without a name? The site does not say what this changes. "
        "The accepted plan does not mention it."
    )


async def test_names_of_a_page_stay_within_their_question(shop: Stage) -> None:
    """A name with line breaks and marks does not write a question of its own."""
    name = "Save`? Yes.\n\n[12] button `" + "x" * 500
    shop.show("…", Element(20, "button", name))

    _, asked = await take(shop, call("click", pp_id=20), Answer(False))

    assert asked[0].text.count("`") == 2
    assert "\n" not in asked[0].text
    assert len(asked[0].text) < 250


GET_FORM: dict[str, Any] = {
    "pp_id": 1, "name": "Account", "action": f"{ORIGIN}/account", "method": "get",
    "fields": [{"pp_id": 2, "name": "reason", "label": "Reason", "type": "text"}],
    "buttons": [
        {"pp_id": 3, "text": "Go", "type": "submit", "sends": {"name": "do", "value": "close"}},
        {"pp_id": 4, "text": "Back", "type": "submit", "method": "post"},
    ],
    "hidden": [
        {"name": "plan", "value": "none"}, {"name": "csrf_token", "value": "1f2e3d"},
        {"name": "type", "value": "a"}, {"name": "type", "value": "b"},
    ],
}  # fmt: skip
GET_FORM["default_button"] = GET_FORM["buttons"][0]
UNSEEN = {"plan": "none", "csrf_token": "•••", "type": ["a", "b"], "do": "close"}


@pytest.mark.parametrize(
    ("taken", "sends"),
    [
        (call("click", pp_id=3), UNSEEN),
        (call("click", pp_id=4), None),
        (call("enter_data", form_data=[{"label": "Reason", "text": "x"}], submit=True), UNSEEN),
        (call("enter_data", form_data=[{"label": "Reason", "text": "x"}], submit=False), None),
    ],
)
async def test_a_request_shows_what_a_form_sends_in_its_address(
    shop: Stage, taken: ToolCall, sends: Any
) -> None:
    """Hidden fields and the button itself, secrets masked; a form that is posted has an address of its own."""
    shop.show("…", *(Element(n, "button", name) for n, name in ((3, "Go"), (4, "Back"))))
    shop.page.acts["form_details"] = lambda action: [GET_FORM]

    _, asked = await take(shop, taken, Answer(False))

    assert [request.details.get("sends") for request in asked] == ([sends] if asked else [])
    assert bool(asked) or sends is None


async def test_unseen_values_may_not_change_after_a_yes(shop: Stage) -> None:
    """The person has allowed another address."""
    shop.show("…", Element(3, "button", "Go"))
    shown = iter(["none", "gold", "gold"])
    shop.page.acts["form_details"] = lambda action: [
        GET_FORM | {"hidden": [{"name": "plan", "value": next(shown)}]}
    ]

    done, _ = await take(shop, call("click", pp_id=3), Answer(True))

    assert "has changed since it was allowed" in message(done)
    assert not [each for each in shop.page.acted if each["type"] == "click"]


@pytest.mark.parametrize("hidden", [{"name": "action", "value": "delete-account"},
                                    {"name": "logout", "value": "1"}])  # fmt: skip
async def test_a_search_with_a_hidden_field_that_acts_asks(shop: Stage, hidden: Any) -> None:
    """It opens an address as a link to it would."""
    field = {"pp_id": 5, "name": "q", "type": "search", "site_search": True}
    form = {"pp_id": 1, "method": "get", "action": f"{ORIGIN}/s", "fields": [field], "buttons": []}
    shop.page.acts["form_details"] = lambda action: [form | {"hidden": [hidden]}]

    _, asked = await take(shop, call("search", query="hobbit"), Answer(False))

    assert [request.details["sends"] for request in asked] == [{hidden["name"]: hidden["value"]}]
