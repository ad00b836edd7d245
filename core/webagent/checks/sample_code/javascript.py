"""A tokenizer for JavaScript, which reports the mistakes that tokens show.

This is not a parser. It knows strings, templates, comments, regular expressions, numbers, names and
brackets. It reports only what is an error in any JavaScript or TypeScript: unclosed strings and
brackets, brackets that do not match, an operator without its operand, and two values without an
operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Kind(Enum):
    """The kind of a token."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    TEMPLATE = "template"
    """A template literal, or a part of one before, between or after its holes."""
    REGEX = "regex"
    MARK = "mark"
    """A bracket, operator or other punctuation."""


class Token(NamedTuple):
    """A token and its place."""

    kind: Kind
    text: str
    start: int
    line_before: bool
    """Whether a line end is between the token before and this one."""


class Fault(NamedTuple):
    """The reason why a text is not JavaScript, with its place in the text."""

    message: str
    start: int
    end: int


OWNERS = ("global", "globalThis", "window")
"""The names of the object whose functions are the tools."""


class Call(NamedTuple):
    """A call: `global.search("a", 2)`."""

    owner: bool
    """Whether it is written with `global.` before the name."""
    name: Token
    opening: int
    """Index of the token that opens the arguments."""


@dataclass(slots=True)
class Code:
    """The tokens of a text, and the first fault in it."""

    tokens: list[Token] = field(default_factory=list)
    fault: Fault | None = None
    closes: dict[int, int] = field(default_factory=dict)
    """The index of the token that closes each bracket, by the index of the one that opens it."""
    calls: tuple[Call, ...] = ()
    """The calls of plain functions, and of functions of the global object."""


