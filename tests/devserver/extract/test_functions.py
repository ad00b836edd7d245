"""Functions of a page: which of them may be tools, and what their code says of their parameters."""

from __future__ import annotations

import pytest

from webagent_dev.extract.function_code import FunctionCode
from webagent_dev.extract.functions import PageFunction, function_tool


def unfit(code: str, *, name: str = "showCourses", is_assigned: bool = False) -> str:
    return PageFunction(name, [], code, is_assigned).unfit


@pytest.mark.parametrize(
    "code",
    [
        'function f(a) { list.innerHTML = all.map(function (c) { return "<li>" + c; }).join(""); return all; }',
        'function f(a) { list.innerHTML = all.map((c) => { return "<li>" + c; }).join(""); return all }',
        "async function f({ a } = {}) { for await (const x of y) { if (x) { return x; } } }",
        "function f() { const row = document.createElement('li'); list.append(row); return row.textContent; }",
        "(a) => all.filter((c) => c.a === a)",
        "a => ({ text: '<b>' })",
        "f(a) { return all; }",
        "function f() { return [1].map((c) => `<li>${c}`); }",
    ],
)
def test_only_what_a_function_returns_itself_counts(code: str) -> None:
    """Callbacks inside it may make markup."""
    assert not unfit(code)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("function f(a) { return ( `<li>${a}</li>` ); }", "makes markup"),
        ("(a) => '<li>' + a", "makes markup"),
        (
            'function f(a) { return a.map(function (c) { return "<li>" + c }).join(""); }',
            "makes markup",
        ),
        (
            "function f() { const row = document.createElement('li'); return row; }",
            "makes markup",
        ),
        ("function f() { all.forEach((one) => { return one.hide(); }); }", "gives nothing back"),
        ("function f() { if (a) return; list.clear(); }", "gives nothing back"),
        ("function f() { if (a) return\n list.clear() }", "gives nothing back"),
    ],
)
def test_a_function_that_is_a_part_of_others(code: str, why: str) -> None:
    """It draws, or gives nothing back."""
    assert unfit(code) == why


def test_a_name_says_that_a_function_is_a_part_of_others() -> None:
    """Unless it is assigned; what draws the page is not even then made for others."""
    code = "function f(a) { return a + 1; }"

    assert unfit(code, name="formatPrice") == "serves other functions, by its name"
    assert not unfit(code, name="formatPrice", is_assigned=True)
    assert not unfit("function f() { go(); }", is_assigned=True)
    assert "draws" in unfit(code, name="renderList", is_assigned=True)


@pytest.mark.parametrize(
    "code",
    [
        "function f(level) { return all.filter(function (c) { return !level || c.level === level; }); }",
        "(level) => all.filter((c) => !level || c.levels.includes(level))",
        "(level) => find(level ?? 'all')",
        "function f(level) { level = level || 'all'; return find(level); }",
        "function f(level) { level ??= 3; return find(level); }",
    ],
)
def test_a_parameter_that_the_code_does_without_is_optional(code: str) -> None:
    """The draft may leave it out."""
    (param,) = function_tool("f", [{"name": "level", "fallback": None}], "", code).params

    assert not param.required


@pytest.mark.parametrize(
    "code",
    [
        "function f(level) { if (!level || !day) throw new Error('no level'); return find(level); }",
        "function f(level) { return !level || level.length < 3; }",
        "function f(level) { return !level || c.level; }",
        "function f(level) { return c.level ?? find(level); }",
        "function f(level) { return level || find(day); }",
    ],
)
def test_a_parameter_that_may_be_needed_is_required(code: str) -> None:
    """A check that it is there looks almost the same."""
    assert not FunctionCode(code).does_without("level")
