"""Writes the steps of a kept run as the statements of a test: for pytest, and for Playwright's own runner."""

from __future__ import annotations

import json
import keyword
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from webagent.agent import Done, Run
from webagent.codegen.identifiers import RESERVED
from webagent.replay.program import MARKS, Program, Step
from webagent.replay.recording import NotRepeatable


class TestWriter(ABC):
    """Writes the steps of a program as statements of a test.

    Attributes:
        file_name: Of the file, with `{}` for the name of the test.
    """

    __test__ = False

    file_name: ClassVar[str]
    _taken: ClassVar[frozenset[str]]
    """Names that a test has, so that no parameter may."""

    def __init__(self, program: Program, run: Run, goal: str, path: str) -> None:
        """Write a program that was made of a run.

        Args:
            program: The program.
            run: The run.
            goal: Its goal, without secrets.
            path: Path of the page on which it began; empty for the first page.
        """
        self._program = program
        self._path = path
        self._goal = "".join(filter(str.isprintable, " ".join(goal.split())))
        self._outcomes = [*_in_order(program.steps, run)]
        self._parameters = {name: self._variable(name) for name in program.parameters}
        self._fixtures: set[str] = set()

    @abstractmethod
    def text(self, name: str) -> str:
        """Return the file with a test of this name.

        Raises:
            NotRepeatable: The run has done what a test cannot do.
        """

    def _lines(self) -> list[str]:
        """Return all statements."""
        lines = [
            self._assigned(variable, self._literal(self._program.parameters[parameter].value))
            for parameter, variable in self._parameters.items()
        ]
        for number, step in enumerate(self._program.steps):
            lines += self._statements(number, step)
        if not self._fixtures:
            raise NotRepeatable("the run has called nothing, so there is nothing to test")
        return lines

    def _statements(self, number: int, step: Step) -> Iterator[str]:
        arguments, variable = step.arguments, f"step_{number + 1}"
        match step.action:
            case "call_tool":
                self._fixtures.add("tools")
                call = self._call(arguments["name"], arguments.get("arguments") or {})
                yield from self._checked(variable, call, step.returns)
            case "execute_js":
                self._fixtures.add("tools")
                call = self._run(self._literal(arguments["code"]))
                yield from self._checked(variable, call, step.returns)
            case "communicate":
                yield self._assigned(variable, self._literal(self._outcomes[number].value))
            case "goto_url":
                self._fixtures.add("page")
                yield self._opened(self._value(arguments["url"]))
            case "click" | "click_link":
                self._fixtures.add("page")
                yield self._done(f"{self._control(arguments)}.click()")
                yield from self._arrival(number)
            case "enter_data":
                self._fixtures.add("page")
                yield from self._form(arguments)
                yield from self._arrival(number)
            case "scroll" | "wait":
                # A browser that is driven scrolls and waits by itself.
                return
            case _:
                raise NotRepeatable(f"the run has used `{step.action}`, which a test does not have")

    def _arrival(self, number: int) -> Iterator[str]:
        """Yield the wait for the page that an action has led to."""
        value = self._outcomes[number].value
        if isinstance(value, Mapping) and value.get("navigated") is True:
            yield self._arrived(self._literal(urlsplit(str(value.get("url"))).path))

    def _control(self, arguments: Mapping[str, Any]) -> str:
        mark = arguments.get("pp_id")
        if isinstance(mark, Mapping):
            element = mark["$element"]
            return self._by_role(self._literal(element["role"]), self._value(element["name"]))
        if "text" not in arguments:
            raise NotRepeatable("the run has used a link that its action does not name")
        return self._by_role('"link"', self._value(arguments["text"]))

    def _form(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        field = ""
        for entry in arguments["form_data"]:
            if "pp_id" in entry:
                field = self._control(entry)
            elif "name" not in entry and "label" not in entry:
                raise NotRepeatable("the run has filled in a field that its action does not name")
            elif "label" in entry:
                field = self._by_label(self._literal(entry["label"]))
            else:
                field = self._by_selector(self._literal(f"[name={json.dumps(entry['name'])}]"))
            if "text" in entry:
                yield self._done(f"{field}.fill({self._value(entry['text'])})")
            elif "select" in entry:
                yield self._done(self._selected(field, self._value(entry["select"])))
            elif "check" in entry:
                yield self._done(self._set(field, self._literal(entry["check"])))
            else:
                raise NotRepeatable(
                    "the run has filled in a field in a way that a test does not have"
                )
        if arguments.get("submit") and field:
            yield self._done(self._submitted(field))

    def _value(self, template: Any) -> str:
        """Return a template as an expression."""
        if isinstance(template, list):
            return f"[{', '.join(map(self._value, template))}]"
        if not isinstance(template, Mapping):
            return self._literal(template)
        match next((mark for mark in MARKS if mark in template), None):
            case None:
                members = (
                    f"{self._literal(key)}: {self._value(inner)}" for key, inner in template.items()
                )
                return f"{{{', '.join(members)}}}"
            case "$parameter":
                return self._parameters[template["$parameter"]]
            case "$result":
                path = self._path_in(template["$result"], template.get("path", []))
                if "$type" in json.dumps(self._outcomes[template["$result"]].value, default=str):
                    raise NotRepeatable("the run has passed on a part of a result that is not JSON")
                keys = "".join(f"[{self._literal(key)}]" for key in path)
                return f"step_{template['$result'] + 1}{keys}"
            case mark:
                return self._literal(template[mark])

    def _path_in(self, number: int, path: Sequence[str | int]) -> Sequence[str | int]:
        """Return a path in the value that a statement has: of a program that is its value alone."""
        if self._program.steps[number].action != "execute_js":
            return path
        if path[:1] != ["value"]:
            raise NotRepeatable("the run has passed on what a program has logged")
        return path[1:]

    def _variable(self, name: str) -> str:
        free = self._is_name(name) and name not in self._taken and not name.startswith("step_")
        return name if free else f"{name}_"

    # The differences between the languages.

    @abstractmethod
    def _is_name(self, name: str) -> bool: ...

    @abstractmethod
    def _literal(self, value: Any) -> str:
        """Return JSON data as an expression."""

    @abstractmethod
    def _assigned(self, variable: str, expression: str) -> str: ...

    @abstractmethod
    def _done(self, action: str) -> str: ...

    @abstractmethod
    def _call(self, name: Any, arguments: Any) -> str: ...

    @abstractmethod
    def _run(self, code: str) -> str: ...

    @abstractmethod
    def _checked(self, variable: str, call: str, returns: str) -> Iterator[str]:
        """Yield a call, and the comparison of its result with a type, unless that is empty."""

    @abstractmethod
    def _opened(self, address: str) -> str: ...

    @abstractmethod
    def _arrived(self, path: str) -> str: ...

    @abstractmethod
    def _by_role(self, role: str, name: str) -> str: ...

    @abstractmethod
    def _by_label(self, label: str) -> str: ...

    @abstractmethod
    def _by_selector(self, selector: str) -> str: ...

    @abstractmethod
    def _selected(self, field: str, values: str) -> str: ...

    @abstractmethod
    def _set(self, field: str, checked: str) -> str: ...

    @abstractmethod
    def _submitted(self, field: str) -> str: ...


class PytestWriter(TestWriter):
    """Writes a test for pytest, with the fixtures of `webagent_dev.testing`."""

    file_name = "test_{}.py"
    _taken = frozenset(
        ("agent_page", "assert_matches", "pytest", "tools", "urljoin", "urlsplit"),
    )

    def text(self, name: str) -> str:
        """Return the file with a test of this name."""
        self._imports: set[str] = set()
        lines = self._lines()
        mark = []
        if self._path:
            self._imports.add("import pytest")
            mark = [f"@pytest.mark.webagent(path={self._literal(self._path)})"]
        goal = self._goal.replace("\\", "\\\\").replace('"', '\\"')
        head = [f'"""{goal}', "", "Written from a run of the agent.", '"""', ""]
        fixtures = {"page": "agent_page", "tools": "tools"}
        used = ", ".join(sorted((fixtures[each] for each in self._fixtures), reverse=True))
        signature = f"def test_{name}({used}):"
        body = (f"    {line}" for line in lines)
        return "\n".join([*head, *self._import_lines(), "", *mark, signature, *body, ""])

    def _import_lines(self) -> Iterator[str]:
        """Yield the imports: those of the standard library, and below them the others."""
        for own in (True, False):
            lines = [line for line in self._imports if line.startswith("from urllib") is own]
            yield from sorted(lines, reverse=True)
            yield from [""] if lines else []

    def _is_name(self, name: str) -> bool:
        return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)

    def _literal(self, value: Any) -> str:
        # Texts are in double quotes where they can be read.
        if isinstance(value, str) and value.isprintable():
            return json.dumps(value, ensure_ascii=False)
        return repr(value)

    def _assigned(self, variable: str, expression: str) -> str:
        return f"{variable} = {expression}"

    def _done(self, action: str) -> str:
        return action

    def _call(self, name: Any, arguments: Any) -> str:
        """Return a call with named arguments, also of names that are not identifiers."""
        written = [
            f"{key}={self._value(value)}" for key, value in arguments.items() if self._is_name(key)
        ]
        odd = {key: value for key, value in arguments.items() if not self._is_name(key)}
        given = ", ".join([*written, *([f"**{self._value(odd)}"] if odd else [])])
        return f"tools[{self._literal(name)}]({given})"

    def _run(self, code: str) -> str:
        return f"tools.run({code})"

    def _checked(self, variable: str, call: str, returns: str) -> Iterator[str]:
        yield self._assigned(variable, call)
        if returns:
            self._imports.add("from webagent_dev.testing.asserting import assert_matches")
            yield f"assert_matches({variable}, {self._literal(returns)})"

    def _opened(self, address: str) -> str:
        self._imports.add("from urllib.parse import urljoin")
        return f"agent_page.goto(urljoin(agent_page.url, {address}))"

    def _arrived(self, path: str) -> str:
        self._imports.add("from urllib.parse import urlsplit")
        return f"agent_page.wait_for_url(lambda url: urlsplit(url).path == {path})"

    def _by_role(self, role: str, name: str) -> str:
        return f"agent_page.get_by_role({role}, name={name}, exact=True)"

    def _by_label(self, label: str) -> str:
        return f"agent_page.get_by_label({label}, exact=True)"

    def _by_selector(self, selector: str) -> str:
        return f"agent_page.locator({selector})"

    def _selected(self, field: str, values: str) -> str:
        return f"{field}.select_option({values})"

    def _set(self, field: str, checked: str) -> str:
        return f"{field}.set_checked({checked})"

    def _submitted(self, field: str) -> str:
        return f'{field}.evaluate("field => field.form.requestSubmit()")'