_TOKEN = re.compile(
    r"(?P<space>[^\S\r\n]+|//[^\r\n\u2028\u2029]*)"
    r"|(?P<line>[\r\n\u2028\u2029]+)"
    r"|(?P<comment>/\*)"
    r"|(?P<number>0[xXoObB][0-9a-fA-F_]+n?|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?n?)"
    r"|(?P<name>[#@]?(?:[^\W\d]|[$\\])[\w$\u200c\u200d\\]*)"
    r"|(?P<quote>[\"'])"
    r"|(?P<mark>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?![0-9])"
    r"|\+\+|--|\+=|-=|\*=|%=|&=|\|=|\^=|<<|>>|\*\*|.)",
    re.DOTALL,
)
_STRING_END = {
    '"': re.compile(r'(?:[^"\\\r\n]|\\(?:\r\n|.))*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\r\n]|\\(?:\r\n|.))*+", re.DOTALL),
}
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+", re.DOTALL)
_REGEX = re.compile(
    r"/(?![*/])(?:[^\\/\[\r\n]|\\[^\r\n]|\[(?:[^\]\\\r\n]|\\[^\r\n])*+\])++/[A-Za-z]*"
)

_PAIRS = {")": "(", "]": "[", "}": "{"}
# After these words a `/` starts a regular expression; after other names it divides.
_BEFORE_REGEX = frozenset(
    [
        "return",
        "typeof",
        "instanceof",
        "in",
        "of",
        "new",
        "delete",
        "void",
        "throw",
        "case",
        "do",
        "else",
        "yield",
        "await",
    ]
)
# After the parentheses of these, too: `if (x) /a/.test(y)`.
_CONTROL = frozenset(["if", "while", "for", "with"])
# Operators that need an operand after them. Those with other uses are missing, such as `*` of
# generators, and `<` and `|` of TypeScript's types.
_NEEDS_RIGHT = frozenset(
    [
        "=",
        "+",
        "/",
        "%",
        "**",
        "&&",
        "||",
        "??",
        "==",
        "===",
        "!=",
        "!==",
        "=>",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        ".",
        "?.",
        "...",
    ]
)
_VALUES = (Kind.STRING, Kind.NUMBER)
_REMEMBERED = 2_000
"""Most characters of code whose tokens are cached."""


def read_code(text: str) -> Code:
    """Return the tokens of a text, up to the first fault. Nobody changes them: they are cached."""
    return (_read_code if len(text) <= _REMEMBERED else _read_code.__wrapped__)(text)


@lru_cache(maxsize=2_048)
def _read_code(text: str) -> Code:
    return _Reader(text).read()


class _Reader:
    """Reads a text once, from left to right. Methods take and return offsets in the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.code = Code()
        self.open: list[int] = []
        """Indices of the tokens of all open brackets and templates, from the outermost."""
        self.regex_after_paren = False
        self.line_before = False

    def read(self) -> Code:
        """Return the tokens of the text, up to the first fault."""
        text, position = self.text, 0
        while position < len(text) and self.code.fault is None:
            match = _TOKEN.match(text, position)
            assert match is not None
            position = self.token(match)
        if self.code.fault is None and self.open:
            token = self.code.tokens[self.open[-1]]
            what = "the template" if token.text[0] in "`}" else f"`{token.text}`"
            self.fail(f"{what} is never closed", token.start, token.start + 1)
        self.code.calls = tuple(_calls(self.code))
        return self.code

    def token(self, match: re.Match[str]) -> int:
        """Add a token, and return the offset after it."""
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "space":
            return end
        if kind == "line":
            self.line_before = True
            return end
        if kind == "comment":
            close = self.text.find("*/", end)
            if close < 0:
                self.fail("the comment that starts with `/*` is never closed", start, end)
            self.line_before |= "\n" in self.text[end:close]
            return close + 2
        if kind == "quote":
            return self.string(start)
        if kind == "name":
            self.add(Kind.NAME, match[0], start)
            return end
        if kind == "number":
            self.add(Kind.NUMBER, match[0], start)
            return end
        return self.mark(match[0], start)

    def mark(self, mark: str, start: int) -> int:
        """Add a mark, or the template or regular expression that it starts."""
        if mark == "`":
            self.open.append(len(self.code.tokens))
            return self.template(start)
        if mark == "/":
            return self.slash(start)
        if mark in "([{":
            self.open.append(len(self.code.tokens))
            self.add(Kind.MARK, mark, start)
        elif mark in ")]}":
            return self.close(mark, start)
        else:
            if mark == ";":
                self.check_semicolon(start)
            self.add(Kind.MARK, mark, start)
        return start + len(mark)

    def check_semicolon(self, start: int) -> None:
        """Report a semicolon in a list, or in parentheses other than those of `for`."""
        tokens = self.code.tokens
        opener = tokens[self.open[-1]] if self.open else None
        if opener is None or opener.text not in ("(", "["):
            return
        before = tokens[self.open[-1] - 1].text if self.open[-1] else ""
        if opener.text == "[" or before not in ("for", "await"):
            self.fail(
                f"`;` comes while `{opener.text}`{self.line_of(opener, start)} is still open",
                start,
                start + 1,
            )

    def line_of(self, opener: Token, start: int) -> str:
        """Return the line of a bracket for a message; empty if it is the current one."""
        line = self.text.count("\n", 0, opener.start) + 1
        here = self.text.count("\n", 0, start) + 1
        return "" if line == here else f" of line {line} of the code"

    def string(self, start: int) -> int:
        """Read a string, from its opening quote."""
        quote = self.text[start]
        match = _STRING_END[quote].match(self.text, start + 1)
        assert match is not None
        end = match.end()
        if self.text[end : end + 1] != quote:
            self.fail(f"the string that starts with `{quote}` is never closed", start, end)
        self.add(Kind.STRING, self.text[start : end + 1], start)
        return end + 1

    def template(self, start: int) -> int:
        """Read a part of a template, from its backtick or from the `}` of a hole."""
        match = _TEMPLATE.match(self.text, start + 1)
        assert match is not None
        end = match.end()
        first = self.text[start] == "`"
        if self.text.startswith("${", end):
            self.add(Kind.TEMPLATE, self.text[start : end + 2], start, check=first)
            # The part before the hole is the bracket that its `}` closes.
            self.open.append(len(self.code.tokens) - 1)
            return end + 2
        if end >= len(self.text):
            opened = self.code.tokens[self.open[-1]].start if not first else start
            self.fail(
                "the template that starts with a backtick is never closed", opened, opened + 1
            )
            return end
        self.open.pop()
        self.add(Kind.TEMPLATE, self.text[start : end + 1], start, check=first)
        return end + 1

    def slash(self, start: int) -> int:
        """Read a regular expression, or a `/` or `/=` that divides."""
        if self.regex_allowed():
            match = _REGEX.match(self.text, start)
            if match is None:
                self.fail(
                    "the regular expression that starts here is never closed", start, start + 1
                )
                return start + 1
            self.add(Kind.REGEX, match[0], start)
            return match.end()
        end = start + (2 if self.text.startswith("/=", start) else 1)
        self.add(Kind.MARK, self.text[start:end], start)
        return end

    def regex_allowed(self) -> bool:
        """Whether a `/` here starts a regular expression, judged by the tokens before it."""
        tokens = self.code.tokens
        if not tokens:
            return True
        last = tokens[-1]
        if last.kind is Kind.NAME:
            # `of` is a keyword only between a name and a value: `for (const a of /x/…)`.
            named = len(tokens) < 2 or tokens[-2].text in _BEFORE_REGEX
            return last.text in _BEFORE_REGEX and not (last.text == "of" and named)
        if last.kind is Kind.TEMPLATE:
            return last.text.endswith("${")
        if last.kind is not Kind.MARK:
            return False
        if last.text == ")":
            return self.regex_after_paren
        # After a block a statement starts, usually on a new line; after an object, an operator.
        if last.text == "}":
            return self.line_before
        return last.text not in ("]", "++", "--")

    def close(self, mark: str, start: int) -> int:
        """Add a closing bracket, and match it with the open one."""
        tokens = self.code.tokens
        if not self.open:
            self.fail(f"`{mark}` closes nothing", start, start + 1)
            return start + 1
        index = self.open[-1]
        opener = tokens[index]
        if mark == "}" and opener.kind is Kind.TEMPLATE:
            self.open.pop()
            return self.template(start)
        if opener.text != _PAIRS[mark]:
            shown = "${" if opener.kind is Kind.TEMPLATE else opener.text
            where = self.line_of(opener, start)
            self.fail(f"`{mark}` comes while `{shown}`{where} is still open", start, start + 1)
            return start + 1
        self.open.pop()
        before = tokens[index - 1] if index else None
        self.regex_after_paren = before is not None and before.text in _CONTROL
        self.code.closes[index] = len(tokens)
        self.add(Kind.MARK, mark, start)
        return start + 1

    def add(self, kind: Kind, text: str, start: int, *, check: bool = True) -> None:
        """Add a token, and check it against the one before."""
        token = Token(kind, text, start, self.line_before)
        tokens = self.code.tokens
        if check and tokens:
            self.check_pair(tokens, token)
        tokens.append(token)
        self.line_before = False

    def check_pair(self, tokens: Sequence[Token], token: Token) -> None:
        """Report a token that can never follow the one before."""
        last = tokens[-1]
        if last.kind in _VALUES and token.kind in _VALUES and not token.line_before:
            self.fail(
                f"`{_short(last.text)}` and `{_short(token.text)}` are next to each other; "
                "a comma or an operator is missing",
                token.start,
                token.start + len(token.text),
            )
        elif last.kind is Kind.MARK and last.text in _NEEDS_RIGHT:
            dot = last.text in (".", "?.")
            member = token.kind is Kind.NAME or (last.text == "?." and token.text[0] in "([`")
            if (dot and not member) or (token.kind is Kind.MARK and token.text in ")]};,"):
                self.fail(f"nothing follows `{last.text}`", last.start, last.start + len(last.text))

    def fail(self, message: str, start: int, end: int) -> None:
        """Record a fault. Only the first counts, as others may follow from it."""
        if self.code.fault is None:
            self.code.fault = Fault(message, start, end)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 30 else f"{line[:29]}…"


def _calls(code: Code) -> Iterator[Call]:
    """Yield the calls of plain functions, and of functions of the global object."""
    tokens = code.tokens
    for index, token in enumerate(tokens):
        if token.text != "(" or not index or index not in code.closes:
            continue
        at = index - 2 if tokens[index - 1].text == "?." else index - 1
        if at < 0 or tokens[at].kind is not Kind.NAME:
            continue
        dotted = at >= 1 and tokens[at - 1].text in (".", "?.")
        owner = dotted and at >= 2 and tokens[at - 2].text in OWNERS
        if at >= 1 and tokens[at - 1].text == "function":
            continue
        if not dotted or (owner and not (at >= 3 and tokens[at - 3].text in (".", "?."))):
            yield Call(owner, tokens[at], index)
