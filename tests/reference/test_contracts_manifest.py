"""The contracts of the language, of the format's SDK, and of the registry of tools."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import webagent
import webagent.inpage
import webagent.modelcontext
from tests.core.test_public_names import SDK
from tests.reference.contracts import column, fields_when, rows
from tests.reference.tables import code, codes
from webagent import AgentClient, Behavior, Manifest, Note, Param, Tool, from_model_context, parse
from webagent.client import ManifestHolder
from webagent.diagnostics import Edit, Finding, Fix, Severity, finding_dict
from webagent.page.offers import Target
from webagent.registry import Binding, ToolSource
from webagent.source import Source, Span


@pytest.mark.parametrize("model", [Manifest, Tool, Param, Behavior, Note])
def test_models(model: type[Manifest | Tool | Param | Behavior | Note]) -> None:
    """A model has the fields of its row, in that order; each model has a row."""
    found = {code(row["model"]): codes(row["fields"]) for row in rows("Manifest")}

    assert found[model.__name__] == [*model.model_fields]
    assert len(found) == 5


def test_behavior_lines() -> None:
    """Each line sets its field, and each field has a line."""
    found = set()
    for row in rows("Behavior lines"):
        line = code(row["line under `### Behavior`"])
        (tool,) = parse(f"# S\n\n## a\n\n### Behavior\n- {line}\n\n### Params\n").tools
        is_title = row["sets"] == "the tool's `title`"
        field = "title" if is_title else code(row["sets"])
        value = getattr(tool if is_title else tool.behavior, field)
        assert json.loads(json.dumps(value)) == json.loads(code(row["to"])), line
        found.add(field)

    assert found == {*Behavior.model_fields, "title"}


def test_findings() -> None:
    """The fields of a finding that has all, and of one that has the least."""
    span = Span(0, 1)
    least = Finding("a-rule", Severity.ERROR, "wrong", "right", span)
    most = Finding(
        "a-rule", Severity.ERROR, "wrong", "right", span, "a", Fix("t", (Edit(span, ""),))
    )
    always, other = fields_when("Finding")
    dicts = [finding_dict(finding, Source("ab", "a.md")) for finding in (least, most)]

    assert [set(data) for data in dicts] == [always, always | other]
    (severity,) = [row for row in rows("Finding") if row["field"] == "`severity`"]
    assert codes(severity["what"]) == [each.value for each in Severity]
    (fix,) = [row for row in rows("Finding") if row["field"] == "`fix`"]
    assert _keys(dicts[1]["fix"]) == set(re.findall(r"\w+", code(fix["what"])))


def test_names_of_the_sdk() -> None:
    """Their parameters, with what they are by default."""
    for row in rows("Names of the format's SDK"):
        name, _, method = code(row["name"]).partition(".")
        function = getattr(webagent, name)
        if method or inspect.isclass(function):
            function = getattr(function, method or "__init__")
        assert codes(row["parameters"]) == [*_signature(function)], row["name"]

    listed = column("Names of the format's SDK", "name")
    methods = {
        name for name in vars(AgentClient) | vars(ManifestHolder) if not name.startswith("_")
    }
    models = {"Manifest", "Param", "Tool"}
    assert {name for name in listed if "." not in name} == {*SDK, "validate_markdown"} - models
    theirs = {name.partition(".")[2] for name in listed} - {""}
    assert methods - theirs == {"run_code", "call", "tools", "drift", "manifest", "origin"}


def test_listed_tools() -> None:
    """The fields of a tool that has all, and of one that has the least."""
    behavior = Behavior(
        effect="read",
        untrusted_output=True,
        idempotent=True,
        requires_login=True,
        paths=["/"],
        rate="1/minute",
        timeout_s=1,
    )
    full = Tool(name="a", returns="string", behavior=behavior)
    target = Target("component", "a", component="c", frame=1)
    least = Binding(Tool(name="a"), Target("function", "a"), "a").describe()
    most = Binding(full, target, "a", problem="why").describe()
    always, other = fields_when("Tools as the registry lists them")

    assert set(least) == always
    # The page itself adds the code.
    assert set(most) | {"code"} == always | other


def test_sources() -> None:
    """In the order in which names are given out."""
    assert column("Sources", "source") == [source.value for source in ToolSource]


def test_annotations() -> None:
    """Each sets its field, and leaves the others as they are without any."""
    without = from_model_context({"name": "a", "description": "b"}).behavior
    assert without.effect == "unknown"
    for row in rows("Annotations"):
        hint, value = code(row["annotation"]).split(": ")
        annotations = {hint: json.loads(value)}
        tool = from_model_context({"name": "a", "description": "b", "annotations": annotations})
        wanted = {code(row["sets"]): json.loads(code(row["to"]))}
        assert tool.behavior == without.model_copy(update=wanted), hint
    source = inspect.getsource(webagent.modelcontext)
    hints = {cell.partition(":")[0] for cell in column("Annotations", "annotation")}
    assert hints == set(re.findall(r'"(\w+Hint)"', source))


def _signature(function: Callable[..., Any]) -> Iterator[str]:
    """Yield each parameter but the first of a method, and a star before those passed by name."""
    starred = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        has_default = parameter.default is not inspect.Parameter.empty
        yield f"{parameter.name}={parameter.default!r}" if has_default else parameter.name


def _keys(data: Any) -> set[str]:
    """Return the keys of an object, and of those in it."""
    if isinstance(data, list):
        return set().union(*map(_keys, data))
    if not isinstance(data, dict):
        return set()
    return set(data).union(*map(_keys, data.values()))
