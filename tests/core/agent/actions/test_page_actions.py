import base64
from typing import Any

import pytest
from tests.core.agent.actions.shop import ELEMENTS, message, take
from tests.core.agent.stage import ORIGIN, Stage, answers, call, finish

from webagent.agent import Answer, GivenFile, default_actions
from webagent.errors import Navigated
from webagent.llm.chat import ToolCall
from webagent.page.snapshot import Element, Snapshot
from webagent.schema import check_schema


def test_the_actions_are_those_of_the_contract() -> None:
    """Every action of the contract is there, and each has a schema of one object."""
    names = {action.definition.name: action.definition for action in default_actions()}

    assert sorted(names) == sorted(
        [
            "make_plan",
            "execute_js",
            "call_tool",
            "search_tools",
            "goto_url",
            "click_link",
            "click",
            "enter_data",
            "hover",
            "drag",
            "press_key",
            "answer_dialog",
            "upload",
            "scroll",
            "wait",
            "read_file",
            "search",
            "find_code",
            "navigation_outline",
            "section_outline",
            "form_details",
            "table_details",
            "get_summary",
            "take_screenshot",
            "communicate",
            "take_note",
            "finish",
        ]
    )
    for definition in names.values():
        assert definition.parameters["type"] == "object"
        assert set(definition.parameters["required"]) <= set(definition.parameters["properties"])
        assert definition.description


@pytest.mark.parametrize(
    ("name", "kind", "arguments"),
    [
        ("find_code", "find_code", {"title": "Install"}),
        ("navigation_outline", "navigation_outline", {}),
        ("section_outline", "section_outline", {"max_text": 50}),
        ("table_details", "table_details", {"pp_id": 4}),
        ("get_summary", "summary", {}),
        ("scroll", "scroll", {"direction": "down", "amount": 100}),
        ("wait", "wait", {"seconds": 0.5}),
        ("search", "search", {"query": "hobbit"}),
    ],
)
async def test_reading_actions_pass_through(
    shop: Stage, name: str, kind: str, arguments: dict[str, Any]
) -> None:
    """An action that only reads is passed on to the page as it is, and nobody is asked."""
    done, asked = await take(shop, call(name, **arguments))

    assert (done.ok, asked) == (True, [])
    assert shop.page.acted[-1] == {"type": kind, **arguments}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("click", {}, "pp_id: expected integer, got undefined"),
        ("click", {"pp_id": "7"}, "pp_id: expected integer, got string"),
        ("click", {"pp_id": 7, "x": 1}, "x: expected no such property, got number"),
        ("scroll", {"direction": "sideways"}, 'expected "up" | "down"'),
        ("wait", {"seconds": 600}, "seconds: expected number <= 30"),
        ("enter_data", {"form_data": [], "submit": False}, "array of at least 1 item"),
        ("enter_data", {"form_data": [{"pp_id": 2}], "submit": False}, "has 0 values to enter"),
        (
            "enter_data",
            {"form_data": [{"pp_id": 2, "name": "x", "text": "y"}], "submit": False},
            "names its field in 2 ways",
        ),
        ("click_link", {}, "one of the two"),
        ("click", {"pp_id": 99}, "there is no element 99 on the page now"),
        ("goto_url", {"url": "javascript:alert(1)"}, "`javascript:alert(1)` is not the address"),
        ("goto_url", {"url": "https://[x"}, "is not the address"),
    ],
)
async def test_arguments_that_do_not_fit(
    shop: Stage, name: str, arguments: dict[str, Any], words: str
) -> None:
    """An error of the arguments says what does not fit and what to write; nothing is done."""
    done, asked = await take(shop, call(name, **arguments))

    assert done.error is not None
    assert (done.error["kind"], asked) == ("invalid_arguments", [])
    assert words in done.error["message"]
    assert done.error["help"].startswith(("write", "take"))
    assert not [a for a in shop.page.acted if a["type"] != "form_details"]


