"""The tokens of a TypeScript type, and the comments between them."""

from __future__ import annotations

import re
from typing import NamedTuple

ESCAPE = r"\\(?:[\"'`\\bfnrtv$/]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
_GAP = r"(?:\s|//[^\n\r]*|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_SPACE = re.compile(_GAP)

# Possessive quantifiers keep hostile comments and strings linear.
_TOKEN = re.compile(
    rf"{_GAP}(?:"
    r"(?P<name>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<number>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:0|[1-9][0-9]*))n?(?![\w$.])"
    r"|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w$.]))"
    rf"|(?P<string>\"(?:[^\"\\\n\r]|{ESCAPE})*+\"|'(?:[^'\\\n\r]|{ESCAPE})*+')"
    r"|(?P<mark>=>|\.\.\.|[{}\[\]()<>|&?:;,.=*`+-])"
    r"|(?P<end>\Z))"
)

_COMMENT = re.compile(r"//([^\n\r]*)|/\*((?:[^*]|\*(?!/))*+)\*/")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_LINE_START = re.compile(r"^[ \t]*\*+", re.MULTILINE)


class TypeSyntaxError(Exception):
    """A text cannot be read as a type.

    Attributes:
        message: What was found, and what was expected.
        start: 0-based offset of the mistake in the text.
        end: Offset of its end.
    """

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


class Token(NamedTuple):
    """A token and its place. Its kind is `name`, `number`, `string`, `mark` or `end`."""

    kind: str
    text: str
    start: int
    end: int


class Tokens:
    """The tokens of a text, one at a time. White space and comments are skipped.

    Attributes:
        token: The current token.
        gap: The white space and comments right before it.
        last_end: Offset of the end of the token before it.
    """

    __slots__ = ("_next", "gap", "last_end", "text", "token")

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.gap = ""
        self.last_end = self._next = start
        self.token = self._read()

    def _read(self) -> Token:
        """Return the next token.

        Raises:
            TypeSyntaxError: There is none.
        """
        begin = self._next
        match = _TOKEN.match(self.text, begin)
        if match is None:
            raise self._unreadable(begin)
        kind = match.lastgroup or ""
        text = match[kind]
        end = self._next = match.end()
        start = end - len(text)
        self.gap = self.text[begin:start] if begin < start else ""
        # `\w` also matches some characters that no name may contain.
        if kind == "name" and not (text.isascii() or text.replace("$", "_").isidentifier()):
            raise TypeSyntaxError(f"`{text}` is not a name", start, end)
        return Token(kind, text, start, end)

    def _unreadable(self, begin: int) -> TypeSyntaxError:
        """Return the error for text that is not a token.

        Args:
            begin: Offset of the text, or of the white space before it.
        """
        space = _SPACE.match(self.text, begin)
        start = space.end() if space else begin
        found = self.text[start]
        if found in "\"'":
            return TypeSyntaxError("a string that is not closed", start, len(self.text))
        return TypeSyntaxError(f"`{found}` has no meaning in a type", start, start + 1)

    def advance(self) -> Token:
        """Move on by one token and return the one that was current."""
        token = self.token
        self.last_end = token.end
        if token.kind != "end":
            self.token = self._read()
        return token

    def jump(self, position: int) -> None:
        """Continue at another offset."""
        self._next = position
        self.token = self._read()

    def at(self, text: str) -> bool:
        """Whether the current token is this mark or word."""
        return self.token.text == text

    def take(self, text: str) -> bool:
        """Move on if the current token is this mark or word."""
        if self.token.text != text:
            return False
        self.advance()
        return True

    def expect(self, text: str) -> Token:
        """Move past this mark or word, and return it.

        Raises:
            TypeSyntaxError: Another token is here.
        """
        if self.token.text != text:
            raise self.error(f"`{text}`")
        return self.advance()

    def error(self, expected: str) -> TypeSyntaxError:
        """Return the error for an unexpected token."""
        token = self.token
        found = "the type ends" if token.kind == "end" else f"there is `{token.text}`"
        return TypeSyntaxError(f"{found} where {expected} should be", token.start, token.end)


def doc_before(gap: str) -> str:
    """Return the text of the last `/** … */` before a member, on one line."""
    found = ""
    if "/**" in gap:
        for match in _COMMENT.finditer(gap):
            if match[2] is not None and match[2].startswith("*"):
                found = match[2][1:]
    return _line(found)


def remark_after(gap: str) -> str:
    """Return the text of a `// …` after a member on the same line."""
    if "//" not in gap:
        return ""
    match = _COMMENT.match(gap, len(gap) - len(gap.lstrip(" \t")))
    return _line(match[1]) if match and match[1] is not None else ""


def print_doc(doc: str) -> str:
    """Return a `/** … */` comment with this text, or an empty text. `*/` in it is escaped."""
    doc = _line(doc)
    return f"/** {doc.replace('*/', '*' + chr(92) + '/')} */ " if doc else ""


def _line(text: str) -> str:
    """Return the text of a comment on one line, without the stars of its lines."""
    text = _CONTROL.sub(" ", _LINE_START.sub("", text.replace("*\\/", "*/")))
    text = " ".join(text.split())
    return text.strip("* ")
