import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from tests.core.agent.stage import Stage, call, finish, tool
from tests.core.agent.test_models import PLAN, driver, model

from webagent.agent import Driver, MemoryStore
from webagent.errors import InvalidArguments
from webagent.llm.chat import ToolDefinition
from webagent.llm.scripted import ScriptedModel

BOOKS = {
    "type": "object",
    "properties": {"books": {"type": "array", "items": {"$ref": "#/$defs/book"}}},
    "required": ["books"],
    "additionalProperties": False,
    "$defs": {
        "book": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "price": {"type": "number"}},
            "required": ["title", "price"],
        }
    },
}
HOBBIT = {"title": "The Hobbit", "price": 9}


class Book(BaseModel):
    title: str
    price: float

    @field_validator("price")
    @classmethod
    def _is_paid(cls, price: float) -> float:
        if price <= 0:
            raise ValueError("nothing is free")
        return price


class Found(BaseModel):
    books: list[Book]


async def test_an_answer_has_the_data_of_the_schema(stage: Stage) -> None:
    """The model sees the schema in `finish`, and its data are the result."""
    agent = driver(stage, PLAN, finish("one book", data={"books": [HOBBIT]}))

    result = await agent.run("find books", schema=BOOKS)

    assert result.ok
    assert result.data == result.value == {"books": [HOBBIT]}
    offered = _finish(model(stage).tools[-1])
    assert offered.parameters["properties"]["data"]["required"] == ["books"]
    assert offered.parameters["$defs"]["book"]["required"] == ["title", "price"]


async def test_a_pydantic_model_is_a_schema(stage: Stage) -> None:
    """The result has an object of the class, and its validators hold too."""
    free = {"books": [HOBBIT | {"price": 0}]}
    agent = driver(stage, PLAN, finish(data=free), finish(data={"books": [HOBBIT]}))

    result = await agent.run("find books", schema=Found)

    assert result.value == Found(books=[Book(title="The Hobbit", price=9)])
    assert result.data == {"books": [HOBBIT]}
    error = result.run.done()[1].error or {}
    assert (error["kind"], error["path"]) == ("invalid_result", "data.books.0.price")
    assert "nothing is free" in error["message"]


async def test_data_that_do_not_fit_go_back_to_the_model(stage: Stage) -> None:
    """The model reads where its data do not fit, and may answer again."""
    wrong = finish(data={"books": [{"title": "The Hobbit"}]})

    def correct(messages: Any, tools: Any) -> Any:
        assert "data.books[0].price: expected number, got undefined" in messages[-2].text
        return finish(data={"books": [HOBBIT]})

    result = await driver(stage, PLAN, wrong, correct).run("find books", schema=BOOKS)

    assert result.ok
    assert result.data == {"books": [HOBBIT]}


async def test_a_model_that_never_fits_the_schema_ends_the_run(stage: Stage) -> None:
    """The third such answer is the last one, and the error names the place."""
    answers = [finish(data={"books": 1}) for _ in range(9)]
    agent = driver(stage, PLAN, *answers)

    result = await agent.run("find books", schema=BOOKS)

    assert result.error is not None
    assert (result.error.kind, result.error.path) == ("invalid_result", "data.books")
    assert "expected array, got number" in result.text
    assert model(stage).left == 6
    assert result.data is None


async def test_words_are_not_the_data_that_a_caller_wants(stage: Stage) -> None:
    """Without a schema the second prose is the answer; with one it is returned."""
    prose = ["Let me think.", "One book.", finish(data={"books": [HOBBIT]})]

    result = await driver(stage, PLAN, *prose).run("find books", schema=BOOKS)
    endless = await driver(stage, PLAN, *["One book."] * 9).run("find books", schema=BOOKS)

    assert result.data == {"books": [HOBBIT]}
    assert endless.error is not None
    assert endless.error.kind == "invalid_result"