async def test_leaving_the_page_is_waited_for(shop: Stage) -> None:
    """An action that navigates ends when the next page is there, and says where that is."""
    looks = 0

    async def snapshot() -> Snapshot:
        nonlocal looks
        looks += 1
        path = "/contact" if looks > 3 else "/"
        return Snapshot(ORIGIN + path, "Shop", 9, ELEMENTS, "…")

    def go(action: Any) -> dict[str, Any]:
        shop.page.snapshot = snapshot  # type: ignore[method-assign]
        return {"did": "clicked", "navigates": True, "url": f"{ORIGIN}/contact"}

    shop.page.acts["click"] = go
    done, _ = await take(shop, call("click", pp_id=9))

    assert done.value == {
        "did": "clicked", "navigates": True, "navigated": True, "url": f"{ORIGIN}/contact",
    }  # fmt: skip
    assert shop.told("navigating")[0]["url"] == f"{ORIGIN}/contact"
    assert shop.clock.slept


async def test_a_page_that_is_never_left_is_given_up(shop: Stage) -> None:
    """A navigation that does not happen, such as a download, holds nothing up for ever."""
    shop.page.acts["click"] = lambda action: {"navigates": True, "url": f"{ORIGIN}/file.zip"}

    done, _ = await take(shop, call("click", pp_id=9))

    assert done.value["url"] == f"{ORIGIN}/"
    assert sum(shop.clock.slept) == pytest.approx(10)


async def test_an_act_that_lost_its_page_has_navigated(shop: Stage) -> None:
    """A click whose answer the navigation swallowed went well."""

    def go(action: Any) -> Any:
        shop.show("Contact", path="/contact")
        raise Navigated("the page was left")

    shop.page.acts["click"] = go
    done, _ = await take(shop, call("click", pp_id=9))

    assert done.value == {"navigates": True, "navigated": True, "url": f"{ORIGIN}/contact"}


async def test_a_password_is_a_secret_from_the_moment_it_is_entered(shop: Stage) -> None:
    """The text for a password field is in no event of the run."""
    data = [{"name": "pass", "text": "ropewalk14"}]
    await take(shop, call("enter_data", form_data=data, submit=False))

    assert shop.page.acted[-1]["form_data"] == data
    assert "ropewalk14" not in str(shop.events)


async def test_a_file_is_asked_for_once(shop: Stage) -> None:
    """Files are asked for when they are needed, read as text, and entered by name."""
    cv = GivenFile("cv.txt", "text/plain", b"Ada Lovelace")
    person = answers(Answer(True, files=(cv,)))
    upload = call("enter_data", form_data=[{"label": "CV", "files": ["cv.txt"]}], submit=False)
    driver = shop.driver(call("read_file", filename="cv.txt"), upload, finish(), person=person)

    result = await driver.run("apply")

    assert result.run.done()[0].value == {
        "name": "cv.txt", "type": "text/plain", "size": 12, "text": "Ada Lovelace",
    }  # fmt: skip
    assert [request.kind for request in person.asked] == ["file"]
    assert person.asked[0].details == {"filename": "cv.txt"}
    entered = shop.page.acted[-1]["form_data"][0]["files"]
    assert base64.b64decode(entered[0]["data"]) == b"Ada Lovelace"


async def test_a_binary_file_is_known_by_name(shop: Stage) -> None:
    """Of bytes that are not text only name, type and size are returned."""
    photo = GivenFile("me.png", "image/png", b"\x89PNG")

    done, _ = await take(shop, call("read_file", filename="me.png"), Answer(True, files=(photo,)))

    assert done.value == {"name": "me.png", "type": "image/png", "size": 4}


async def test_a_file_that_is_not_given_is_a_denial(shop: Stage) -> None:
    """A person who does not want to give a file says so, and the agent hears it."""
    done, _ = await take(shop, call("read_file", filename="cv.txt"), Answer(False, "not that one"))

    assert message(done) == "the person did not give the file `cv.txt` and said: not that one"


