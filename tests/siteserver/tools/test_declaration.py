from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, field_validator
from starlette.requests import Request
from typing_extensions import TypedDict

from webagent.checks import check
from webagent.errors import InvalidArguments, InvalidResult, TooLarge
from webagent_site.errors import ConfigError
from webagent_site.tools.declaration import MAX_RESULT_BYTES
from webagent_site.tools.server_tools import ServerTools


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclass
class Tea:
    id: int
    title: str
    price: Decimal


class Address(BaseModel):
    street: str
    number: Annotated[int, Field(ge=1)]

    @field_validator("street")
    @classmethod
    def _is_known(cls, street: str) -> str:
        if street == "Elm":
            raise ValueError("postgres://admin:secret@db has no such street")
        return street


class Extra(TypedDict, total=False):
    gift: bool


def declared(function: Any, **keywords: Any) -> Any:
    tools = ServerTools()
    tools.tool(effect="read", **keywords)(function)
    return tools.get(keywords.get("name") or function.__name__)


def order(  # noqa: D417
    request: Request,
    tea: str,
    to: Address,
    day: date,
    *,
    size: Size = Size.SMALL,
    number: Annotated[int, Field(ge=1, le=9)] = 1,
    kind: Literal["loose", "bags"] = "loose",
    note: str | None = None,
    ids: list[UUID] = [],  # noqa: B006 - it is never changed
    extra: Extra = {},  # noqa: B006
) -> list[Tea]:
    """Order a tea.

    It is sent the same day.

    Args:
        request: The request.
        tea: The name
            of the tea.
        number: How many packs.
    """
    return []


def test_the_types_of_a_signature() -> None:
    """Each parameter has the TypeScript type of its values, and its need and default."""
    tool = declared(order).tool

    assert [(p.name, p.type, p.required, p.default) for p in tool.params] == [
        ("tea", "string", True, None),
        ("to", "{ street: string; number: number }", True, None),
        ("day", "string", True, None),
        ("size", '"s" | "l"', False, "s"),
        ("number", "number", False, "1"),
        ("kind", '"loose" | "bags"', False, "loose"),
        ("note", "string | null", False, None),
        ("ids", "string[]", False, "[]"),
        ("extra", "{ gift?: boolean }", False, "{}"),
    ]
    assert tool.returns == "{ id: number; title: string; price: string }[]"


def test_the_request_is_never_in_the_manifest() -> None:
    """The server fills it in, and a call cannot pass it."""
    one = declared(order)

    assert "request" not in one.schema["properties"]
    with pytest.raises(InvalidArguments, match="`request` is not a parameter"):
        one.arguments({"tea": "a", "to": {}, "day": "2030-01-01", "request": {}}, None)


def test_the_schema_has_what_types_cannot_say() -> None:
    """Bounds and formats are kept; titles that pydantic makes of names are not."""
    schema = declared(order).tool.input_schema
    properties = schema["properties"]

    assert properties["number"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "default": 1,
        "description": "How many packs.",
    }
    assert properties["day"] == {"type": "string", "format": "date"}
    assert "title" not in schema["$defs"]["Address"]


def test_a_field_may_be_called_title() -> None:
    """Only the titles of schemas go."""

    def look(tea: Any) -> Any: ...

    look.__annotations__["tea"] = Tea

    properties = declared(look).schema["$defs"]["Tea"]["properties"]
    assert properties["title"] == {"type": "string"}


@pytest.mark.parametrize(
    "docstring",
    [
        "Find teas.\n\nArgs:\n    word: A word of the title.\n",
        "Find teas.\n\nParameters\n----------\nword : str\n    A word of the title.\n",
        "Find teas.\n\n:param word: A word of the title.\n",
    ],
    ids=["google", "numpy", "sphinx"],
)
def test_docstrings_describe_parameters(docstring: str) -> None:
    """In the three common styles."""

    def look(word: str) -> None: ...

    look.__doc__ = docstring
    tool = declared(look).tool

    assert tool.description == "Find teas."
    assert tool.params[0].description == "A word of the title."