class PlaywrightWriter(TestWriter):
    """Writes a test for `@playwright/test`, with the fixtures of `webagent-playwright`."""

    file_name = "{}.spec.ts"
    _taken = frozenset(("expect", "page", "test", "tools"))

    def text(self, name: str) -> str:
        """Return the file with a test of this name; the name is that of the file alone."""
        lines = [f"await page.goto({self._literal(self._path or '/')});", *self._lines()]
        comment = self._goal.replace("*/", "* /")
        names = "expect, test" if any("toMatchType" in line for line in lines) else "test"
        fixtures = "page, tools" if "tools" in self._fixtures else "page"
        return "\n".join(
            [
                f"/** {comment} - written from a run of the agent. */",
                f'import {{ {names} }} from "webagent-playwright";',
                "",
                f"test({self._literal(self._goal)}, async ({{ {fixtures} }}) => {{",
                *(f"  {line}" for line in lines),
                "});",
                "",
            ]
        )

    def _is_name(self, name: str) -> bool:
        return name.isascii() and name.isidentifier() and name not in RESERVED

    def _literal(self, value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False)
        return text if text.isprintable() else json.dumps(value)

    def _assigned(self, variable: str, expression: str) -> str:
        return f"const {variable} = {expression};"

    def _done(self, action: str) -> str:
        return f"await {action};"

    def _call(self, name: Any, arguments: Any) -> str:
        given = f", {self._value(arguments)}" if arguments else ""
        return f"await tools.invoke({self._literal(name)}{given})"

    def _run(self, code: str) -> str:
        return f"await tools.run({code})"

    def _checked(self, variable: str, call: str, returns: str) -> Iterator[str]:
        yield self._assigned(variable, call)
        if returns:
            yield f"await expect({variable}).toMatchType({self._literal(returns)});"

    def _opened(self, address: str) -> str:
        return f"await page.goto(new URL({address}, page.url()).href);"

    def _arrived(self, path: str) -> str:
        return f"await page.waitForURL(({{ pathname }}) => pathname === {path});"

    def _by_role(self, role: str, name: str) -> str:
        return f"page.getByRole({role}, {{ name: {name}, exact: true }})"

    def _by_label(self, label: str) -> str:
        return f"page.getByLabel({label}, {{ exact: true }})"

    def _by_selector(self, selector: str) -> str:
        return f"page.locator({selector})"

    def _selected(self, field: str, values: str) -> str:
        return f"{field}.selectOption({values})"

    def _set(self, field: str, checked: str) -> str:
        return f"{field}.setChecked({checked})"

    def _submitted(self, field: str) -> str:
        return f"{field}.evaluate((field: HTMLInputElement) => field.form?.requestSubmit())"


def _in_order(steps: Sequence[Step], run: Run) -> Iterator[Done]:
    """Yield the action of a run that each step was made from."""
    left = iter([done for done in run.done() if done.ok])
    for step in steps:
        made = (step.action, step.arguments.get("name"))
        yield next(
            done for done in left if (done.call.name, done.call.arguments.get("name")) == made
        )