async def test_a_picture_is_kept_beside_the_run(shop: Stage) -> None:
    """The result of a picture is its name and size; the picture itself is a file of the result."""
    data = base64.b64encode(b"\x89PNG").decode()
    shop.page.acts["screenshot"] = lambda action: {"data": data, "width": 4, "height": 3}
    driver = shop.driver(call("take_screenshot"), finish())

    result = await driver.run("take a picture")

    assert result.run.done()[0].value == {"file": "screenshot-1.png", "width": 4, "height": 3}
    assert [file.data for file in result.files] == [b"\x89PNG"]
    assert result.to_dict()["files"][0]["data"] == data
    assert data not in str(result.run.to_dict())


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"marks": 7, "unmarked": 0}, "7 elements, each with its pp_id"),
        (
            {"marks": 100, "unmarked": 3},
            "100 elements, each with its pp_id; "
            "3 more are not marked - take a picture of a part to mark them",
        ),
        ({"marks": 0, "unmarked": "x"}, "0 elements, each with its pp_id"),
    ],
)
async def test_the_marks_of_a_picture_are_counted(
    shop: Stage, counts: dict[str, Any], words: str
) -> None:
    """The reply says what the marks are, and how many are left out."""
    data = base64.b64encode(b"\x89PNG").decode()
    shop.page.acts["screenshot"] = lambda action: {"data": data, "width": 4, "height": 3, **counts}

    done, asked = await take(shop, call("take_screenshot", marks=True))

    assert (done.value["marks"], asked) == (words, [])
    assert shop.page.acted[-1] == {"type": "screenshot", "marks": True}


@pytest.mark.parametrize("marks", [None, True, "7", [1]])
async def test_marks_that_the_page_does_not_count_are_an_error(shop: Stage, marks: Any) -> None:
    """A page's side that says nothing of its marks is not believed."""
    picture = {"data": base64.b64encode(b"\x89PNG").decode(), "marks": marks}
    shop.page.acts["screenshot"] = lambda action: picture

    done, _ = await take(shop, call("take_screenshot", marks=True))

    assert message(done) == "the page did not say what it has marked"


@pytest.mark.parametrize("broken", [None, {}, {"data": "§"}, {"data": 3}])
async def test_a_broken_picture_is_an_error(shop: Stage, broken: Any) -> None:
    """A page's side that gives no picture is not believed."""
    shop.page.acts["screenshot"] = lambda action: broken

    done, _ = await take(shop, call("take_screenshot"))

    assert message(done) == "the page gave no picture"


async def test_words_without_a_question_ask_nothing(shop: Stage) -> None:
    """Without a question nobody is asked."""
    done, asked = await take(shop, call("communicate", summary="found three"))

    assert (done.value, asked) == (None, [])
    assert shop.told("text")[0] == {
        "run_id": shop.told("text")[0]["run_id"],
        "type": "text",
        "text": "found three",
        "final": True,
    }


async def test_a_question_brings_an_answer(shop: Stage) -> None:
    """The person's answer is the result; no answer is a denial."""
    asks = call("communicate", summary="", question="Which one?")
    done, asked = await take(shop, asks, Answer(True, "the red one"))
    assert done.value == {"answer": "the red one"}
    assert asked[0].text == "Which one?"

    done, _ = await take(shop, asks, Answer(False))
    assert message(done) == "there is no answer to `Which one?` - the question was put aside"