async def test_an_agent_may_give_up_without_data(stage: Stage) -> None:
    """A run that fails for another reason has no data, whatever the model adds."""
    result = await driver(stage, PLAN, finish("there are no books", False, data={"n": 1})).run(
        "find books", schema=BOOKS
    )

    assert result.error is not None
    assert (result.error.kind, result.data) == ("not_reached", None)


async def test_results_may_fit_the_schema_without_a_model(stage: Stage) -> None:
    """The planner without a model gives results as they came; otherwise the error says what to do."""
    fits = {"type": "object", "required": ["books"]}
    agent = Driver(stage.page, stage.registry, clock=stage.clock)

    found = await agent.run("search for Tolkien", schema=fits)
    other = await agent.run("search for Tolkien", schema={"type": "array"})

    assert found.ok, found.text
    assert found.data["books"][0]["id"] == "the-hobbit"
    assert other.error is not None
    assert other.error.kind == "invalid_result"
    assert other.error.help == "let a model decide, or write a schema for what the tools return"


async def test_the_schema_is_stored_with_the_run(stage: Stage) -> None:
    """On the next page the run still has to give such data."""
    store = MemoryStore()
    stage.page.functions["search"] = lambda query: agent.abandon()
    agent = driver(stage, PLAN, tool("search", query="x"), store=store)
    with pytest.raises(asyncio.CancelledError):
        await agent.run("find books", schema=BOOKS)

    later = ScriptedModel(
        finish("`search` may have found it", data=1), finish("no books", data={"books": []})
    )
    again = Driver(stage.page, stage.registry, model=later, store=store, clock=stage.clock)
    result = await again.resume()

    assert result is not None
    assert result.data == {"books": []}
    assert [done.ok for done in result.run.done() if done.call.name == "finish"] == [False, True]


_LOOP: dict[str, Any] = {}
_LOOP["items"] = _LOOP


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "objct"}, "type: expected"),
        ({"properties": {"n": {"type": 5}}}, "properties.n.type: expected"),
        ({"enum": []}, "enum: expected array of at least 1 item"),
        ({"$ref": "https://evil.example/schema"}, "$ref: expected string that matches ^#"),
        ({"description": "x" * 20_001}, "20000 at most are taken"),
        ({"a": object()}, "it is not JSON"),
        (_LOOP, "it is not JSON"),
        ([], "expected object, got array"),
        (5, "expected object, got number"),
    ],
)
async def test_a_schema_that_is_not_one_is_refused(stage: Stage, schema: Any, words: str) -> None:
    """Nothing is run for it, and the error says what is wrong."""
    with pytest.raises(InvalidArguments, match="schema of the answer") as caught:
        await driver(stage).run("go", schema=schema)

    assert words in caught.value.message
    assert caught.value.path == "schema"


async def test_references_hold_inside_finish(stage: Stage) -> None:
    """A schema that refers to itself refers to `data` there."""
    tree = {
        "type": "object",
        "properties": {"inner": {"$ref": "#"}, "kind": {"const": {"$ref": "#"}}},
    }
    agent = driver(stage, PLAN, finish(data={"inner": {"inner": 1}}), finish(data={"inner": {}}))

    result = await agent.run("go", schema=tree)

    assert result.ok
    properties = _finish(model(stage).tools[-1]).parameters["properties"]["data"]["properties"]
    assert properties["inner"] == {"$ref": "#/properties/data"}
    assert properties["kind"] == {"const": {"$ref": "#"}}


async def test_the_next_run_has_no_schema(stage: Stage) -> None:
    """A schema belongs to one run."""
    agent = driver(
        stage, PLAN, finish(data={"books": []}), PLAN, call("finish", text="a", success=True)
    )

    await agent.run("find books", schema=BOOKS)
    result = await agent.run("go")

    assert result.ok
    assert _finish(model(stage).tools[-1]).parameters["properties"]["data"] == {
        "description": "Data that was found, for a program."
    }


def _finish(tools: list[ToolDefinition]) -> ToolDefinition:
    return next(each for each in tools if each.name == "finish")
