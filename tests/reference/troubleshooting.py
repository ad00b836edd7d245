"""The messages of errors and their remedies, read from the calls that make them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.reference.markdown import table
from webagent import errors
from webagent.errors import ToolError
from webagent.rules import RULES
from webagent_dev.config.live_rules import LIVE_RULES

NAME = "troubleshooting"
TITLE = "Troubleshooting: errors by their text"
FOR = "For those who have the text of an error, and want to know what to do."

ROOT = Path(__file__).parents[2]
PACKAGES = ("core/webagent", "siteserver/webagent_site", "devserver/webagent_dev")
SCRIPTS = ROOT / "browser_bundle" / "src"
GAP = "…"
"""Stands for what differs: a name, a path, a number."""
KINDS = {
    name: each.kind
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, ToolError)
}
FINDERS = {"site_finding": 1, "found": 0, "yield": 0}
"""Where calls that make findings on a site have the rule; the message and the remedy follow."""
USAGE = ("UsageError", "ConfigError", "TakenTypeName")

_SCRIPT = re.compile(
    r"new WebagentError\(\{\s*kind: \"(?P<kind>\w+)\",\s*message:\s*(?P<message>`[^`]*`|\"[^\"]*\"),"
    r"(?:\s*help:\s*(?P<help>`[^`]*`|\"[^\"]*\"),)?"
)


class Message(NamedTuple):
    """The text of an error as the code has it."""

    text: str
    label: str
    """The rule, the kind, or for commands the reason."""
    help: str


def body() -> str:
    """Return the page's text."""
    return f"""\
Search this page for the words of the message. `{GAP}` stands for words of yours: a name, a path, a number.

- A finding in a manifest has the name of its rule, as in `error[invalid-type]`. `webagent-dev explain invalid-type` has an example of it, and so has [its page](rules/README.md).
- An error of a call has a [`kind`](errors.md), such as `invalid_arguments`.
- A model that gives no reply has [kinds of its own](models.md#errors). `webagent-dev models --try` asks it.
- `webagent-dev doctor` reports what is wrong with Python, packages, bundle and browser on this machine.

## Commands and the site's own server

{_rows(commands(), "message", "why")}

## Findings in a manifest or a site

{_rows(findings(), "message", "rule")}

## Failed calls and programs

{_rows(calls(), "message", "`kind`")}
"""


@cache
def commands() -> list[Message]:
    """Return the messages of `webagent-dev` and of the site's server, each with its reason and remedy."""
    found = []
    for call in _calls():
        if call.name in USAGE:
            for text in call.texts(0):
                what, *why = text.split(" - ")
                remedy = why.pop() if why else ""
                found.append(Message(what, " - ".join(filter(_has_words, why)), remedy))
    return found


@cache
def findings() -> list[Message]:
    """Return the messages of findings in manifests and sites."""
    rules = {name.upper().replace("-", "_"): name for name in RULES | LIVE_RULES}
    found = []
    for call in _calls():
        rule, text, remedy = None, 1, call.help()
        if call.name == "finding":
            rule = rules.get(call.owner)
        elif call.name == "report":
            rule, text = rules.get(call.source(0)), 2
        elif call.name == "DeclarationError":
            rule, remedy = call.first(0), call.first(2)
        elif (at := FINDERS.get(call.name)) is not None and call.first(at) in rules.values():
            rule, text, remedy = call.first(at), at + 1, call.first(at + 2)
        if rule:
            found += [
                Message(each, f"[{rule}](rules/{rule}.md)", remedy) for each in call.texts(text)
            ]
    return found


@cache
def calls() -> list[Message]:
    """Return the messages of failed calls, from Python and from the page."""
    python = [
        Message(text, f"`{KINDS[call.name]}`", call.help())
        for call in _calls()
        if call.name in KINDS
        for text in call.texts(0)
    ]
    page = [
        Message(_script(match["message"]), f"`{match['kind']}`", _script(match["help"] or ""))
        for path in sorted(SCRIPTS.rglob("*.ts"))
        for match in _SCRIPT.finditer(path.read_text("utf-8"))
    ]
    return python + page


class _Call:
    """A call with arguments in a module of ours."""

    def __init__(self, node: ast.Call, assigned: dict[str, list[ast.expr]]) -> None:
        self._node = node
        self._assigned = assigned
        owner, _, self.name = ast.unparse(node.func).rpartition(".")
        self.owner = owner.rpartition(".")[2]

    def source(self, number: int) -> str:
        """Return an argument as it is written, without its module."""
        return ast.unparse(self._node.args[number]).rpartition(".")[2]

    def texts(self, number: int) -> list[str]:
        """Return the texts that an argument may be."""
        return self._texts(self._node.args[number]) if number < len(self._node.args) else []

    def first(self, number: int) -> str:
        """Return the first of them."""
        return next(iter(self.texts(number)), "")

    def help(self) -> str:
        """Return the remedy that is passed."""
        given = (each.value for each in self._node.keywords if each.arg == "help")
        return next((text for value in given for text in self._texts(value)), "")

    def _texts(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.JoinedStr):
            return ["".join(next(iter(self._texts(part)), GAP) for part in node.values)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [next(iter(self._texts(part)), GAP) for part in (node.left, node.right)]
            return ["".join(parts)] if parts != [GAP, GAP] else []
        if isinstance(node, ast.IfExp):
            return [*self._texts(node.body), *self._texts(node.orelse)]
        if isinstance(node, ast.Name):
            return [
                text for value in self._assigned.get(node.id, []) for text in self._texts(value)
            ]
        return []


@cache
def _calls() -> list[_Call]:
    """Return all calls with arguments in our packages."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
            assigned: dict[str, list[ast.expr]] = {}
            for node in nodes:
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)],
                        value=ast.Constant() | ast.JoinedStr() | ast.IfExp() as value,
                    ):
                        assigned.setdefault(name, []).append(value)
                    case ast.Yield(value=ast.Tuple(elts=[ast.Constant(), _, _] as parts)):
                        nodes.append(ast.Call(ast.Name("yield"), parts, []))
            found += [
                _Call(node, assigned) for node in nodes if isinstance(node, ast.Call) and node.args
            ]
    return found


def _script(literal: str) -> str:
    return re.sub(r"\$\{[^}]*\}", GAP, literal.strip('`"'))


def _rows(messages: list[Message], *heads: str) -> str:
    """Return a table in the order of the words; a message of gaps alone is left out."""
    helped = {each[:2] for each in messages if each.help}
    said = {
        each for each in messages if _has_words(each.text) and (each.help or each[:2] not in helped)
    }
    ordered = sorted(said, key=lambda each: (_letters(each.text), each))
    return table((*heads, "what to do"), (map(_cell, each) for each in ordered))


def _has_words(text: str) -> bool:
    return re.search(r"[a-z]{3}", text) is not None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z ]", "", text.lower()).strip()


def _cell(text: str) -> str:
    """Return a text for a cell: on one line, its markup as it is written."""
    line = " ".join(text.split())
    parts = re.split(r"(`[^`]*`)", line if line.strip(f"{GAP} `") else "")
    parts[::2] = [
        re.sub(r"([<*_])", r"\\\1", part) if "](" not in part else part for part in parts[::2]
    ]
    return "".join(parts) or "–"


def pattern(message: str) -> re.Pattern[str]:
    """Return the pattern of a message as it is printed."""
    return re.compile(".*".join(map(re.escape, message.split(GAP))), re.DOTALL)