async def test_a_secret_is_asked_for_as_one(shop: Stage) -> None:
    """The answer to a question for a password is marked, masked, and filled in for the mask."""
    person = answers(Answer(True, "ropewalk14"))
    entered = call(
        "enter_data",
        form_data=[{"label": "Password", "text": "•••"}, {"name": "email", "text": "a@b.c"}],
        submit=False,
    )
    driver = shop.driver(
        call("communicate", summary="", question="What is your password?"),
        entered,
        call("call_tool", name="login", arguments={"password": "•••"}),
        finish(),
        person=person,
    )

    result = await driver.run("sign in")

    assert person.asked[0].details["secret"] is True
    assert shop.page.acted[-1]["form_data"][0]["text"] == "ropewalk14"
    assert shop.called == [("login", "ropewalk14")]
    assert "ropewalk14" not in str(shop.events)
    assert result.run.done()[1].call.arguments["form_data"][0]["text"] == "•••"


async def test_the_mask_is_written_nowhere(shop: Stage) -> None:
    """The stand-in for a secret goes only where a secret belongs."""
    entered = call("enter_data", form_data=[{"label": "Comment", "text": "•••"}], submit=False)

    done, _ = await take(shop, entered)

    assert message(done) == "`•••` stands for a secret, and `Comment` takes none"


async def test_a_secret_that_is_not_known_is_asked_for(shop: Stage) -> None:
    """The person is asked, with a masked field; without an answer nothing is entered."""
    entered = call("enter_data", form_data=[{"label": "Password", "text": "•••"}], submit=False)

    done, asked = await take(shop, entered, Answer(True, "x"))
    assert done.ok
    assert asked[0].details == {"secret": True}
    assert shop.page.acted[-1]["form_data"] == [{"label": "Password", "text": "x", "secret": True}]

    before = len(shop.page.acted)
    done, _ = await take(shop, entered, Answer(False, "not now"))
    assert message(done) == "the person did not give the secret of `•••` and said: not now"
    assert not [a for a in shop.page.acted[before:] if a["type"] == "enter_data"]


def test_definitions_fit_the_examples_of_the_contract() -> None:
    """The arguments that the contract names fit the definitions."""
    definitions = {a.definition.name: a.definition.parameters for a in default_actions()}
    examples: dict[str, dict[str, Any]] = {
        "make_plan": {"plan": "I will search"},
        "execute_js": {"code": "1"},
        "call_tool": {"name": "x", "arguments": {}},
        "goto_url": {"url": "/x"},
        "click_link": {"text": "x"},
        "enter_data": {
            "form_data": [
                {"pp_id": 1, "text": "x"}, {"label": "x", "select": ["a"]},
                {"name": "x", "index": 0}, {"pp_id": 1, "check": True},
                {"pp_id": 1, "files": ["a.txt"]},
            ],
            "submit": True,
        },
        "communicate": {"summary": "x", "question": "y"},
        "finish": {"text": "x", "success": True, "data": [1]},
    }  # fmt: skip
    for name, arguments in examples.items():
        assert check_schema(arguments, definitions[name]) == [], name


@pytest.mark.parametrize(
    ("taken", "element"),
    [
        (call("click", pp_id=7), {"pp_id": 7, "role": "button", "name": "Show details"}),
        (call("click_link", pp_id=9), {"pp_id": 9, "role": "link", "name": "Contact"}),
        (call("click_link", text="contact"), {"pp_id": 9, "role": "link", "name": "Contact"}),
        (call("click_link", text="nowhere"), None),
        (
            call("enter_data", form_data=[{"name": "email", "text": "x"}], submit=False),
            {"pp_id": 2, "role": "textbox", "name": "Email"},
        ),
        (
            call("enter_data", form_data=[{"pp_id": 2, "text": "x"}] * 2, submit=False),
            None,
        ),
        (call("scroll", direction="down"), None),
    ],
)
async def test_steps_name_the_element_that_they_touch(
    shop: Stage, taken: ToolCall, element: dict[str, Any] | None
) -> None:
    """A panel and a log can say `Contact` where the action says 9."""
    shop.show("…", *ELEMENTS, Element(2, "textbox", "Email"))
    await take(shop, taken)
    (told, _) = [e for e in shop.told("step") if e["action"] == taken.name]

    assert told.get("element") == element