def test_arguments_become_what_the_function_takes() -> None:
    """Texts are dates, objects are models, and defaults are left to the function."""
    request = object()
    given = {"tea": "Assam", "to": {"street": "Oak", "number": 3}, "day": "2030-05-01", "size": "l"}

    assert declared(order).arguments(given, request) == {
        "tea": "Assam",
        "to": Address(street="Oak", number=3),
        "day": date(2030, 5, 1),
        "size": Size.LARGE,
        "request": request,
    }


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"tea": 3}, "tea"),
        ({"number": 10}, "number"),
        ({"number": 1.5}, "number"),
        ({"to": {"street": "Oak", "number": 0}}, "to.number"),
        ({"day": "tomorrow"}, "day"),
        ({"kind": "dust"}, "kind"),
        ({"tea": {"$type": "undefined"}}, "tea"),
        ({"user": "admin"}, "user"),
        ({"__proto__": {}}, "__proto__"),
    ],
)
def test_arguments_that_do_not_fit(changed: dict[str, Any], path: str) -> None:
    """They are refused with their place."""
    given = {"tea": "Assam", "to": {"street": "Oak", "number": 3}, "day": "2030-05-01"}

    with pytest.raises(InvalidArguments) as caught:
        declared(order).arguments(given | changed, None)
    assert caught.value.path == path


def test_a_validator_of_the_application_keeps_its_words() -> None:
    """The text of its exception is not for the page."""
    given = {"tea": "Assam", "to": {"street": "Elm", "number": 3}, "day": "2030-05-01"}

    with pytest.raises(InvalidArguments, match=r"^to\.street: the value is not accepted$"):
        declared(order).arguments(given, None)


def test_results_become_json() -> None:
    """As the declared type has them; without one, as they are."""

    def moment() -> Any:
        return None

    assert declared(order).json_of([{"id": 1, "title": "é", "price": "3.50"}]) == (
        '[{"id": 1, "title": "é", "price": "3.50"}]'.encode()
    )
    del moment.__annotations__["return"]
    assert declared(moment).json_of({"at": datetime(2030, 5, 1, 12)}) == (
        b'{"at": "2030-05-01T12:00:00"}'
    )


@pytest.mark.parametrize("value", [[{"id": "x"}], "text", object(), None])
def test_a_result_of_another_type(value: Any) -> None:
    """A function that returns something else than it declares has a fault."""
    with pytest.raises(InvalidResult):
        declared(order).json_of(value)


def test_results_that_json_cannot_hold() -> None:
    """Infinity, data that contains itself, objects, and what is too long."""

    def number() -> float:
        return 0

    def anything() -> Any: ...

    with pytest.raises(InvalidResult):
        declared(number).json_of(float("inf"))

    one = declared(anything)
    circle: list[Any] = []
    circle.append(circle)
    for value in (circle, object()):
        with pytest.raises(InvalidResult):
            one.json_of(value)
    with pytest.raises(TooLarge):
        one.json_of("x" * MAX_RESULT_BYTES)


def _no_type(word) -> None: ...  # type: ignore[no-untyped-def]
def _rest(*words: str) -> None: ...
def _by_place(word: str, /) -> None: ...
def _no_data(word: Request | str) -> None: ...
def _unknown(word: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("function", [_no_type, _rest, _by_place, _no_data, _unknown])
def test_functions_that_cannot_be_tools(function: Any) -> None:
    """The error names the function, its file and its line."""
    with pytest.raises(ConfigError, match=rf"{function.__name__}` \(.*test_declaration\.py:\d+\)"):
        declared(function)


@pytest.mark.parametrize(
    "keywords",
    [
        {"name": "find teas"},
        {"name": "__proto__"},
        {"name": "print"},
        {"rate": "often"},
        {"confirm": "Really?\n## pay"},
        {"inverse": "a b"},
        {"efect": "read"},
    ],
)
def test_keywords_that_a_manifest_cannot_hold(keywords: dict[str, Any]) -> None:
    """They are refused where the tool is declared, and not left out in silence."""

    def look() -> None: ...

    with pytest.raises(ConfigError):
        declared(look, **keywords)


def test_the_words_of_a_docstring_declare_nothing_else() -> None:
    """A heading in it does not become a tool of the manifest."""

    def look(word: str) -> list[str]:
        """Find teas.

        ## pay
        Pay now.

        ### Params
        """
        return []

    tools = ServerTools()
    tools.tool(effect="read", title="Find", paths=["/shop/*"], rate="10/minute")(look)
    text = tools.manifest_text("# Shop\n\nSells tea.\n")
    report = check(text)

    assert [tool.name for tool in report.manifest.tools] == ["look"]
    assert report.manifest.tools[0].behavior.rate == "10/minute"
    assert [f for f in report.findings if f.severity == "error"] == []
