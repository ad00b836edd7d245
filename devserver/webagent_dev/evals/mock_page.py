"""A page that has nothing but tools, whose results are mocked or made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from webagent.page.fakes import FakePage
from webagent.page.snapshot import Snapshot
from webagent_dev.evals.case import UNSET, Case, ExpectedCall, calls_in
from webagent_dev.evals.toolbox import Toolbox

ORIGIN = "https://site.example"


def mock_page(box: Toolbox, results: Results) -> FakePage:
    """Return a page with the tools of a box."""

    def answers(name: str) -> Callable[..., Any]:
        return lambda *_: results.of(name)

    return FakePage(
        {name: answers(name) for name in box.manifest.tool_names},
        [(tool, answers(tool.target.name)) for tool in box.registered],
        origin=ORIGIN,
        snapshot=Snapshot(url=f"{ORIGIN}/", title=box.manifest.name),
    )


class Results:
    """The results of the tools of one run.

    An expected call answers the first call of its tool that no other has answered, whatever its
    arguments. Where the case says nothing, the value is made from the tool's declared output, and
    is an empty object if it declares none.
    """

    def __init__(self, case: Case, box: Toolbox) -> None:
        """Answer for a case."""
        self._left: list[ExpectedCall] = [*calls_in(case.expected)]
        self._outputs = box.outputs

    def of(self, name: str) -> Any:
        """Return what a call of a tool gives."""
        expected = next((call for call in self._left if call.name == name), None)
        if expected is not None:
            self._left.remove(expected)
            if expected.mock is not UNSET:
                return expected.mock
        return sample_value(self._outputs.get(name), name)


_DEEPEST = 12

_MOST_ITEMS = 5

_MOST_MEMBERS = 200

_FORMATS = {
    "date": "2027-01-04",
    "date-time": "2027-01-04T09:00:00Z",
    "time": "09:00:00Z",
    "email": "ada@mail.example",
    "uri": "https://site.example/",
    "uuid": "00000000-0000-4000-8000-000000000001",
}

_SIMPLE: dict[str, Any] = {"boolean": True, "null": None, "integer": 1, "number": 1}


def sample_value(schema: Any, name: str = "value") -> Any:
    """Return a value as a schema describes it, always the same.

    It is there to be read by an agent, and is not promised to hold each bound: what the author gives
    as example, default or choice comes first, then the least of a type, and texts say what they
    are called.

    Args:
        schema: JSON Schema; anything else gives an empty object.
        name: What the value is called.
    """
    if not isinstance(schema, Mapping):
        return {}
    return _SampleBuilder(schema).value(schema, name, 0)


class _SampleBuilder:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def value(self, schema: Any, name: str, depth: int) -> Any:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return None
        for word in ("const", "default"):
            if word in schema:
                return schema[word]
        for word in ("examples", "enum"):
            if isinstance(given := schema.get(word), list) and given:
                return given[0]
        if isinstance(address := schema.get("$ref"), str):
            return self.value(self._found(address), name, depth + 1)
        for word in ("anyOf", "oneOf", "allOf"):
            if isinstance(choices := schema.get(word), list) and choices:
                return self.value(choices[0], name, depth + 1)
        return self._by_type(schema, name, depth)

    def _by_type(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "null")
        if kind == "object" or (kind is None and "properties" in schema):
            members = schema.get("properties")
            listed = list(members.items())[:_MOST_MEMBERS] if isinstance(members, Mapping) else []
            return {key: self.value(inner, str(key), depth + 1) for key, inner in listed}
        if kind == "array":
            fewest = schema.get("minItems")
            count = min(fewest, _MOST_ITEMS) if isinstance(fewest, int) and fewest > 0 else 1
            one = name.removesuffix("s")
            return [self.value(schema.get("items"), one, depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            least = schema.get("minimum")
            return least if isinstance(least, int | float) and least > 1 else 1
        if kind == "string":
            return _FORMATS.get(str(schema.get("format")), name)
        return _SIMPLE.get(str(kind), {} if kind is None else None)

    def _found(self, address: str) -> Any:
        """Return the schema at `#/$defs/Name`."""
        found: Any = self._root if address.startswith("#") else None
        for part in address.removeprefix("#").strip("/").split("/"):
            if part and isinstance(found, Mapping):
                found = found.get(part.replace("~1", "/").replace("~0", "~"))
        return found
