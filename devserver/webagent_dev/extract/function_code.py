"""The source text of a function: what it returns itself, and which arguments it does without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from webagent.checks.sample_code.javascript import Code, Kind, Token, read_code

CONTROL = frozenset(("if", "for", "while", "switch", "catch", "with"))
"""Words before parentheses that are neither those of a call nor of parameters."""
_MARKUP = re.compile(r"[`'\"]\s*<")
_ELEMENT = re.compile(r"(?:create|query|getElement)\w*")


class FunctionCode:
    """The tokens of a function; what the functions inside it return does not count."""

    def __init__(self, code: str) -> None:
        """Read the source text of a function."""
        self._code: Code = read_code(code)
        self._tokens: Sequence[Token] = self._code.tokens
        self._opens = {close: opening for opening, close in self._code.closes.items()}
        self._returned = [*self._expressions()]

    @property
    def returns(self) -> bool:
        """Whether it gives anything back."""
        return bool(self._returned)

    @property
    def makes_markup(self) -> bool:
        """Whether it gives back HTML, or an element that it made."""
        return any(self._is_markup(start, end) for start, end in self._returned)

    def does_without(self, name: str) -> bool:
        """Whether it surely does without the argument of this name."""
        return any(
            token.text == name and self._text(at - 1) not in (".", "?.") and self._is_spare(at)
            for at, token in enumerate(self._tokens)
        )

    def _expressions(self) -> Iterator[tuple[int, int]]:
        """Yield the first token of each expression that is returned, and the one after its last."""
        at = next(self._outer(("=>", "{"), 0), len(self._tokens))
        if self._text(at) == "=>":
            at += 1
            if self._text(at) != "{":
                yield at, len(self._tokens)
                return
        end = self._code.closes.get(at, len(self._tokens))
        while (at := at + 1) < end:
            if self._text(at) == "{" and self._is_function(at):
                at = self._code.closes.get(at, end)
            elif self._is_return(at):
                yield at + 1, next(self._outer((";", "}"), at + 1), end)

    def _outer(self, marks: Sequence[str], at: int) -> Iterator[int]:
        """Yield where one of some marks is, from a token on, outside brackets that open there."""
        while at < len(self._tokens):
            if self._tokens[at].text in marks:
                yield at
            at = self._code.closes.get(at, at) + 1

    def _is_function(self, brace: int) -> bool:
        """Whether a brace opens the body of a function."""
        before = self._text(brace - 1)
        name = self._text(self._opens.get(brace - 1, 0) - 1)
        return before == "=>" or (before == ")" and name not in {*CONTROL, "await"})

    def _is_return(self, at: int) -> bool:
        """Whether a token returns a value."""
        if self._text(at) != "return" or self._text(at - 1) in (".", "?."):
            return False
        after = self._text(at + 1)
        return after not in ("", ";", "}", ":") and not self._tokens[at + 1].line_before

    def _is_markup(self, start: int, end: int) -> bool:
        while self._text(start) == "(":
            start += 1
        texts = [token.text for token in self._tokens[start:end]]
        if not texts:
            return False
        joins = "join" in texts and any(_MARKUP.match(text) for text in texts)
        return joins or bool(_MARKUP.match(texts[0])) or self._is_element(start, end)

    def _is_element(self, start: int, end: int) -> bool:
        """Whether a returned name is that of an element: `const row = document.createElement(…)`."""
        name = self._text(start)
        if (
            end - start > 1
            and not self._tokens[start + 1].line_before
            and self._text(start + 1) != ")"
        ):
            return False
        return any(
            token.text == name
            and [self._text(at + step) for step in (1, 2, 3)] == ["=", "document", "."]
            and _ELEMENT.fullmatch(self._text(at + 4)) is not None
            for at, token in enumerate(self._tokens)
        )

    def _is_spare(self, at: int) -> bool:
        """Whether an argument has a default where it is used, or all pass without it.

        A check such as `if (!name || !email)` says the opposite, so that only what is surely meant
        counts: `level ?? "all"`, `level || "all"`, and `!level || one.level === level` of a filter.
        """
        name, before, after = self._text(at), self._text(at - 1), self._text(at + 1)
        if after in ("??", "??="):
            return True
        if after not in ("||", "||="):
            return False
        if before != "!":
            value = self._tokens[at + 2] if at + 2 < len(self._tokens) else None
            return value is not None and (
                value.kind in (Kind.STRING, Kind.NUMBER) or value.text in ("[", "{")
            )
        if self._text(at - 2) not in ("return", "=>", "&&"):
            return False
        rest = range(at + 2, next(self._outer((";", "}", ",", "||"), at + 2), len(self._tokens)))
        return any(
            self._text(one) == name
            and self._text(one - 1) in ("===", "==", "(")
            and self._text(one + 1) != "."
            for one in rest
        )

    def _text(self, at: int) -> str:
        return self._tokens[at].text if 0 <= at < len(self._tokens) else ""
